package console

import (
	"fmt"
	"slices"

	"recoup/internal/console/locale"
	"recoup/internal/service/preview"
	"recoup/reward"
)

// draftCost is what a draft costs beside the version that it follows.
type draftCost struct {
	// Now, Draft and Difference are of a year, in minor units; Yearly: they are known.
	Now, Draft, Difference int64
	Yearly                 bool
	Change                 string // in percent, "" where nothing was granted before
	Shown                  string // the same as the locale writes it
	// Type is what has to be typed to publish what changes the cost by more than a fifth;
	// "": nothing. ToType is the same as the locale writes it.
	Type, ToType string
	Caveats      []string
}

// costOf says what a draft costs, and what has to be known about how that was found.
func (c *Console) costOf(l *locale.Locale, p *preview.Comparison, latest, draft *reward.Program) *draftCost {
	cost := &draftCost{}
	cost.Now, cost.Draft, cost.Yearly = p.Year()
	accounts := int64(0)
	if figures := c.overview.Latest(); figures != nil {
		for _, f := range figures.Programs {
			if f.ID == p.Program {
				accounts = f.Accounts
			}
		}
	}
	if cost.Yearly && !p.All && accounts > int64(p.Accounts) {
		cost.Now, cost.Draft = preview.Scale(cost.Now, accounts, int64(p.Accounts)), preview.Scale(cost.Draft, accounts, int64(p.Accounts))
	}
	cost.Difference = cost.Draft - cost.Now
	permille, ok := p.Permille()
	if ok {
		cost.Change = percentOf(permille)
		cost.Shown = changeShown(l, cost.Change)
	}
	if d := max(p.Totals.Difference, -p.Totals.Difference); d > p.Totals.Granted/guarded {
		if cost.Type = cost.Change; !ok {
			cost.Type = string(fromNothing)
		}
	}
	cost.ToType = changeShown(l, cost.Type)
	if p.Totals.Purchases > 0 {
		cost.Caveats = caveats(l, p, accounts, slices.Concat(preview.Periods(latest), preview.Periods(draft)))
	}
	return cost
}

// fromNothing is by how much a cost changes where there was none.
const fromNothing locale.Text = "from nothing"

// changeShown is by how much a cost changes, as a locale writes it.
func changeShown(l *locale.Locale, change string) string {
	if change == string(fromNothing) {
		return l.Say(fromNothing)
	}
	return l.Decimal(change)
}

// guarded: what changes the cost by more than one part of so many has to be typed.
const guarded = 5

// percentOf writes thousandths as people type them, with a sign and a point.
func percentOf(permille int64) string {
	sign := "+"
	if permille < 0 {
		sign, permille = "-", -permille
	}
	return fmt.Sprintf("%s%d.%d %%", sign, permille/10, permille%10)
}

// caveats say in which ways a comparison is an estimate.
func caveats(l *locale.Locale, p *preview.Comparison, accounts int64, periods []reward.Period) (list []string) {
	switch {
	case p.Cycles == 0:
		list = append(list, l.Sprintf("No billing cycle is over that has purchases, so these are of the one that goes on: limits and bonuses bind less than in a whole one, and there is no cost of a year."))
	case p.Cycles == 1:
		list = append(list, l.Sprintf("The cost of a year is twelve times that of one billing cycle: seasons are not in it."))
	default:
		list = append(list, l.Sprintf("The cost of a year is reckoned from %d whole billing cycles.", p.Cycles))
	}
	if !p.All && p.Cycles > 0 {
		if accounts > int64(p.Accounts) {
			list = append(list, l.Sprintf("It is that of the %s accounts that were active last, times all %s of the program: rather too high, since others buy less.", l.Count(int64(p.Accounts)), l.Count(accounts)))
		} else {
			list = append(list, l.Sprintf("It is that of the %s accounts that were active last alone.", l.Count(int64(p.Accounts))))
		}
	}
	if slices.ContainsFunc(periods, func(per reward.Period) bool {
		return per == reward.PerQuarter || per == reward.PerYear || per == reward.PerLifetime
	}) {
		list = append(list, l.Sprintf("Limits, bonuses and tiers of a quarter or longer begin empty where the sample begins, so limits bind less and bonuses come later than they would."))
	}
	if p.Large > 0 {
		list = append(list, l.Sprintf("Left out are accounts with very many events: %d.", p.Large))
	}
	return append(list,
		l.Sprintf("Refunds that name no purchase are left out on both sides."),
		l.Sprintf("Purchases stay as they were: people may buy otherwise under other terms."))
}
