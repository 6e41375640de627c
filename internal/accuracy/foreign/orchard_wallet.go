package foreign

import "time"

// orchardWallet is a wallet with instant cashback, part of which lies in a reserve.
var orchardWallet = Design{
	Name:   "orchard-wallet",
	Source: "After the instant cashback of South-East Asian e-wallets, from memory; none in particular.",
	Published: "4% cashback on every payment, up to VND 400,000 for the payments of a calendar month. 75% of it can be used at once, 25% after 30 " +
		"days. If a payment is refunded, its cashback is taken back. A refund that names no payment takes 4% of its amount.",
	How: "Each settlement posts an instant row and a reserve row. A refund posts the cashback it takes, out of the reserve first, then out of " +
		"the wallet. A wallet cannot be below zero: max(0, balance - clawback) is what is stored, and what was short is in no row.",
	Class: "V3(a)",
	Leak: "Pay VND 5,000,000, get 200,000, use the 150,000 that are free, have the payment refunded: 50,000 are taken out of the reserve, the " +
		"balance is 0 and not -150,000, and the next payment's cashback is free again. VND 150,000 stay for nothing bought.",
	Currency: "VND",
	New:      func() Engine { return orchardOpen(&orchardPurse{zone: orchardZone("Asia/Ho_Chi_Minh")}) },
}

type orchardPurse struct {
	zone *time.Location
	// reserves are by book, since a plan serves all accounts.
	reserves map[*orchardBook][]orchardReserve
}

type orchardReserve struct {
	amount int64
	until  time.Time
}

func (o *orchardPurse) next(time.Time) time.Time { return time.Time{} }
func (o *orchardPurse) run(*orchardBook)         {}

// orchardWalletCap is for a month.
const orchardWalletCap = 400000

// value is what all payments are worth after all refunds. A refund of a payment that has
// not cleared waits for it.
func (o *orchardPurse) value(b *orchardBook) int64 {
	loose := b.tally(func(r *orchardReturn) bool { return r.purchase == "" || b.byID[r.purchase] != nil })
	month, room, total := "", int64(0), int64(0)
	for _, p := range b.purchases {
		if m := p.at.In(o.zone).Format("2006-01"); m != month {
			month, room = m, orchardWalletCap
		}
		p.worth = min(p.left*4/100, room)
		room -= p.worth
		total += p.worth
	}
	return total - b.debit(loose, func(r *orchardReturn, _ []*orchardPurchase) int64 { return orchardUp(r.amount*4, 100) })
}

func (o *orchardPurse) settled(b *orchardBook, p *orchardPurchase) { o.move(b, p.id, "") }
func (o *orchardPurse) returned(b *orchardBook, r *orchardReturn)  { o.move(b, r.purchase, r.id) }

// move books what the last fact has changed.
func (o *orchardPurse) move(b *orchardBook, purchase, refund string) {
	value := o.value(b)
	delta := value - b.last["value"]
	b.last["value"] = value
	if delta > 0 {
		reserve := delta / 4
		b.post(Earned, delta-reserve, purchase, refund, "instant cashback")
		b.post(Earned, reserve, purchase, refund, "cashback reserve, 30 days")
		if o.reserves == nil {
			o.reserves = map[*orchardBook][]orchardReserve{}
		}
		o.reserves[b] = append(o.reserves[b], orchardReserve{reserve, b.now.Add(30 * 24 * time.Hour)})
		return
	}
	claw := min(-delta, b.balance())
	b.post(Reversed, -claw, purchase, refund, "cashback taken back")
	for i := len(o.reserves[b]) - 1; i >= 0 && claw > 0; i-- {
		if lot := &o.reserves[b][i]; lot.until.After(b.now) {
			part := min(lot.amount, claw)
			lot.amount -= part
			claw -= part
		}
	}
}

func (o *orchardPurse) redeemable(b *orchardBook) int64 {
	free := b.balance()
	for _, lot := range o.reserves[b] {
		if lot.until.After(b.now) {
			free -= lot.amount
		}
	}
	return free
}
