package examine

import (
	"fmt"
	"time"

	"recoup/internal/issuer"
	"recoup/internal/scenario"
)

// Sample is the purchase that an examination makes again and again: one that
// earns a reward, and whose reward no cap cuts even three times a month.
type Sample struct {
	Amount   int64 // minor units, above zero
	Merchant string
	MCC      string // four digits
	Category string
}

// Observation is what could be seen of an account from outside, in minor units.
type Observation struct {
	At time.Time `json:"at"`
	// Move is what had just been done: purchase, refund, redemption, statement or
	// wait; Amount is that of the first three.
	Move   string `json:"move"`
	Amount int64  `json:"amount,omitzero"`
	// Accepted is the issuer's answer to a redemption, nil after other moves.
	Accepted   *bool `json:"accepted,omitempty"`
	Balance    int64 `json:"balance"`
	Redeemable int64 `json:"redeemable"`
	// PaidOut is all that has left the issuer, asked for or not.
	PaidOut int64 `json:"paid_out"`
	// NetSpend is what was bought less what was brought back.
	NetSpend int64 `json:"net_spend"`
}

// NetReward is the balance and all that was paid out (paper, section 4.1).
func (o *Observation) NetReward() int64 { return o.Balance + o.PaidOut }

// Sequence is one course of moves in an account of its own, with what was seen
// after each, and at the end. In between, where time passed and nothing changed,
// there is nothing.
type Sequence struct {
	Name  string        `json:"name"`
	Moves []Observation `json:"moves"`
}

// blackBox is an issuer of which nothing but the port is to be had: whoever
// holds one cannot ask which design it is.
type blackBox struct{ issuer.Issuer }

// trial is one account under examination. The first error ends it: what is done
// after that does nothing.
type trial struct {
	issuer   blackBox
	sample   Sample
	account  string
	now      time.Time
	redeemed int64 // by redemptions that were accepted
	spent    int64 // bought and not brought back
	ids      int
	seen     Observation // the latest
	sequence Sequence
	err      error
}

func (t *trial) id() string {
	t.ids++
	return fmt.Sprintf("%s-%d", t.account, t.ids)
}

// do makes a call of the port and writes down what came of it.
func (t *trial) do(move string, amount int64, call func() error) {
	if t.err != nil {
		return
	}
	err := call()
	if err == nil {
		err = t.look()
	}
	if err != nil {
		t.err = fmt.Errorf("%s: %s at %s: %w", t.account, move, t.now.Format(time.RFC3339), err)
		return
	}
	t.seen.Move, t.seen.Amount = move, amount
	t.sequence.Moves = append(t.sequence.Moves, t.seen)
}

// look reads the account.
func (t *trial) look() error {
	shown, err := t.issuer.Balance(t.account)
	if err != nil {
		return err
	}
	paidOut, err := issuer.PaidOut(t.issuer.Issuer, t.account)
	t.seen = Observation{
		At: t.now, Balance: shown.Balance, Redeemable: shown.Redeemable,
		PaidOut: t.redeemed + paidOut, NetSpend: t.spent,
	}
	return err
}

// buy makes the sample purchase and returns its id.
func (t *trial) buy() (transaction string) {
	transaction = t.id()
	t.do("purchase", t.sample.Amount, func() error {
		t.spent += t.sample.Amount
		return t.issuer.Settle(issuer.Settlement{
			Account: t.account, Transaction: transaction, Amount: t.sample.Amount,
			Merchant: t.sample.Merchant, MCC: t.sample.MCC, Category: t.sample.Category,
		})
	})
	return transaction
}

func (t *trial) refund(transaction string, amount int64) {
	t.do("refund", amount, func() error {
		t.spent -= amount
		return t.issuer.Refund(issuer.Refund{Account: t.account, Refund: t.id(), Transaction: transaction, Amount: amount})
	})
}

// redeem asks for an amount and reports whether it was paid.
func (t *trial) redeem(amount int64) (accepted bool) {
	t.do("redemption", amount, func() (err error) {
		accepted, err = t.issuer.Redeem(issuer.Redemption{Account: t.account, Redemption: t.id(), Amount: amount})
		if err == nil && accepted {
			t.redeemed += amount
		}
		return err
	})
	if t.err == nil {
		t.sequence.Moves[len(t.sequence.Moves)-1].Accepted = &accepted
	}
	return accepted
}

// redeemAll takes what the issuer says can be redeemed, and returns what it paid.
func (t *trial) redeemAll() int64 {
	if amount := t.seen.Redeemable; amount > 0 && t.redeem(amount) {
		return amount
	}
	return 0
}

// nextMonth is when the month after the clock's begins.
func (t *trial) nextMonth() time.Time { return scenario.FirstOfMonth(t.now, 1) }

// tick lets time pass until then, but no further than to the end of the month,
// where a statement is due. That is only worth a line if something came of it.
func (t *trial) tick(then time.Time) {
	if t.err != nil {
		return
	}
	before := t.seen
	if due := t.nextMonth(); then.Before(due) {
		t.now = then
		t.do("wait", 0, func() error { return t.issuer.SetClock(t.now) })
	} else {
		t.now = due
		t.do("statement", 0, func() error {
			if err := t.issuer.SetClock(t.now); err != nil {
				return err
			}
			return t.issuer.CloseStatement(t.account)
		})
	}
	if t.err == nil && t.seen.Balance == before.Balance && t.seen.Redeemable == before.Redeemable && t.seen.PaidOut == before.PaidOut {
		t.sequence.Moves = t.sequence.Moves[:len(t.sequence.Moves)-1]
	}
}

// until lets time pass.
func (t *trial) until(then time.Time) {
	for t.err == nil && t.now.Before(then) {
		t.tick(then)
	}
}

// waitFor lets time pass day by day until something holds, and reports whether
// it did by then.
func (t *trial) waitFor(then time.Time, holds func() bool) bool {
	next := t.now
	for !holds() {
		if t.err != nil || !t.now.Before(then) {
			return false
		}
		if !t.now.Before(next) {
			next = next.AddDate(0, 0, 1)
		}
		if next.After(then) {
			next = then
		}
		t.tick(next)
	}
	return t.err == nil
}

// watch looks every day until then, now included.
func (t *trial) watch(then time.Time, see func()) {
	t.waitFor(then, func() bool { see(); return false })
}
