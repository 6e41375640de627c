package foreign

import "time"

var marbleKoyoDesign = Design{
	Name:   "marble-koyo",
	Source: "in the style of Japanese shop and card points with a monthly campaign (Rakuten, d Point), from memory",
	Published: "1 yen of points for every full 100 yen of a purchase, and 4 yen more for every full 100 yen in online shops and fashion, these up to " +
		"5,000 yen a calendar month. Points show when the purchase clears and can be used 45 days after the purchase. A return takes the points of " +
		"what was returned at once, used or not: the balance may be negative. Room under the limit that a return leaves goes to later " +
		"purchases of that month. Returns that name no purchase cost 5 yen for every started 100 yen, 1 yen where they are of another category, " +
		"but never more than all points you have been given.",
	How: "A lot for each purchase, with base and campaign points; the campaign points of a month are dealt out anew, in order of arrival, whenever a lot " +
		"of it changes. Lots are in escrow for 45 days from the purchase. Charges for unnamed returns are a lot of their own, not above the rest.",
	Class:    "robust",
	Currency: "JPY",
	New: func() Engine {
		k := &marbleKoyo{zone: marbleZone("Asia/Tokyo")}
		k.marbleDesk = marbleNewDesk[marbleKoyoBook](k)
		return k
	},
}

const (
	marbleKoyoCap    = 5000
	marbleKoyoEscrow = 45 * 24 * time.Hour
)

type marbleKoyo struct {
	*marbleDesk[marbleKoyoBook]
	zone *time.Location
}

type marbleKoyoLot struct {
	buy         *marbleBuy
	month       time.Time
	base, extra int64
}

type marbleKoyoBook struct {
	lots    []*marbleKoyoLot
	charges int64 // asked for unnamed returns
	charged int64 // and taken
}

func marbleKoyoCampaign(category string) bool { return category == "ONLINE" || category == "FASHION" }

func (k *marbleKoyo) opened(*marbleFile[marbleKoyoBook]) {}

func (k *marbleKoyo) bought(f *marbleFile[marbleKoyoBook], b *marbleBuy) {
	lot := &marbleKoyoLot{buy: b, month: marbleCycle(b.at, 1, k.zone)}
	f.own.lots = append(f.own.lots, lot)
	k.deal(f, lot.month, "")
}

func (k *marbleKoyo) returned(f *marbleFile[marbleKoyoBook], r marbleReturn, b *marbleBuy, x int64) {
	if b != nil {
		k.deal(f, marbleCycle(b.at, 1, k.zone), r.id)
		return
	}
	f.own.charges += marbleDearest(r, func(category string) int64 {
		if marbleKoyoCampaign(category) {
			return 5 * marbleUp(x, 100)
		}
		return marbleUp(x, 100)
	})
	k.charge(f, r.id)
}

// deal brings the lots of a month to what they are worth.
func (k *marbleKoyo) deal(f *marbleFile[marbleKoyoBook], month time.Time, refund string) {
	room := int64(marbleKoyoCap)
	for _, lot := range f.own.lots {
		if !lot.month.Equal(month) {
			continue
		}
		base, extra := lot.buy.net()/100, int64(0)
		if marbleKoyoCampaign(lot.buy.category) {
			extra = min(4*base, room)
			room -= extra
		}
		f.level(k.now, base-lot.base, lot.buy.id, refund, "points")
		f.level(k.now, extra-lot.extra, lot.buy.id, refund, "campaign points")
		lot.base, lot.extra = base, extra
	}
	k.charge(f, refund)
}

// charge takes what is asked for unnamed returns as far as lots are worth it.
func (k *marbleKoyo) charge(f *marbleFile[marbleKoyoBook], refund string) {
	var worth int64
	for _, lot := range f.own.lots {
		worth += lot.base + lot.extra
	}
	take := min(f.own.charges, worth)
	kind := Reversed
	if take < f.own.charged {
		kind = Adjusted
	}
	f.post(k.now, kind, f.own.charged-take, "", refund, "return of an unnamed purchase")
	f.own.charged = take
}

func (k *marbleKoyo) redeemed(*marbleFile[marbleKoyoBook], int64) {}

func (k *marbleKoyo) redeemable(f *marbleFile[marbleKoyoBook]) int64 {
	free := f.balance()
	for _, lot := range f.own.lots {
		if k.now.Before(lot.buy.at.Add(marbleKoyoEscrow)) {
			free -= lot.base + lot.extra
		}
	}
	return free
}

func (k *marbleKoyo) due(*marbleFile[marbleKoyoBook], time.Time) {}
