package probe_test

import (
	"testing"
	"time"

	"recoup/internal/flaw"
	"recoup/internal/issuer"
	"recoup/internal/kit/labtest"
	"recoup/internal/probe"
	"recoup/internal/probe/adapter"
)

// held is a program that shows one balance and pays out another.
type held struct {
	manyOf
	highest map[string]int64 // that balances have been
	shows   func(balance, highest int64) int64
	pays    func(l *little, balance, highest int64) int64
}

func (h *held) standing(account string) (l *little, balance, highest int64) {
	l = h.of(account)
	balance = l.balance() + l.paid
	h.highest[account] = max(h.highest[account], balance)
	return l, balance, h.highest[account]
}

func (h *held) Settle(s issuer.Settlement) error {
	err := h.manyOf.Settle(s)
	h.standing(s.Account)
	return err
}

func (h *held) Balance(account string) (issuer.Balance, error) {
	l, balance, highest := h.standing(account)
	return issuer.Balance{Balance: h.shows(balance, highest) - l.paid, Redeemable: max(0, h.pays(l, balance, highest)-l.paid)}, nil
}

func (h *held) Redeem(r issuer.Redemption) (bool, error) {
	l, balance, highest := h.standing(r.Account)
	if r.Amount <= 0 || r.Amount > h.pays(l, balance, highest)-l.paid {
		return false, nil
	}
	l.paid += r.Amount
	return true, nil
}

// What an account has is what it can be paid: a balance that stays after a return is no
// leak if nothing more comes out of it, however much is bought again. And what is paid for
// purchases that were returned before is V3(b), however soon it has to be asked for.
func TestWhatCanBeHad(t *testing.T) {
	atOnce := func(_ *little, b bought, back int64, _ time.Duration) int64 { return (b.amount - back) * 2 / 100 }
	atClose := func(l *little, b bought, back int64, late time.Duration) int64 {
		if late > 1000*day { // of a refund before its purchase
			late = 0
		}
		returned := b.at.Add(late)
		if l.now.Before(time.Date(returned.Year(), returned.Month()+1, 1, 0, 0, 0, 0, time.UTC)) {
			back = 0
		}
		return (b.amount - back) * 2 / 100
	}
	inParts := func(l *little, b bought, back int64, late time.Duration) int64 {
		if late > 1000*day { // of a refund before its purchase
			late = 0
		}
		thirds := min(3, max(0, int64(l.now.Sub(b.at.Add(late))/(30*day))))
		return (b.amount - back*thirds/3) * 2 / 100
	}
	kept := func(l *little, _, _ int64) int64 { // whatever is still shown
		sum := int64(0)
		for id, b := range l.bought {
			sum += (b.amount - min(b.amount, l.back[id])) * 2 / 100
		}
		return sum
	}
	now := func(balance, _ int64) int64 { return balance }
	ever := func(_, highest int64) int64 { return highest }
	lately := func(l *little, balance, _ int64) int64 { // within two days of a purchase
		for _, b := range l.bought {
			if l.now.Sub(b.at) < 48*time.Hour {
				return balance
			}
		}
		return 0
	}
	tests := []struct {
		name  string
		keeps func(l *little, b bought, back int64, late time.Duration) int64
		shows func(balance, highest int64) int64
		pays  func(l *little, balance, highest int64) int64
		class flaw.Class
		idle  bool
	}{
		{"shown for ever, and paid while it is earned", atOnce, ever, func(_ *little, balance, _ int64) int64 { return balance }, flaw.Robust, true},
		{"shown for ever, and paid from five dollars on while it is earned", atOnce, ever, func(l *little, balance, _ int64) int64 {
			if balance-l.paid < 5_00 {
				return 0
			}
			return balance
		}, flaw.Robust, true},
		{"shown for ever, and paid from five dollars on", atOnce, ever, func(l *little, _, highest int64) int64 {
			if highest-l.paid < 5_00 {
				return 0
			}
			return highest
		}, flaw.V1, false},
		{"shown and paid for ever", atOnce, ever, func(_ *little, _, highest int64) int64 { return highest }, flaw.V1, false},
		{"taken back at the close, and paid within two days of a purchase", atClose, now, lately, flaw.V3b, false},
		{"taken back in parts over ninety days, and never paid", inParts, now, kept, flaw.Robust, false},
		{"taken back in parts over ninety days, and paid meanwhile", inParts, now, func(_ *little, balance, _ int64) int64 { return balance }, flaw.Other, false},
		{"taken back at once, and paid within two days of a purchase", atOnce, now, lately, flaw.Robust, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			fresh := labtest.NewFresh(func() issuer.Issuer {
				return &held{manyOf{accounts: map[string]*little{}, keeps: test.keeps}, map[string]int64{}, test.shows, test.pays}
			})
			r, err := probe.Run(t.Context(), probe.Target{Issuer: fresh, Can: adapter.Everything("USD"), Reset: fresh.Reset}, probe.Plan{Quick: true})
			if err != nil {
				t.Fatal(err)
			}
			if r.Class != test.class || r.Found() != (test.class != flaw.Robust) {
				t.Errorf("%s, and found: %t", r.Verdict(), r.Found())
			}
			if (r.Sweep.Idle > 0) != test.idle || (r.Window != nil) != (test.class == flaw.V3b) {
				t.Errorf("%d idle, window %+v", r.Sweep.Idle, r.Window)
			}
		})
	}
}

// A search goes by what can be had as well.
func TestSearchGoesByWhatCanBeHad(t *testing.T) {
	fresh := labtest.NewFresh(func() issuer.Issuer {
		return &held{
			manyOf{accounts: map[string]*little{}, keeps: func(_ *little, b bought, back int64, _ time.Duration) int64 { return (b.amount - back) * 2 / 100 }},
			map[string]int64{},
			func(_, highest int64) int64 { return highest },
			func(_ *little, balance, _ int64) int64 { return balance },
		}
	})
	can, no := adapter.Everything("USD"), false
	can.UnlinkedRefunds = &no // of which this program would guess the purchase
	r, err := probe.Run(t.Context(), probe.Target{Issuer: fresh, Can: can, Reset: fresh.Reset}, probe.Plan{Quick: true, Search: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r.Class != flaw.Robust || r.Search.Histories == 0 || len(r.Search.Finds) > 0 {
		t.Errorf("%s; of %d histories %d leak: %+v", r.Verdict(), r.Search.Histories, r.Search.Leaking, r.Search.Finds)
	}
}
