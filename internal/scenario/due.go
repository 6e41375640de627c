package scenario

import (
	"fmt"
	"slices"

	"recoup/reward"
)

// Life is what truly happened to one account, as events: purchases with their
// authorisations and receipts, what is known of the cardholder, and payouts. What came
// back is no part of it.
type Life struct {
	program *reward.Program
	facts   []reward.Event
	closed  bool
	uses    int
}

// NewLife returns the life of an account that nothing has happened to. Every version of
// the program grants at once in it: when an issuer does is the issuer's.
func NewLife(p *reward.Program) *Life { return &Life{program: atOnce(p)} }

func atOnce(p *reward.Program) *reward.Program {
	c := *p
	c.Timing = reward.Timing{}
	if c.Earlier != nil {
		c.Earlier = atOnce(c.Earlier)
	}
	return &c
}

// Add takes an event in, in the order of delivery. Of purchases, each comes once. What is
// bought after the account was closed earns nothing, and is left out.
func (l *Life) Add(e reward.Event) {
	switch e.Type {
	case reward.AccountClosed:
		l.closed = true
	case reward.TransactionSettled, reward.TransactionItemized, reward.TransactionAuthorized:
		if !l.closed {
			l.facts = append(l.facts, e)
		}
	case reward.AccountOpened, reward.AttributeSet, reward.AttributeWithdrawn:
		l.facts = append(l.facts, e)
	}
}

// Use takes in that so much was paid out. It matters to what expires alone.
func (l *Life) Use(amount int64, at reward.Instant) {
	if amount == 0 {
		return
	}
	l.uses++
	// A redemption could be denied here, where an issuer has paid too much.
	l.facts = append(l.facts, reward.Event{
		Type: reward.AdjustmentPosted, Fact: fmt.Sprint("use ", l.uses), Time: at, Amount: -amount, HasAmount: true,
		Currency: l.program.RewardUnit(), Reason: "paid out", Actor: "lab",
	})
}

// Due is what an account is entitled to, in minor units.
type Due struct {
	// Exact is rounded down once, in the end. Rounded is with the reward of each purchase
	// rounded down, as programs do: no more is lost to rounding. Neither has what has
	// expired.
	Exact, Rounded int64
}

// Due works out what an account is entitled to by some time if so much came back of each
// purchase and of each item, by name (t1, t1/pan): the right-hand side of Reward Integrity
// (paper, section 4.1; docs/semantics.md, section 10). It lives the life once more without
// what came back, which is then a purchase that was never made, or a smaller one. Nothing
// in that life can be clawed back. So what it earns follows from what the terms say of
// purchases alone, and has nothing of what an issuer, Recoup among them, does about refunds.
func (l *Life) Due(back map[string]int64, until reward.Instant) Due {
	kept := reward.NewAccount("kept", l.program)
	apply := func(e reward.Event) { kept.Apply(&e, nil) }
	lists := map[string][]reward.Item{}
	for i := range l.facts {
		if e := &l.facts[i]; e.Items != "" {
			lists[e.Transaction] = slices.Collect(e.Items.All())
		}
	}
	for _, e := range l.facts {
		if e.Type == reward.TransactionSettled || e.Type == reward.TransactionItemized {
			whole := e.Type == reward.TransactionSettled && back[e.Transaction] >= e.Amount
			if list, has := lists[e.Transaction]; has {
				e.Amount, list = keptOf(e.Transaction, list, back)
				if e.Items != "" {
					e.Items = reward.MakeItems(list)
				}
			} else {
				e.Amount -= back[e.Transaction]
			}
			if whole || e.Amount <= 0 {
				continue
			}
		}
		apply(e)
	}
	if until != 0 { // what expires does so when a cycle is over
		apply(reward.Event{Type: reward.CycleClosed, Time: until})
	}
	s := kept.Summary()
	return Due{Exact: s.Entitlement - s.Expired, Rounded: s.NetReward - s.Expired}
}

// keptOf is what is left of a receipt.
func keptOf(purchase string, list []reward.Item, back map[string]int64) (sum int64, kept []reward.Item) {
	for _, item := range list {
		if item.Amount -= back[itemOf(purchase, item.ID)]; item.Amount > 0 {
			sum += item.Amount
			kept = append(kept, item)
		}
	}
	return sum, kept
}
