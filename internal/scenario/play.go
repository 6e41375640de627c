package scenario

import (
	"errors"
	"fmt"

	"recoup/internal/issuer"
)

// Transcript is what one issuer made of a scenario.
type Transcript struct {
	Scenario *Scenario
	Lines    []Line // one a step
}

// Line is the account after one step, in minor units.
type Line struct {
	Step *Step
	// NoSuchPath: this design cannot be told of the move. The money moved all
	// the same, and counts in Entitlement.
	NoSuchPath bool
	// Answer is what the issuer said, if the move asks for an answer and there
	// is a path for it.
	Answer Answer

	Balance    int64 // as shown; negative where rewards are owed
	Redeemable int64
	// Redeemed is all that was paid out so far, also by the issuer itself.
	Redeemed int64
	// Reviews names what the issuer has somebody look into: refunds, chargebacks and
	// purchases. Nil of an issuer that shows no such list.
	Reviews []string
	// Bonuses are what each bonus of the program has paid so far. Nil of an issuer that
	// shows none.
	Bonuses map[string]int64
	// Entitlement is what the published terms promise on what was truly bought
	// and kept so far.
	Entitlement int64
}

// NetReward is the balance and all that was paid out (paper, section 4.1).
func (l *Line) NetReward() int64 { return l.Balance + l.Redeemed }

// Leak is the net reward above the entitlement, never below zero.
func (l *Line) Leak() int64 { return max(0, l.NetReward()-l.Entitlement) }

// Amount returns one of the line's quantities, in minor units.
func (l *Line) Amount(q Quantity) int64 {
	switch q {
	case Balance:
		return l.Balance
	case Redeemable:
		return l.Redeemable
	case Redeemed:
		return l.Redeemed
	case NetReward:
		return l.NetReward()
	case Entitlement:
		return l.Entitlement
	case Leak:
		return l.Leak()
	}
	panic(fmt.Sprintf("scenario: unknown quantity %d", q))
}

// Last is the account at the end.
func (t *Transcript) Last() *Line { return &t.Lines[len(t.Lines)-1] }

// Play delivers the scenario to the issuer, step by step, in an account of the
// scenario's name, which it opens. A move that the issuer has no path for is
// noted and passed over: the rest of the world goes on without its reward
// program. Any other error of the issuer ends the play.
func Play(s *Scenario, iss issuer.Issuer) (*Transcript, error) {
	t := &table{issuer: iss, account: s.Name, bonuses: bonusesOf(s.Program), paid: map[string]bool{}}
	if err := iss.SetClock(s.Steps[0].At); err != nil {
		return nil, fmt.Errorf("%s: setting the clock: %w", s.File, err)
	}
	if err := iss.Open(t.account); err != nil {
		return nil, fmt.Errorf("%s: opening account %s: %w", s.File, t.account, err)
	}
	truth := newFacts(s)
	transcript := &Transcript{Scenario: s}
	for i := range s.Steps {
		step := &s.Steps[i]
		line := Line{Step: step}
		if err := t.play(step, &line); err != nil {
			return nil, fmt.Errorf("%s:%d: %s: %w", s.File, step.Line, step.Text, err)
		}
		truth.add(step, &line)
		line.Entitlement = truth.entitlement(step.At)
		transcript.Lines = append(transcript.Lines, line)
	}
	return transcript, nil
}

// table is where one account's scenario is played.
type table struct {
	issuer  issuer.Issuer
	account string
	bonuses []string // of the program
	// paid has the redemptions that were accepted; redeemed is their sum.
	paid     map[string]bool
	redeemed int64
}

// play makes one move and reads the account after it.
func (t *table) play(step *Step, line *Line) error {
	if err := t.issuer.SetClock(step.At); err != nil {
		return fmt.Errorf("setting the clock: %w", err)
	}
	answer, err := t.deliver(&step.Move)
	switch {
	case errors.Is(err, issuer.ErrUnsupported):
		line.NoSuchPath = true
	case err != nil:
		return err
	default:
		line.Answer = answer
	}
	shown, err := t.issuer.Balance(t.account)
	if err != nil {
		return fmt.Errorf("reading the balance: %w", err)
	}
	line.Balance, line.Redeemable, line.Redeemed = shown.Balance, shown.Redeemable, t.redeemed
	if reviewer, ok := t.issuer.(issuer.Reviewer); ok {
		if line.Reviews, err = reviewer.UnderReview(t.account); err != nil {
			return fmt.Errorf("reading the reviews: %w", err)
		}
	}
	if promoter, ok := t.issuer.(issuer.Promoter); ok && t.bonuses != nil {
		line.Bonuses = map[string]int64{}
		for _, id := range t.bonuses {
			if line.Bonuses[id], err = promoter.Bonus(t.account, id); err != nil {
				return fmt.Errorf("reading bonus %s: %w", id, err)
			}
		}
	}
	paidOut, err := issuer.PaidOut(t.issuer, t.account)
	if err != nil {
		return fmt.Errorf("reading what was paid out: %w", err)
	}
	line.Redeemed += paidOut
	return nil
}

// redeem asks for a payout and counts what was paid. A redemption that was paid
// before and is accepted again may be answered or paid a second time: only the
// balance tells. Of a negative amount no money is collected.
func (t *table) redeem(m *Move) (Answer, error) {
	before, err := t.issuer.Balance(t.account)
	if err != nil {
		return NoAnswer, fmt.Errorf("reading the balance: %w", err)
	}
	if answer, err := Deliver(t.issuer, t.account, m); err != nil || answer == Denied {
		return Denied, err
	}
	after, err := t.issuer.Balance(t.account)
	if err != nil {
		return NoAnswer, fmt.Errorf("reading the balance: %w", err)
	}
	if !t.paid[m.ID] || after.Balance < before.Balance {
		t.redeemed += max(0, m.Amount)
	}
	t.paid[m.ID] = true
	return Accepted, nil
}

// deliver makes the call that the move stands for, and keeps count of payouts.
func (t *table) deliver(m *Move) (Answer, error) {
	if m.Kind == Redeem {
		return t.redeem(m)
	}
	return Deliver(t.issuer, t.account, m)
}

// Deliver makes the call that a move stands for, of an account. The answer is that of a
// move that asks for one. The error is issuer.ErrUnsupported where the issuer has no
// such call.
func Deliver(i issuer.Issuer, account string, m *Move) (Answer, error) {
	switch m.Kind {
	case Settle:
		return NoAnswer, i.Settle(m.settlement(account))
	case Refund:
		return NoAnswer, i.Refund(m.refund(account))
	case Chargeback:
		return NoAnswer, i.Chargeback(issuer.Chargeback{
			Account: account, Chargeback: m.ID, Transaction: m.Of, Amount: m.Amount, At: m.Happened,
		})
	case Redeem:
		if accepted, err := i.Redeem(issuer.Redemption{Account: account, Redemption: m.ID, Amount: m.Amount}); err != nil || !accepted {
			return Denied, err
		}
		return Accepted, nil
	case CloseStatement:
		return NoAnswer, i.CloseStatement(account)
	case Wait:
		return NoAnswer, nil
	}
	return deliverOptional(i, account, m)
}

// deliverOptional makes a call that not every issuer has.
func deliverOptional(i issuer.Issuer, account string, m *Move) (Answer, error) {
	switch m.Kind {
	case Authorize, Cancel:
		if to, ok := i.(issuer.Authorizer); ok {
			if m.Kind == Cancel {
				return NoAnswer, to.Cancel(account, m.ID)
			}
			return NoAnswer, to.Authorize(m.settlement(account))
		}
	case Withdraw:
		if to, ok := i.(issuer.Withdrawer); ok {
			return NoAnswer, to.Withdraw(account, m.ID)
		}
	case UndoRefund, UndoChargeback:
		if to, ok := i.(issuer.Undoer); ok {
			if m.Kind == UndoRefund {
				return NoAnswer, to.ReverseRefund(account, m.ID)
			}
			return NoAnswer, to.ReverseChargeback(account, m.ID)
		}
	case Announce, CancelRefund:
		if to, ok := i.(issuer.Announcer); ok {
			if m.Kind == CancelRefund {
				return NoAnswer, to.CancelRefund(account, m.ID)
			}
			return NoAnswer, to.AnnounceRefund(m.refund(account))
		}
	case CountRefund:
		if to, ok := i.(issuer.Resolver); ok {
			return NoAnswer, to.CountRefund(account, m.ID, m.As)
		}
	case SetAttribute, WithdrawAttribute:
		if to, ok := i.(issuer.Member); ok {
			if m.Kind == WithdrawAttribute {
				return NoAnswer, to.WithdrawAttribute(account, m.ID)
			}
			return NoAnswer, to.SetAttribute(m.attribute(account))
		}
	case Itemize:
		if to, ok := i.(issuer.Itemizer); ok {
			return NoAnswer, to.Itemize(account, m.ID, m.Items)
		}
	case CloseAccount:
		if to, ok := i.(issuer.Closer); ok {
			if closed, err := to.CloseAccount(account); err != nil || !closed {
				return Refused, err
			}
			return Closed, nil
		}
	}
	return NoAnswer, issuer.ErrUnsupported
}

func (m *Move) settlement(account string) issuer.Settlement {
	return issuer.Settlement{
		Account: account, Transaction: m.ID, Amount: m.Amount,
		Merchant: m.Merchant, MCC: m.MCC, Category: m.Category, At: m.Happened, Labels: m.Labels, Items: m.Items,
	}
}

func (m *Move) attribute(account string) issuer.Attribute {
	set := issuer.Attribute{Account: account, Attribute: m.ID, At: m.Happened}
	for name, value := range m.Labels.All() {
		set.Name, set.Value = name, value
	}
	return set
}

func (m *Move) refund(account string) issuer.Refund {
	return issuer.Refund{
		Account: account, Refund: m.ID, Transaction: m.Of, Amount: m.Amount,
		Merchant: m.Merchant, MCC: m.MCC, Category: m.Category, At: m.Happened, Labels: m.Labels, Items: m.Items,
	}
}
