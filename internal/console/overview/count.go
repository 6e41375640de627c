package overview

import (
	"context"
	"maps"
	"slices"

	"recoup/internal/console/risk"
	"recoup/internal/store/durable"
	"recoup/ledger"
	"recoup/reward"
)

// MostHolders is how many of the accounts that hold rewards are named, and
// MostDebtors how many of those that owe are examined, by currency.
const (
	MostHolders = 1_000
	MostDebtors = 10_000
)

// counted is what one pass over all accounts has found.
type counted struct {
	at               reward.Instant
	accounts, events int64
	programs         map[string]int64 // accounts by program
	currencies       map[string]*purse
	listing          Listing
}

// purse is what was found of the accounts of one currency.
type purse struct {
	Currency // all but Cycles, Debts and Holders
	owing    int64
	debtors  *top[owing]
	holders  *top[Holder]
	tallies  map[reward.Cycle]Cycle // statements that are not stored
}

// owing is an account that owes, before it is examined.
type owing struct {
	Debtor
	currency string
	version  int64
}

// count goes through all accounts.
func (o *Overview) count(ctx context.Context, at reward.Instant) (*counted, error) {
	n := &counted{at: at, programs: make(map[string]int64), currencies: make(map[string]*purse)}
	earliest := firstCycle(at)
	err := o.options.Store.EachStanding(ctx, func(s *durable.Standing) error {
		n.accounts++
		n.events += s.Version
		n.programs[s.Program]++
		n.listing.add(s)
		p := n.currencies[s.Reward.Name]
		if p == nil {
			p = &purse{
				Currency: Currency{Currency: s.Reward.Name},
				debtors:  newTop(MostDebtors, func(d *owing) (int64, string) { return d.Debt, d.Account }),
				holders:  newTop(MostHolders, func(h *Holder) (int64, string) { return h.Held, h.Account }),
				tallies:  make(map[reward.Cycle]Cycle),
			}
			n.currencies[s.Reward.Name] = p
		}
		p.add(s)
		if s.Tally.Cycle >= earliest {
			c := p.tallies[s.Tally.Cycle]
			c.add(1, &s.Tally)
			p.tallies[s.Tally.Cycle] = c
		}
		return nil
	})
	return n, err
}

func (p *purse) add(s *durable.Standing) {
	p.Accounts++
	if s.Balance > 0 {
		p.Owning++
		risk.Increase(&p.Owed, s.Balance)
	}
	if s.Balance < 0 {
		p.owing++
		risk.Increase(&p.Debt, -s.Balance)
		p.debtors.add(owing{Debtor{Account: s.Account, Program: s.Program, Closed: s.Closed, Debt: -s.Balance, Latest: s.Latest}, s.Reward.Name, s.Version})
	}
	if s.Held > 0 {
		p.HoldingAccounts++
		risk.Increase(&p.Held, s.Held)
		p.holders.add(Holder{s.Account, s.Program, s.Held, s.Balance, s.Latest})
	}
}

// add adds the statements of so many accounts.
func (c *Cycle) add(accounts int64, s *ledger.Statement) {
	c.Cycle = s.Cycle
	c.Accounts += accounts
	risk.Increase(&c.Granted, s.Granted)
	risk.Increase(&c.ClawedBack, s.ClawedBack)
	risk.Increase(&c.Redeemed, s.Redeemed)
	risk.Increase(&c.Expired, s.Expired)
	risk.Increase(&c.Adjusted, s.Adjusted)
}

// currencies puts together what is shown by currency.
func (o *Overview) currencies(ctx context.Context, n *counted, cycles map[string][]Cycle, calendars calendars) (list []Currency, err error) {
	for _, code := range slices.Sorted(maps.Keys(n.currencies)) {
		p := n.currencies[code]
		c := p.Currency
		c.Cycles, c.Calendar, c.Holders = cycles[code], calendars.shared(code), p.holders.sorted()
		if c.Debts, err = o.examine(ctx, n.at, p); err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}
