package foreign

// finalTap is a wallet that rounds the cashback of each payment up.
var finalTap = Design{
	Name:     "final-tap",
	Source:   "wallets and cards that round the reward of each payment up to a full step, with a least payment; section 4.3, V1",
	Currency: "EUR",
	Class:    "V1",
	Published: "GROCERY and DINING 2%, all else 1%, rounded up to full 10 cents per payment; payments of less than €5 earn nothing; at most €10 per payment. " +
		"Granted on clearing, redeemable at once. Cashback of what is returned is taken back at once, at any time, from later cashback if it was used.",
	How: "A return is handed to the same formula as a payment of an amount below zero. " +
		"The formula begins with the least payment: what is less than €5 earns nothing, and an amount below zero is less. So no return has ever had an effect.",
	Leak: "Pay €480 for groceries: €9.60. Redeem it, send the groceries back: €480 is refunded, and the €9.60 stays.",
	New:  func() Engine { return newFinalDesk(tap{}) },
}

type tap struct{}

const (
	tapLeast = 500
	tapStep  = 10
	tapMost  = 1000
)

// cashback is the reward of an amount; returns are amounts below zero.
func (tap) cashback(category string, amount int64) int64 {
	if amount < tapLeast {
		return 0
	}
	rate := int64(100)
	if category == "GROCERY" || category == "DINING" {
		rate = 200
	}
	steps := (amount*rate + 10_000*tapStep - 1) / (10_000 * tapStep)
	return min(steps*tapStep, tapMost)
}

func (t tap) bought(b *finalBook, p *finalBuy) {
	b.post(Earned, t.cashback(p.category, p.amount), p.id, "", "cashback")
}

func (t tap) returned(b *finalBook, r *finalBack) {
	category, amount := r.category, r.amount
	for _, p := range b.buys {
		if p.id != r.of {
			continue
		}
		category = p.category
		if r.whole {
			amount = p.amount
		}
	}
	b.post(Reversed, t.cashback(category, -amount), r.of, r.id, "cashback of a return")
}

func (tap) struck(*finalBook) {}

func (tap) redeemable(b *finalBook) int64 { return b.balance }

func (tap) spent(*finalBook, int64) {}
