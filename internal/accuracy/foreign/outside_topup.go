package foreign

import "time"

// outsideTopup is a mobile operator's wallet.
var outsideTopup = Design{
	Name: "outside-topup",
	Source: "mobile operators' wallets whose cashback becomes airtime (in the manner of wallets of the Philippines and Indonesia), from memory. " +
		"The weekly lump, the top-up on the 1st and the deduction are mine.",
	Currency: "PHP",
	Class:    "V3(a)",
	Published: "3% on ONLINE and DINING, 1% on all else, at most 20.00 a purchase, down to the centavo. What was bought in a week is credited to your bonus in one sum on Monday at 00:00 (Manila) and can be used at once. " +
		"On the 1st at 00:00 a bonus of 5.00 or more becomes airtime by itself, less stays. Purchases that are returned earn nothing: the bonus is deducted, also afterwards, and what your bonus does not suffice for is deducted from later ones.",
	How:  "A return before the Monday lowers the sum. Afterwards a deduction is a transfer out of the bonus, which cannot go below zero. It transfers what is there, is marked as done, and the rest is forgotten.",
	Leak: "Buy for 600.00 online: 18.00 on Monday. On the 1st they become airtime. Return all of it on the 2nd: there is nothing to deduct, and what is earned the week after is credited in full.",
	New:  func() Engine { return newOutsideDesk(topup{}, 0) },
}

type topup struct{}

var manila = outsideZone("Asia/Manila")

const (
	topupMost  = 2000
	topupLeast = 500
)

func (topup) worth(s *outsideSale) int64 {
	rate := int64(1)
	if s.category == "ONLINE" || s.category == "DINING" {
		rate = 3
	}
	return min(s.kept*rate/100, topupMost)
}

func (topup) sold(a *outsideAccount, s *outsideSale) {
	a.wake(outsideMonday(a.now, manila))
}

func (u topup) came(a *outsideAccount, r *outsideReturn) {
	for _, s := range a.sales {
		stands, credited := a.stands[s.id]
		if !credited {
			continue
		}
		worth := u.worth(s)
		a.stands[s.id] = worth
		if change := worth - stands; change < 0 {
			a.row(Reversed, -min(a.balance, -change), s.id, r.id, "bonus deducted")
		} else {
			a.row(Earned, change, s.id, r.id, "bonus")
		}
	}
}

func (u topup) due(a *outsideAccount) {
	local := a.now.In(manila)
	if local.Weekday() == time.Monday {
		sum := int64(0)
		for _, s := range a.sales {
			if _, credited := a.stands[s.id]; !credited {
				a.stands[s.id] = u.worth(s)
				sum += a.stands[s.id]
			}
		}
		a.row(Earned, sum, "", "", "bonus of the week")
		a.wake(outsideMonth(a.now, manila, 1, 1))
	}
	if local.Day() == 1 && a.balance >= topupLeast {
		a.row(Paid, -a.balance, "", "", "airtime")
	}
}

func (topup) open(a *outsideAccount) int64 { return a.balance }
