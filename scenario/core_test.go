package scenario_test

import (
	"fmt"
	"testing"
	"time"

	"recoup/issuer"
	"recoup/reward"
	"recoup/scenario"
)

// What the files expect of a correct program holds of the rules themselves.
func TestTheRulesDoWhatTheFilesSay(t *testing.T) {
	for _, s := range scenario.Catalogue() {
		t.Run(s.Name, func(t *testing.T) {
			transcript, err := scenario.Play(s, &core{program: s.Program})
			if err != nil {
				t.Fatal(err)
			}
			for _, mismatch := range scenario.Check(transcript, scenario.Recoup) {
				t.Error(mismatch)
			}
			for _, line := range transcript.Lines {
				if line.NoSuchPath {
					t.Errorf("%s:%d: no such path", s.File, line.Step.Line)
				}
			}
		})
	}
}

// core is package reward behind the port: one account, and an event for each
// call, named by what it is about.
type core struct {
	program *reward.Program
	account *reward.Account
	now     time.Time
	events  int
}

var (
	_ issuer.Authorizer = (*core)(nil)
	_ issuer.Withdrawer = (*core)(nil)
	_ issuer.Undoer     = (*core)(nil)
	_ issuer.Announcer  = (*core)(nil)
	_ issuer.Closer     = (*core)(nil)
)

func (c *core) apply(e reward.Event) (reward.Result, error) {
	if e.Time == 0 {
		e.Time = reward.At(c.now)
	}
	c.events++
	e.Source, e.ID, e.Account = "test", fmt.Sprint("e", c.events), c.account.ID()
	e.Currency = c.program.Currency
	result, _ := c.account.Apply(&e, nil)
	if v := c.account.Check(); len(v) > 0 {
		return result, fmt.Errorf("invariants violated: %v", v)
	}
	return result, nil
}

func (c *core) Open(account string) error {
	c.account = reward.NewAccount(account, c.program)
	return nil
}

func (c *core) SetClock(now time.Time) error {
	if c.account != nil && reward.CycleAt(reward.At(now)) != reward.CycleAt(reward.At(c.now)) {
		c.now = now
		return c.CloseStatement("")
	}
	c.now = now
	return nil
}

func (c *core) CloseStatement(string) error {
	_, err := c.apply(reward.Event{Type: reward.CycleClosed})
	return err
}

func (c *core) Balance(string) (issuer.Balance, error) {
	state := c.account.State()
	shown := issuer.Balance{Balance: state.Balance}
	if reward.At(c.now) >= state.HoldUntil {
		shown.Redeemable = max(0, state.Available-c.program.Redemption.MinimumBalance)
	}
	return shown, nil
}

func (c *core) purchase(t reward.Type, s issuer.Settlement) error {
	mcc, _ := reward.ParseMCC(s.MCC)
	_, err := c.apply(reward.Event{
		Type: t, Time: reward.At(s.At), Transaction: s.Transaction, Amount: s.Amount, HasAmount: true,
		Merchant: s.Merchant, MCC: mcc, Category: s.Category,
	})
	return err
}

func (c *core) refund(t reward.Type, r issuer.Refund) error {
	mcc, _ := reward.ParseMCC(r.MCC)
	_, err := c.apply(reward.Event{
		Type: t, Time: reward.At(r.At), Fact: r.Refund, Transaction: r.Transaction, Amount: r.Amount, HasAmount: true,
		Merchant: r.Merchant, MCC: mcc, Category: r.Category,
	})
	return err
}

func (c *core) Settle(s issuer.Settlement) error { return c.purchase(reward.TransactionSettled, s) }
func (c *core) Authorize(s issuer.Settlement) error {
	return c.purchase(reward.TransactionAuthorized, s)
}
func (c *core) Refund(r issuer.Refund) error { return c.refund(reward.RefundPosted, r) }
func (c *core) AnnounceRefund(r issuer.Refund) error {
	return c.refund(reward.RefundPending, r)
}

func (c *core) Chargeback(b issuer.Chargeback) error {
	_, err := c.apply(reward.Event{
		Type: reward.ChargebackPosted, Time: reward.At(b.At), Fact: b.Chargeback, Transaction: b.Transaction,
		Amount: b.Amount, HasAmount: b.Amount != 0,
	})
	return err
}

func (c *core) Redeem(r issuer.Redemption) (bool, error) {
	result, err := c.apply(reward.Event{Type: reward.RedemptionRequested, Fact: r.Redemption, Amount: r.Amount, HasAmount: true})
	return result.Outcome == reward.Applied || result.Outcome == reward.Duplicate, err
}

func (c *core) CloseAccount(string) (bool, error) {
	result, err := c.apply(reward.Event{Type: reward.AccountClosed})
	return result.Outcome == reward.Applied, err
}

func (c *core) about(t reward.Type, transaction, fact string) error {
	_, err := c.apply(reward.Event{Type: t, Transaction: transaction, Fact: fact})
	return err
}

func (c *core) Cancel(_, id string) error   { return c.about(reward.TransactionCanceled, id, "") }
func (c *core) Withdraw(_, id string) error { return c.about(reward.TransactionReversed, id, "") }
func (c *core) ReverseRefund(_, id string) error {
	return c.about(reward.RefundReversed, "", id)
}
func (c *core) ReverseChargeback(_, id string) error {
	return c.about(reward.ChargebackReversed, "", id)
}
func (c *core) CancelRefund(_, id string) error { return c.about(reward.RefundCanceled, "", id) }
