package risk

import "recoup/reward"

// A Debt is what one posting took that the account did not have.
type Debt struct {
	Since        reward.Instant
	Amount, Open int64 // as it was, and what of it is not repaid
	of           family
	repaid       []repayment
}

// repayment is a part of a debt that was repaid.
type repayment struct {
	at     reward.Instant
	amount int64
	by     family
	gift   bool // it was given by hand, and earned by nobody
}

// family names what postings belong to that undo each other: a purchase, a redemption,
// a bonus or rule, and all adjustments.
type family struct {
	kind byte
	id   string
}

func familyOf(p *reward.Posting) family {
	switch p.Kind {
	case reward.Adjustment:
		return family{'a', ""}
	case reward.RedemptionPaid, reward.RedemptionReturned:
		return family{'r', p.Fact}
	case reward.Expiry, reward.ExpiryRestored:
		return family{'e', p.Period}
	}
	if p.Transaction == "" {
		return family{'b', p.Rule}
	}
	return family{'t', p.Transaction}
}

// arrears are the debts of one account, as its postings make and repay them.
//
// What comes in repays the oldest debt first. What is taken again of that has the debt
// stand as it did, since when it did: somebody who is given an amount and loses it the
// next day owes what was owed, for as long. Without that, whoever may adjust a balance
// could have a debt of half a year look like one of today.
type arrears struct {
	debts []*Debt // by Since, roughly; finished ones too
	spare int64   // the balance above zero
}

// post takes up a posting.
func (a *arrears) post(p *reward.Posting) {
	if f := familyOf(p); p.Amount > 0 {
		a.comes(p.At, p.Amount, f, p.Kind == reward.Adjustment)
	} else {
		a.goes(p.At, -p.Amount, f)
	}
}

// comes repays what the same has taken before, then the oldest debts.
func (a *arrears) comes(at reward.Instant, amount int64, by family, gift bool) {
	for i := len(a.debts) - 1; i >= 0 && amount > 0; i-- {
		if d := a.debts[i]; d.of == by {
			amount -= d.repay(at, amount, by, false)
		}
	}
	a.spare += a.repay(at, amount, by, gift)
}

// repay repays the oldest debts, and returns what is left over.
func (a *arrears) repay(at reward.Instant, amount int64, by family, gift bool) int64 {
	for i := 0; i < len(a.debts) && amount > 0; i++ {
		amount -= a.debts[i].repay(at, amount, by, gift)
	}
	return amount
}

func (d *Debt) repay(at reward.Instant, most int64, by family, gift bool) int64 {
	amount := min(most, d.Open)
	if amount > 0 {
		d.Open -= amount
		d.repaid = append(d.repaid, repayment{at, amount, by, gift})
	}
	return amount
}

// goes has what the same repaid stand again, the latest first; the rest is of the
// balance, and what that does not have is a debt.
func (a *arrears) goes(at reward.Instant, amount int64, by family) {
	for i := len(a.debts) - 1; i >= 0 && amount > 0; i-- {
		amount -= a.debts[i].stand(amount, by)
	}
	had := min(a.spare, amount)
	a.spare -= had
	if amount -= had; amount > 0 {
		a.debts = append(a.debts, &Debt{Since: at, Amount: amount, Open: amount, of: by})
	}
	if a.spare > 0 {
		a.spare = a.repay(at, a.spare, family{}, false)
	}
}

// stand has what a family repaid of a debt stand again.
func (d *Debt) stand(most int64, by family) (amount int64) {
	for i := len(d.repaid) - 1; i >= 0 && amount < most; i-- {
		if r := &d.repaid[i]; r.by == by {
			again := min(most-amount, r.amount)
			amount += again
			d.Open += again
			if r.amount -= again; r.amount == 0 {
				d.repaid = append(d.repaid[:i], d.repaid[i+1:]...)
			}
		}
	}
	return amount
}

// since is when the oldest posting was made that is not repaid; ok is false where
// nothing is owed.
func (a *arrears) since() (since reward.Instant, ok bool) {
	for _, d := range a.debts {
		if d.Open > 0 && (!ok || d.Since < since) {
			since, ok = d.Since, true
		}
	}
	return since, ok
}

// forgiven is what was given by hand to repay debts, and not taken again.
func (a *arrears) forgiven() (sum int64) {
	for _, d := range a.debts {
		for _, r := range d.repaid {
			if r.gift {
				sum += r.amount
			}
		}
	}
	return sum
}

// mostDebts bounds the finished debts of an account that are remembered: those before
// are left out of the curve of what was repaid.
const mostDebts = 1_000

// prune forgets the oldest finished debts, where there are many.
func (a *arrears) prune() {
	if len(a.debts) < 2*mostDebts {
		return
	}
	kept := a.debts[:0]
	for i, d := range a.debts {
		if d.Open > 0 || i >= len(a.debts)-mostDebts {
			kept = append(kept, d)
		}
	}
	a.debts = kept
}
