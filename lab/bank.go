package lab

import (
	"maps"
	"slices"

	"recoup/issuer"
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
	policy policy
}

// account is one cardholder at a bank. Its zero value is a new one.
type account struct {
	balance   int64 // negative: rewards owed
	paidOut   int64 // by the bank of its own accord
	closed    bool
	cycle     reward.Cycle // the open one; zero until the clock is set
	used      []int64      // by rule: rewards granted in the open cycle and kept
	purchases []purchase   // in order of posting
	index     map[string]int
	due       []int            // purchases that wait for the statement close
	early     map[string]int64 // reversals of purchases that have not posted
	reversals map[reversal]bool
	redeemed  map[string]int64 // redemptions that were paid
}

// purchase is what a bank keeps of one. Amounts are in minor units.
type purchase struct {
	merchant string
	rule     int
	cycle    reward.Cycle
	amount   int64
	reversed int64 // at most amount
	granted  bool
	base     int64 // what the reward was computed on: the amount then left
	original int64 // the reward as granted
	retained int64 // what of it is left
}

// reversal names a refund or a chargeback that was delivered.
type reversal struct {
	chargeback bool
	id         string
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
		a.cycle = b.cycle
	}
	for ; a.cycle < b.cycle; a.cycle++ {
		b.policy.closing(b, a)
		a.due = a.due[:0]
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
	rule, err := ruleFor(b.program, &s)
	if err != nil {
		return err
	}
	if _, again := a.index[s.Transaction]; again || s.Amount <= 0 {
		return nil
	}
	if a.closed {
		rule = reward.NoRule
	}
	if a.index == nil {
		a.index = make(map[string]int)
		a.used = make([]int64, len(b.program.Rules))
	}
	i := len(a.purchases)
	a.index[s.Transaction] = i
	a.purchases = append(a.purchases, purchase{merchant: s.Merchant, rule: rule, cycle: a.cycle, amount: s.Amount})
	b.policy.posted(b, a, i)
	if waited, ok := a.early[s.Transaction]; ok {
		delete(a.early, s.Transaction)
		b.reverse(a, i, waited)
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
	if r.Amount <= 0 || !a.isNew(reversal{id: r.Refund}) {
		return nil
	}
	if r.Transaction != "" {
		b.reverseLinked(a, r.Transaction, r.Amount)
	} else if i, ok := a.latestAt(r.Merchant, r.Amount); ok {
		b.reverse(a, i, r.Amount)
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
	if c.Amount < 0 || !a.isNew(reversal{chargeback: true, id: c.Chargeback}) {
		return nil
	}
	amount := c.Amount
	if amount == 0 {
		amount = reward.MaxAmount
	}
	b.reverseLinked(a, c.Transaction, amount)
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
	c.reversals = maps.Clone(a.reversals)
	c.redeemed = maps.Clone(a.redeemed)
	return &c
}

// isNew remembers the reversal and says whether it was not known before.
func (a *account) isNew(r reversal) bool {
	if a.reversals[r] {
		return false
	}
	if a.reversals == nil {
		a.reversals = make(map[reversal]bool)
	}
	a.reversals[r] = true
	return true
}

// latestAt returns the latest purchase at the merchant of which that much is
// left.
func (a *account) latestAt(merchant string, amount int64) (int, bool) {
	if merchant == "" {
		return 0, false
	}
	for i, p := range slices.Backward(a.purchases) {
		if p.merchant == merchant && p.amount-p.reversed >= amount {
			return i, true
		}
	}
	return 0, false
}

// reverseLinked reverses part of a purchase, or keeps the reversal until the
// purchase posts.
func (b *bank) reverseLinked(a *account, transaction string, amount int64) {
	if i, ok := a.index[transaction]; ok {
		b.reverse(a, i, amount)
		return
	}
	if a.early == nil {
		a.early = make(map[string]int64)
	}
	a.early[transaction] = min(reward.MaxAmount, a.early[transaction]+amount)
}

// reverse takes back part of a purchase, as far as it is not taken back yet.
func (b *bank) reverse(a *account, i int, amount int64) {
	p := &a.purchases[i]
	p.reversed = min(p.amount, p.reversed+amount)
	b.policy.reversed(b, a, i)
}

// grant computes the reward on what is left of the purchase and credits it:
// rate times amount, rounded down, within the cap of the calendar month.
func (b *bank) grant(a *account, i int) {
	p := &a.purchases[i]
	p.granted, p.base = true, p.amount-p.reversed
	if p.rule == reward.NoRule {
		return
	}
	rule := &b.program.Rules[p.rule]
	p.original = rule.Rate.Of(p.base)
	if rule.Cap != reward.NoCap {
		p.original = min(p.original, rule.Cap-a.used[p.rule])
	}
	p.retained = p.original
	a.used[p.rule] += p.original
	a.balance += p.original
}

// clawBack debits the reversed share of the original reward, as far as it is
// not debited yet. What stays is rounded down, so nothing stays of a purchase
// that is wholly reversed. Within the month of the purchase, the cap gets its
// room back.
func (b *bank) clawBack(a *account, i int) {
	p := &a.purchases[i]
	if p.retained == 0 {
		return
	}
	kept, _ := share(p.original, p.amount-p.reversed, p.base)
	back := p.retained - kept
	p.retained = kept
	a.balance -= back
	if p.cycle == a.cycle {
		a.used[p.rule] -= back
	}
}

// wait puts the purchase off to the statement close.
func (a *account) wait(i int) { a.due = append(a.due, i) }

// catchUp does what was put off: a purchase without a reward is granted one, a
// purchase with one is clawed back from.
func (b *bank) catchUp(a *account) {
	for _, i := range a.due {
		if a.purchases[i].granted {
			b.clawBack(a, i)
		} else {
			b.grant(a, i)
		}
	}
}
