package foreign

import (
	"fmt"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// ferryStage plays one account of a design.
type ferryStage struct {
	t *testing.T
	e Engine
	n int
}

func ferryPlay(t *testing.T, d Design, start string) *ferryStage {
	s := &ferryStage{t: t, e: d.New()}
	s.day(start)
	s.check(s.e.Open("a"))
	return s
}

func (s *ferryStage) check(err error) {
	if err != nil {
		s.t.Helper()
		s.t.Fatal(err)
	}
}

func ferryNoon(day string) time.Time {
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		panic(err)
	}
	return at.Add(12 * time.Hour)
}

func (s *ferryStage) day(day string) { s.check(s.e.SetClock(ferryNoon(day))) }

func (s *ferryStage) buy(id string, amount int64, category, mcc string) {
	s.check(s.e.Settle(issuer.Settlement{Account: "a", Transaction: id, Amount: amount, Merchant: "shop", Category: category, MCC: mcc}))
}

func (s *ferryStage) refund(tx string, amount int64) {
	s.n++
	r := issuer.Refund{Account: "a", Refund: fmt.Sprint("r", s.n), Transaction: tx, Amount: amount, Merchant: "shop"}
	s.check(s.e.Refund(r))
	s.check(s.e.Refund(r)) // the same message twice
}

func (s *ferryStage) redeem(amount int64, want bool) {
	s.t.Helper()
	s.n++
	for range 2 { // asked for twice, paid once
		got, err := s.e.Redeem(issuer.Redemption{Account: "a", Redemption: fmt.Sprint("x", s.n), Amount: amount})
		s.check(err)
		if got != want {
			s.t.Fatalf("redemption of %d: accepted %v", amount, got)
		}
	}
}

func (s *ferryStage) balance(want int64) {
	s.t.Helper()
	b, err := s.e.Balance("a")
	s.check(err)
	if b.Balance != want || b.Redeemable < 0 {
		s.t.Fatalf("balance %+v, want %d", b, want)
	}
}

func TestFerryLeaks(t *testing.T) {
	s := ferryPlay(t, ferryPebble, "2026-03-02")
	s.day("2026-03-20")
	s.buy("sofa", 120000, "", "")
	s.buy("lamp", 10000, "", "")
	s.refund("lamp", 10000) // in time
	s.day("2026-04-05")
	s.refund("sofa", 120000)
	s.day("2026-06-05")
	if paid, _ := issuer.PaidOut(s.e, "a"); paid != 1200 {
		t.Errorf("pebble paid %d", paid)
	}

	s = ferryPlay(t, ferryAnchor, "2026-03-02")
	s.buy("trip", 3000000, "TRAVEL", "")
	s.redeem(225000, true)
	s.refund("trip", 3000000)
	s.balance(0)
	s.buy("next", 1000000, "", "")
	s.balance(10000)

	s = ferryPlay(t, ferryLantern, "2026-03-06")
	s.buy("bike", 300000, "", "")
	s.day("2026-03-10")
	s.refund("bike", 300000)
	s.day("2026-03-11")
	s.redeem(3000, true)
	s.day("2026-06-11")
	s.balance(-3000)

	s = ferryPlay(t, ferryLedge, "2026-05-05")
	s.buy("feast", 62500, "", "5812")
	s.balance(2500)
	s.day("2026-07-05")
	s.refund("feast", 62500)
	s.balance(0)
	s.buy("feast again", 125000, "", "5813")
	s.balance(5000)

	s = ferryPlay(t, ferryGannet, "2026-03-07") // a Saturday
	s.buy("tv", 100000, "", "")
	s.day("2026-03-10")
	s.refund("tv", 100000)
	s.balance(3000)
}

// TestFerryLedgeSameQuarter shows that the room is right where no quarter is crossed.
func TestFerryLedgeSameQuarter(t *testing.T) {
	s := ferryPlay(t, ferryLedge, "2026-05-05")
	s.buy("feast", 62500, "", "5812")
	s.refund("feast", 62500)
	s.buy("feast again", 125000, "", "5813")
	s.balance(2500)
}

func TestFerryDhowHolds(t *testing.T) {
	s := ferryPlay(t, ferryDhow, "2026-03-02")
	s.buy("van", 1200000, "", "")
	s.redeem(5000, false) // not on a statement yet
	s.day("2026-03-16")
	s.balance(14000)
	s.refund("", 300000) // the milestone goes, and two of three dinars
	s.redeem(9000, false)
	s.redeem(6750, true)
	s.day("2026-07-01")
	s.balance(0)
}
