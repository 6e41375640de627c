package foreign

import (
	"testing"
	"time"

	"recoup/internal/issuer"
)

// pebblePlay ends well after everything is booked, and says what the customer has of it.
func pebblePlay(t testing.TB, d Design, moves []pebbleMove) int64 {
	return pebblePlayUntil(t, d, moves, pebbleStart.AddDate(0, 0, 760)).total
}

// pebbleEnd is how a history ends.
type pebbleEnd struct{ total, redeemed, redeemable int64 }

func pebblePlayUntil(t testing.TB, d Design, moves []pebbleMove, end time.Time) pebbleEnd {
	e := d.New()
	pebbleMust(t, e.SetClock(pebbleStart.Add(-72*time.Hour)))
	pebbleMust(t, e.Open("a"))
	var redeemed int64
	for _, m := range moves {
		pebbleMust(t, e.SetClock(m.at))
		before, err := e.Balance("a")
		pebbleMust(t, err)
		of := m.of
		if m.unnamed {
			of = ""
		}
		switch m.what {
		case "buy":
			s := issuer.Settlement{Account: "a", Transaction: m.id, Amount: m.amount, Category: m.category, At: m.happened}
			pebbleMust(t, e.Settle(s))
			pebbleMust(t, e.Settle(s))
		case "refund":
			pebbleMust(t, e.Refund(issuer.Refund{Account: "a", Refund: m.id, Transaction: of, Amount: m.amount}))
		case "chargeback":
			pebbleMust(t, e.Chargeback(issuer.Chargeback{Account: "a", Chargeback: m.id, Transaction: of, Amount: m.amount}))
		case "redeem":
			ok, err := e.Redeem(issuer.Redemption{Account: "a", Redemption: m.id, Amount: m.amount})
			pebbleMust(t, err)
			if want := m.amount > 0 && m.amount <= before.Redeemable; ok != want {
				t.Fatalf("%s: redeemed %d of %+v: %v", d.Name, m.amount, before, ok)
			}
			if ok {
				redeemed += m.amount
			}
		}
		pebbleBooks(t, d, e, redeemed)
	}
	pebbleMust(t, e.SetClock(end))
	b := pebbleBooks(t, d, e, redeemed)
	paid, err := issuer.PaidOut(e, "a")
	pebbleMust(t, err)
	return pebbleEnd{b.Balance + redeemed + paid, redeemed + paid, b.Redeemable}
}

// pebbleBooks checks that the ledger adds up and that nothing owed can be redeemed.
func pebbleBooks(t testing.TB, d Design, e Engine, redeemed int64) issuer.Balance {
	b, err := e.Balance("a")
	pebbleMust(t, err)
	sum, last := -redeemed, time.Time{}
	for _, p := range e.Postings("a") {
		if sum += p.Amount; p.At.Before(last) || p.Amount == 0 {
			t.Fatalf("%s: row %+v after %v", d.Name, p, last)
		}
		last = p.At
	}
	if sum != b.Balance || b.Redeemable < 0 || b.Redeemable > max(0, b.Balance) {
		t.Fatalf("%s: rows %d, balance %+v", d.Name, sum, b)
	}
	return b
}

func pebbleMust(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
