package truth

import (
	"fmt"
	"slices"
	"time"

	"recoup/reward"
)

// Account is one account at a reward program that is judged.
type Account interface {
	// Apply delivers an event.
	Apply(*reward.Event) reward.Result
	// Balances is the account as it stands, in minor units.
	Balances() reward.State
}

// Design opens accounts at the reward program that is judged, under the terms that are
// given.
type Design func(account string, p *reward.Program) Account

// Recoup is the design that this project is about.
func Recoup(account string, p *reward.Program) Account {
	return &recoup{Account: reward.NewAccount(account, p)}
}

type recoup struct {
	*reward.Account
	journal []reward.Posting
}

func (r *recoup) Apply(e *reward.Event) (result reward.Result) {
	result, r.journal = r.Account.Apply(e, r.journal[:0])
	return result
}

// Standing is what an account is left with when everything that waits has been posted,
// in minor units.
type Standing struct {
	Net      int64 // balance + redeemed
	Redeemed int64 // paid out
}

// closes is how many months the account goes on after its last event, so that what is
// deferred to a close, or waits for a purchase that never comes, is posted.
const closes = 3

// player delivers a history to one account.
type player struct {
	account  Account
	currency string
	redeems  bool
	paid     int // redemptions so far
}

// Play delivers purchases and refunds to an account of a design, in order of time, and
// closes every month on time. A customer who redeems takes all that is available after
// each event and each close.
func Play(d Design, p *reward.Program, h *History, refunds []Refund, redeems bool) (Standing, error) {
	events := timeline(h, refunds)
	for i := range events {
		if events[i].Type == reward.TransactionSettled || events[i].Type == reward.RefundPosted {
			events[i].Currency = p.Currency
		}
	}
	a := &player{account: d(accountID, p), currency: p.Currency, redeems: redeems}
	for i := range events {
		if err := a.deliver(&events[i]); err != nil {
			return Standing{}, err
		}
	}
	s := a.account.Balances()
	return Standing{Net: s.Balance + s.Redeemed - s.Adjustments, Redeemed: s.Redeemed}, nil
}

const accountID, source = "account", "truth"

// deliver applies an event, which is to count or to wait, and redeems.
func (a *player) deliver(e *reward.Event) error {
	if got := a.account.Apply(e); e.Type != reward.CycleClosed && got.Outcome != reward.Applied && got.Outcome != reward.Parked {
		return fmt.Errorf("truth: %v %s is %v %v", e.Type, e.ID, got.Outcome, got.Code)
	}
	if !a.redeems {
		return nil
	}
	available := a.account.Balances().Available
	if available <= 0 {
		return nil
	}
	a.paid++
	id := fmt.Sprintf("p%d", a.paid)
	got := a.account.Apply(&reward.Event{
		Source: source, ID: id, Account: accountID, Time: e.Time, Type: reward.RedemptionRequested,
		Fact: id, Amount: available, HasAmount: true, Currency: a.currency,
	})
	if got.Outcome != reward.Applied {
		return fmt.Errorf("truth: %d were available and redeeming them is %v %v", available, got.Outcome, got.Code)
	}
	return nil
}

// timeline is what happens to an account, in order. At one moment months close first
// and purchases come before refunds.
func timeline(h *History, refunds []Refund) (events []reward.Event) {
	add := func(id string, at time.Time, t reward.Type) *reward.Event {
		events = append(events, reward.Event{Source: source, ID: id, Account: accountID, Time: reward.At(at), Type: t})
		return &events[len(events)-1]
	}
	first, last := start, start
	seen := func(at time.Time) {
		if at.Before(first) {
			first = at
		}
		if at.After(last) {
			last = at
		}
	}
	for i := range h.Purchases {
		seen(h.Purchases[i].At)
	}
	for i := range refunds {
		seen(refunds[i].At)
	}
	month := func(at time.Time) time.Time { return time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC) }
	for at := month(first); !at.After(month(last).AddDate(0, closes, 0)); at = at.AddDate(0, 1, 0) {
		add("c"+at.Format("2006-01"), at, reward.CycleClosed)
	}
	for _, p := range h.Purchases {
		e := add(purchaseID(p.Number), p.At, reward.TransactionSettled)
		e.Transaction, e.Amount, e.HasAmount, e.Merchant = e.ID, p.Amount, true, p.Merchant
		e.MCC = code(p.Kind.MCC)
		if p.Number%2 == 0 {
			e.Category = p.Kind.Category // the others leave it to the code
		}
	}
	for _, f := range refunds {
		e := add(f.ID, f.At, reward.RefundPosted)
		e.Fact, e.Transaction, e.Amount, e.HasAmount = f.ID, f.Link, f.Amount, true
		e.Merchant, e.MCC, e.Category = f.Merchant, code(f.MCC), f.Category
	}
	slices.SortStableFunc(events, func(a, b reward.Event) int { return a.Time.Time().Compare(b.Time.Time()) })
	return events
}

// code reads a merchant category code; "" is none.
func code(digits string) reward.MCC {
	c, _ := reward.ParseMCC(digits)
	return c
}
