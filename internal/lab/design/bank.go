package design

import (
	"maps"
	"slices"

	"recoup/internal/issuer"
	"recoup/reward"
)

// policy is all that sets one of the modelled designs apart from the others:
// when it grants, what it does about a reversal, what its statement close does.
// Policies have no state of their own.
type policy interface {
	// posted is told of a purchase that has just posted.
	posted(*bank, *account, int)
	// reversed is told that more of a posted purchase is reversed than before.
	reversed(*bank, *account, int)
	// closing is the statement close of the account's open cycle.
	closing(*bank, *account)
}

// bank is an issuer that runs a policy. What the paper found nothing wrong with
// is the same at all: each fact counts once however often it is delivered,
// refunds and chargebacks above what is left of a purchase count for what is
// left, one that overtakes its purchase waits for it, no redemption exceeds the
// balance, and no account closes in debt (assumption A4). An unlinked refund is
// taken for the latest purchase at the same merchant of which enough is left;
// where there is none it is ignored.
type bank struct {
	book[account]
	journal
	policy  policy
	closing bool // a statement close is running
}

// account is one cardholder at a bank. Its zero value is a new one.
type account struct {
	id        string
	balance   int64 // negative: rewards owed
	paidOut   int64 // by the bank of its own accord
	closed    bool
	cycle     reward.Cycle // the open one; zero until the clock is set
	used      []int64      // by rule: rewards granted in the open cycle and kept
	purchases []purchase   // in order of posting
	index     map[string]int
	due       []int                 // purchases that wait for the statement close
	early     map[string][]reversal // of purchases that have not posted
	reversals map[fact]bool
	redeemed  map[string]int64 // redemptions that were paid

	// What only some variants keep:
	later     []int          // purchases that wait for the close after the next one
	owedSince reward.Instant // when the balance fell below zero; zero: it is not
}

// purchase is what a bank keeps of one. Amounts are in minor units.
type purchase struct {
	id       string
	merchant string
	rule     int
	cycle    reward.Cycle
	amount   int64
	reversed int64 // at most amount
	granted  bool
	base     int64 // what the reward was computed on: the amount then left
	original int64 // the reward as granted
	retained int64 // what of it is left

	// What only some variants keep:
	at      reward.Instant // when it posted
	settled int64          // what of reversed the clawbacks so far were for
}

func newBank(p *reward.Program, policy policy) *bank {
	return &bank{book: book[account]{program: p}, policy: policy}
}

// Interfaces that banks implement.
var (
	_ issuer.Issuer = (*bank)(nil)
	_ issuer.Closer = (*bank)(nil)
	_ issuer.Payer  = (*bank)(nil)
	_ Cloner        = (*bank)(nil)
)

// account returns an account with every statement closed that is over.
func (b *bank) account(id string) (*account, error) {
	a, err := b.find(id)
	if err != nil {
		return nil, err
	}
	if a.cycle == 0 {
		a.id, a.cycle = id, b.cycle
	}
	for ; a.cycle < b.cycle; a.cycle++ {
		b.closing = true
		b.policy.closing(b, a)
		b.closing = false
		clear(a.used)
	}
	return a, nil
}

// Settle posts a purchase. A closed account earns nothing.
func (b *bank) Settle(s issuer.Settlement) error {
	a, err := b.account(s.Account)
	if err != nil {
		return err
	}
	if err := checkAmount("purchase", s.Transaction, s.Amount); err != nil {
		return err
	}
	rule, err := ruleFor(b.program.In(a.cycle), &s)
	if err != nil {
		return err
	}
	if s.Amount <= 0 {
		return nil
	}
	if i, again := a.index[s.Transaction]; again {
		if p, ok := b.policy.(resettler); ok {
			p.settledAgain(b, a, i)
		}
		return nil
	}
	if a.closed {
		rule = reward.NoRule
	}
	if a.index == nil {
		a.index = make(map[string]int)
		a.used = make([]int64, b.mostRules())
	}
	i := len(a.purchases)
	a.index[s.Transaction] = i
	a.purchases = append(a.purchases, purchase{id: s.Transaction, merchant: s.Merchant, rule: rule, cycle: a.cycle, amount: s.Amount})
	b.policy.posted(b, a, i)
	waited := a.early[s.Transaction]
	delete(a.early, s.Transaction)
	for _, r := range waited {
		b.reverse(a, r)
	}
	return nil
}

// Refund takes a refund to its purchase.
func (b *bank) Refund(r issuer.Refund) error {
	a, err := b.account(r.Account)
	if err != nil {
		return err
	}
	if err := checkAmount("refund", r.Refund, r.Amount); err != nil {
		return err
	}
	if r.Amount > 0 {
		b.take(a, reversal{fact{id: r.Refund}, r.Transaction, r.Merchant, r.Amount})
	}
	return nil
}

// Chargeback is a refund by another way (assumption A5).
func (b *bank) Chargeback(c issuer.Chargeback) error {
	a, err := b.account(c.Account)
	if err != nil {
		return err
	}
	if err := checkAmount("chargeback", c.Chargeback, c.Amount); err != nil {
		return err
	}
	amount := c.Amount
	if amount == 0 {
		amount = reward.MaxAmount
	}
	if amount > 0 {
		b.take(a, reversal{fact: fact{chargeback: true, id: c.Chargeback}, transaction: c.Transaction, amount: amount})
	}
	return nil
}

// CloseStatement has nothing to do: banks close statements by their clock.
func (b *bank) CloseStatement(id string) error {
	_, err := b.account(id)
	return err
}

// Redeem pays out up to the balance. A redemption that was paid is paid once,
// however often it is asked for.
func (b *bank) Redeem(r issuer.Redemption) (bool, error) {
	a, err := b.account(r.Account)
	if err != nil {
		return false, err
	}
	if paid, again := a.redeemed[r.Redemption]; again {
		return paid == r.Amount, nil
	}
	if a.closed || r.Amount <= 0 || r.Amount > a.balance {
		return false, nil
	}
	if a.redeemed == nil {
		a.redeemed = make(map[string]int64)
	}
	a.redeemed[r.Redemption] = r.Amount
	a.balance -= r.Amount
	return true, nil
}

// Balance shows the rewards that are granted. All of them can be redeemed.
func (b *bank) Balance(id string) (issuer.Balance, error) {
	a, err := b.account(id)
	if err != nil {
		return issuer.Balance{}, err
	}
	shown := issuer.Balance{Balance: a.balance}
	if !a.closed {
		shown.Redeemable = max(0, a.balance)
	}
	return shown, nil
}

// CloseAccount refuses while rewards are owed (assumption A4). It looks at the
// balance alone, not at clawbacks that wait for the statement close.
func (b *bank) CloseAccount(id string) (bool, error) {
	a, err := b.account(id)
	if err != nil || a.balance < 0 {
		return false, err
	}
	a.closed = true
	return true, nil
}

// PaidOut is what the bank paid out of its own accord.
func (b *bank) PaidOut(id string) (int64, error) {
	a, err := b.account(id)
	if err != nil {
		return 0, err
	}
	return a.paidOut, nil
}

// Clone copies the bank.
func (b *bank) Clone() issuer.Issuer {
	return &bank{book: b.clone((*account).clone), policy: b.policy}
}

func (a *account) clone() *account {
	c := *a
	c.used = slices.Clone(a.used)
	c.purchases = slices.Clone(a.purchases)
	c.index = maps.Clone(a.index)
	c.due = slices.Clone(a.due)
	c.early = maps.Clone(a.early)
	c.later = slices.Clone(a.later)
	c.reversals = maps.Clone(a.reversals)
	c.redeemed = maps.Clone(a.redeemed)
	return &c
}
