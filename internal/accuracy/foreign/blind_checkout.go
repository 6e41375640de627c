package foreign

import "time"

// blindCheckout is a cashback portal whose shops confirm sales once.
var blindCheckout = Design{
	Name: "blind-checkout",
	Source: "ShopBack and TopCashback (shopback.com.au, topcashback.co.uk): cashback is tracked, the shop confirms it after its check for returns, then it can be withdrawn. " +
		"Mine: the rates, one day of the month for the check of all shops, one sum per shop; section 4.3, V2",
	Currency: "AUD",
	Class:    "V2",
	Published: "ONLINE 4%, TRAVEL 3%, all else 1%, down to the cent per purchase. Shops confirm the sales that cleared in a calendar month (Sydney) on the 15th of the next; cashback is granted then, in one sum per shop, and can be withdrawn. " +
		"There is no cashback on what is returned. A return that names no purchase is of the latest one of that shop, else category, else of all.",
	How: "Until the 15th a month's sales follow every return. On the 15th the month is confirmed, and a shop whose month was confirmed cannot report on it any more: returns told of later are filed and take nothing. " +
		"The rows name the shop and no purchase.",
	Leak: "Order a jacket for A$400.00 on 20 March: A$16.00 is granted on 15 April. The shop takes things back for 60 days: return it on 16 April, and withdraw the A$16.00.",
	New: func() Engine {
		return newBlindDesk(blindRules{
			wake: func(b *blindBook) time.Time { return blindCheckoutDay(b.now) },
			tick: func(b *blindBook) {
				var shops blindTally
				for _, p := range b.buys {
					if blindCheckoutDay(p.told).Equal(b.now) {
						shops.add(p.merchant, blindCheckoutCash(p))
					}
				}
				month := b.now.In(blindSydney).AddDate(0, -1, 0).Format("January 2006")
				for _, shop := range shops.names {
					b.row(shops.sums[shop], "", "", "confirmed: "+shop+", "+month)
				}
			},
		})
	},
}

var blindSydney = blindZone("Australia/Sydney")

// blindCheckoutDay is when the shops confirm what cleared at a time.
func blindCheckoutDay(told time.Time) time.Time {
	l := told.In(blindSydney)
	return time.Date(l.Year(), l.Month()+1, 15, 0, 0, 0, 0, blindSydney).UTC()
}

func blindCheckoutCash(p *blindBuy) int64 {
	rate := int64(1)
	switch p.category {
	case "ONLINE":
		rate = 4
	case "TRAVEL":
		rate = 3
	}
	return p.kept * rate / 100
}
