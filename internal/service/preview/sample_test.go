package preview_test

import (
	"slices"
	"testing"
	"time"

	"recoup/internal/engine"
	"recoup/internal/kit/pgtest"
	"recoup/internal/service/preview"
	"recoup/internal/store/durable"
	"recoup/internal/store/pebble/pebbletest"
	"recoup/internal/store/postgres"
	"recoup/program"
	"recoup/reward"
)

// databases are those that samples are taken from.
var databases = map[string]func(*testing.T) durable.Driver{
	"pebble": func(t *testing.T) durable.Driver { return pebbletest.Open(t) },
	"PostgreSQL": func(t *testing.T) durable.Driver {
		d, err := postgres.Open(t.Context(), pgtest.NewSchema(t), postgres.Options{Migrate: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Close() })
		return d
	},
}

// logged is a database with the program everyday, the default, and another,
// after these events.
func logged(t *testing.T, d durable.Driver, l *log) {
	t.Helper()
	now := time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)
	programs, err := durable.OpenPrograms(t.Context(), d,
		func(document []byte) (*reward.Program, error) { return program.Parse("program.yaml", document) },
		func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"everyday", "other"} {
		if _, _, err := programs.Put(t.Context(), id, []byte("id: "+id+"\ncurrency: USD\n"+rules(grocery5)), 0, ""); err != nil {
			t.Fatal(err)
		}
	}
	s := durable.New(d, durable.Options{Programs: programs, Now: func() reward.Instant { return reward.At(now) }})
	results, err := engine.New(s).Apply(t.Context(), l.events, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range results {
		if r.Outcome != reward.Applied && r.Outcome != reward.Parked && l.events[i].Fact != "too much" {
			t.Fatalf("event %d (%v) is %v %v", i, l.events[i].Type, r.Outcome, r.Code)
		}
	}
}

// ids names the events of a sample.
func ids(sample []reward.Event) []string {
	list := []string{}
	for i := range sample {
		list = append(list, sample[i].Account+" "+sample[i].ID)
	}
	return list
}

func TestASampleIsTheLastPurchasesWithWhatNamesThem(t *testing.T) {
	l := new(log).
		add("a", reward.TransactionAuthorized, reward.Event{Transaction: "t1", Amount: 1000}).      // e0
		buys("a", "t1", 1000, "GROCERY").                                                           // e1
		add("b", reward.AccountOpened, reward.Event{Fact: "other"}).                                // e2
		buys("b", "t1", 1000, "GROCERY").                                                           // e3: of another program
		add("c", reward.RefundPosted, reward.Event{Fact: "early", Transaction: "t1", Amount: 100}). // e4: parked
		buys("c", "t1", 1000, "GROCERY").                                                           // e5
		returns("a", "t1", 300).                                                                    // e6
		add("a", reward.RefundPosted, reward.Event{Fact: "unlinked", Amount: 100, Merchant: "m1"}). // e7
		add("a", reward.RefundReversed, reward.Event{Fact: "rt1"}).                                 // e8
		add("a", reward.RefundReversed, reward.Event{Fact: "unlinked"}).                            // e9
		add("a", reward.RedemptionRequested, reward.Event{Fact: "too much", Amount: 100_000}).      // e10
		buys("a", "t2", 2000, "GROCERY").                                                           // e11
		add("a", reward.ChargebackPosted, reward.Event{Fact: "rt1", Transaction: "t2"}).            // e12: its id is that of a refund
		add("a", reward.ChargebackReversed, reward.Event{Fact: "rt1"})                              // e13
	tests := []struct {
		program string
		n       int
		want    []string
	}{
		{"everyday", 100, []string{"a e0", "a e1", "c e4", "c e5", "a e6", "a e8", "a e11", "a e12", "a e13"}},
		{"everyday", 2, []string{"c e5", "a e11", "a e12", "a e13"}},
		{"everyday", 1, []string{"a e11", "a e12", "a e13"}},
		{"other", 100, []string{"b e2", "b e3"}},
		{"none", 100, []string{}},
	}
	for name, open := range databases {
		t.Run(name, func(t *testing.T) {
			d := open(t)
			logged(t, d, l)
			for _, tt := range tests {
				sample, err := preview.Sample(t.Context(), d, tt.program, tt.n)
				if err != nil || !slices.Equal(ids(sample), tt.want) {
					t.Errorf("the last %d of %s are %q (%v), want %q", tt.n, tt.program, ids(sample), err, tt.want)
				}
			}
		})
	}
}

// What a sample earns under the program in force is what its accounts earned,
// where it has all of their purchases.
func TestASampleOfEverythingEarnsWhatItDid(t *testing.T) {
	l := new(log).buys("a", "t1", 10_000, "GROCERY").returns("a", "t1", 4_000).buys("b", "t1", 5_000, "GROCERY")
	for name, open := range databases {
		t.Run(name, func(t *testing.T) {
			d := open(t)
			logged(t, d, l)
			sample, err := preview.Sample(t.Context(), d, "everyday", 10)
			if err != nil {
				t.Fatal(err)
			}
			p := terms(t, rules(grocery5))
			if c := compare(t, p, p, &log{sample}); c.Totals.Granted != 300+250 || c.Totals.Difference != 0 {
				t.Errorf("the totals are %+v, want 550 granted", c.Totals)
			}
		})
	}
}
