package foreign

import "time"

var indigoSaltbox = Design{
	Name:   "indigo-saltbox",
	Source: "Australian debit cards that pay cashback into the account each quarter, from memory",
	Published: "1.5 % on everything, 3 % on PHARMACY, credited when a purchase clears and redeemable at once. What stands on the account at the end of a quarter " +
		"(Sydney) is paid out by itself from A$10.00. Refunds take cashback back; a negative balance is set off against what is earned later.",
	How: "Whole refunds, refunds without a purchase's name and chargebacks reverse the entry and may take the balance below zero. A refund that names its purchase and leaves a part of it goes through the " +
		"adjustments screen, which cannot overdraw: it takes no more than the balance, and the rest of the debt is dropped.",
	Class: "V3(a)", Currency: "AUD",
	Leak: "Buy three coats for A$600.00 (A$9.00) and redeem A$9.00. Return two, A$400.00: A$6.00 should be taken back, the balance is 0 and stays 0. What is earned next can be " +
		"redeemed in full. After a quarterly payout the same happens without any redemption. It can be repeated with each purchase.",
	New: func() Engine { return indigoNew(&indigoSaltboxBook{zone: indigoZone("Australia/Sydney")}) },
}

type indigoSaltboxBook struct {
	indigoPlain
	zone *time.Location
}

const indigoSaltboxLeast = 1000

// rate is what a purchase earns, in per ten thousand.
func (indigoSaltboxBook) rate(b *indigoBuy) int64 {
	if b.category == "PHARMACY" {
		return 300
	}
	return 150
}

func (k *indigoSaltboxBook) loss(_ *indigoAccount, b *indigoBuy, r int64) int64 { return r * k.rate(b) }

func (k *indigoSaltboxBook) heard(a *indigoAccount, back *indigoBack) {
	for _, b := range a.buys {
		d := indigoRate(b.left(), k.rate(b)) + b.forgiven - a.booked[b.id]
		if d < 0 && back != nil && !back.charge && back.txn == b.id && b.left() > 0 {
			if can := -max(0, a.balance()); d < can {
				b.forgiven += can - d // as the adjustments screen sees it, the debt is settled
				d = can
			}
		}
		a.booked[b.id] += d
		if d < 0 {
			a.post(Reversed, d, "", a.cause, "Cashback returned")
		} else {
			a.post(Earned, d, b.id, "", "Cashback")
		}
	}
}

// next is the end of the quarter, if there is enough to pay.
func (k *indigoSaltboxBook) next(a *indigoAccount) time.Time {
	if a.balance() < indigoSaltboxLeast {
		return time.Time{}
	}
	y, m, _ := a.now.In(k.zone).Date()
	return time.Date(y, (m-1)/3*3+4, 1, 0, 0, 0, 0, k.zone)
}

func (k *indigoSaltboxBook) wake(a *indigoAccount) {
	n := a.balance()
	if n < indigoSaltboxLeast {
		return // a refund found its purchase at the same moment
	}
	a.paid += n
	a.post(Paid, -n, "", "", "Quarterly payout")
}
