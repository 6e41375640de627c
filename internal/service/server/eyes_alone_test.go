package server_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"recoup/internal/service/scope"
	"recoup/internal/service/verify"
	"recoup/internal/store/record"
)

// tamper changes the amounts in a table of what was done alone, or takes the rows out.
func (b *bureau) tamper(table string, change func(row map[string]any) (keep bool)) {
	b.Helper()
	err := b.raw.Change(context.Background(), func(tx record.Tx) error {
		return tx.Scan(context.Background(), table, record.Span{}, func(key string, value []byte) (bool, error) {
			row := make(map[string]any)
			if err := json.Unmarshal(value, &row); err != nil {
				return false, err
			}
			if !change(row) {
				tx.Delete(table, key)
				return true, nil
			}
			value, err := json.Marshal(row)
			tx.Put(table, key, value)
			return true, err
		})
	})
	if err != nil {
		b.Fatal(err)
	}
}

// verified is what a check of the database finds.
func (b *bureau) verified() (found []string) {
	b.Helper()
	report, err := verify.Run(context.Background(), b.raw, verify.Options{Programs: b.ledger.Programs()})
	if err != nil {
		b.Fatal(err)
	}
	for _, d := range report.Differences {
		found = append(found, d.What+": "+d.Found)
	}
	return found
}

// What limits are held against follows from the log: who makes it less is found.
func TestSumsOfWhatWasDoneAloneAreChecked(t *testing.T) {
	less := func(row map[string]any) bool { row["amount"] = 1; return true }
	gone := func(map[string]any) bool { return false }
	for name, c := range map[string]struct {
		change func(b *bureau)
		found  string
	}{
		"as it is":        {func(*bureau) {}, ""},
		"a sum":           {func(b *bureau) { b.tamper("alone", less) }, "the sum that limits are held against is 1"},
		"sums are gone":   {func(b *bureau) { b.tamper("alone", gone) }, "the sum that limits are held against is 0"},
		"notes and sums":  {func(b *bureau) { b.tamper("alone", gone); b.tamper("alone_by", gone) }, "and 0 count against the limits"},
		"amounts of both": {func(b *bureau) { b.tamper("alone", less); b.tamper("alone_by", less) }, "by 2000 minor units, and 1 count against the limits"},
		"somebody else's": {func(b *bureau) {
			b.tamper("alone_by", func(row map[string]any) bool { row["who"] = "name:somebody"; return true })
		}, "and counts for name:somebody"},
	} {
		t.Run(name, func(t *testing.T) {
			eachBureau(t, func(t *testing.T, b *bureau) {
				_, ada := b.key("Ada", scope.Admin)
				for n, line := range []string{
					`"transaction":"dear","amount":50000,"currency":"USD","merchant":"m9","category":"GROCERY"`,
					`"transaction":"plain","amount":50000,"currency":"USD","merchant":"m8"`,
				} {
					b.call(ada, "POST", "/v1/events", one, cloudEvent(n, "transaction.settled", "acct", line)).status200()
				}
				b.call(ada, "POST", "/v1/events", one, cloudEvent(5, "refund.posted", "acct", `"refund":"free","amount":50000,"currency":"USD","merchant":"m9"`)).status200()
				link := b.call(ada, "POST", "/v1/events", one, cloudEvent(6, "refund.linked", "acct", `"refund":"free","transaction":"plain","reason":"x","actor":"Ada"`)).status200()
				if got := link.outcome(link.body); got != "applied" {
					t.Fatal(got)
				}
				b.post(ada, "/v1/accounts/acct/adjustments", "key-00001", `{"amount":-2400,"currency":"USD","reason":"x"}`).is(201)
				c.change(b)
				found := b.verified()
				if c.found == "" && len(found) > 0 || c.found != "" && !strings.Contains(strings.Join(found, "\n"), c.found) {
					t.Errorf("found %q, want %q", found, c.found)
				}
			})
		})
	}
}

// What is out of the time that sums are of is let go of.
func TestNotesOfWhatWasDoneAloneDoNotPileUp(t *testing.T) {
	eachBureau(t, func(t *testing.T, b *bureau) {
		_, ada := b.key("Ada", scope.Admin)
		b.call(ada, "POST", "/v1/events", one, purchase(1, "acct", 100)).status200()
		for _, key := range []string{"key-00001", "key-00002", "key-00003"} {
			b.post(ada, "/v1/accounts/acct/adjustments", key, `{"amount":100,"currency":"USD","reason":"x"}`).is(201)
			b.clock.pass(31 * 24 * time.Hour)
		}
		for _, table := range []string{"alone_by", "alone_when", "alone"} {
			rows := 0
			b.tamper(table, func(map[string]any) bool { rows++; return true })
			if want := map[string]int{"alone": 2}[table]; rows != max(1, want) {
				t.Errorf("%s has %d rows", table, rows)
			}
		}
		if found := b.verified(); len(found) > 0 {
			t.Errorf("found %q", found)
		}
	})
}

// A row of terms that nobody agreed to is named, whatever it says of its time, and though none
// was ever agreed to.
func TestAnInsertedVersionIsNamed(t *testing.T) {
	eachBureau(t, func(t *testing.T, b *bureau) {
		_, ada := b.key("Ada", scope.Admin)
		b.call(ada, "POST", "/v1/events", one, purchase(1, "acct", 100)).status200()
		type version struct {
			Program  string `json:"program"`
			Version  int64  `json:"version"`
			From     int64  `json:"from_cycle"`
			Document string `json:"document"`
			Created  int64  `json:"created_at"`
			Actor    string `json:"actor"`
		}
		err := b.raw.Change(t.Context(), func(tx record.Tx) error {
			v := version{"everyday", 2, 1 << 20, "id: everyday\ncurrency: USD\nrules: [{id: base, rate: 100%}]\n", 1, "recoup serve"}
			return record.Table[version]("programs").Put(tx, record.Key(v.Program, v.Version), &v)
		})
		if err != nil {
			t.Fatal(err)
		}
		if found := strings.Join(b.verified(), "\n"); !strings.Contains(found, "version 2 of program everyday was published without a second person") {
			t.Errorf("found %q", found)
		}
	})
}
