package probe

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"time"

	"recoup/internal/issuer"
)

// ErrUnstable says that a balance went on changing although nothing happened.
var ErrUnstable = errors.New("probe: the balance does not come to rest")

// Settle bounds how long a balance is waited for at a target that shows later
// what has happened.
type Settle struct {
	// Bound is how long a balance may take to come to rest; 0: 5 seconds. What a
	// target shows later than that is not seen.
	Bound time.Duration
	// Interval is the time between two readings, if the rate allows; 0: 20 ms.
	Interval time.Duration
	// Quiet is how long a balance must stay the same where nothing is known of
	// the target; 0: 200 ms.
	Quiet time.Duration
}

func (s Settle) withDefaults() Settle {
	s.Bound = cmp.Or(s.Bound, 5*time.Second)
	s.Interval = cmp.Or(s.Interval, 20*time.Millisecond)
	s.Quiet = cmp.Or(s.Quiet, 200*time.Millisecond)
	return s
}

// Lag is how much later a target shows what has happened. The zero Lag is that of
// a target of which nothing is known.
type Lag struct {
	// Known: changes were seen, and from them the rest.
	Known bool `json:"known"`
	// Shown: what the first purchase of all earned was seen, within the bound.
	Shown bool `json:"shown"`
	// Reads is how many readings after a change still showed what was before, and
	// Time how long they did; both at most. Zero: every change showed at once.
	Reads int           `json:"reads"`
	Time  time.Duration `json:"time_ns"`
}

func (l Lag) none() bool { return l.Known && l.Reads == 0 }

// String says how long a change of the balance takes to be seen, in words.
func (l Lag) String() string {
	switch {
	case !l.Known && l.Shown:
		return "too seldom to tell how late"
	case !l.Known:
		return "not at all: no change was seen"
	case l.none():
		return "at once"
	}
	return fmt.Sprintf("after %d readings or %v", l.Reads, l.Time.Round(time.Millisecond))
}

// patience is how often a balance must be read the same, and how long it must
// stay the same, to be believed: well beyond what was measured, for the next
// change may take longer.
func (c *Client) patience() (reads int, quiet time.Duration) {
	switch {
	case !c.lag.Known:
		return 2, c.options.Settle.Quiet
	case c.lag.none():
		return 1, 0
	}
	return 2*c.lag.Reads + 2, 2 * c.lag.Time
}

// reading is what an account has shown since the latest call that may have
// changed something.
type reading struct {
	account string
	seen    Account
	reads   int // that showed it, one after the other
	since   time.Time
}

// Balance implements issuer.Issuer. Unless the target is known to show everything
// at once, it reads until the balance stays the same for some time. It returns
// ErrUnstable if that is not so within the bound of the options.
func (c *Client) Balance(account string) (issuer.Balance, error) {
	seen, err := c.see(account)
	return issuer.Balance{Balance: seen.Balance, Redeemable: seen.Redeemable}, err
}

// PaidOut implements issuer.Payer. It is zero at a target that does not say.
func (c *Client) PaidOut(account string) (int64, error) {
	if r := &c.reading; r.account == account && r.reads > 0 {
		return r.seen.PaidOut, nil // as it was together with the balance
	}
	seen, err := c.see(account)
	return seen.PaidOut, err
}

func (c *Client) see(account string) (Account, error) {
	if c.world.lost || c.world.gone[account] {
		return Account{}, fmt.Errorf("%w: GET /accounts of account %s", ErrUncertain, account)
	}
	seen, err := c.steady(account)
	if err != nil {
		c.reading = reading{}
		return Account{}, err
	}
	if account == c.world.account && !c.lag.none() {
		c.world.journal = append(c.world.journal, entry{call: reads(account), seen: seen})
	}
	return seen, nil
}

// steady reads an account until it has shown the same often and long enough.
func (c *Client) steady(account string) (Account, error) {
	reads, quiet := c.patience()
	r := &c.reading
	if r.account != account {
		*r = reading{account: account}
	}
	var began time.Time // after the first reading: one that takes long is slow, and not late
	for read := c.read; ; read = c.poll {
		seen, err := read(account)
		if err != nil {
			return Account{}, err
		}
		now := time.Now()
		if began.IsZero() {
			began = now
		}
		if r.reads == 0 || seen != r.seen {
			r.seen, r.reads, r.since = seen, 0, now
		}
		if r.reads++; r.reads >= reads && now.Sub(r.since) >= quiet {
			return seen, nil
		}
		if bound := max(c.options.Settle.Bound, 3*c.lag.Time); r.since.Sub(began) > bound {
			return Account{}, fmt.Errorf("%w: account %s, within %v", ErrUnstable, account, bound)
		}
		if err := c.sleep(c.options.Settle.Interval); err != nil {
			return Account{}, err
		}
	}
}

func reads(account string) *call {
	k := get("/accounts/" + url.PathEscape(account))
	k.account = account
	return k
}

// poll reads an account only to see whether it stays as it was.
func (c *Client) poll(account string) (Account, error) {
	c.count(func(s *Stats) { s.Polls++ })
	return c.read(account)
}

// read reads an account once.
func (c *Client) read(account string) (seen Account, err error) {
	k := reads(account)
	a, err := c.send(k)
	if err != nil {
		return seen, err
	}
	if !a.ok() {
		return seen, a.refusal(k)
	}
	if err = a.read(k, &seen, "balance", "redeemable"); err == nil {
		if err = seen.check(); err != nil {
			err = fmt.Errorf("probe: %s: %w", k, err)
		}
	}
	return seen, err
}
