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

// at is a moment of 2026 by its month and day.
func at(month time.Month, day int) reward.Instant {
	return reward.At(time.Date(2026, month, day, 12, 0, 0, 0, time.UTC))
}

// on dates the last event that was added.
func (l *log) on(at reward.Instant) *log {
	l.events[len(l.events)-1].Time = at
	return l
}

func everyday(t *testing.T) *reward.Program { return terms(t, rules(grocery5)) }

func TestASampleIsPurchasesOfWholeCyclesWithWhatNamesThem(t *testing.T) {
	l := new(log).
		buys("a", "old", 1000, "GROCERY").on(at(1, 5)).                                                          // e0: before the cycles
		add("a", reward.TransactionAuthorized, reward.Event{Transaction: "t1", Amount: 1000}).on(at(1, 31)).     // e1
		buys("a", "t1", 1000, "GROCERY").on(at(2, 1)).                                                           // e2
		add("b", reward.AccountOpened, reward.Event{Fact: "other"}).on(at(3, 1)).                                // e3
		buys("b", "t1", 1000, "GROCERY").on(at(3, 1)).                                                           // e4: of another program
		add("c", reward.RefundPosted, reward.Event{Fact: "early", Transaction: "t1", Amount: 1}).on(at(3, 2)).   // e5: parked
		buys("c", "t1", 1000, "GROCERY").on(at(3, 3)).                                                           // e6
		returns("a", "t1", 300).on(at(5, 2)).                                                                    // e7: after the cycles
		add("a", reward.RefundPosted, reward.Event{Fact: "unlinked", Amount: 100, Merchant: "m1"}).on(at(5, 2)). // e8
		add("a", reward.RefundReversed, reward.Event{Fact: "rt1"}).on(at(5, 3)).                                 // e9
		add("a", reward.RefundReversed, reward.Event{Fact: "unlinked"}).on(at(5, 3)).                            // e10
		add("a", reward.RedemptionRequested, reward.Event{Fact: "too much", Amount: 100_000}).on(at(5, 3)).      // e11
		buys("a", "t2", 2000, "GROCERY").on(at(4, 30)).                                                          // e12
		add("a", reward.ChargebackPosted, reward.Event{Fact: "rt1", Transaction: "t2"}).on(at(5, 4)).            // e13: its id is that of a refund
		buys("a", "going on", 2000, "GROCERY").on(at(5, 4))                                                      // e14
	ofA := []string{"a e1", "a e2", "a e7", "a e9", "a e12", "a e13"}
	tests := []struct {
		program    string
		n          int
		span       int
		month      time.Month // that goes on
		want       []string
		cycles     int
		from       time.Month
		everything bool
	}{
		{"everyday", 100, 3, 5, append(slices.Clone(ofA), "c e5", "c e6"), 3, 2, true},
		{"everyday", 1, 3, 5, ofA, 3, 2, false},
		{"everyday", 100, 1, 5, []string{"a e12", "a e13"}, 1, 4, true},
		{"everyday", 100, 12, 5, append(slices.Clone(ofA), "c e5", "c e6"), 3, 2, true}, // January is left out: nobody knows whether it is whole
		{"everyday", 100, 3, 1, []string{"a e0"}, 0, 1, true},                           // no cycle is over
		{"other", 100, 3, 4, []string{"b e3", "b e4"}, 1, 3, true},
		{"none", 100, 3, 5, []string{}, 0, 5, true},
	}
	for name, open := range databases {
		t.Run(name, func(t *testing.T) {
			d := open(t)
			logged(t, d, l)
			for _, tt := range tests {
				p := everyday(t)
				p.ID = tt.program
				s, err := preview.Sample(t.Context(), d, p, tt.n, tt.span, at(tt.month, 20))
				if err != nil {
					t.Fatal(err)
				}
				from := reward.At(time.Date(2026, tt.from, 1, 0, 0, 0, 0, time.UTC))
				if !slices.Equal(ids(s.Events), tt.want) || s.Cycles != tt.cycles || s.From != from || s.All != tt.everything {
					t.Errorf("%d of %s over %d until month %d are %q over %d from %v, all: %t; want %q over %d from %v, all: %t", tt.n, tt.program, tt.span, tt.month,
						ids(s.Events), s.Cycles, s.From, s.All, tt.want, tt.cycles, from, tt.everything)
				}
			}
		})
	}
}

// What a sample earns under the version that the draft follows is what its accounts
// earned, where it has all of their purchases.
func TestASampleOfEverythingEarnsWhatItDid(t *testing.T) {
	l := new(log).buys("a", "t1", 10_000, "GROCERY").returns("a", "t1", 4_000).buys("b", "t1", 5_000, "GROCERY")
	for name, open := range databases {
		t.Run(name, func(t *testing.T) {
			d := open(t)
			logged(t, d, l)
			s, err := preview.Sample(t.Context(), d, everyday(t), 10, 3, at(2, 10))
			if err != nil {
				t.Fatal(err)
			}
			p := terms(t, rules(grocery5))
			if c := compare(t, p, p, &log{s.Events}); c.Totals.Granted != 300+250 || c.Totals.Difference != 0 {
				t.Errorf("the totals are %+v, want 550 granted", c.Totals)
			}
		})
	}
}

// A draft follows the latest version, be it in force or not, and what it costs in a year
// is twelve cycles like those of the sample.
func TestADraftIsComparedWithTheVersionThatItFollows(t *testing.T) {
	d := pebbletest.Open(t)
	logged(t, d, new(log).buys("a", "t1", 10_000, "GROCERY").on(at(1, 5)).buys("a", "t2", 30_000, "GROCERY").on(at(2, 5)).buys("a", "t3", 20_000, "GROCERY").on(at(3, 5)))
	parse := func(document []byte) (*reward.Program, error) { return program.Parse("program.yaml", document) }
	programs, err := durable.OpenPrograms(t.Context(), d, parse, func() time.Time { return at(4, 10).Time() })
	if err != nil {
		t.Fatal(err)
	}
	upcoming := "id: everyday\ncurrency: USD\n" + rules("{id: grocery, match: {category: [GROCERY]}, rate: 10%}")
	if _, _, err := programs.Put(t.Context(), "everyday", []byte(upcoming), 0, ""); err != nil {
		t.Fatal(err)
	}
	draft := "id: everyday\ncurrency: USD\n" + rules("{id: grocery, match: {category: [GROCERY]}, rate: 7%}")
	c, known, err := preview.Draft(t.Context(), d, programs, "everyday", []byte(draft), 1000, at(4, 10))
	if err != nil || !known {
		t.Fatal(known, err)
	}
	if c.Version != 2 || c.Totals.Granted != 5000 || c.Totals.GrantedDraft != 3500 || c.Cycles != 2 || !c.All {
		t.Errorf("compared with version %d over %d cycles: %+v", c.Version, c.Cycles, c.Totals)
	}
	if now, then, ok := c.Year(); !ok || now != 30_000 || then != 21_000 {
		t.Errorf("a year costs %d, and %d under the draft", now, then)
	}
	if n, ok := c.Permille(); !ok || n != -300 {
		t.Errorf("it costs %d thousandths more", n)
	}
}
