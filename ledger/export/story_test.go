package export_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"recoup/ledger/export"
	"recoup/program"
	"recoup/reward"
)

// The journal that docs/accounting.md shows is the one that is exported.
func TestTheDocumentationShowsWhatIsExported(t *testing.T) {
	p := maturing()
	p.Version = 1
	s := newService(t, p)
	s.deliver(
		event("acct-1", "01-05 10:00", reward.TransactionSettled, "t1", "", 10_000),
		event("acct-1", "01-25 10:00", reward.RedemptionRequested, "", "x1", 300),
		event("acct-1", "01-26 10:00", reward.RefundPosted, "t1", "r1", 10_000),
	)
	for n, e := range s.entries {
		e.Event.ID, e.Principal = fmt.Sprintf("e%d", n+1), "abcdefgh2345"
		for i := range e.Postings {
			e.Postings[i].Event = e.Event.ID
		}
	}
	text, _ := written(t, s, "hledger", options())
	page, err := os.ReadFile("../../docs/accounting.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile("(?s)```hledger\n(.*?)```").FindSubmatch(page)
	if shown == nil || !strings.HasSuffix(text, string(shown[1])) {
		t.Errorf("exported is\n%s\nwhich does not end as in docs/accounting.md", text)
	}
}

// Who approved an adjustment is a detail of it, in every format.
func TestAnApproverIsExported(t *testing.T) {
	approved := adjusted("01-25", "a1")
	approved.Approver = "Anna"
	s := newService(t, maturing())
	s.deliver(settled("01-05 10:00", "t1"), approved)
	for format, want := range map[string]string{
		"hledger": "    ; actor: ann\n    ; approver: Anna\n", "beancount": "  actor: \"ann\"\n  approver: \"Anna\"\n", "csv": `"ann","Anna"`,
	} {
		if text, _ := written(t, s, format, options()); !strings.Contains(text, want) {
			t.Errorf("%s has no %q:\n%s", format, want, text)
		}
	}
}

// Who sent the event behind a transaction is a detail of it: where only time did something,
// who sent the event with which the account learnt of it. Where nobody is known to have,
// there is none.
func TestWhoSentItIsExported(t *testing.T) {
	s := newService(t, maturing())
	s.deliver(settled("01-05 10:00", "t1"), event("acct-1", "01-25 10:00", reward.RedemptionRequested, "", "x1", 300), settled("01-26 10:00", "t2"))
	s.entries[0].Principal, s.entries[1].Principal = "key1", "oidc:ann, of id.example"
	o := options()
	o.Until = at("02-20 10:00")
	want := []string{"grant key1", "matured oidc:ann, of id.example", "redemption oidc:ann, of id.example", "grant", "matured"}

	file, _ := checked(t, s, "hledger", o)
	var read []struct {
		Tags [][2]string `json:"ttags"`
	}
	if err := json.Unmarshal([]byte(tool(t, "hledger", "-f", file, "print", "-O", "json")), &read); err != nil {
		t.Fatal(err)
	}
	var tags []string
	for _, r := range read[:len(read)-1] { // without that of the assertions
		var kind, principal string
		for _, tag := range r.Tags {
			switch tag[0] {
			case "kind":
				kind = tag[1]
			case "principal":
				principal = " " + tag[1]
			}
		}
		tags = append(tags, kind+strings.ReplaceAll(principal, "%2C", ","))
	}
	if !slices.Equal(tags, want) {
		t.Errorf("hledger reads %q, want %q", tags, want)
	}

	file, _ = checked(t, s, "beancount", o)
	out := tool(t, "bean-query", "-f", "csv", file, "SELECT DISTINCT entry_meta('kind'), entry_meta('principal') WHERE entry_meta('principal') = 'key1'")
	if rows := strings.Split(strings.TrimSpace(out), "\n"); strings.Join(strings.Fields(rows[len(rows)-1]), "") != "grant,key1" || len(rows) != 2 {
		t.Errorf("Beancount reads of key1 %q", rows)
	}

	text, _ := written(t, s, "csv", o)
	var cells []string
	for _, row := range rowsOf(t, text) {
		if of := strings.TrimSpace(row["kind"] + " " + row["principal"]); len(cells) == 0 || cells[len(cells)-1] != of {
			cells = append(cells, of)
		}
	}
	if !slices.Equal(cells, want) {
		t.Errorf("the rows are %q, want %q", cells, want)
	}
}

// procession is a log of many accounts with one history, of which only one is in
// memory at a time.
type procession struct {
	history  []*export.Entry
	accounts int
	at       func(account int)
}

func (p *procession) Events(_ context.Context, _ string, f func(*export.Entry) error) error {
	for n := range p.accounts {
		p.at(n)
		id := fmt.Sprintf("acct-%09d", n)
		for _, e := range p.history {
			entry := *e
			entry.Event.Account = id
			entry.Postings = append([]reward.Posting(nil), e.Postings...)
			for i := range entry.Postings {
				entry.Postings[i].Account = id
			}
			if err := f(&entry); err != nil {
				return err
			}
		}
	}
	return nil
}

func TestMemoryDoesNotGrowWithTheLog(t *testing.T) {
	s := newService(t, maturing())
	for i := range 50 {
		id := fmt.Sprint(i)
		s.deliver(settled("01-05 10:00", id), event("acct-1", "01-06 10:00", reward.RefundPending, id, "r"+id, 10))
	}
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	for _, format := range []string{"hledger", "beancount", "csv"} {
		var early, late uint64
		log := &procession{history: s.entries, accounts: 1001, at: func(account int) {
			switch account {
			case 10:
				early = heap()
			case 1000:
				late = heap()
			}
		}}
		w, err := export.NewWriter(format, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		o := options()
		o.ByAccount = true
		tally, err := export.Write(context.Background(), log, w, o)
		if err != nil || tally.Accounts != 1001 {
			t.Fatalf("exported %+v: %v", tally, err)
		}
		if late > early+64<<10 {
			t.Errorf("%s: the heap has %d bytes after 10 accounts and %d after 1,000", format, early, late)
		}
	}
}

func BenchmarkExport(b *testing.B) {
	s := newService(b, program.Everyday())
	for i := range 100 {
		s.deliver(event("acct-1", "01-05 10:00", reward.TransactionSettled, fmt.Sprint(i), "", 500))
	}
	for _, format := range []string{"hledger", "beancount", "csv"} {
		b.Run(format, func(b *testing.B) {
			w, _ := export.NewWriter(format, io.Discard)
			log := &procession{history: s.entries, accounts: b.N/len(s.entries) + 1, at: func(int) {}}
			b.ReportAllocs()
			if _, err := export.Write(context.Background(), log, w, options()); err != nil {
				b.Fatal(err)
			}
		})
	}
}
