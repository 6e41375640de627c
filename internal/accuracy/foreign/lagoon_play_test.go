package foreign

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// lagoonRun is an engine with one account, driven by days since 1 January 2024.
type lagoonRun struct {
	*testing.T
	e Engine
}

var lagoonStart = time.Date(2024, 1, 1, 12, 0, 0, 0, time.UTC)

func lagoonDay(day int) time.Time { return lagoonStart.AddDate(0, 0, day) }

func lagoonNewRun(t *testing.T, d Design) lagoonRun {
	r := lagoonRun{t, d.New()}
	r.ok(r.e.SetClock(lagoonStart))
	r.ok(r.e.Open("a"))
	return r
}

func (r lagoonRun) ok(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

func (r lagoonRun) day(day int) { r.Helper(); r.ok(r.e.SetClock(lagoonDay(day))) }

// worth is what the account has had in all: what is on it, and what was paid out or redeemed.
func (r lagoonRun) worth() (sum int64) {
	for _, p := range r.e.Postings("a") {
		if p.Kind != Paid {
			sum += p.Amount
		}
	}
	return sum
}

// lagoonFact is something that is delivered on a day, and happened on another.
type lagoonFact struct {
	day, at  int
	kind     string // buy, return, dispute, redeem
	id, of   string
	amount   int64
	category string
	nameless bool // a return that does not say what it is of, though the test knows
}

func (r lagoonRun) deliver(f lagoonFact) {
	r.Helper()
	switch f.kind {
	case "buy":
		r.ok(r.e.Settle(issuer.Settlement{Account: "a", Transaction: f.id, Amount: f.amount, Category: f.category, At: lagoonDay(f.at)}))
	case "return":
		of := f.of
		if f.nameless {
			of = ""
		}
		r.ok(r.e.Refund(issuer.Refund{Account: "a", Refund: f.id, Transaction: of, Amount: f.amount, At: lagoonDay(f.at)}))
	case "dispute":
		r.ok(r.e.Chargeback(issuer.Chargeback{Account: "a", Chargeback: f.id, Transaction: f.of, Amount: f.amount, At: lagoonDay(f.at)}))
	case "redeem":
		b, err := r.e.Balance("a")
		r.ok(err)
		if _, err := r.e.Redeem(issuer.Redemption{Account: "a", Redemption: f.id, Amount: b.Redeemable * f.amount / 100}); err != nil {
			r.Fatal(err)
		}
	}
}

// lagoonHistory is two years of somebody who returns a lot: in parts, above the price, before the
// purchase clears, with a dispute on top, and late.
func lagoonHistory(seed int64, nameless bool) (facts []lagoonFact) {
	rnd := rand.New(rand.NewSource(seed))
	categories := []string{"GROCERY", "TRAVEL", "DINING", "FUEL", "SHOPPING", ""}
	for i := range 120 {
		at := rnd.Intn(700)
		f := lagoonFact{day: at + rnd.Intn(5)*rnd.Intn(5), at: at, kind: "buy", id: fmt.Sprint("p", i), amount: 1 + rnd.Int63n(90000), category: categories[rnd.Intn(6)]}
		facts = append(facts, f)
		for j := range rnd.Intn(4) {
			r := lagoonFact{day: f.at + rnd.Intn(120), kind: "return", id: fmt.Sprint("r", i, "-", j), of: f.id, amount: 1 + rnd.Int63n(f.amount)}
			if r.at = max(f.at, r.day-rnd.Intn(9)); rnd.Intn(5) == 0 {
				r.kind, r.amount = "dispute", r.amount*rnd.Int63n(2)
			} else if nameless && rnd.Intn(2) == 0 {
				r.nameless = true
			}
			facts = append(facts, r)
		}
		facts = append(facts, lagoonFact{day: rnd.Intn(700), kind: "redeem", id: fmt.Sprint("d", i), amount: 1 + rnd.Int63n(100)})
	}
	slices.SortStableFunc(facts, func(a, b lagoonFact) int { return a.day - b.day })
	return facts
}

// lagoonNeverBought is the history in which what came back had never been bought.
func lagoonNeverBought(facts []lagoonFact) (out []lagoonFact) {
	back := map[string]int64{}
	for _, f := range facts {
		if back[f.of] += f.amount; f.kind == "dispute" && f.amount == 0 {
			back[f.of] = lagoonAll / 2
		}
	}
	for _, f := range facts {
		if f.amount -= back[f.id]; f.kind == "buy" && f.amount > 0 {
			out = append(out, f)
		}
	}
	return out
}
