package design

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"recoup/internal/engine"
	"recoup/internal/issuer"
	"recoup/internal/store/memory"
	"recoup/reward"
)

// NewRecoup opens Recoup itself as an issuer of the program, exactly as the
// program is written: its engine over a store in memory. Every call of the port
// becomes an event with an id of its own, so a fact that is delivered again is
// told by what it says and not by the event that carries it.
func NewRecoup(p *reward.Program) issuer.Issuer { return newRecoup(p) }

func newRecoup(p *reward.Program) *Recoup {
	s := memory.New(p)
	return &Recoup{program: p, store: s, engine: engine.New(s)}
}

// Recoup is Recoup behind the port: the adapter from its calls to events.
type Recoup struct {
	program  *reward.Program
	store    *memory.Store
	engine   *engine.Engine
	now      time.Time
	accounts []string
	log      []reward.Event // what was delivered, for copies
	sent     int            // how much that was
	results  []reward.Result
}

// Interfaces that Recoup implements: all of the port.
var (
	_ issuer.Issuer     = (*Recoup)(nil)
	_ issuer.Authorizer = (*Recoup)(nil)
	_ issuer.Withdrawer = (*Recoup)(nil)
	_ issuer.Undoer     = (*Recoup)(nil)
	_ issuer.Announcer  = (*Recoup)(nil)
	_ issuer.Closer     = (*Recoup)(nil)
	_ issuer.Reviewer   = (*Recoup)(nil)
	_ issuer.Resolver   = (*Recoup)(nil)
	_ issuer.Member     = (*Recoup)(nil)
	_ issuer.Itemizer   = (*Recoup)(nil)
	_ issuer.Promoter   = (*Recoup)(nil)
	_ Cloner            = (*Recoup)(nil)
)

// Program is what Recoup runs.
func (r *Recoup) Program() *reward.Program { return r.program }

// Clone implements Cloner by playing the same events again.
func (r *Recoup) Clone() issuer.Issuer {
	c := newRecoup(r.program)
	c.now, c.accounts, c.log, c.sent = r.now, slices.Clone(r.accounts), slices.Clone(r.log), r.sent
	if _, err := c.engine.Apply(context.Background(), c.log, nil); err != nil {
		panic("lab: events that were applied once are refused: " + err.Error())
	}
	return c
}

// Open implements issuer.Issuer. Under plain terms an account begins with its first event;
// others may ask since when it is open.
func (r *Recoup) Open(account string) error {
	if slices.Contains(r.accounts, account) {
		return fmt.Errorf("lab: account %q is open already", account)
	}
	r.accounts = append(r.accounts, account)
	if IsPlain(r.program) {
		return nil
	}
	_, err := r.deliver(reward.Event{Account: account, Type: reward.AccountOpened}, time.Time{})
	return err
}

// SetClock implements issuer.Issuer: Recoup closes statements on time.
func (r *Recoup) SetClock(now time.Time) error {
	if now.Before(reward.EarliestInstant.Time()) || now.After(reward.LatestInstant.Time()) {
		return fmt.Errorf("lab: clock %s: expected a time between %s and %s", now.Format(time.RFC3339), reward.EarliestInstant, reward.LatestInstant)
	}
	if now.Before(r.now) {
		return nil
	}
	r.now = now
	for _, account := range r.accounts {
		if err := r.CloseStatement(account); err != nil {
			return err
		}
	}
	return nil
}

// CloseStatement implements issuer.Issuer.
func (r *Recoup) CloseStatement(account string) error {
	_, err := r.deliver(reward.Event{Account: account, Type: reward.CycleClosed}, time.Time{})
	return err
}

// Settle implements issuer.Issuer.
func (r *Recoup) Settle(s issuer.Settlement) error {
	return r.purchase(reward.TransactionSettled, s)
}

// Authorize implements issuer.Authorizer.
func (r *Recoup) Authorize(s issuer.Settlement) error {
	return r.purchase(reward.TransactionAuthorized, s)
}

func (r *Recoup) purchase(kind reward.Type, s issuer.Settlement) error {
	e := reward.Event{Account: s.Account, Type: kind, Transaction: s.Transaction, Merchant: s.Merchant, Category: s.Category, Labels: s.Labels}
	if s.Items != nil {
		e.Items = reward.MakeItems(s.Items)
	}
	return r.money(e, s.Amount, s.MCC, s.At)
}

// Itemize implements issuer.Itemizer.
func (r *Recoup) Itemize(account, transaction string, items []reward.Item) error {
	e := reward.Event{Account: account, Type: reward.TransactionItemized, Transaction: transaction, Items: reward.MakeItems(items)}
	_, err := r.deliver(e, time.Time{})
	return err
}

// SetAttribute implements issuer.Member.
func (r *Recoup) SetAttribute(a issuer.Attribute) error {
	e := reward.Event{Account: a.Account, Type: reward.AttributeSet, Fact: a.Attribute, Category: a.Name, Method: a.Value}
	_, err := r.deliver(e, a.At)
	return err
}

// WithdrawAttribute implements issuer.Member.
func (r *Recoup) WithdrawAttribute(account, attribute string) error {
	return r.undo(reward.AttributeWithdrawn, account, attribute)
}

// Bonus implements issuer.Promoter.
func (r *Recoup) Bonus(account, bonus string) (sum int64, err error) {
	if a := r.store.Account(account); a != nil {
		for _, b := range a.State().Bonuses {
			if b.Bonus == bonus {
				sum += b.Reward
			}
		}
	}
	return sum, nil
}

// Cancel implements issuer.Authorizer.
func (r *Recoup) Cancel(account, transaction string) error {
	_, err := r.deliver(reward.Event{Account: account, Type: reward.TransactionCanceled, Transaction: transaction}, time.Time{})
	return err
}

// Withdraw implements issuer.Withdrawer.
func (r *Recoup) Withdraw(account, transaction string) error {
	_, err := r.deliver(reward.Event{Account: account, Type: reward.TransactionReversed, Transaction: transaction}, time.Time{})
	return err
}

// Refund implements issuer.Issuer.
func (r *Recoup) Refund(f issuer.Refund) error { return r.refund(reward.RefundPosted, f) }

// AnnounceRefund implements issuer.Announcer.
func (r *Recoup) AnnounceRefund(f issuer.Refund) error { return r.refund(reward.RefundPending, f) }

func (r *Recoup) refund(kind reward.Type, f issuer.Refund) error {
	e := reward.Event{Account: f.Account, Type: kind, Fact: f.Refund, Transaction: f.Transaction}
	if kind == reward.RefundPosted {
		e.Merchant, e.Category, e.Labels = f.Merchant, f.Category, f.Labels
		if f.Items != nil {
			e.Items = reward.MakeItems(f.Items)
		}
	}
	return r.money(e, f.Amount, f.MCC, f.At)
}

// CancelRefund implements issuer.Announcer.
func (r *Recoup) CancelRefund(account, refund string) error {
	return r.undo(reward.RefundCanceled, account, refund)
}

// ReverseRefund implements issuer.Undoer.
func (r *Recoup) ReverseRefund(account, refund string) error {
	return r.undo(reward.RefundReversed, account, refund)
}

// ReverseChargeback implements issuer.Undoer.
func (r *Recoup) ReverseChargeback(account, chargeback string) error {
	return r.undo(reward.ChargebackReversed, account, chargeback)
}

func (r *Recoup) undo(kind reward.Type, account, fact string) error {
	_, err := r.deliver(reward.Event{Account: account, Type: kind, Fact: fact}, time.Time{})
	return err
}

// CountRefund implements issuer.Resolver.
func (r *Recoup) CountRefund(account, refund, as string) error {
	_, err := r.deliver(reward.Event{Account: account, Type: reward.RefundCounted, Fact: refund, As: as, Reason: "seen on the receipt", Actor: "lab"}, time.Time{})
	return err
}

// UnderReview implements issuer.Reviewer.
func (r *Recoup) UnderReview(account string) ([]string, error) {
	var names []string
	if a := r.store.Account(account); a != nil {
		for _, v := range a.Reviews() {
			names = append(names, cmp.Or(v.Fact, v.Transaction))
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// Chargeback implements issuer.Issuer.
func (r *Recoup) Chargeback(c issuer.Chargeback) error {
	e := reward.Event{Account: c.Account, Type: reward.ChargebackPosted, Fact: c.Chargeback, Transaction: c.Transaction, Amount: c.Amount, HasAmount: c.Amount != 0}
	_, err := r.deliver(e, c.At)
	return err
}

// Redeem implements issuer.Issuer. The same redemption again is paid once.
func (r *Recoup) Redeem(d issuer.Redemption) (bool, error) {
	e := reward.Event{Account: d.Account, Type: reward.RedemptionRequested, Fact: d.Redemption, Amount: d.Amount, HasAmount: true, Currency: r.program.RewardUnit()}
	result, err := r.deliver(e, time.Time{})
	return result.Outcome == reward.Applied || result.Outcome == reward.Duplicate, err
}

// CloseAccount implements issuer.Closer.
func (r *Recoup) CloseAccount(account string) (bool, error) {
	result, err := r.deliver(reward.Event{Account: account, Type: reward.AccountClosed}, time.Time{})
	return result.Outcome == reward.Applied || result.Outcome == reward.Duplicate, err
}

// Balance implements issuer.Issuer.
func (r *Recoup) Balance(account string) (issuer.Balance, error) {
	if !slices.Contains(r.accounts, account) {
		return issuer.Balance{}, fmt.Errorf("lab: account %q is not open", account)
	}
	a := r.store.Account(account)
	if a == nil {
		return issuer.Balance{}, nil
	}
	return BalanceOf(a, reward.At(r.now)), nil
}

// BalanceOf is what the cardholder sees of an account.
func BalanceOf(a *reward.Account, now reward.Instant) issuer.Balance {
	return issuer.Balance{Balance: a.Balances().Balance, Redeemable: a.RedeemableAt(now)}
}

// money delivers an event with an amount and a merchant category code.
func (r *Recoup) money(e reward.Event, amount int64, mcc string, at time.Time) error {
	e.Amount, e.HasAmount, e.Currency = amount, true, r.program.Currency
	if mcc != "" {
		var ok bool
		if e.MCC, ok = reward.ParseMCC(mcc); !ok {
			return fmt.Errorf("lab: mcc %q: expected four digits", mcc)
		}
	}
	_, err := r.deliver(e, at)
	return err
}

// Journal implements Journaler.
func (r *Recoup) Journal(f func(Posting)) { r.store.Observe(PostingsTo(f)) }

// deliver applies one event, dated at the clock unless it says otherwise.
func (r *Recoup) deliver(e reward.Event, at time.Time) (reward.Result, error) {
	if !slices.Contains(r.accounts, e.Account) {
		return reward.Result{}, fmt.Errorf("lab: account %q is not open", e.Account)
	}
	if at.IsZero() {
		at = r.now
	}
	e.Source, e.ID, e.Time = "lab", strconv.Itoa(r.sent), reward.At(at)
	r.sent++
	if n := len(r.log); n > 0 && r.ticks(&r.log[n-1], &e) {
		r.log[n-1] = e
	} else {
		r.log = append(r.log, e)
	}
	var err error
	r.results, err = r.engine.Apply(context.Background(), r.log[len(r.log)-1:], r.results[:0])
	if err != nil {
		return reward.Result{}, err
	}
	return r.results[0], nil
}

// ticks reports whether an event only moves the time on within the cycle to which the one
// before it did: a copy needs the later one alone.
func (r *Recoup) ticks(before, e *reward.Event) bool {
	return before.Type == reward.CycleClosed && e.Type == reward.CycleClosed && before.Account == e.Account &&
		before.Time <= e.Time && r.program.CycleAt(before.Time) == r.program.CycleAt(e.Time)
}
