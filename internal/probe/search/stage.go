package search

import (
	"errors"
	"time"

	"recoup/internal/issuer"
	"recoup/internal/probe"
)

// errCalls says that the calls are used up.
var errCalls = errors.New("search: the calls are used up")

// stage is a target for one play. It has the moves of the protocol and no others
// that the target may have, counts calls, and leaves time out where there is no
// clock.
type stage struct {
	*Target
	calls *int
	most  int
	clock time.Time
	// paid is what the target had paid of its own accord, each time it was asked:
	// once a step.
	paid []int64
}

var (
	_ issuer.Issuer = (*stage)(nil)
	_ issuer.Payer  = (*stage)(nil)
)

func (s *stage) call(f func() error) error {
	if *s.calls >= s.most {
		return errCalls
	}
	*s.calls++
	return f()
}

// when is the time that a fact is dated.
func (s *stage) when(at time.Time) time.Time {
	if s.Can.CanSetClock {
		return at
	}
	return time.Time{}
}

// Open implements issuer.Issuer.
func (s *stage) Open(account string) error {
	return s.call(func() error { return s.Issuer.Open(account) })
}

// SetClock implements issuer.Issuer.
func (s *stage) SetClock(now time.Time) error {
	if !s.Can.CanSetClock || now.Equal(s.clock) {
		return nil
	}
	s.clock = now
	return s.call(func() error { return s.Issuer.SetClock(now) })
}

// Settle implements issuer.Issuer.
func (s *stage) Settle(p issuer.Settlement) error {
	p.At = s.when(p.At)
	return s.call(func() error { return s.Issuer.Settle(p) })
}

// Refund implements issuer.Issuer.
func (s *stage) Refund(r issuer.Refund) error {
	r.At = s.when(r.At)
	return s.call(func() error { return s.Issuer.Refund(r) })
}

// Chargeback implements issuer.Issuer.
func (s *stage) Chargeback(c issuer.Chargeback) error {
	c.At = s.when(c.At)
	return s.call(func() error { return s.Issuer.Chargeback(c) })
}

// CloseStatement implements issuer.Issuer. What closes by the clock is closed.
func (s *stage) CloseStatement(account string) error {
	if s.Can.StatementClose == probe.ClosesByClock {
		return nil
	}
	return s.call(func() error { return s.Issuer.CloseStatement(account) })
}

// Redeem implements issuer.Issuer.
func (s *stage) Redeem(d issuer.Redemption) (accepted bool, err error) {
	err = s.call(func() error { accepted, err = s.Issuer.Redeem(d); return err })
	return accepted, err
}

// Balance implements issuer.Issuer.
func (s *stage) Balance(account string) (b issuer.Balance, err error) {
	err = s.call(func() error { b, err = s.Issuer.Balance(account); return err })
	return b, err
}

// PaidOut implements issuer.Payer. It is no call of its own: who reads a balance
// reads it too.
func (s *stage) PaidOut(account string) (paid int64, err error) {
	paid, err = issuer.PaidOut(s.Issuer, account)
	s.paid = append(s.paid, paid)
	return paid, err
}
