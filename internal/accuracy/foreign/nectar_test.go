package foreign

import (
	"fmt"
	"testing"

	"recoup/internal/issuer"
)

func TestNectarAsIfNeverBought(t *testing.T) {
	for _, d := range nectarDesigns {
		for seed := range int64(often(8, 40)) {
			h := nectarRandom(t, d, seed, 0)
			if is, want := nectarNet(h.engine, h.account), nectarNet(h.twin(t, d), h.account); is != want {
				t.Errorf("%s, seed %d: has %d, never bought %d", d.Name, seed, is, want)
			}
		}
	}
}

func TestNectarUnnamedNeverMore(t *testing.T) {
	for _, d := range nectarDesigns {
		for seed := range int64(often(8, 40)) {
			h := nectarRandom(t, d, seed, []int{3, 10, 50}[seed%3])
			if is, most := nectarNet(h.engine, h.account), nectarNet(h.twin(t, d), h.account); is > most {
				t.Errorf("%s, seed %d: has %d, never bought %d", d.Name, seed, is, most)
			}
		}
	}
}

// TestNectarRows looks at what every ledger must be: in order of time, and the same when
// the clock jumps once as when it goes by days.
func TestNectarRows(t *testing.T) {
	for _, d := range nectarDesigns {
		var first []Posting
		for _, step := range []int{1, 700} {
			e := d.New()
			_ = e.SetClock(nectarStart)
			_ = e.Open("c")
			for i, amount := range []int64{50000, 12345, 300000, 999, 64000} {
				s := issuer.Settlement{Account: "c", Transaction: fmt.Sprint(i), Amount: amount, Category: []string{"FUEL", "GROCERY", "TRAVEL", "ONLINE", "DINING"}[i]}
				if err := e.Settle(s); err != nil {
					t.Fatal(err)
				}
			}
			for day := step; day <= 700; day += step {
				_ = e.SetClock(nectarStart.AddDate(0, 0, day))
			}
			rows := e.Postings("c")
			for i := 1; i < len(rows); i++ {
				if rows[i].At.Before(rows[i-1].At) {
					t.Errorf("%s: %v after %v", d.Name, rows[i], rows[i-1])
				}
			}
			if step > 1 && fmt.Sprint(rows) != fmt.Sprint(first) {
				t.Errorf("%s: a jump books otherwise", d.Name)
			}
			first = rows
		}
	}
}

// TestNectarExamples are returns of one purchase without its name that cost others their
// reward; after months the customer has no more than who never bought it. The last column
// is what the latter has.
func TestNectarExamples(t *testing.T) {
	for _, c := range []struct {
		name, category string
		amounts        []int64
		back, never    int64 // back of the first purchase
	}{
		{"nectar-orchard", "OTHER", []int64{10000, 10000}, 1, 99 + 100 + 100},     // £200 a month is missed by a penny
		{"nectar-skyway", "OTHER", []int64{300000, 10000}, 100, 2999 + 100 + 500}, // bought before Silver after all
		{"nectar-forecourt", "FUEL", []int64{30000, 30000}, 1000, 1770 + 500},     // $590 earn 3%, not 4%
		{"nectar-telepay", "OTHER", []int64{1000, 1000, 1000, 1000, 1000}, 1, 49}, // four purchases of ¥1,000
		{"nectar-harbor", "OTHER", []int64{150000, 150000}, 100, 2999},            // $2,999: no welcome offer
	} {
		for _, named := range []bool{true, false} {
			for _, d := range nectarDesigns {
				if d.Name != c.name {
					continue
				}
				e := d.New().(*nectarEngine)
				_ = e.SetClock(nectarStart)
				_ = e.Open("c")
				for i, n := range c.amounts {
					_ = e.Settle(issuer.Settlement{Account: "c", Transaction: fmt.Sprint(i), Amount: n, Category: c.category})
				}
				_ = e.SetClock(nectarStart.AddDate(0, 5, 0))
				r := issuer.Refund{Account: "c", Refund: "r", Amount: c.back}
				if named {
					r.Transaction = "0"
				}
				_ = e.Refund(r)
				_ = e.SetClock(nectarStart.AddDate(0, 9, 0))
				is := nectarNet(e, "c") - e.accounts["c"].byHand
				if is > c.never || named && is != c.never {
					t.Errorf("%s, named %v: has %d, never bought %d", c.name, named, is, c.never)
				}
			}
		}
	}
}
