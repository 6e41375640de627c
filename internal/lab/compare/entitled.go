package compare

import (
	"cmp"

	"recoup/internal/scenario"
	"recoup/reward"
)

// entitled keeps what was bought and what came back of it by name, and knows from
// that and the published terms what each account is entitled to: what a life without
// what came back earns (scenario.Life). What is left to the engine that was told all is
// which deliveries are facts (not refused, not delivered before), and where refunds lie
// that name no purchase.
type entitled struct {
	program  *reward.Program
	accounts map[string]*bought
	// Of the refunds that count, in minor units:
	refunds, unlinked int64 // how many, and how many of them name no purchase
	unlinkedAmount    int64
}

// bought is one account.
type bought struct {
	life      *scenario.Life
	purchases map[string]int64      // what each was for
	refunds   map[string]returnedTo // by refund
	disputes  map[string]returnedTo // by chargeback
	withdrawn map[string]bool
}

// returnedTo is what came back of a purchase, or of none that was named; nothing
// if it was undone.
type returnedTo struct {
	transaction string
	amount      int64
	whole       bool // the purchase's amount, whatever that is
	undone      bool
	items       reward.Items
}

func newEntitled(p *reward.Program) *entitled {
	return &entitled{program: p, accounts: make(map[string]*bought)}
}

func (n *entitled) account(id string) *bought {
	a := n.accounts[id]
	if a == nil {
		a = &bought{
			life: scenario.NewLife(n.program), purchases: make(map[string]int64),
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
	a.life.Add(*e)
	switch e.Type {
	case reward.TransactionSettled:
		a.purchases[e.Transaction] = e.Amount
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
		a.disputes[e.Fact] = returnedTo{transaction: e.Transaction, amount: e.Amount, whole: !e.HasAmount, undone: c.undone}
	case reward.ChargebackReversed:
		undo(a.disputes, e.Fact)
	}
}

func (n *entitled) refund(a *bought, e *reward.Event) {
	before := a.refunds[e.Fact]
	r := returnedTo{transaction: cmp.Or(e.Transaction, before.transaction), amount: e.Amount, undone: before.undone, items: e.Items}
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

// reversed is what came back of each purchase, and of each item, by name.
func (a *bought) reversed() map[string]int64 {
	sums := make(map[string]int64)
	add := func(r returnedTo) {
		switch {
		case r.undone:
		case r.whole:
			sums[r.transaction] += a.purchases[r.transaction]
		default:
			sums[r.transaction] += r.amount
			for item := range r.items.All() {
				sums[r.transaction+"/"+item.ID] += item.Amount
			}
		}
	}
	for _, r := range a.refunds {
		add(r)
	}
	for _, c := range a.disputes {
		add(c)
	}
	for id := range a.withdrawn {
		sums[id] += a.purchases[id]
	}
	return sums
}

// due works out what an account is entitled to if so much came back of each purchase.
func (a *bought) due(reversed map[string]int64) scenario.Due { return a.life.Due(reversed, 0) }

// reversedIn is what an engine takes for reversed, of each purchase and each item.
func reversedIn(s *reward.State) map[string]int64 {
	reversed := make(map[string]int64, len(s.Transactions))
	for _, t := range s.Transactions {
		reversed[t.ID] = t.Reversed
		for _, x := range t.Items {
			reversed[t.ID+"/"+x.Item] = x.Reversed
		}
	}
	return reversed
}
