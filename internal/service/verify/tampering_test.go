package verify_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"recoup/internal/service/verify"
	"recoup/internal/store/durable"
	"recoup/internal/store/record"
	"recoup/ledger"
	"recoup/reward"
)

// eventful are ten events, with the clock's at the end, of an account that has
// every kind of row.
func eventful(account string) []reward.Event {
	at := func(month time.Month, day int) reward.Instant {
		return reward.At(time.Date(2026, month, day, 10, 0, 0, 0, time.UTC))
	}
	events := []reward.Event{
		{ID: "e1", Time: at(1, 1), Type: reward.AccountOpened, Fact: "gold"},
		{ID: "e2", Time: at(1, 5), Type: reward.TransactionSettled, Transaction: "t1", Amount: 10_000, Merchant: "m", Category: "GROCERY"},
		{ID: "e3", Time: at(1, 6), Type: reward.TransactionSettled, Transaction: "t2", Amount: 5_000, Category: "GAS"},
		{ID: "e4", Time: at(1, 7), Type: reward.RefundPosted, Fact: "r1", Amount: 4_000, Merchant: "m"},
		{ID: "e5", Time: at(1, 8), Type: reward.ChargebackPosted, Fact: "c1", Transaction: "t2", Amount: 1_000},
		{ID: "e6", Time: at(1, 9), Type: reward.RedemptionRequested, Fact: "d1", Amount: 100},
		{ID: "e7", Time: at(1, 10), Type: reward.AdjustmentPosted, Fact: "j1", Amount: 200, Reason: "sorry", Actor: "op"},
		{ID: "e8", Time: at(2, 5), Type: reward.TransactionSettled, Transaction: "t3", Amount: 2_000, Category: "GROCERY"},
		{ID: "e9", Time: at(3, 5), Type: reward.TransactionSettled, Transaction: "t4", Amount: 3_000, Category: "GROCERY"},
	}
	for i := range events {
		e := &events[i]
		e.Source, e.Account = "core", account
		if e.Amount != 0 {
			e.HasAmount = true
			if e.Type != reward.ChargebackPosted {
				e.Currency = "USD"
			}
		}
	}
	return events
}

// tampering is something that an insider does to an account, and what must be
// said of that account: each of the texts, or one of those with | between them,
// since drivers come upon the events of a damaged log in different ways.
type tampering struct {
	name   string
	tamper func(*holdings)
	named  []string
}

// inLine changes the line of an event, inPostings its postings.
func inLine(sequence int64, old, new string) func(*holdings) {
	return func(h *holdings) { h.replace(&h.event(sequence).Event, old, new) }
}

func inPostings(sequence int64, old, new string) func(*holdings) {
	return func(h *holdings) { h.replace(&h.event(sequence).Postings, old, new) }
}

// forge adds an event like that of a clock.
func forge(number, sequence int64) func(*holdings) {
	return func(h *holdings) {
		line := fmt.Sprintf(`{"specversion":"1.0","id":"forged","source":"core","type":"cycle.closed","time":"2027-06-01T00:00:00Z","subject":%q,"data":{}}`, h.account)
		var before int64
		for i := range h.events {
			before = max(before, h.events[i].Number)
		}
		h.events = append(h.events, durable.EventRow{
			Number: number, Account: h.account, Sequence: sequence, Before: before, Received: 5, Source: "core", ID: "forged", Type: "cycle.closed",
			Outcome: reward.Applied, Event: []byte(line),
		})
	}
}

// dropEvents removes events up to one.
func dropEvents(from, to int64) func(*holdings) {
	return func(h *holdings) {
		for sequence := from; sequence <= to; sequence++ {
			h.events = without(h.events, h.event(sequence))
		}
	}
}

// inSeal changes the seal.
func inSeal(change func(sequence *int64, hash []byte)) func(*holdings) {
	return func(h *holdings) {
		var seal struct {
			Sequence int64  `json:"sequence"`
			Number   int64  `json:"number"`
			Hash     []byte `json:"hash"`
		}
		if err := json.Unmarshal(h.seal, &seal, json.RejectUnknownMembers(true)); err != nil {
			h.Fatal(err)
		}
		change(&seal.Sequence, seal.Hash)
		h.seal, _ = json.Marshal(seal)
	}
}

const (
	january2026  = reward.Cycle(24312)
	february2026 = reward.Cycle(24313)
)

// everyTampering changes one thing in every way that there is.
func everyTampering() []tampering {
	list := []tampering{
		{"an amount in an event", inLine(2, `"amount":10000`, `"amount":9000`),
			[]string{`event 2: postings: `, `event 2: sealed event: expected as it was sealed, found changed since`}},
		{"what no reward depends on", inLine(7, `"reason":"sorry"`, `"reason":"thank you"`), []string{`event 7: sealed event: `}},
		{"who sent an event", func(h *holdings) { h.event(6).Principal = "somebody else" }, []string{`event 6: sealed event: `}},
		{"that somebody sent an event", func(h *holdings) { h.event(7).Principal = "" }, []string{`event 7: sealed event: `}},
		{"the key to what it commits to", func(h *holdings) { h.key = []byte(`"` + strings.Repeat("A", 43) + `="`) }, []string{`event 1: sealed event: `}},
		{"that there is such a key", func(h *holdings) { h.key = nil }, []string{`event 1: sealed event: `}},
		{"such a key that is none", func(h *holdings) { h.key = []byte(`"AAAA"`) }, []string{`erasure key: expected a key that can be read`}},
		{"an account in an event", inLine(2, `"subject":"`, `"subject":"x`), []string{`event 2: account: expected "x`}},
		{"an event that cannot be read", func(h *holdings) { h.event(2).Event = h.event(2).Event[:20] },
			[]string{`event 2: event: expected a line that can be read`}},
		{"an amount in a posting", inPostings(2, `"amount":500`, `"amount":900`),
			[]string{`event 2: postings: expected …`, `event 2: balance after posting 1: expected 900, found 500`, `statement of 2026-01: expected one that ties out`}},
		{"a balance in a posting", inPostings(2, `"balance":500`, `"balance":900`),
			[]string{`event 2: postings: expected …`, `event 2: balance after posting 1: expected 500, found 900`}},
		{"an explanation in a posting", inPostings(2, `"purchase":10000`, `"purchase":10001`), []string{`event 2: postings: expected …`}},
		{"a journal that cannot be read", inPostings(2, `[`, `[ `), []string{`event 2: postings: expected a journal as the ledger writes it`}},
		{"postings that are gone", func(h *holdings) { h.event(2).Postings = nil },
			[]string{`event 2: postings: `, `event 3: number of posting 2: expected 1, found 2`}},
		{"an outcome", func(h *holdings) { h.event(2).Outcome, h.event(2).Code = reward.Rejected, reward.IDReused },
			[]string{`event 2: outcome: expected applied, found rejected: id_reused`}},
		{"a code", func(h *holdings) { h.event(4).Code = reward.Unmatched },
			[]string{`event 4: outcome: expected applied: matched, found applied: unmatched`}},
		{"the time of a receipt", func(h *holdings) { h.event(4).Received++ }, []string{`event 4: sealed event: `}},
		{"the type in the column", func(h *holdings) { h.event(2).Type = "refund.posted" },
			[]string{`event 2: type: expected "transaction.settled", found "refund.posted"`}},
		{"the source in the column", func(h *holdings) { h.event(2).Source = "x" }, []string{`event 2: source: expected "core", found "x"`}},
		{"the id in the column", func(h *holdings) { h.event(2).ID = "x" },
			[]string{`event 2: id: expected "e2", found "x"`, `event 2: event of posting 1: expected core x, found core e2`}},
		{"the number", func(h *holdings) { h.event(2).Number += 900_000 },
			[]string{`event 3: number of the event before: `, `event 2: sealed event: `}},
		{"the event before", func(h *holdings) { h.event(3).Before = 999_999_999 }, []string{`event 3: number of the event before: `}},
		{"the event before of another account", func(h *holdings) { h.event(3).Before = h.elsewhere }, []string{`event 3: number of the event before: `}},
		{"a shortcut past an event", func(h *holdings) { h.event(3).Before = h.event(1).Number },
			[]string{`event 3: number of the event before: | event 2: sequence: expected event 2, found none; the next is 3`}},
		{"the last event is gone", dropEvents(10, 10),
			[]string{`event 10: sealed events: expected events up to 10, found the last is 9`, `: version of the account: expected 9, found 10`}},
		{"an event in the middle is gone", dropEvents(2, 2), []string{`event 2: sequence: expected event 2, found none; the next is 3`}},
		{"the first event is gone", dropEvents(1, 1), []string{`event 1: sequence: expected event 1, found none; the next is 2`}},
		{"events are gone", dropEvents(2, 4), []string{`event 2: sequence: expected event 2 to 4, found none; the next is 5`}},
		{"all events are gone", dropEvents(1, 10),
			[]string{`: account: expected events, or no row, found a row, but no events`, `event 1: sealed events`}},
		{"two events change places", func(h *holdings) {
			second, third := h.event(2), h.event(3)
			second.Sequence, third.Sequence = 3, 2
		}, []string{`event 2: number of the event before: | event 2: sequence: expected event 2, found none; the next is 3`, `event 2: sealed event | event 3: one of the sealed events 2 to 3`}},
		{"an event is appended", forge(800_001, 11),
			[]string{`: version of the account: expected 11, found 10 | event 11: event: expected a later one, or an account, that leads to it, found none`}},
		{"an event is inserted", forge(800_002, 7),
			[]string{`event 7: sequence: expected one event with it, found another one | event 7: event: expected a later one, or an account, that leads to it, found none`}},
		{"the account's head", func(h *holdings) { h.row.Head = flipped(h.row.Head, -1) }, []string{`: head of the account: `}},
		{"the open statement", func(h *holdings) { h.row.Head = flipped(h.row.Head, 0) }, []string{`: open statement in the head of the account: `}},
		{"a head that is gone", func(h *holdings) { h.row.Head = []byte{} }, []string{`: open statement in the head of the account: expected `}},
		{"the version", func(h *holdings) { h.row.Version++ }, []string{`: version of the account: expected 10, found 11`}},
		{"the latest event", func(h *holdings) { h.row.Last = 1 }, []string{`: number of the account's latest event: `}},
		{"when the cycle is due", func(h *holdings) { h.row.Due = 5 }, []string{`: when the account's cycle is to be closed: `}},
		{"the account's program", func(h *holdings) { h.row.Program = "everyday" }, []string{`: program of the account: expected "gold", found "everyday"`}},
		{"the account's row is gone", func(h *holdings) { h.row = nil },
			[]string{`: account: expected a row, found none, but events | event 10: event: expected a later one, or an account, that leads to it`,
				`: rows in transactions: expected none, as there is no account, found 4`}},
		{"the account and its events are gone", func(h *holdings) { h.row, h.events = nil, nil },
			[]string{`: rows in transactions: `, `: rows in statements: expected none, as there is no account, found 2`, `: rows in seals: expected none, as there is no account, found 1`}},
		{"a statement", func(h *holdings) { h.statement(january2026).Granted++ }, []string{`: statement of 2026-01: expected opening 0, granted 550, `}},
		{"a statement's last event", func(h *holdings) { h.statement(january2026).Last++ }, []string{`: statement of 2026-01: expected opening 0, granted 550, `}},
		{"a statement is gone", func(h *holdings) { h.statements = without(h.statements, h.statement(february2026)) },
			[]string{`: statement of 2026-02: expected opening `, `found none`}},
		{"a statement of a cycle that never was", func(h *holdings) {
			h.statements = append(h.statements, durable.StatementRow{Account: h.account, Statement: ledger.Statement{Cycle: 24300}, Last: 1})
		}, []string{`: statement of 2025-01: expected none, found opening 0`}},
		{"a seal", inSeal(func(_ *int64, hash []byte) { hash[0] ^= 2 }), []string{`event 10: sealed event`}},
		{"how far it is sealed", inSeal(func(sequence *int64, _ []byte) { *sequence = 9 }), []string{`: seal: expected a record of the table of seals`}},
		{"a seal that cannot be read", func(h *holdings) { h.replace(&h.seal, `"sequence":10`, `"sequence":"ten"`) }, []string{`: seal: expected a record of the table of seals`}},
	}
	for kind := reward.TransactionPart; kind <= reward.BucketPart; kind++ { // the account has these
		list = append(list, everyTamperingWith(kind)...)
	}
	return list
}

// everyTamperingWith changes the account's first part of a kind.
func everyTamperingWith(kind reward.PartKind) (list []tampering) {
	set := func(name string, change func(*durable.Part), named ...string) {
		list = append(list, tampering{name + " of a " + kind.String(), func(h *holdings) { change(h.part(kind)) }, named})
	}
	own := `: ` + kind.String() + ` "`
	set("the bucket", func(p *durable.Part) { p.Bucket = 77 }, own, "its bucket: expected ")
	set("the settlement", func(p *durable.Part) { p.Settled = 5 }, own, "when it settled: expected ")
	set("the review", func(p *durable.Part) { p.ReviewSince = 5 }, own, "since when it is to be reviewed: expected ")
	set("the contents", func(p *durable.Part) { p.Data = flipped(p.Data, -1) }, own)
	set("the work", func(p *durable.Part) { p.Working = !p.Working }, own, ", whether it is worked on: expected ")
	return append(list,
		tampering{"a " + kind.String() + " is gone", func(h *holdings) { h.parts = without(h.parts, h.part(kind)) }, []string{`": expected a row, found none`}},
		tampering{"a " + kind.String() + " is inserted", func(h *holdings) {
			forged := durable.Part{Account: h.account}
			forged.Kind, forged.ID, forged.Data, forged.Working = kind, "forged", h.part(kind).Data, h.part(kind).Working
			h.parts = append(h.parts, forged)
		}, []string{own + `forged": expected none, found a row`}})
}

// byAccount sorts differences into those of each account.
func byAccount(report *verify.Report) map[string]string {
	found := make(map[string]string)
	for _, d := range report.Differences {
		found[d.Account] += d.String() + "\n"
	}
	return found
}

// Each account is tampered with in another way, so that one check shows all.
func TestTamperingIsNamed(t *testing.T) {
	onEveryDatabase(t, func(t *testing.T, v vault) {
		db := v.open(t)
		s := serve(t, db)
		cases := everyTampering()
		for i := range cases {
			s.apply(eventful(fmt.Sprintf("case %02d", i)))
		}
		s.spend(20, 500)
		s.advance()
		checkpoint(t, db) // seals all
		expectOnly(t, checkStored(t, db))
		close(t, db)

		what := map[string]func(*holdings){"nobody": forge(800_000, 1)}
		for i, c := range cases {
			what[fmt.Sprintf("case %02d", i)] = c.tamper
		}
		v.tamper(t, what)
		db = v.open(t)
		defer db.Close()
		found := byAccount(checkStored(t, db))
		expectNamed(t, found, "nobody", tampering{name: "an event without an account", named: []string{
			`: account: expected a row, found none, but events | event 1: event: expected a later one, or an account, that leads to it`,
		}})
		for i, c := range cases {
			expectNamed(t, found, fmt.Sprintf("case %02d", i), c)
		}
		for account, differences := range found {
			t.Errorf("nobody touched %s:\n%s", account, differences)
		}
	})
}

// expectNamed checks what is said of an account and takes it off.
func expectNamed(t *testing.T, found map[string]string, account string, c tampering) {
	t.Helper()
	for _, want := range c.named {
		said := false
		for _, one := range strings.Split(want, " | ") {
			said = said || strings.Contains(found[account], one)
		}
		if !said {
			t.Errorf("%s (%s): nothing says %s:\n%s", c.name, account, want, found[account])
		}
	}
	delete(found, account)
}

func TestTermsThatWereChangedAreNamed(t *testing.T) {
	onEveryDatabase(t, func(t *testing.T, v vault) {
		db := v.open(t)
		defer db.Close()
		s := serve(t, db)
		s.apply(eventful("golden"))
		_, everyday := purchases("everyday", 5)
		s.apply(everyday)
		err := db.Change(t.Context(), func(tx record.Tx) error {
			return tx.Scan(t.Context(), "programs", record.Span{}, func(key string, text []byte) (bool, error) {
				if changed := strings.Replace(string(text), "rate: 5%", "rate: 6%", 1); strings.Contains(changed, "id: gold") {
					tx.Put("programs", key, []byte(changed))
				}
				return true, nil
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		found := byAccount(checkStored(t, db))
		expectNamed(t, found, "golden", tampering{"the terms of its program", nil, []string{`event 2: postings: `}})
		if len(found) > 0 {
			t.Errorf("accounts of another program differ: %v", found)
		}
	})
}

// Somebody who removes every trace of an account leaves a database that is sound
// in itself.
func TestAnAccountWithoutATraceIsMissedByACheckpoint(t *testing.T) {
	onEveryDatabase(t, func(t *testing.T, v vault) {
		db := v.open(t)
		s := serve(t, db)
		s.apply(eventful("golden"))
		s.spend(5, 100)
		c, leaves := checkpoint(t, db)
		close(t, db)

		v.tamper(t, map[string]func(*holdings){"golden": func(h *holdings) {
			if h.row == nil || len(h.events) != 9 || len(h.parts) != 12 || len(h.statements) != 2 || h.seal == nil {
				t.Errorf("before, there are %+v", h)
			}
			h.row, h.events, h.parts, h.statements, h.seal, h.key = nil, nil, nil, nil, nil, nil
		}})
		db = v.open(t)
		defer db.Close()
		expectOnly(t, checkStored(t, db))
		report := check(t, db, verify.Options{Programs: storedPrograms(t, db), Checkpoint: c, Leaves: reader(t, leaves)})
		expectOnly(t, report, `accounts that the checkpoint signed: expected one of 9 events that is called `)
	})
}
