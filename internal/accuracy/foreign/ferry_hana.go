package foreign

import "time"

// ferryHana recasts a month's row whenever something of the month comes back.
var ferryHana = Design{
	Name: "ferry-hana",
	Source: "after Japanese bank debit cards (points for every full 100 yen of a month's total, doubled on a day of " +
		"the week), from memory",
	Published: "1 point for every full 100 yen of a calendar month's net purchases (Japan), and 1 more for every full " +
		"100 yen of those made on Sundays. Points are there at once and a point is a yen. A return lowers the month of " +
		"its purchase; points already used are owed.",
	How: "One running row per month and kind; a return cancels the month's points and grants them anew, both rows with the " +
		"refund's name and no purchase's. Refunds without a name are put where they cost most, anew at every event.",
	Class:    "robust",
	Currency: "JPY",
	New:      func() Engine { return ferryOpen(ferryHanaPlan{}) },
}

type ferryHanaPlan struct{ ferryPlain }

var ferryTokyo = ferryZone("Asia/Tokyo")

func ferryHanaWorth(sum int64) int64 { return sum / 100 }

func (ferryHanaPlan) parts(a *ferryAccount, b *ferryBuy) []ferryPart {
	month := ferryMonth(b.at, ferryTokyo)
	parts := []ferryPart{{in: a.bucket(month, ferryHanaWorth), counts: ferrySame}}
	if b.at.In(ferryTokyo).Weekday() == time.Sunday {
		parts = append(parts, ferryPart{in: a.bucket(month+" Sundays", ferryHanaWorth), counts: ferrySame})
	}
	return parts
}

func (p ferryHanaPlan) bought(a *ferryAccount, _ *ferryBuy) { p.recast(a, "") }

func (p ferryHanaPlan) returned(a *ferryAccount, r *ferryBack) { p.recast(a, r.id) }

// recast brings every month to what it is worth. A purchase may lower a month too: a
// refund without a name that had been guessed there may cost more elsewhere now.
func (ferryHanaPlan) recast(a *ferryAccount, refund string) {
	ferryMatch(a, a.buys, a.backs)
	for _, k := range a.buckets {
		worth := k.worth(k.sum)
		switch {
		case worth > k.posted && refund == "":
			a.post(Earned, worth-k.posted, "", "", "points "+k.name)
		case worth != k.posted:
			a.post(Reversed, -k.posted, "", refund, "cancelled "+k.name)
			a.post(Earned, worth, "", refund, "recalculated "+k.name)
		}
		k.posted = worth
	}
}
