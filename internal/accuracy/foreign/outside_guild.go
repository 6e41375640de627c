package foreign

import (
	"fmt"
	"slices"
	"time"
)

// outsideGuild is a card for small businesses.
var outsideGuild = Design{
	Name: "outside-guild",
	Source: "business and purchasing cards that rebate a quarter's net spend by tiers (in the manner of trade cards of North American hardware and office chains), from memory. " +
		"The figures, the day and that corrections are at once are mine.",
	Currency: "USD",
	Class:    "robust",
	Published: "Of the net spend of a calendar quarter (New York) the first $1,500 earn 0.5%, what is beyond 1%, what is beyond $5,000 1.5%; the sum is rounded down to the cent once. " +
		"Posted in one entry on the 15th after the quarter at 00:00, redeemable from $10.00. Net means less what came back of the quarter's purchases, whenever it did: after the 15th the rebate is corrected at once and in full, below zero if need be. " +
		"A refund that names no purchase is put to an earlier one at the merchant, or else of the category: to the newest of that price, or else to the newest.",
	How: "A quarter's rebate is a function of what is kept of its purchases. It is posted on the 15th; any later fact posts its difference.",
	New: func() Engine { return newOutsideDesk(guild{}, 0) },
}

type guild struct{}

var guildZone = outsideZone("America/New_York")

const guildLeast = 1000

// guildQuarter is the first instant of a moment's quarter.
func guildQuarter(at time.Time) time.Time {
	month := int(at.In(guildZone).Month())
	return outsideMonth(at, guildZone, -((month - 1) % 3), 1)
}

// guildPosted is when a quarter is posted.
func guildPosted(quarter time.Time) time.Time { return outsideMonth(quarter, guildZone, 3, 15) }

// lines are the quarters that are posted.
func (guild) lines(a *outsideAccount) (list []outsideLine) {
	net := make(map[int64]int64)
	var quarters []time.Time
	for _, s := range a.sales {
		quarter := guildQuarter(s.made)
		if _, there := net[quarter.Unix()]; !there && !guildPosted(quarter).After(a.now) {
			quarters = append(quarters, quarter)
		}
		net[quarter.Unix()] += s.kept
	}
	slices.SortFunc(quarters, time.Time.Compare)
	for _, quarter := range quarters {
		n := net[quarter.Unix()]
		name := fmt.Sprintf("Q%d %d", (quarter.Month()+2)/3, quarter.Year())
		parts := 5*n + 5*max(0, n-150_000) + 5*max(0, n-500_000)
		list = append(list, outsideLine{key: name, note: "volume rebate " + name, amount: parts / 1000})
	}
	return list
}

func (g guild) sold(a *outsideAccount, s *outsideSale) {
	a.wake(guildPosted(guildQuarter(s.made)))
	a.level(g.lines(a), "")
}

func (g guild) came(a *outsideAccount, r *outsideReturn) { a.level(g.lines(a), r.id) }

func (g guild) due(a *outsideAccount) { a.level(g.lines(a), "") }

func (guild) open(a *outsideAccount) int64 {
	if a.balance < guildLeast {
		return 0
	}
	return a.balance
}
