package probe

import (
	"errors"
	"fmt"
	"time"

	"recoup/internal/issuer"
	"recoup/reward"
)

// Target is a program that is to be probed: the port to it, and what it says of
// itself.
type Target struct {
	Issuer issuer.Issuer
	Can    Capabilities
	// Reset has the target forget all accounts, and frees its clock. Nil: it cannot,
	// and every course of moves begins in a later year than the one before.
	Reset func() error
	// Prepare is called once, when a run has said what it is going to do and before it
	// does any of it; the terms are nil where they have to be found out. Nil: there is
	// nothing to prepare.
	Prepare func(terms *reward.Program) error
	// Lag says, after Prepare, how late changes show. Nil: at once.
	Lag func() Lag
	// Measure finds out how late changes show by purchases of a sample from a time on. Nil:
	// there is nothing to find out.
	Measure func(from time.Time, samples ...issuer.Settlement) (Lag, error)
	// Stats counts the calls so far. Nil: nobody counts.
	Stats func() Stats
	// ClockTold reports whether the target has said what its clock shows. Nil: it is known
	// to follow.
	ClockTold func() bool
}

// Target returns the client as a target. A run of it begins with [Client.FindLag].
func (c *Client) Target() Target {
	return Target{c, c.can, c.Reset, c.FindLag, func() Lag { return c.lag }, c.MeasureLag, c.Stats, func() bool { return c.told }}
}

// errTooMany says that a part of a probe has used up its calls.
var errTooMany = errors.New("probe: the bound on calls is reached")

// stage is a target as one course of moves after another sees it: fresh, and at
// the time at which the course begins. It has the moves of the protocol, and no
// others that the target may have.
type stage struct {
	target  *Target
	course  int
	latest  time.Time // where the target's clock stands
	calls   int
	most    int  // calls; no more are made
	paysOut bool // something was paid out by the target of its own accord
}

var (
	_ issuer.Issuer     = (*stage)(nil)
	_ issuer.Payer      = (*stage)(nil)
	_ issuer.Authorizer = (*stage)(nil)
	_ issuer.Authorizer = (*Client)(nil)
)

// fresh begins a course of moves of which the first is at from, and returns how
// many years later it has to be played.
func (s *stage) fresh(from time.Time) (years int, err error) {
	s.course++
	if s.target.Reset != nil {
		s.latest = time.Time{}
		return 0, s.target.Reset()
	}
	for s.hasClock() && from.AddDate(years, 0, 0).Before(s.latest) {
		years++
	}
	return years, nil
}

// hasClock reports whether time can be let pass.
func (s *stage) hasClock() bool { return s.target.Can.CanSetClock }

// canWait reports whether statements can be waited for.
func (s *stage) canWait() bool { return s.hasClock() && s.target.Can.StatementClose != ClosesNot }

// name is what the target is told of an account, a fact or a purchase. Where
// nothing is ever forgotten, no name is used in two courses.
func (s *stage) name(id string) string {
	if s.target.Reset != nil || id == "" {
		return id
	}
	return fmt.Sprintf("c%d-%s", s.course, id)
}

func (s *stage) call(f func() error) error {
	if s.calls++; s.most > 0 && s.calls > s.most {
		return errTooMany
	}
	return f()
}

// at is when a fact happened, as far as the target can be told.
func (s *stage) at(then time.Time) time.Time {
	if !s.hasClock() {
		return time.Time{}
	}
	return then
}

// Open implements issuer.Issuer.
func (s *stage) Open(account string) error {
	return s.call(func() error { return s.target.Issuer.Open(s.name(account)) })
}

// SetClock implements issuer.Issuer. Where there is no clock, time is what the
// course of moves says, and the target does not hear of it.
func (s *stage) SetClock(now time.Time) error {
	if !s.hasClock() || now.Equal(s.latest) {
		return nil
	}
	s.latest = now
	return s.call(func() error { return s.target.Issuer.SetClock(now) })
}

// Settle implements issuer.Issuer.
func (s *stage) Settle(p issuer.Settlement) error {
	p.Account, p.Transaction, p.At = s.name(p.Account), s.name(p.Transaction), s.at(p.At)
	return s.call(func() error { return s.target.Issuer.Settle(p) })
}

// Refund implements issuer.Issuer.
func (s *stage) Refund(r issuer.Refund) error {
	r.Account, r.Refund, r.Transaction, r.At = s.name(r.Account), s.name(r.Refund), s.name(r.Transaction), s.at(r.At)
	return s.call(func() error { return s.target.Issuer.Refund(r) })
}

// Chargeback implements issuer.Issuer.
func (s *stage) Chargeback(c issuer.Chargeback) error {
	c.Account, c.Chargeback, c.Transaction, c.At = s.name(c.Account), s.name(c.Chargeback), s.name(c.Transaction), s.at(c.At)
	return s.call(func() error { return s.target.Issuer.Chargeback(c) })
}

// CloseStatement implements issuer.Issuer. Where statements close by the clock
// there is nothing to do.
func (s *stage) CloseStatement(account string) error {
	if s.target.Can.StatementClose == ClosesByClock {
		return nil
	}
	return s.call(func() error { return s.target.Issuer.CloseStatement(s.name(account)) })
}

// Redeem implements issuer.Issuer.
func (s *stage) Redeem(d issuer.Redemption) (accepted bool, err error) {
	d.Account, d.Redemption = s.name(d.Account), s.name(d.Redemption)
	err = s.call(func() error { accepted, err = s.target.Issuer.Redeem(d); return err })
	return accepted, err
}

// Balance implements issuer.Issuer.
func (s *stage) Balance(account string) (b issuer.Balance, err error) {
	err = s.call(func() error { b, err = s.target.Issuer.Balance(s.name(account)); return err })
	return b, err
}

// PaidOut implements issuer.Payer.
func (s *stage) PaidOut(account string) (int64, error) {
	paid, err := issuer.PaidOut(s.target.Issuer, s.name(account))
	s.paysOut = s.paysOut || paid > 0
	return paid, err
}

// mostTries is how often a course of moves is begun again after a failure that
// left it open what the target had done.
const mostTries = 4

// again plays a course of moves until nothing is uncertain about it. It returns
// how often it had to be begun again.
func again(play func() error) (replays int, err error) {
	for try := range mostTries {
		if err = play(); !flaky(err) {
			return try, err
		}
	}
	return mostTries - 1, err
}

// flaky reports whether an error says more of the connection than of the program.
func flaky(err error) bool { return errors.Is(err, ErrUncertain) || errors.Is(err, ErrUnstable) }
