package measure

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"recoup/internal/accuracy/foreign"
	"recoup/internal/accuracy/foreign/people"
	"recoup/internal/issuer"
)

// course is what came of a history at an engine.
type course struct {
	history  *people.History
	postings map[string][]foreign.Posting
	// redeemed are the redemptions that were paid, by account and in order.
	redeemed map[string][]payout
	balance  map[string]int64
	// refused counts the facts that the engine said could not be taken, first is one.
	refused int
	first   string
}

// payout is money that left the program.
type payout struct {
	id     string
	at     time.Time
	amount int64
}

// play plays a history to its end at a fresh engine.
func play(d *foreign.Design, h *people.History) (*course, error) {
	c := &course{history: h, postings: map[string][]foreign.Posting{}, redeemed: map[string][]payout{}, balance: map[string]int64{}}
	e := newNightly(d.New())
	step := func(what string, err error) error {
		if err != nil {
			return fmt.Errorf("%s: %s: %w", d.Name, what, err)
		}
		return nil
	}
	waiting := slices.Clone(h.Accounts)
	slices.SortStableFunc(waiting, func(a, b string) int { return h.Opened[a].Compare(h.Opened[b]) })
	openUntil := func(now time.Time) error {
		for len(waiting) > 0 && !h.Opened[waiting[0]].After(now) {
			if err := step("opening "+waiting[0], errors.Join(e.SetClock(maxTime(e.now, h.Opened[waiting[0]])), e.Open(waiting[0]))); err != nil {
				return err
			}
			waiting = waiting[1:]
		}
		return nil
	}
	for i := range h.Moves {
		m := &h.Moves[i]
		if err := openUntil(m.Delivered); err != nil {
			return nil, err
		}
		if err := step("setting the clock", e.SetClock(m.Delivered)); err != nil {
			return nil, err
		}
		if err := c.move(e, m); err != nil {
			return nil, step(fmt.Sprintf("%s of %s at %s", m.ID, m.Account, m.Delivered.Format(time.RFC3339)), err)
		}
	}
	if err := errors.Join(openUntil(h.End), step("setting the clock", e.SetClock(h.End))); err != nil {
		return nil, err
	}
	for _, account := range h.Accounts {
		b, err := e.Balance(account)
		if err != nil {
			return nil, step("balance of "+account, err)
		}
		c.balance[account], c.postings[account] = b.Balance, e.Postings(account)
		if err := c.addsUp(account); err != nil {
			return nil, step("books", err)
		}
	}
	return c, nil
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// move makes one move. A fact that the engine does not take is counted: what it means
// shows in what the customer keeps.
func (c *course) move(e *nightly, m *people.Move) error {
	var err error
	switch m.Kind {
	case people.Buy:
		err = e.Settle(issuer.Settlement{
			Account: m.Account, Transaction: m.ID, Amount: m.Amount, Merchant: m.Merchant, MCC: m.MCC, Category: m.Category, At: m.Happened,
		})
	case people.Return:
		err = e.Refund(issuer.Refund{
			Account: m.Account, Refund: m.ID, Transaction: m.Told, Amount: m.Amount, Merchant: m.Merchant, MCC: m.MCC, Category: m.Category, At: m.Happened,
		})
	case people.Dispute:
		err = e.Chargeback(issuer.Chargeback{Account: m.Account, Chargeback: m.ID, Transaction: m.Told, Amount: m.Amount, At: m.Happened})
	case people.Redeem:
		return c.redeem(e, m)
	case people.Authorize:
		err = e.Authorize(issuer.Settlement{
			Account: m.Account, Transaction: m.ID, Amount: m.Amount, Merchant: m.Merchant, MCC: m.MCC, Category: m.Category,
		})
	case people.Cancel:
		err = e.Cancel(m.Account, m.ID)
	}
	if errors.Is(err, issuer.ErrUnsupported) {
		return nil // it hears of purchases when they clear
	}
	if err != nil {
		if c.refused++; c.first == "" {
			c.first = fmt.Sprintf("%s: %v", m.ID, err)
		}
	}
	return nil
}

func (c *course) redeem(e *nightly, m *people.Move) error {
	b, err := e.Balance(m.Account)
	if err != nil {
		return err
	}
	amount := b.Redeemable * m.Percent / 100
	if amount <= 0 {
		return nil
	}
	accepted, err := e.Redeem(issuer.Redemption{Account: m.Account, Redemption: m.ID, Amount: amount})
	if err != nil {
		return err
	}
	if accepted {
		c.redeemed[m.Account] = append(c.redeemed[m.Account], payout{m.ID, m.Delivered, amount})
	}
	return nil
}

// addsUp holds the balance against the books.
func (c *course) addsUp(account string) error {
	sum := -c.cash(account, c.history.End) + c.paid(account, c.history.End)
	for _, p := range c.postings[account] {
		sum += p.Amount
	}
	if sum != c.balance[account] {
		return fmt.Errorf("account %s: the balance is %d, and postings less redemptions are %d", account, c.balance[account], sum)
	}
	return nil
}

// paid is what the engine had paid out of its own accord by a time.
func (c *course) paid(account string, by time.Time) (sum int64) {
	for _, p := range c.postings[account] {
		if p.Kind == foreign.Paid && !p.At.After(by) {
			sum -= p.Amount
		}
	}
	return sum
}

// cash is all that was paid out by a time, asked for or not.
func (c *course) cash(account string, by time.Time) int64 {
	sum := c.paid(account, by)
	for _, p := range c.redeemed[account] {
		if !p.at.After(by) {
			sum += p.amount
		}
	}
	return sum
}

// kept is what the customer has had of the program at the end: what was paid out, and the
// balance, which is below zero where something is owed.
func (c *course) kept(account string) int64 {
	return c.cash(account, c.history.End) + c.balance[account]
}

// granted is what the engine has granted on purchases that nobody returned. What has
// expired since, or was paid out, had been granted too.
func (c *course) granted(account string) (sum int64) {
	for _, p := range c.postings[account] {
		if p.Kind == foreign.Earned || p.Kind == foreign.Reversed || p.Kind == foreign.Adjusted && p.Amount > 0 {
			sum += p.Amount
		}
	}
	return sum
}
