package foreign

import "time"

var indigoGable = Design{
	Name:   "indigo-gable",
	Source: "Swiss cards with cashback and marketplace partners (Certo!, Cumulus and the like), from memory",
	Published: "2 % on FASHION, 1 % on everything else, credited when a purchase clears and redeemable at once. Statements close on the 25th (Zurich). " +
		"Refunds take cashback back, below zero if need be.",
	How: "Refunds are taken back when they post. Only those of FASHION purchases that name their purchase, up to CHF 500.00 a refund, come in the fashion houses' file, which is read " +
		"at the statement's close; until then nothing is held, and what they will take can be redeemed.",
	Class: "V3(b)", Currency: "CHF",
	Leak: "On 1 March buy five dresses at CHF 400.00 (CHF 40.00) and send all back on the 5th, refund by refund. Redeem CHF 40.00 on the 6th: it is paid. On the 25th the balance is " +
		"CHF -40.00, and whoever buys nothing more never pays it. It can be done with every statement by who lets the card rest, and any number of times within one.",
	New: func() Engine { return indigoNew(&indigoGableBook{zone: indigoZone("Europe/Zurich")}) },
}

type indigoGableBook struct {
	indigoPlain
	zone *time.Location
}

const (
	indigoGableDay  = 25
	indigoGableFile = 50000
)

// rate is what a purchase earns, in per ten thousand.
func (indigoGableBook) rate(b *indigoBuy) int64 {
	if b.category == "FASHION" {
		return 200
	}
	return 100
}

func (k *indigoGableBook) loss(_ *indigoAccount, b *indigoBuy, r int64) int64 { return r * k.rate(b) }

func (k *indigoGableBook) heard(a *indigoAccount, back *indigoBack) {
	if back != nil && !back.charge && back.amount <= indigoGableFile {
		if b := a.byID[back.txn]; b != nil && b.category == "FASHION" {
			back.batched, a.dirty = true, true
			b.batched += back.placed
		}
	}
	k.write(a)
}

func (k *indigoGableBook) write(a *indigoAccount) {
	lines := make([]indigoLine, 0, len(a.buys))
	for _, b := range a.buys {
		lines = append(lines, indigoLine{key: b.id, txn: b.id, want: indigoRate(b.left()+b.batched, k.rate(b))})
	}
	a.level(lines, true, func(l indigoLine, have int64) {
		if l.want < have {
			a.post(Reversed, l.want-have, l.txn, "", "Refund")
			return
		}
		a.post(Earned, l.want-have, l.txn, "", "Cashback")
	})
}

// next is the statement's close, if the file has something.
func (k *indigoGableBook) next(a *indigoAccount) time.Time {
	if !a.dirty {
		return time.Time{}
	}
	return indigoClose(a.now, indigoGableDay, k.zone)
}

func (k *indigoGableBook) wake(a *indigoAccount) {
	for _, r := range a.backs {
		r.batched = false
	}
	for _, b := range a.buys {
		b.batched = 0
	}
	a.dirty = false
	k.write(a)
}
