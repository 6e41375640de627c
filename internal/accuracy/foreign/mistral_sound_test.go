package foreign

import (
	"reflect"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// mistralPlay plays a history to its end.
func mistralPlay(t *testing.T, d Design, facts []mistralFact, redeem bool, end time.Time) *mistralRun {
	t.Helper()
	r := &mistralRun{e: d.New()}
	_, _ = r.e.SetClock(mistralStart), r.e.Open("a")
	for _, f := range facts {
		if f.kind != "redeem" || redeem {
			r.step(t, f, redeem)
		}
	}
	if err := r.e.SetClock(end); err != nil {
		t.Fatal(err)
	}
	return r
}

// mistralLargest is the largest purchase of a history, by currency.
var mistralLargest = map[string]int64{"NOK": 90000, "JPY": 300000, "EUR": 9000, "KWD": 90000, "GBP": 90000}

// TestMistralAsIfNeverBought: where all refunds name their purchase, everybody ends up with
// what they would have without the returned part. Stamps that lapse are left out of long
// histories with redemptions, as what has been used cannot lapse.
func TestMistralAsIfNeverBought(t *testing.T) {
	for _, d := range mistralDesigns {
		for seed := int64(0); seed < 60; seed++ {
			days, redeem := 250, true
			if seed%2 == 1 {
				days, redeem = 700, d.Currency != "EUR"
			}
			facts := mistralSettled(mistralHistory(seed, mistralLargest[d.Currency], 120, days, false))
			end := facts[len(facts)-1].at.AddDate(0, 0, 100)
			if d.Currency == "EUR" && redeem {
				end = end.AddDate(0, 0, -70)
			}
			got, want := mistralPlay(t, d, facts, redeem, end), mistralPlay(t, d, mistralNet(facts), false, end)
			if g, w := got.total(t), want.total(t); g != w || w <= 0 {
				t.Errorf("%s, history %d: has had %d, without what was returned %d", d.Name, seed, g, w)
			}
			again := mistralPlay(t, d, facts, redeem, end)
			if !reflect.DeepEqual(got.e.Postings("a"), again.e.Postings("a")) {
				t.Errorf("%s, history %d is not deterministic", d.Name, seed)
			}
		}
	}
}

// mistralSettled leaves out refunds of purchases that never clear: what they take is not owed.
func mistralSettled(facts []mistralFact) []mistralFact {
	cleared := map[string]bool{}
	for _, f := range facts {
		cleared[f.id] = cleared[f.id] || f.kind == "settle"
	}
	var out []mistralFact
	for _, f := range facts {
		if !f.returned || cleared[f.of] {
			out = append(out, f)
		}
	}
	return out
}

// TestMistralNeverAhead: with refunds that name nothing, nobody has had more in the end, and at
// no time can more be redeemed than what the net purchases known by then will ever earn.
func TestMistralNeverAhead(t *testing.T) {
	later := map[string]int{"NOK": 31, "JPY": 40, "EUR": 1, "KWD": 2, "GBP": 420}
	for _, d := range mistralDesigns {
		days, some := 600, 0
		if d.Currency == "EUR" {
			days = 250
		}
		for seed := int64(100); seed < 140; seed++ {
			facts := mistralHistory(seed, mistralLargest[d.Currency], 70, days, true)
			r := &mistralRun{e: d.New()}
			_, _ = r.e.SetClock(mistralStart), r.e.Open("a")
			for i, f := range facts {
				r.step(t, f, true)
				net := mistralNet(facts[:i+1])
				most := mistralPlay(t, d, net, false, f.at.AddDate(0, 0, later[d.Currency])).total(t)
				paid, _ := issuer.PaidOut(r.e, "a")
				b, _ := r.e.Balance("a")
				if b.Redeemable < 0 || b.Redeemable > 0 && b.Redeemable+r.redeemed+paid > most {
					t.Fatalf("%s, history %d, fact %d: %+v with %d redeemed, %d paid, of %d", d.Name, seed, i, b, r.redeemed, paid, most)
				}
			}
			if paid, _ := issuer.PaidOut(r.e, "a"); r.redeemed+paid > 0 {
				some++
			}
			end := facts[len(facts)-1].at.AddDate(0, 0, 100)
			if d.Currency == "EUR" {
				end = end.AddDate(0, 0, -70)
			}
			if err := r.e.SetClock(end); err != nil {
				t.Fatal(err)
			}
			if g, w := r.total(t), mistralPlay(t, d, mistralNet(facts), false, end).total(t); g > w {
				t.Errorf("%s, history %d: has had %d, without what was returned %d", d.Name, seed, g, w)
			}
		}
		if some < 15 {
			t.Errorf("%s: only in %d histories anything was paid out", d.Name, some)
		}
	}
}

// TestMistralPort: unknown accounts are errors, and 300 purchases with 200 refunds are fast.
func TestMistralPort(t *testing.T) {
	for _, d := range mistralDesigns {
		e := d.New()
		if _, err := e.Balance("nobody"); err == nil || e.CloseStatement("nobody") == nil || e.Settle(issuer.Settlement{Account: "nobody"}) == nil {
			t.Errorf("%s knows nobody", d.Name)
		}
		began := time.Now()
		facts := mistralHistory(7, mistralLargest[d.Currency], 600, 730, true)
		r := mistralPlay(t, d, facts, true, facts[len(facts)-1].at.AddDate(1, 0, 0))
		t.Logf("%s: %d rows in %v", d.Name, len(r.e.Postings("a")), time.Since(began))
	}
}
