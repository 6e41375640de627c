package foreign

import (
	"fmt"
	"math/rand"
	"reflect"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// laterBought is a purchase as the tests know it, from what was sent and nothing else.
type laterBought struct {
	amount, back int64
	category     string
	at           time.Time
	came         bool
}

func (b *laterBought) left() int64 {
	if !b.came {
		return 0
	}
	return max(0, b.amount-b.back)
}

// laterEarns says what the purchases that are kept earn by what each sound design
// publishes, written anew from that text.
var laterEarns = map[string]func([]*laterBought) int64{
	"later-capped-month": func(bs []*laterBought) int64 {
		high, rest := map[string]int64{}, map[string]int64{}
		for _, b := range bs {
			if m := b.at.Format("2006 01"); b.category == "GROCERY" {
				high[m] += b.left()
				rest[m] += 0
			} else {
				rest[m] += b.left()
			}
		}
		sum := int64(0)
		for m, r := range rest {
			h := high[m]
			if h > 60000 {
				r, h = r+h-60000, 60000
			}
			sum += (h*5 + r) / 100
		}
		return sum
	},
	"later-high-water": func(bs []*laterBought) int64 {
		sum := int64(0)
		for _, b := range bs {
			sum += b.left()
		}
		return sum * 3 / 200
	},
	"later-return-reserve": func(bs []*laterBought) int64 {
		sum := int64(0)
		for _, b := range bs {
			if b.category == "TRAVEL" {
				sum += b.left() * 3 / 100
			} else {
				sum += b.left() / 100
			}
		}
		return sum
	},
	"later-earmark": func(bs []*laterBought) int64 {
		sum := int64(0)
		for _, b := range bs {
			switch b.category {
			case "DINING":
				sum += b.left() / 25
			case "FUEL":
				sum += b.left() / 40
			default:
				sum += b.left() / 100
			}
		}
		return sum
	},
	"later-whole-dollar": func(bs []*laterBought) int64 {
		sum := int64(0)
		for _, b := range bs {
			sum += b.left() / 100
			if b.category == "ONLINE" {
				sum += b.left() / 100
			}
		}
		return sum
	},
	"later-anniversary": func(bs []*laterBought) int64 {
		years := map[int]int64{}
		start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		for _, b := range bs {
			n := 0
			for !start.AddDate(n+1, 0, 0).After(b.at) {
				n++
			}
			years[n] += b.left()
		}
		sum := int64(0)
		for _, net := range years {
			switch {
			case net < 300000:
			case net <= 1000000:
				sum += net / 200
			default:
				sum += (1000000 + 2*(net-1000000)) / 200
			}
		}
		return sum
	},
}

// laterChance plays purchases, returns, redemptions and time by chance, always the same for
// a seed, and calls see after each step.
func laterChance(t *testing.T, e Engine, seed int64, returns bool, see func(bs []*laterBought, accepted int64)) {
	t.Helper()
	rnd := rand.New(rand.NewSource(seed))
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(e.SetClock(now))
	must(e.Open("a"))
	var bs []*laterBought
	var refunds []issuer.Refund
	categories := []string{"GROCERY", "DINING", "FUEL", "TRAVEL", "ONLINE", "OTHER"}
	buy := func(n int) {
		b := bs[n]
		if !b.came {
			b.at, b.came = now, true
		}
		must(e.Settle(issuer.Settlement{Account: "a", Transaction: fmt.Sprint("t", n), Amount: b.amount,
			Category: b.category, MCC: laterCodes[b.category], Merchant: "m-" + b.category, At: now}))
	}
	fresh := func() {
		amount := 1 + rnd.Int63n(2_000_00)
		if rnd.Intn(4) == 0 {
			amount = 1 + rnd.Int63n(5_00)
		}
		bs = append(bs, &laterBought{amount: amount, category: categories[rnd.Intn(len(categories))], at: now})
	}
	accepted := int64(0)
	for step := range 300 {
		switch k := rnd.Intn(12); {
		case k < 4:
			fresh()
			if k == 0 && returns {
				break // comes later, perhaps after its refund
			}
			buy(len(bs) - 1)
		case k < 7 && returns && len(bs) > 0:
			n := rnd.Intn(len(bs))
			b := bs[n]
			amount := 1 + rnd.Int63n(b.amount)
			if rnd.Intn(3) == 0 {
				amount = b.amount + rnd.Int63n(3)
			}
			b.back += amount
			r := issuer.Refund{Account: "a", Refund: fmt.Sprint("r", step), Transaction: fmt.Sprint("t", n), Amount: amount, At: now}
			refunds = append(refunds, r)
			must(e.Refund(r))
		case k == 7 && len(bs) > 0:
			buy(rnd.Intn(len(bs))) // again, or at last
		case k == 8 && len(refunds) > 0:
			must(e.Refund(refunds[rnd.Intn(len(refunds))]))
		case k == 9 && returns && len(bs) > 0 && rnd.Intn(3) == 0:
			n := rnd.Intn(len(bs))
			bs[n].back += bs[n].amount
			must(e.Chargeback(issuer.Chargeback{Account: "a", Chargeback: fmt.Sprint("c", step), Transaction: fmt.Sprint("t", n)}))
		case k == 10:
			now = now.Add(time.Duration(rnd.Intn(24*20)) * time.Hour)
			must(e.SetClock(now))
			must(e.CloseStatement("a"))
		default:
			v, err := e.Balance("a")
			must(err)
			amount := v.Redeemable
			if rnd.Intn(2) == 0 {
				amount = rnd.Int63n(amount + 50)
			}
			ok, err := e.Redeem(issuer.Redemption{Account: "a", Redemption: fmt.Sprint("x", step), Amount: amount})
			must(err)
			if ok && (amount > v.Redeemable || amount <= 0) || !ok && amount > 0 && amount == v.Redeemable {
				t.Fatalf("redeem %d of %d: %v", amount, v.Redeemable, ok)
			}
			if ok {
				accepted += amount
			}
			if again, _ := e.Redeem(issuer.Redemption{Account: "a", Redemption: fmt.Sprint("x", step), Amount: amount}); ok && again {
				t.Fatal("paid twice")
			}
		}
		see(bs, accepted)
	}
	for n := range bs {
		buy(n)
	}
	for range 40 { // all that is pending ends, month by month
		now = now.AddDate(0, 0, 30)
		must(e.SetClock(now))
	}
	see(bs, accepted)
}

// No payout of a sound design is above what is kept earns at that time; what is kept is never
// short at the end; and who returns nothing gets exactly what is published.
func TestLaterSoundDesigns(t *testing.T) {
	for _, d := range laterDesigns {
		if d.Class != "robust" {
			continue
		}
		t.Run(d.Name, func(t *testing.T) {
			for seed := range int64(60) {
				e := d.New()
				before, last, shown, open := int64(0), int64(0), int64(0), int64(0)
				laterChance(t, e, seed, seed%4 != 0, func(bs []*laterBought, accepted int64) {
					swept, _ := issuer.PaidOut(e, "a")
					v, _ := e.Balance("a")
					paid, due := accepted+swept, laterEarns[d.Name](bs)
					if paid > before && paid > due {
						t.Fatalf("seed %d: paid %d of %d", seed, paid, due)
					}
					if v.Redeemable > 0 && paid+v.Redeemable > due {
						t.Fatalf("seed %d: paid %d and redeemable %d of %d", seed, paid, v.Redeemable, due)
					}
					before, last, shown, open = paid, paid+v.Balance-due, v.Redeemable, max(0, due-paid)
				})
				if d.Name == "later-high-water" && seed%4 != 0 {
					if last < 0 { // its debts are not in the balance
						t.Fatalf("seed %d: short by %d", seed, -last)
					}
				} else if last != 0 {
					t.Fatalf("seed %d: at the end off by %d", seed, last)
				}
				switch { // and all that is open can be redeemed, as far as it is published
				case d.Name == "later-whole-dollar":
					open -= open % 500
				case d.Name == "later-anniversary", d.Name == "later-high-water" && open < 500:
					open = 0
				}
				if shown != open {
					t.Fatalf("seed %d: at the end %d can be redeemed, not %d", seed, shown, open)
				}
			}
		})
	}
}

// For every design: the balance is what postings and redemptions add up to, nothing that is
// sent twice counts twice, unknown accounts are errors, time does not go back, and the same
// calls make the same books.
func TestLaterBooks(t *testing.T) {
	for _, d := range laterDesigns {
		t.Run(d.Name, func(t *testing.T) {
			for seed := range int64(10) {
				var books [2][]Posting
				for i := range books {
					e := d.New()
					laterChance(t, e, seed, true, func(bs []*laterBought, accepted int64) {
						sum, out := int64(0), int64(0)
						for _, p := range e.Postings("a") {
							sum += p.Amount
							if p.Kind == Paid {
								out -= p.Amount
							}
						}
						v, err := e.Balance("a")
						swept, _ := issuer.PaidOut(e, "a")
						if err != nil || v.Balance != sum-accepted || v.Redeemable < 0 || v.Redeemable > max(0, v.Balance) || out != swept {
							t.Fatalf("seed %d: shows %+v, postings %d, redeemed %d, swept %d of %d", seed, v, sum, accepted, swept, out)
						}
					})
					books[i] = e.Postings("a")
					at := time.Time{}
					for _, p := range books[i] {
						if p.At.Before(at) || p.Amount == 0 || (p.Kind == Earned) != (p.Amount > 0) {
							t.Fatalf("seed %d: %+v after %v", seed, p, at)
						}
						at = p.At
					}
					if e.SetClock(at.AddDate(-1, 0, 0)) != nil || e.Open("a") != nil || len(e.Postings("a")) != len(books[i]) {
						t.Fatal("went back")
					}
					laterStrangers(t, e)
					if len(e.Postings("a")) != len(books[i]) {
						t.Fatal("posted for nothing")
					}
				}
				if !reflect.DeepEqual(books[0], books[1]) {
					t.Fatalf("seed %d: two books", seed)
				}
			}
		})
	}
}

func laterStrangers(t *testing.T, e Engine) {
	t.Helper()
	_, err1 := e.Balance("b")
	_, err2 := e.Redeem(issuer.Redemption{Account: "b", Redemption: "x", Amount: 1})
	for _, err := range []error{err1, err2, e.CloseStatement("b"), e.Settle(issuer.Settlement{Account: "b", Transaction: "t", Amount: 1}),
		e.Refund(issuer.Refund{Account: "b", Refund: "r", Amount: 1}), e.Chargeback(issuer.Chargeback{Account: "b", Chargeback: "c", Transaction: "t"})} {
		if err == nil {
			t.Fatal("an account that is not there")
		}
	}
	for _, amount := range []int64{0, -1} {
		ok, err := e.Redeem(issuer.Redemption{Account: "a", Redemption: fmt.Sprint("none", amount), Amount: amount})
		if ok || err != nil || e.Settle(issuer.Settlement{Account: "a", Transaction: "none", Amount: amount}) != nil ||
			e.Refund(issuer.Refund{Account: "a", Refund: "none", Transaction: "t0", Amount: amount}) != nil {
			t.Fatal("an amount of nothing")
		}
	}
}
