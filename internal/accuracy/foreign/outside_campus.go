package foreign

import "time"

// outsideCampus is a student's debit card.
var outsideCampus = Design{
	Name: "outside-campus",
	Source: "student accounts with cashback on food and online shopping and a limit a month (in the manner of British and German student debit cards), from memory. " +
		"The table of 28 days is mine.",
	Currency: "GBP",
	Class:    "V2",
	Published: "3% on DINING, 2% on ONLINE, 0.5% on all else, down to the penny per purchase, together at most £20.00 in a calendar month (London). Granted on clearing, redeemable at once. " +
		"If you return something, at any time, its cashback is taken back, out of what you earn later if need be.",
	How: "Cashback is reckoned again, within the month's limit, on each return, and debts stay. But the service that takes returns in reads the table of the last 28 days' clearings. A return of an older purchase finds nothing there and is dropped; " +
		"one that names no purchase is put to what the table has of its merchant or category.",
	Leak: "Buy for £400.00 online: £8.00. Redeem, and return all of it after 29 days: the £8.00 stay. After 28 days they would be owed.",
	New:  func() Engine { return newOutsideDesk(campus{}, 28*24*time.Hour) },
}

type campus struct{}

var campusZone = outsideZone("Europe/London")

const campusMost = 2000

func (campus) lines(a *outsideAccount) (list []outsideLine) {
	used := make(map[string]int64)
	for _, s := range a.sales {
		rate := int64(5)
		switch s.category {
		case "DINING":
			rate = 30
		case "ONLINE":
			rate = 20
		}
		month := s.made.In(campusZone).Format("2006-01")
		reward := min(s.kept*rate/1000, campusMost-used[month])
		used[month] += reward
		list = append(list, outsideLine{key: s.id, transaction: s.id, note: "cashback", amount: reward})
	}
	return list
}

func (c campus) sold(a *outsideAccount, s *outsideSale)   { a.level(c.lines(a), "") }
func (c campus) came(a *outsideAccount, r *outsideReturn) { a.level(c.lines(a), r.id) }
func (campus) due(*outsideAccount)                        {}
func (campus) open(a *outsideAccount) int64               { return a.balance }
