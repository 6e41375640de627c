package probe

import (
	"fmt"
	"time"

	"recoup/internal/issuer"
)

// MeasureLag watches until it has seen lagChanges, for at most lagMonths, with
// lagPurchases in each. It gives up after the second month without a change.
const (
	lagChanges   = 12
	lagMonths    = 12
	lagPurchases = 2
)

// MeasureLag finds out how much later the target shows what has happened: it
// resets it, makes purchases, refunds some, moves the clock past statement closes
// where there is a clock, and reads the balance after each until it stays. Of the
// samples it takes amount, merchant, MCC and category; the first that shows something is
// bought again. The clock begins at from. At the end the target is reset once more.
//
// What it finds holds for all balances from then on. Nothing is known after it
// (Lag.Known is false) if the balance never changed.
func (c *Client) MeasureLag(from time.Time, samples ...issuer.Settlement) (Lag, error) {
	c.lag = Lag{}
	m := &measurement{client: c, samples: samples}
	if err := m.run(from.UTC()); err != nil {
		return Lag{}, fmt.Errorf("probe: measuring how late balances show: %w", err)
	}
	c.lag = m.lag
	return m.lag, c.Reset()
}

type measurement struct {
	client  *Client
	samples []issuer.Settlement
	sample  issuer.Settlement // the one that is bought
	lag     Lag
	// changes counts those that were seen.
	changes int
	idle    map[string]bool // kinds of moves that changed nothing
	// within is how long after the first purchase of all the first change was seen.
	within time.Duration
}

const lagAccount = "recoup-lag"

func (m *measurement) run(from time.Time) error {
	c := m.client
	if err := c.Reset(); err != nil {
		return err
	}
	if err := c.SetClock(from); err != nil {
		return err
	}
	if err := c.Open(lagAccount); err != nil {
		return err
	}
	from, err := m.first(from)
	month := 0
	for _, s := range m.samples {
		if err != nil || m.within == 0 || m.changes > 0 {
			return err
		}
		m.sample, m.idle = s, map[string]bool{}
		for end := month + lagMonths; month < end && m.changes < lagChanges; month++ {
			if month == end-lagMonths+2 && m.changes == 0 {
				break
			}
			if err := m.month(month, from); err != nil {
				return err
			}
		}
	}
	return nil
}

// first buys and waits, up to the bound, for anything to show at all; if nothing does, again
// when some months have passed. It returns when the months of the measurement may begin.
func (m *measurement) first(from time.Time) (time.Time, error) {
	c := m.client
	before, err := c.read(lagAccount)
	if err != nil {
		return from, err
	}
	bought := time.Now()
	for i, s := range m.samples {
		s.Account, s.Transaction = lagAccount, fmt.Sprintf("%s-first-%d", lagAccount, i)
		if err := c.Settle(s); err != nil {
			return from, err
		}
	}
	month := 0
	for _, months := range append([]int{1, 2}, readings[:]...) { // before what it earned may have expired
		for ; month < months && c.can.CanSetClock; month++ {
			from = time.Date(from.Year(), from.Month()+1, 1, 0, 0, 0, 0, time.UTC)
			if err := c.SetClock(from); err != nil {
				return from, err
			}
			if c.can.StatementClose == ClosesByCall {
				if err := c.CloseStatement(lagAccount); err != nil {
					return from, err
				}
			}
		}
		if shows, err := m.shows(before); err != nil || shows {
			m.within, m.lag.Shown = time.Since(bought), shows
			return from, err
		}
	}
	return from, nil
}

// shows waits, up to the bound, for an account to show something else than before.
func (m *measurement) shows(before Account) (bool, error) {
	c := m.client
	for moved := time.Now(); ; {
		seen, err := c.poll(lagAccount)
		if err != nil || seen != before || time.Since(moved) > c.options.Settle.Bound {
			return seen != before, err
		}
		if err := c.sleep(c.options.Settle.Interval); err != nil {
			return false, err
		}
	}
}

// month buys, has one purchase refunded, and ends the month if it can be ended.
func (m *measurement) month(month int, from time.Time) error {
	c := m.client
	s := m.sample
	s.Account, s.At = lagAccount, time.Time{}
	for i := range lagPurchases {
		s.Transaction = fmt.Sprintf("%s-%d-%d", lagAccount, month, i)
		if err := m.watch("purchase", func() error { return c.Settle(s) }); err != nil {
			return err
		}
	}
	refund := issuer.Refund{Account: lagAccount, Refund: s.Transaction + "-refund", Transaction: s.Transaction, Amount: s.Amount, Merchant: s.Merchant, MCC: s.MCC, Category: s.Category}
	if err := m.watch("refund", func() error { return c.Refund(refund) }); err != nil {
		return err
	}
	if !c.can.CanSetClock {
		return nil // the next month is played at once as well
	}
	end := time.Date(from.Year(), from.Month()+time.Month(month)+1, 1, 0, 0, 0, 0, time.UTC)
	return m.watch("close", func() error {
		err := c.SetClock(end)
		if err == nil && c.can.StatementClose == ClosesByCall {
			err = c.CloseStatement(lagAccount)
		}
		return err
	})
}

// watch makes a move and sees how late its effect shows. A kind of move that had
// none is not waited for again.
func (m *measurement) watch(kind string, move func() error) error {
	c, settle := m.client, &m.client.options.Settle
	before, err := c.read(lagAccount)
	if err != nil {
		return err
	}
	if err := move(); err != nil || m.idle[kind] {
		return err
	}
	bound := max(settle.Bound, 2*m.within) // what has been seen once is waited for
	patience := min(bound, 5*max(settle.Quiet, m.within, m.lag.Time))
	const fewest = 5 // readings that are the same
	moved := time.Now()
	latest, since, asked := before, moved, moved
	same, read := 0, 0
	for changed := false; ; {
		stale := asked // a reading that takes long is slow, and not late
		asked = time.Now()
		seen, err := c.poll(lagAccount)
		if err != nil {
			return err
		}
		now := time.Now()
		if same++; seen != latest {
			// All readings before this one were stale.
			changed = true
			m.lag.Known = true
			if read > 0 {
				m.lag.Reads = max(m.lag.Reads, read)
				m.lag.Time = max(m.lag.Time, asked.Sub(moved))
			}
			latest, since, same = seen, stale, 1
		}
		read++
		quiet := max(settle.Quiet, 2*since.Sub(moved))
		switch {
		case changed && same >= fewest && now.Sub(since) >= quiet:
			m.changes++
			return nil
		case !changed && now.Sub(moved) >= patience && same >= fewest:
			m.idle[kind] = true
			return nil
		case since.Sub(moved) > bound:
			return ErrUnstable
		}
		if err := c.sleep(settle.Interval); err != nil {
			return err
		}
	}
}
