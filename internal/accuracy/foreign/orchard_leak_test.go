package foreign

import (
	"testing"
	"time"

	"recoup/internal/issuer"
)

// orchardStep is one line of a story: what happens on a day, and what is there after it.
type orchardStep struct {
	day      string
	fact     orchardFact
	redeem   int64 // must be accepted
	deny     int64 // must be refused
	balance  int64
	takeable int64
}

// orchardStory plays steps at noon UTC.
func orchardStory(t *testing.T, d Design, opened string, steps []orchardStep) Engine {
	t.Helper()
	noon := func(day string) time.Time {
		at, err := time.Parse("2006-01-02 15", day+" 12")
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	e := d.New()
	if e.SetClock(noon(opened)) != nil || e.Open("a") != nil {
		t.Fatal("not open")
	}
	for i, s := range steps {
		if err := e.SetClock(noon(s.day)); err != nil {
			t.Fatal(err)
		}
		if s.fact.id != "" {
			orchardGive(t, e, s.fact)
		}
		if s.redeem > 0 {
			if ok, err := e.Redeem(issuer.Redemption{Account: "a", Redemption: s.day, Amount: s.redeem}); !ok || err != nil {
				t.Errorf("%s: step %d: redemption refused", d.Name, i)
			}
		}
		if s.deny > 0 {
			if ok, err := e.Redeem(issuer.Redemption{Account: "a", Redemption: s.day, Amount: s.deny}); ok || err != nil {
				t.Errorf("%s: step %d: redemption accepted", d.Name, i)
			}
		}
		if b, err := e.Balance("a"); err != nil || b.Balance != s.balance || b.Redeemable != s.takeable {
			t.Errorf("%s: step %d: %+v, %v", d.Name, i, b, err)
		}
	}
	return e
}

func orchardBuy(id, category string, amount int64) orchardFact {
	return orchardFact{id: id, category: category, amount: amount}
}

func orchardBack(id, purchase string, amount int64) orchardFact {
	return orchardFact{id: id, purchase: purchase, amount: amount, ret: true}
}

// The examples of the Leak texts.
func TestOrchardLeaks(t *testing.T) {
	e := orchardStory(t, orchardUnion, "2026-01-02", []orchardStep{
		{day: "2026-03-28", fact: orchardBuy("p", "", 10000000)},
		{day: "2026-04-02", balance: 250000, takeable: 250000},
		{day: "2026-04-12"},
		{day: "2026-04-15", fact: orchardBack("r", "p", 10000000)},
		{day: "2027-04-15"},
	})
	if paid, err := issuer.PaidOut(e, "a"); paid != 250000 || err != nil {
		t.Errorf("paid %d, %v", paid, err)
	}
	if at := e.Postings("a")[1].At; !at.Equal(time.Date(2026, 4, 10, 21, 0, 0, 0, time.UTC)) {
		t.Errorf("paid at %v", at)
	}
	orchardStory(t, orchardUnion, "2026-01-02", []orchardStep{ // and in time it is taken
		{day: "2026-03-28", fact: orchardBuy("p", "", 10000000)},
		{day: "2026-03-30", fact: orchardBack("r", "p", 10000000)},
		{day: "2026-04-02"},
	})
	orchardStory(t, orchardWallet, "2026-01-02", []orchardStep{
		{day: "2026-03-02", fact: orchardBuy("p", "", 5000000), balance: 200000, takeable: 150000},
		{day: "2026-03-03", redeem: 150000, balance: 50000},
		{day: "2026-03-04", fact: orchardBack("r", "p", 5000000)},
		{day: "2026-04-05", fact: orchardBuy("q", "", 5000000), balance: 200000, takeable: 150000},
		{day: "2026-05-06", balance: 200000, takeable: 200000},
	})
	orchardStory(t, orchardProcessor, "2026-01-02", []orchardStep{
		{day: "2026-03-12", fact: orchardBuy("p", "TRAVEL", 2000000), balance: 80000, takeable: 80000},
		{day: "2026-03-14", fact: orchardBack("r", "p", 2000000), balance: 80000, takeable: 80000},
		{day: "2026-03-15", redeem: 80000},
		{day: "2026-04-10", balance: -80000},
		{day: "2027-06-01", fact: orchardBuy("q", "TRAVEL", 1000000), balance: -40000},
	})
	orchardStory(t, orchardProcedure, "2026-01-02", []orchardStep{
		{day: "2026-03-02", fact: orchardBuy("p", "TRAVEL", 2000000), balance: 60000, takeable: 60000},
		{day: "2026-03-05", fact: orchardBack("r", "p", 1000000), balance: 30000, takeable: 30000},
		{day: "2026-03-09", fact: orchardBack("s", "p", 1000000), balance: 30000, takeable: 30000},
		{day: "2026-03-10", fact: orchardBack("t", "p", 500000), balance: 15000, takeable: 15000}, // another amount is taken
	})
	orchardStory(t, orchardRulebook, "2026-03-03", []orchardStep{
		{day: "2026-03-07", fact: orchardBuy("p", "", 1000000), balance: 50000, takeable: 50000},
		{day: "2026-06-09", fact: orchardBack("r", "p", 1000000), balance: 40000, takeable: 40000},
		{day: "2026-06-10", fact: orchardFact{id: "c", purchase: "p", ret: true, charge: true}, balance: 40000, takeable: 40000},
	})
}

// What a return will take cannot be redeemed before the night, nor on young points.
func TestOrchardHolds(t *testing.T) {
	orchardStory(t, orchardNightbatch, "2026-01-02", []orchardStep{
		{day: "2026-03-04", fact: orchardBuy("p", "", 400000)}, // a Wednesday
		{day: "2026-03-05", balance: 8000, takeable: 8000},
		{day: "2026-03-06", fact: orchardBack("r", "p", 300000), deny: 2001, balance: 8000, takeable: 2000},
		{day: "2026-03-07", redeem: 2000},
		{day: "2026-03-08", fact: orchardFact{id: "c", purchase: "p", ret: true, charge: true}},
		{day: "2026-03-09", balance: -2000},
	})
	orchardStory(t, orchardPointsbank, "2026-01-02", []orchardStep{
		{day: "2026-03-04", fact: orchardBuy("p", "", 499999)},
		{day: "2026-03-15", fact: orchardBuy("q", "CONVENIENCE", 400)},
		{day: "2026-03-17", balance: 4505, deny: 1},
		{day: "2026-04-04", balance: 4505, takeable: 2499},
		{day: "2026-04-15", redeem: 4505},
		{day: "2026-04-16", fact: orchardBack("r", "q", 400), balance: -2006},
	})
}
