package probe_test

import (
	"testing"
	"time"

	"recoup/internal/flaw"
	"recoup/internal/issuer"
	"recoup/internal/probe"
	"recoup/internal/probe/adapter"
)

// tapped is a program that hears of purchases before they clear.
type tapped struct {
	manyOf
	taps map[[2]string]int64 // by account and purchase
	// counts is what a purchase counts for that was authorised and has cleared.
	counts func(authorized, cleared int64) int64
}

func (p *tapped) Authorize(s issuer.Settlement) error {
	p.taps[[2]string{s.Account, s.Transaction}] = s.Amount
	return nil
}

func (p *tapped) Cancel(account, transaction string) error {
	delete(p.taps, [2]string{account, transaction})
	return nil
}

func (p *tapped) Settle(s issuer.Settlement) error {
	if authorized, ok := p.taps[[2]string{s.Account, s.Transaction}]; ok {
		s.Amount = p.counts(authorized, s.Amount)
	}
	return p.manyOf.Settle(s)
}

// What was authorised earns nothing of its own: what counts is what clears, beside an
// account in which the same cleared and nothing was authorised.
func TestAuthorizations(t *testing.T) {
	tests := []struct {
		name   string
		counts func(authorized, cleared int64) int64
		told   bool // the target says that it has authorisations
		class  flaw.Class
	}{
		{"what clears counts", func(_, cleared int64) int64 { return cleared }, true, flaw.Robust},
		{"what was authorised counts", func(authorized, cleared int64) int64 { return max(authorized, cleared) }, true, flaw.Other},
		{"what was authorised counts, and no authorisation is sent", func(authorized, cleared int64) int64 { return max(authorized, cleared) }, false, flaw.Robust},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			fresh := func() issuer.Issuer {
				return &tapped{
					manyOf{accounts: map[string]*little{}, keeps: func(_ *little, b bought, back int64, _ time.Duration) int64 { return (b.amount - back) * 2 / 100 }},
					map[[2]string]int64{}, test.counts,
				}
			}
			can := adapter.Everything("USD")
			can.Authorizations = test.told
			c := through(t, adapter.Handler(fresh, can), quick())
			r, err := probe.Run(t.Context(), c.Target(), probe.Plan{Quick: true})
			if err != nil {
				t.Fatal(err)
			}
			if r.Class != test.class || r.Found() != (test.class != flaw.Robust) {
				t.Errorf("%s, and found: %t", r.Verdict(), r.Found())
			}
			played := false
			for _, a := range r.Sweep.Axes {
				played = played || a.Axis == probe.ByAuthorized && a.Played > 0
			}
			if played != test.told {
				t.Errorf("authorisations played: %t", played)
			}
		})
	}
}
