package measure

import (
	"time"

	"recoup/internal/accuracy/foreign"
	"recoup/internal/issuer"
)

// nightly is an engine whose operator runs its jobs: the clock moves on a day at a time,
// and every night each account's statement is closed if it is due. Engines that close by
// themselves need none of it; those that wait to be called find it done in time.
type nightly struct {
	foreign.Engine
	now      time.Time
	accounts []string
}

func newNightly(e foreign.Engine) *nightly { return &nightly{Engine: e} }

var _ issuer.Issuer = (*nightly)(nil)

// Open opens an account whose statements are closed from then on.
func (n *nightly) Open(account string) error {
	err := n.Engine.Open(account)
	if err == nil {
		n.accounts = append(n.accounts, account)
	}
	return err
}

// mostNights is how many nights a clock goes through, some eleven years; over more it
// jumps, as a prober's does that tries out how far it can be set.
const mostNights = 4000

// SetClock moves the clock on, night by night.
func (n *nightly) SetClock(now time.Time) error {
	if n.now.IsZero() || now.Sub(n.now) > mostNights*24*time.Hour {
		n.now = now
	}
	for midnight := n.now.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1); midnight.Before(now); midnight = midnight.AddDate(0, 0, 1) {
		if err := n.night(midnight); err != nil {
			return err
		}
	}
	if now.Before(n.now) {
		return n.Engine.SetClock(now) // the engine says what it thinks of that
	}
	return n.night(now)
}

func (n *nightly) night(now time.Time) error {
	newDay := now.UTC().Truncate(24 * time.Hour).After(n.now.UTC().Truncate(24 * time.Hour))
	n.now = now
	if err := n.Engine.SetClock(now); err != nil {
		return err
	}
	if !newDay {
		return nil
	}
	for _, account := range n.accounts {
		if err := n.Engine.CloseStatement(account); err != nil {
			return err
		}
	}
	return nil
}

// Authorize implements issuer.Authorizer where the engine does.
func (n *nightly) Authorize(s issuer.Settlement) error {
	if to, ok := n.Engine.(issuer.Authorizer); ok {
		return to.Authorize(s)
	}
	return issuer.ErrUnsupported
}

// Cancel implements issuer.Authorizer where the engine does.
func (n *nightly) Cancel(account, transaction string) error {
	if to, ok := n.Engine.(issuer.Authorizer); ok {
		return to.Cancel(account, transaction)
	}
	return issuer.ErrUnsupported
}

// PaidOut is what the engine paid out of its own accord, by its books.
func (n *nightly) PaidOut(account string) (int64, error) {
	paid := int64(0)
	for _, p := range n.Engine.Postings(account) {
		if p.Kind == foreign.Paid {
			paid -= p.Amount
		}
	}
	return paid, nil
}
