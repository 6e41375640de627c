package compare

import (
	"maps"
	"slices"
	"strconv"

	"recoup/internal/issuer"
	"recoup/internal/scenario"
	"recoup/reward"
)

// side is a program as a comparison plays against it: the port, or Recoup's
// engine.
type side interface {
	open(account string) error
	setClock(reward.Instant) error
	// deliver hands an event over and says whether the program has a move for it.
	deliver(*reward.Event) (hasMove bool, err error)
	closeStatement(account string) error
	redeem(account, redemption string, amount int64) (paid bool, err error)
	// balance also says what was paid out without being asked for, in all.
	balance(account string) (shown issuer.Balance, paidOut int64, err error)
}

// field is one program with its customers.
type field struct {
	side
	figures Figures
	clock   reward.Instant
	cycle   reward.Cycle // the open one; zero before the first event
	end     reward.Instant
	// patience is for how many cycles after its last event something may still
	// become of an account: its own close, and the closes until a refund that
	// waits for its purchase stops waiting.
	patience    reward.Cycle
	customers   map[string]*customer
	lively      []*customer // those whom a close or its day may bring something
	redemptions int         // asked for so far
}

// customer is what is known of an account from outside.
type customer struct {
	account  string
	last     reward.Cycle // when the stream last touched it
	lively   bool
	balance  int64 // as last seen
	paidOut  int64
	redeemed int64
}

// worth is the customer's net reward.
func (c *customer) worth() int64 { return c.balance + c.paidOut + c.redeemed }

func newField(s side, p *reward.Program, figures Figures) *field {
	const shortestMonth = 28
	return &field{
		side: s, figures: figures, customers: make(map[string]*customer),
		patience: 2 + reward.Cycle(p.Refunds.ParkDays/shortestMonth),
	}
}

// play plays events in the order of delivery.
func (f *field) play(events []reward.Event) error {
	for i := range events {
		e := &events[i]
		if err := f.advance(e.Time); err != nil {
			return err
		}
		c, err := f.customer(e.Account)
		if err != nil {
			return err
		}
		if e.Type == reward.AccountClosed {
			if err := f.redeemAll(c); err != nil {
				return err
			}
		}
		hasMove, err := f.deliver(e)
		if err != nil {
			return err
		}
		if !hasMove {
			if f.figures.NoPath == nil {
				f.figures.NoPath = make(map[string]int64)
			}
			f.figures.NoPath[e.Type.String()]++
		} else if _, err := f.look(c); err != nil {
			return err
		}
	}
	return nil
}

// advance moves the clock on, and ends the months that are over by then.
func (f *field) advance(to reward.Instant) error {
	if f.cycle == 0 {
		f.cycle = reward.CycleAt(to)
		f.end = f.cycle.End()
	}
	for to >= f.end {
		if err := f.endMonth(); err != nil {
			return err
		}
	}
	if to <= f.clock {
		return nil
	}
	f.clock = to
	return f.setClock(to)
}

// endMonth is the last moment of the month, the close, and what follows it.
func (f *field) endMonth() error {
	if err := f.setClock(f.end - 1); err != nil {
		return err
	}
	for _, c := range f.lively {
		if err := f.redeemAll(c); err != nil {
			return err
		}
	}
	f.cycle++
	f.clock, f.end = f.end, f.cycle.End()
	if err := f.setClock(f.clock); err != nil {
		return err
	}
	still := f.lively[:0]
	for _, c := range f.lively {
		if err := f.closeStatement(c.account); err != nil {
			return err
		}
		if err := f.redeemAll(c); err != nil {
			return err
		}
		if c.lively = c.balance > 0 || f.cycle-c.last <= f.patience; c.lively {
			still = append(still, c)
		}
	}
	clear(f.lively[len(still):])
	f.lively = still
	return nil
}

// customer returns the customer of an account that the stream touches, whose
// statements are all closed that are over.
func (f *field) customer(account string) (*customer, error) {
	c := f.customers[account]
	if c == nil {
		if err := f.open(account); err != nil {
			return nil, err
		}
		c = &customer{account: account}
		f.customers[account] = c
	}
	c.last = f.cycle
	if c.lively {
		return c, nil
	}
	c.lively = true
	f.lively = append(f.lively, c)
	if err := f.closeStatement(account); err != nil {
		return nil, err
	}
	_, err := f.look(c)
	return c, err
}

// look notes what has become of an account and returns what can be redeemed.
func (f *field) look(c *customer) (redeemable int64, err error) {
	shown, paidOut, err := f.balance(c.account)
	if err != nil {
		return 0, err
	}
	before := c.worth()
	c.balance, c.paidOut = shown.Balance, paidOut
	switch now := c.worth(); {
	case now > before:
		f.figures.Granted += now - before
	case now < before:
		f.figures.ClawedBack += before - now
	}
	return shown.Redeemable, nil
}

// redeemAll takes all that can be redeemed now.
func (f *field) redeemAll(c *customer) error {
	amount, err := f.look(c)
	if err != nil || amount == 0 {
		return err
	}
	f.redemptions++
	paid, err := f.redeem(c.account, "all-"+strconv.Itoa(f.redemptions), amount)
	if err != nil {
		return err
	}
	if paid {
		// The payout leaves the worth as it was; whatever else it moved is seen by
		// the next look.
		c.redeemed += amount
		c.balance -= amount
	}
	return nil
}

// finish runs the closes that are needed until nothing waits any more. Nobody's
// account is left out.
func (f *field) finish() error {
	if f.cycle == 0 {
		return nil
	}
	for range f.patience {
		if err := f.endMonth(); err != nil {
			return err
		}
	}
	for _, account := range slices.Sorted(maps.Keys(f.customers)) {
		c := f.customers[account]
		if err := f.closeStatement(account); err != nil {
			return err
		}
		if _, err := f.look(c); err != nil {
			return err
		}
	}
	return nil
}

// measure compares what each customer has with what is due.
func (f *field) measure(dues map[string]scenario.Due) {
	n := &f.figures
	for account, c := range f.customers {
		n.Redeemed += c.redeemed + c.paidOut
		n.NetReward += c.worth()
		if short := dues[account].Rounded - c.worth(); short > 0 {
			n.Shortfall += short
			n.AccountsShort++
		}
		switch above := c.worth() - dues[account].Exact; {
		case above > 0:
			n.Leakage += above
			n.AccountsAbove++
		case above < 0:
			n.ShortPaid -= above
			n.AccountsBelow++
		}
		if c.balance < 0 {
			n.Debt -= c.balance
			n.AccountsOwed++
		}
	}
}
