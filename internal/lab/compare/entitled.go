package compare

import (
	"cmp"
	"math/big"

	"recoup/reward"
)

// entitled keeps what was bought and what came back of it by name, and knows from
// that and the published terms what each account is entitled to: the right-hand
// side of Reward Integrity (paper, section 4.1; docs/semantics.md, section 10),
// worked out apart from any engine. What is left to an engine is which deliveries
// are facts (not refused, not delivered before), and where refunds lie that name
// no purchase.
type entitled struct {
	program  *reward.Program
	accounts map[string]*bought
	// Of the refunds that count, in minor units:
	refunds, unlinked int64 // how many, and how many of them name no purchase
	unlinkedAmount    int64
}

// bought is one account.
type bought struct {
	closed     bool
	authorized map[string]reward.Terms
	purchases  map[string]purchased
	refunds    map[string]returnedTo // by refund
	disputes   map[string]returnedTo // by chargeback
	withdrawn  map[string]bool
}

// purchased is a purchase that has posted, under the program of its month.
type purchased struct {
	amount int64
	rule   int
	cycle  reward.Cycle
}

// returnedTo is what came back of a purchase, or of none that was named; nothing
// if it was undone.
type returnedTo struct {
	transaction string
	amount      int64
	whole       bool // the purchase's amount, whatever that is
	undone      bool
}

func newEntitled(p *reward.Program) *entitled {
	return &entitled{program: p, accounts: make(map[string]*bought)}
}

func (n *entitled) account(id string) *bought {
	a := n.accounts[id]
	if a == nil {
		a = &bought{
			authorized: make(map[string]reward.Terms), purchases: make(map[string]purchased),
			refunds: make(map[string]returnedTo), disputes: make(map[string]returnedTo), withdrawn: make(map[string]bool),
		}
		n.accounts[id] = a
	}
	return a
}

// add takes an event in with what became of it.
func (n *entitled) add(e *reward.Event, r reward.Result) {
	if r.Outcome != reward.Applied && r.Outcome != reward.Parked {
		return
	}
	a := n.account(e.Account)
	switch e.Type {
	case reward.TransactionAuthorized:
		a.authorized[e.Transaction] = termsOf(e)
	case reward.TransactionSettled:
		a.settle(n.program, e)
	case reward.TransactionReversed:
		a.withdrawn[e.Transaction] = true
	case reward.RefundPending:
		if a.refunds[e.Fact].transaction == "" {
			a.refunds[e.Fact] = returnedTo{transaction: e.Transaction}
		}
	case reward.RefundPosted:
		n.refund(a, e)
	case reward.RefundReversed:
		undo(a.refunds, e.Fact)
	case reward.ChargebackPosted:
		c := a.disputes[e.Fact]
		a.disputes[e.Fact] = returnedTo{e.Transaction, e.Amount, !e.HasAmount, c.undone}
	case reward.ChargebackReversed:
		undo(a.disputes, e.Fact)
	case reward.AccountClosed:
		a.closed = true
	}
}

func (a *bought) settle(p *reward.Program, e *reward.Event) {
	t, before := termsOf(e), a.authorized[e.Transaction]
	t.Merchant, t.MCC, t.Category = cmp.Or(t.Merchant, before.Merchant), cmp.Or(t.MCC, before.MCC), cmp.Or(t.Category, before.Category)
	b := purchased{amount: e.Amount, rule: reward.NoRule, cycle: reward.CycleAt(e.Time)}
	if !a.closed {
		b.rule = p.In(b.cycle).RuleFor(t)
	}
	a.purchases[e.Transaction] = b
}

func (n *entitled) refund(a *bought, e *reward.Event) {
	before := a.refunds[e.Fact]
	r := returnedTo{transaction: cmp.Or(e.Transaction, before.transaction), amount: e.Amount, undone: before.undone}
	a.refunds[e.Fact] = r
	n.refunds++
	if r.transaction == "" {
		n.unlinked++
		n.unlinkedAmount += e.Amount
	}
}

func undo(list map[string]returnedTo, fact string) {
	r := list[fact]
	r.undone = true
	list[fact] = r
}

func termsOf(e *reward.Event) reward.Terms {
	return reward.Terms{Merchant: e.Merchant, MCC: e.MCC, Category: e.Category}
}

// reversed is what came back of each purchase by name.
func (a *bought) reversed() map[string]int64 {
	sums := make(map[string]int64)
	add := func(r returnedTo) {
		switch {
		case r.undone:
		case r.whole:
			sums[r.transaction] += a.purchases[r.transaction].amount
		default:
			sums[r.transaction] += r.amount
		}
	}
	for _, r := range a.refunds {
		add(r)
	}
	for _, c := range a.disputes {
		add(c)
	}
	for id := range a.withdrawn {
		sums[id] += a.purchases[id].amount
	}
	return sums
}

// due is what an account is entitled to, in minor units.
type due struct {
	// exact is rounded down once, in the end. rounded is with the reward of each
	// purchase rounded down, as programs do: no more is lost to rounding.
	exact, rounded int64
}

// due works out what an account is entitled to if so much came back of each
// purchase.
func (n *entitled) due(a *bought, reversed map[string]int64) due {
	type bucket struct {
		rule  int
		cycle reward.Cycle
	}
	type sums struct {
		spend   big.Int
		rounded int64
	}
	buckets := make(map[bucket]*sums)
	for id, p := range a.purchases {
		if p.rule == reward.NoRule {
			continue
		}
		b := buckets[bucket{p.rule, p.cycle}]
		if b == nil {
			b = new(sums)
			buckets[bucket{p.rule, p.cycle}] = b
		}
		kept := p.amount - min(p.amount, reversed[id])
		b.spend.Add(&b.spend, big.NewInt(kept))
		b.rounded += n.program.In(p.cycle).Rules[p.rule].Rate.Of(kept)
	}
	var exact big.Int // in minor units times MaxRate
	var d due
	for k, b := range buckets {
		rule := n.program.In(k.cycle).Rules[k.rule]
		earned := new(big.Int).Mul(&b.spend, big.NewInt(int64(rule.Rate)))
		if rule.Cap != reward.NoCap {
			if most := new(big.Int).Mul(big.NewInt(rule.Cap), big.NewInt(int64(reward.MaxRate))); earned.Cmp(most) > 0 {
				earned = most
			}
			b.rounded = min(b.rounded, rule.Cap)
		}
		exact.Add(&exact, earned)
		d.rounded += b.rounded
	}
	d.exact = exact.Quo(&exact, big.NewInt(int64(reward.MaxRate))).Int64()
	return d
}
