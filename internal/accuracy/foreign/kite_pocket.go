package foreign

import (
	"slices"
	"time"
)

// kitePocket books as neobank wallets do: at once and roughly, to be put right later.
var kitePocket = Design{
	Name:   "kite-pocket",
	Source: "after the cashback of Brazilian neobank wallets: Inter, PicPay, Méliuz (from memory, none of them exactly)",
	Published: "5 % on online purchases, up to R$ 40 of cashback a calendar month (São Paulo time), 2 % on dining, 1 % on everything else. Cashback " +
		"shows at once, that of online purchases without regard to the limit; what goes beyond it cannot be drawn and is taken off on the 1st of " +
		"the next month. Returned purchases earn nothing, and the room they leave goes to other purchases of the month on the next 1st. " +
		"Of a refund whose purchase we do not know we keep back 5 % at once, and give back what turns out to be too much from the third night on.",
	How: "A purchase has a provisional row that names it; a refund has a reversal that names only the refund, a chargeback one that names only the " +
		"purchase. On the 1st at 3 the months over the limit get a nameless adjustment, negative at first, positive when a refund has made room. " +
		"A refund with no purchase, or with one that has not cleared, takes 5 % at once; from the third night it keeps only the worst that " +
		"it can have cost among all purchases, or nothing once its purchase is known. What can be drawn goes by the exact value, not by the rows.",
	Class:    "robust",
	Currency: "BRL",
	New: func() Engine {
		return newKite(kitePocketPlan{kiteTariff{zone: kiteZone("America/Sao_Paulo"), per: 10000, unit: 1, rules: []kiteRule{
			{"online", []string{"ONLINE"}, 500, 4000},
			{"dining", []string{"DINING"}, 200, 0},
			{"all", nil, 100, 0},
		}}})
	},
}

type kitePocketPlan struct{ kiteTariff }

// kitePocketWait is how long an unassigned refund keeps the flat rate back.
const kitePocketWait = 3 * 24 * time.Hour

func (k kitePocketPlan) next(t time.Time) time.Time { return kiteDaily(t, k.zone, 3, 0) }

// flat is more than an unassigned refund can have cost.
func (k kitePocketPlan) flat(r *kiteReturn) int64 {
	return (r.amount*k.rules[0].rate+k.per-1)/k.per + 1
}

// heard books a fact at once: a purchase at its rate, an unassigned refund at the flat one.
func (k kitePocketPlan) heard(a *kiteAccount, f kiteFact) {
	if f.refund != nil && f.refund.loose {
		k.hold(a, f.now, f.refund, k.flat(f.refund), "Reembolso em análise")
	}
	if p := f.purchase; p != nil {
		heading := "compra " + p.id
		row := Posting{At: f.now, Kind: Earned, Amount: k.alone(p) - a.book[heading], Transaction: p.id, Note: "Cashback provisório"}
		if row.Amount < 0 {
			row.Kind, row.Note = Reversed, "Estorno"
			if f.refund != nil {
				row.Transaction, row.Refund = "", f.refund.id
			}
		}
		a.post(row)
		a.book[heading] = k.alone(p)
	}
	if f.matched {
		k.hold(a, f.now, f.refund, 0, "Reembolso identificado")
	}
}

// hold changes what is kept back for a refund.
func (k kitePocketPlan) hold(a *kiteAccount, at time.Time, r *kiteReturn, amount int64, note string) {
	a.post(Posting{At: at, Kind: Adjusted, Amount: r.held - amount, Refund: r.id, Note: note})
	r.held = amount
}

func (k kitePocketPlan) batch(a *kiteAccount, at time.Time) {
	loose := a.loose()
	if len(loose) > 0 {
		lost := k.worth(a, kiteAll) - k.due(a, kiteAll)
		for _, r := range loose {
			if at.Sub(r.came) >= kitePocketWait {
				keep := min(lost, k.flat(r))
				k.hold(a, at, r, keep, "Ajuste de reembolso")
				lost -= keep
			}
		}
	}
	if at.In(k.zone).Day() == 1 {
		k.limits(a, at)
	}
}

// limits takes off what the months that are over have beyond their limit, or gives it back.
func (k kitePocketPlan) limits(a *kiteAccount, at time.Time) {
	over := map[int]int64{}
	var months []int
	for c, s := range k.cells(a, kiteAll) {
		if c.rule == 0 && c.month < kiteMonth(at, k.zone) {
			over[c.month] = k.limited(c, s) - s.raw
			months = append(months, c.month)
		}
	}
	slices.Sort(months)
	for _, month := range months {
		name := time.Date(0, time.Month(month+1), 1, 0, 0, 0, 0, time.UTC).Format("01/2006")
		a.level(at, "limite "+name, over[month], Adjusted, Adjusted, "Acerto do limite "+name)
	}
}

func (k kitePocketPlan) sure(a *kiteAccount, _ time.Time) int64 { return k.due(a, kiteAll) }
