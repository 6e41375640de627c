package foreign

import "time"

var marbleHarbourDesign = Design{
	Name:   "marble-harbour",
	Source: "in the style of British supermarket points with quarterly vouchers (Clubcard, Nectar), from memory",
	Published: "Collect 1p for every full £1 of a purchase, 2p for every full £1 on groceries and 1p for every full £2 on fuel, as soon as it clears. " +
		"Welcome gift: £10 once your purchases of the first 90 days after joining come to £500. Money on the account can be spent in store at any " +
		"time; on the first day of each calendar quarter we send vouchers for all of it in steps of £2.50. No caps. When something is returned, what it " +
		"collected is taken back on the day, and the welcome gift too if less than £500 is left; your balance can fall below zero and " +
		"is made up from what you collect next. Returns without the receipt are taken back at the rate of their category (the highest where " +
		"we cannot tell, every started pound counting) and count against the welcome gift.",
	How: "One slip for each purchase, priced on what is left of it and re-priced with each return at once. The welcome gift is re-examined with each " +
		"fact. Vouchers are Paid entries at London midnight of quarter days; debts stay on the account for good.",
	Class:    "robust",
	Currency: "GBP",
	New: func() Engine {
		h := &marbleHarbour{zone: marbleZone("Europe/London")}
		h.marbleDesk = marbleNewDesk[marbleHarbourBook](h)
		return h
	},
}

const (
	marbleHarbourVoucher = 250
	marbleHarbourGift    = 1000
	marbleHarbourSpend   = 50000
	marbleHarbourDays    = 90
)

type marbleHarbour struct {
	*marbleDesk[marbleHarbourBook]
	zone *time.Location
}

type marbleHarbourBook struct {
	slips    map[string]int64 // what each purchase has now
	unnamed  int64            // returned without a receipt, ever
	gift     int64
	vouchers time.Time // next quarter day
}

// marbleHarbourRate is pence for each full unit of pence.
func marbleHarbourRate(category string) (pence, unit int64) {
	switch category {
	case "GROCERY":
		return 2, 100
	case "FUEL":
		return 1, 200
	}
	return 1, 100
}

func (h *marbleHarbour) opened(f *marbleFile[marbleHarbourBook]) {
	first := marbleCycle(f.since, 1, h.zone)
	for (first.In(h.zone).Month()-1)%3 != 0 {
		first = marbleLater(first, -1, h.zone)
	}
	f.own = marbleHarbourBook{slips: map[string]int64{}, vouchers: marbleLater(first, 3, h.zone)}
}

func (h *marbleHarbour) bought(f *marbleFile[marbleHarbourBook], b *marbleBuy) {
	h.slip(f, b, "", "collected")
	h.welcome(f)
}

func (h *marbleHarbour) returned(f *marbleFile[marbleHarbourBook], r marbleReturn, b *marbleBuy, x int64) {
	if b != nil {
		h.slip(f, b, r.id, "returned")
	} else {
		f.own.unnamed += x
		charge := marbleDearest(r, func(category string) int64 {
			pence, unit := marbleHarbourRate(category)
			return pence * marbleUp(x, unit)
		})
		f.post(h.now, Reversed, -charge, "", r.id, "returned without receipt")
	}
	h.welcome(f)
}

func (h *marbleHarbour) slip(f *marbleFile[marbleHarbourBook], b *marbleBuy, refund, note string) {
	pence, unit := marbleHarbourRate(b.category)
	worth := pence * (b.net() / unit)
	f.level(h.now, worth-f.own.slips[b.id], b.id, refund, note)
	f.own.slips[b.id] = worth
}

func (h *marbleHarbour) welcome(f *marbleFile[marbleHarbourBook]) {
	spend := -f.own.unnamed
	end := f.since.Add(marbleHarbourDays * 24 * time.Hour)
	for _, b := range f.buys {
		if !b.at.Before(f.since) && b.at.Before(end) {
			spend += b.net()
		}
	}
	var gift int64
	if spend >= marbleHarbourSpend {
		gift = marbleHarbourGift
	}
	f.level(h.now, gift-f.own.gift, "", "", "welcome gift")
	f.own.gift = gift
}

func (h *marbleHarbour) redeemed(*marbleFile[marbleHarbourBook], int64) {}

func (h *marbleHarbour) redeemable(f *marbleFile[marbleHarbourBook]) int64 { return f.balance() }

func (h *marbleHarbour) due(f *marbleFile[marbleHarbourBook], now time.Time) {
	for ; !f.own.vouchers.After(now); f.own.vouchers = marbleLater(f.own.vouchers, 3, h.zone) {
		if n := f.balance() / marbleHarbourVoucher; n > 0 {
			f.post(f.own.vouchers, Paid, -n*marbleHarbourVoucher, "", "", "vouchers")
		}
	}
}

// PaidOut is what went out as vouchers.
func (h *marbleHarbour) PaidOut(account string) (int64, error) { return h.file(account).paid, nil }
