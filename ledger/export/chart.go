package export

import (
	"fmt"

	"recoup/ledger"
	"recoup/reward"
)

// Account is an account of the exported chart.
type Account uint8

// The exported chart of accounts.
const (
	Rewards     Account = iota // what rewards cost
	Bonuses                    // what bonuses cost, which are of no purchase
	Adjustments                // what corrections by hand cost
	Expired                    // rewards that nobody used in time
	Available                  // owed to cardholders, and theirs to redeem
	Pending                    // owed to cardholders, but held
	Reserved                   // owed to cardholders, but authorised to be paid out
	Receivable                 // owed by cardholders whose balance is below zero
	Clearing                   // redemptions, settled elsewhere
	Opening                    // what was there before the export begins

	accounts
)

var names = [accounts]string{
	Rewards:     ledger.RewardExpense.String(),
	Bonuses:     ledger.BonusExpense.String(),
	Adjustments: ledger.AdjustmentExpense.String(),
	Expired:     ledger.ExpiredRewards.String(),
	Available:   ledger.CardholderRewards.String() + ":available",
	Pending:     ledger.CardholderRewards.String() + ":pending",
	Reserved:    ledger.CardholderRewards.String() + ":reserved",
	Receivable:  "assets:receivable from cardholders",
	Clearing:    ledger.RedemptionClearing.String(),
	Opening:     "equity:opening balances",
}

// String returns the account's full name.
func (a Account) String() string { return names[a] }

// exported says where the other side of a posting goes.
var exported = [...]Account{
	ledger.RewardExpense:      Rewards,
	ledger.BonusExpense:       Bonuses,
	ledger.AdjustmentExpense:  Adjustments,
	ledger.RedemptionClearing: Clearing,
	ledger.ExpiredRewards:     Expired,
}

// Sums has an amount for every account of the chart, in minor units, debits
// above zero.
type Sums [accounts]int64

// add adds other sums. Those of one account fit always, those of all may not.
func (s *Sums) add(o *Sums) error {
	for i, more := range o {
		total := s[i] + more
		if (total > s[i]) != (more > 0) {
			return fmt.Errorf("the sum of %s over all accounts passes 63 bits: export fewer accounts at a time with --account", Account(i))
		}
		s[i] = total
	}
	return nil
}

// opening is what is brought forward to the next period: expenses and income end
// with their own, and what they came to is equity that is gone.
func (s Sums) opening() Sums {
	s[Opening] += s[Rewards] + s[Bonuses] + s[Adjustments] + s[Expired]
	s[Rewards], s[Bonuses], s[Adjustments], s[Expired] = 0, 0, 0, 0
	return s
}

// since is what the books of a period come to that ends with these sums and
// began after the given ones.
func (s Sums) since(before Sums) Sums {
	s[Rewards] -= before[Rewards]
	s[Bonuses] -= before[Bonuses]
	s[Adjustments] -= before[Adjustments]
	s[Expired] -= before[Expired]
	s[Opening] = before.opening()[Opening]
	return s
}

// sumsOf is what an account's books have come to.
func sumsOf(a *reward.Account) Sums {
	s, bonuses := a.Summary(), a.PaidInBonuses()
	p := position{s.Balance, s.Held, s.Reserved}
	return Sums{
		Rewards:     s.NetReward - bonuses,
		Bonuses:     bonuses,
		Adjustments: s.Adjustments,
		Expired:     -s.Expired,
		Available:   -p.available(),
		Pending:     -p.held,
		Reserved:    -p.reserved,
		Receivable:  p.receivable(),
		Clearing:    -s.Redeemed,
	}
}

// position is where one cardholder stands, in minor units.
type position struct{ balance, held, reserved int64 }

func (p position) available() int64  { return max(p.balance, 0) - p.held - p.reserved }
func (p position) receivable() int64 { return max(-p.balance, 0) }

// Leg is one side of a transaction: an amount in minor units, a debit if above
// zero and a credit if below.
type Leg struct {
	Account Account
	Amount  int64
}

// appendMove appends what moves on a cardholder's accounts, without zeros.
func appendMove(legs []Leg, from, to position) []Leg {
	for _, l := range [...]Leg{
		{Available, from.available() - to.available()},
		{Pending, from.held - to.held},
		{Reserved, from.reserved - to.reserved},
		{Receivable, to.receivable() - from.receivable()},
	} {
		if l.Amount != 0 {
			legs = append(legs, l)
		}
	}
	return legs
}
