// Package ledger is the double entry behind an account's journal: each posting
// debits one account of the chart and credits another by the same amount.
package ledger

import (
	"fmt"

	"recoup/reward"
)

// Account is an account of the chart.
type Account uint8

// The chart of accounts.
const (
	// RewardExpense is what rewards cost the issuer.
	RewardExpense Account = iota
	// CardholderRewards is what the issuer owes the cardholder, a liability; a
	// debit balance is a cardholder in debt.
	CardholderRewards
	// RedemptionClearing is what was paid out and is settled elsewhere.
	RedemptionClearing
	// AdjustmentExpense is what corrections by hand cost.
	AdjustmentExpense
	// BonusExpense is what bonuses cost the issuer, which are rewards of a period and of
	// no purchase.
	BonusExpense
	// ExpiredRewards are rewards that nobody used in time: an income.
	ExpiredRewards

	accounts
)

var names = [accounts]string{
	RewardExpense: "expenses:rewards", CardholderRewards: "liabilities:cardholder rewards",
	RedemptionClearing: "assets:redemption clearing", AdjustmentExpense: "expenses:adjustments",
	BonusExpense:   "expenses:bonuses",
	ExpiredRewards: "income:expired rewards",
}

// String returns the account's name.
func (a Account) String() string { return names[a] }

// Entry is one balanced double entry; Amount is above zero, in minor units.
type Entry struct {
	Debit, Credit Account
	Amount        int64
}

// EntryOf returns the double entry of a posting.
func EntryOf(p *reward.Posting) Entry {
	other := RewardExpense
	switch p.Kind {
	case reward.RedemptionPaid, reward.RedemptionReturned:
		other = RedemptionClearing
	case reward.Adjustment:
		other = AdjustmentExpense
	case reward.Expiry, reward.ExpiryRestored:
		other = ExpiredRewards
	default:
		if p.OfBonus() {
			other = BonusExpense
		}
	}
	if p.Amount < 0 {
		return Entry{Debit: CardholderRewards, Credit: other, Amount: -p.Amount}
	}
	return Entry{Debit: other, Credit: CardholderRewards, Amount: p.Amount}
}

// Book is a set of entries added up. Debits count as positive.
type Book struct {
	Entries int64
	Sums    [accounts]int64
	// Granted and ClawedBack add up what raised and lowered rewards, both
	// without sign.
	Granted, ClawedBack int64
}

// Post adds a posting's entry.
func (b *Book) Post(p *reward.Posting) {
	e := EntryOf(p)
	b.Entries++
	b.Sums[e.Debit] += e.Amount
	b.Sums[e.Credit] -= e.Amount
	if e.Debit == RewardExpense || e.Debit == BonusExpense {
		b.Granted += e.Amount
	}
	if e.Credit == RewardExpense || e.Credit == BonusExpense {
		b.ClawedBack += e.Amount
	}
}

// Add adds another book's entries and reports whether the sums hold them: those
// of many accounts may pass 63 bits, and then the book means nothing.
func (b *Book) Add(o *Book) (ok bool) {
	ok = true
	add := func(sum *int64, more int64) {
		total := *sum + more
		ok = ok && (total > *sum) == (more > 0)
		*sum = total
	}
	add(&b.Entries, o.Entries)
	add(&b.Granted, o.Granted)
	add(&b.ClawedBack, o.ClawedBack)
	for i := range b.Sums {
		add(&b.Sums[i], o.Sums[i])
	}
	return ok
}

// Agrees reports whether the book of one account gives its balance, what was
// redeemed, what was adjusted and what has expired; if not, as a violation of Conservation.
func (b *Book) Agrees(a *reward.Account) (reward.Violation, bool) {
	s := a.Summary()
	if -b.Sums[CardholderRewards] == s.Balance && -b.Sums[RedemptionClearing] == s.Redeemed && b.Sums[AdjustmentExpense] == s.Adjustments && -b.Sums[ExpiredRewards] == s.Expired {
		return reward.Violation{}, true
	}
	return reward.Violation{
		Account: a.ID(), Invariant: reward.Conservation,
		Figures: fmt.Sprintf("the journal gives balance %d, redeemed %d, adjustments %d, expired %d; the account has %d, %d, %d, %d",
			-b.Sums[CardholderRewards], -b.Sums[RedemptionClearing], b.Sums[AdjustmentExpense], -b.Sums[ExpiredRewards], s.Balance, s.Redeemed, s.Adjustments, s.Expired),
	}, false
}
