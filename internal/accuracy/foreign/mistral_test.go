package foreign

import (
	"fmt"
	"math/rand"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// mistralFact is a step of a history; one that is a return knows its purchase even if the
// message does not say it.
type mistralFact struct {
	at                 time.Time // when it is delivered
	kind, id, of, cat  string
	amount             int64
	happened           time.Time
	unlinked, returned bool
}

var mistralStart = time.Date(2025, 2, 10, 9, 30, 0, 0, time.UTC)

// mistralHistory is a random one: late clearings, refunds in parts, above the price and before
// the clearing, messages delivered twice, chargebacks after refunds.
func mistralHistory(seed, largest int64, n, days int, unlinked bool) []mistralFact {
	rnd := rand.New(rand.NewSource(seed))
	cats := []string{"GROCERY", "DINING", "FUEL", "ONLINE", "OTHER", "TRAVEL"}
	var out []mistralFact
	var bought []string
	now := mistralStart
	for i := 0; i < n; i++ {
		now = now.Add(time.Duration(rnd.Intn(2*days*24*60/n)) * time.Minute)
		f := mistralFact{at: now, kind: "settle", id: fmt.Sprint("p", i), amount: 1 + rnd.Int63n(largest), cat: cats[rnd.Intn(6)]}
		switch k := rnd.Intn(10); {
		case k < 4 && i > 0:
			f.kind, f.returned = "refund", true
			f.of = fmt.Sprint("p", i+1) // one that is still to clear, if it ever does
			if len(bought) > 0 && rnd.Intn(8) > 0 {
				f.of = bought[max(0, len(bought)-1-rnd.Intn(8))]
			}
			f.unlinked = unlinked && rnd.Intn(8) == 0
			if rnd.Intn(4) == 0 {
				f.kind, f.unlinked = "chargeback", false
			}
			if !f.unlinked && rnd.Intn(3) == 0 {
				f.amount = largest + largest/3 // all of it and more
			}
			if f.kind == "chargeback" && rnd.Intn(2) == 0 {
				f.amount = 0
			}
		case k < 6:
			f.kind, f.amount = "redeem", int64(1+rnd.Intn(4)) // quarters of what can be
		case rnd.Intn(3) == 0:
			f.happened = now.AddDate(0, 0, -rnd.Intn(40))
		}
		if f.kind == "settle" {
			bought = append(bought, f.id)
		}
		out = append(out, f)
		if rnd.Intn(6) == 0 && f.kind != "redeem" {
			out = append(out, f)
		}
	}
	return out
}

// mistralNet are the same purchases, of each only what was not returned.
func mistralNet(facts []mistralFact) []mistralFact {
	back, seen := map[string]int64{}, map[mistralFact]bool{}
	for _, f := range facts {
		if f.returned && !seen[f] {
			seen[f] = true
			if f.amount == 0 {
				f.amount = 1 << 40
			}
			back[f.of] += f.amount
		}
	}
	var out []mistralFact
	for _, f := range facts {
		if f.amount -= back[f.id]; f.kind == "settle" && f.amount > 0 {
			out = append(out, f)
		}
	}
	return out
}

type mistralRun struct {
	e        Engine
	redeemed int64
}

func (r *mistralRun) step(t *testing.T, f mistralFact, redeem bool) {
	t.Helper()
	err := r.e.SetClock(f.at)
	of := f.of
	if f.unlinked {
		of = ""
	}
	switch f.kind {
	case "settle":
		err = r.e.Settle(issuer.Settlement{Account: "a", Transaction: f.id, Amount: f.amount, Category: f.cat, At: f.happened})
	case "refund":
		err = r.e.Refund(issuer.Refund{Account: "a", Refund: "r" + f.id, Transaction: of, Amount: f.amount})
	case "chargeback":
		err = r.e.Chargeback(issuer.Chargeback{Account: "a", Chargeback: "c" + f.id, Transaction: of, Amount: f.amount})
	case "redeem":
		b, _ := r.e.Balance("a")
		for i, x := range []int64{0, -1, b.Redeemable + 1, b.Redeemable * f.amount / 4} {
			ok, _ := r.e.Redeem(issuer.Redemption{Account: "a", Redemption: fmt.Sprint(f.id, i), Amount: x})
			if ok != (i == 3 && x > 0) && redeem {
				t.Fatalf("redeeming %d of %+v: %v", x, b, ok)
			}
			if ok {
				r.redeemed += x
			}
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// total is what the account has had in all.
func (r *mistralRun) total(t *testing.T) int64 {
	t.Helper()
	b, err := r.e.Balance("a")
	paid, _ := issuer.PaidOut(r.e, "a")
	sum := int64(0)
	for _, p := range r.e.Postings("a") {
		sum += p.Amount
	}
	if err != nil || sum-r.redeemed != b.Balance {
		t.Fatalf("rows %d less %d redeemed are not %d (%v)", sum, r.redeemed, b.Balance, err)
	}
	return sum + paid
}
