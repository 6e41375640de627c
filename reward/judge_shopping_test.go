package reward_test

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"pgregory.net/rapid"

	"recoup/reward"
)

// The lives that the judge looks at: terms, purchases and returns, drawn about midnights
// and changes of the clock.

var judgesStart = reward.At(time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC))

// rerated draws terms that are taken back by re-rating, with periods wide enough for refunds to find their purchases.
func rerated(t *rapid.T, timing reward.Timing, maturity int) *reward.Program {
	return retold(drawPromisedTerms(t), timing, maturity)
}

func retold(p *reward.Program, timing reward.Timing, maturity int) *reward.Program {
	for v := p; v != nil; v = v.Earlier {
		v.Method, v.Timing, v.MaturityDays, v.ExpiryMonths = reward.Rerate, timing, maturity, 0
		v.Refunds = reward.RefundTerms{PendingDays: 30, MatchDays: 10, ParkDays: 4_000, WindowDays: 400, FirmDays: 4_000, Movable: 32}
		v.Redemption = reward.RedemptionTerms{}
	}
	return p
}

// lived draws the same, of which most have tiers, or rewards that expire, or both.
func lived(t *rapid.T, timing reward.Timing, maturity int) *reward.Program {
	p := retold(promisedTerms(t, pick(t, "tiers", true, false)), timing, maturity)
	months := pick(t, "months", 0, 1, 3)
	for v := p; v != nil && months > 0; v = v.Earlier {
		v.ExpiryMonths, v.MaturityDays = months, min(maturity, 28*months-1)
		for i := range v.Bonuses {
			v.Bonuses[i].Per = notForLife(v.Bonuses[i].Per)
		}
		for _, l := range v.Layers {
			for i := range l.Rules {
				if l.Rules[i].Whole {
					l.Rules[i].Per = notForLife(l.Rules[i].Per)
				}
			}
		}
	}
	return p
}

// notForLife is a period that ends: when a lifetime's rewards expire goes by when they are paid.
func notForLife(per reward.Period) reward.Period {
	if per == reward.PerLifetime {
		return reward.PerYear
	}
	return per
}

// forTheNext has tiers be kept for the period after, for which no order of posting matters.
func forTheNext(p *reward.Program) {
	for v := p; v != nil; v = v.Earlier {
		for i := range v.Tiers {
			v.Tiers[i].Next, v.Tiers[i].Per = true, notForLife(v.Tiers[i].Per)
		}
	}
}

func anyTiming(t *rapid.T) reward.Timing {
	return reward.Timing{
		Grant:    pick(t, "grant", reward.GrantAtSettlement, reward.GrantAtStatement),
		Clawback: pick(t, "clawback", reward.ClawbackAtRefund, reward.ClawbackAtStatement),
	}
}

// hasRule reports whether a version has a rule of a kind.
func hasRule(p *reward.Program, is func(*reward.Rule) bool) bool {
	for v := p; v != nil; v = v.Earlier {
		for _, l := range v.Layers {
			for i := range l.Rules {
				if is(&l.Rules[i]) {
					return true
				}
			}
		}
	}
	return false
}

func bySteps(r *reward.Rule) bool { return len(r.Steps) > 0 && !r.Whole }

// withoutPlaces gives rules that count purchases no limit: what Order and Monotonicity leave out.
func withoutPlaces(p *reward.Program) {
	for v := p; v != nil; v = v.Earlier {
		for _, l := range v.Layers {
			for i := range l.Rules {
				l.Rules[i].Places = 0
			}
		}
	}
}

// attributes are facts that come before all purchases, some to hold from later on.
func attributes(t *rapid.T) (list []reward.Event) {
	e := reward.Event{Source: "core", ID: "opened", Account: "a", Time: judgesStart, Type: reward.AccountOpened}
	if pick(t, "opened", true, false) {
		list = append(list, e)
	}
	for i := range pick(t, "attributes", 2, 0, 1, 3) {
		e.Type, e.ID = reward.AttributeSet, fmt.Sprintf("at%d", i)
		e.Fact, e.Category, e.Method = e.ID, pick(t, "name", "spring", "plan"), pick(t, "value", "on", "off")
		e.Purchased = judgesStart + reward.Instant(pick(t, "from day", 0, 10, 40, 80))*reward.Day
		list = append(list, e)
	}
	return list
}

// edgeOfDay draws a moment about the first midnight of a month, or about the next change of the clock.
func edgeOfDay(t *rapid.T, zone *time.Location, at reward.Instant) reward.Instant {
	if zone == nil {
		zone = time.UTC
	}
	local := at.Time().In(zone)
	edge := time.Date(local.Year(), local.Month()+1, 1, 0, 0, 0, 0, zone)
	if _, end := local.ZoneBounds(); !end.IsZero() && end.Before(local.AddDate(1, 0, 0)) && pick(t, "change of the clock", false, true) {
		edge = end
	}
	return reward.At(edge) + reward.Instant(pick(t, "quarters of an hour", 0, -1, 1, 3, -3, 5))*reward.Day/96
}

// shopping draws purchases of some months, in order of time.
func shopping(t *rapid.T, program *reward.Program, most int) (list []reward.Event) {
	for i := range rapid.IntRange(1, most).Draw(t, "purchases") {
		at := judgesStart + reward.Instant(rapid.IntRange(1, pick(t, "within days", 30, 150, 400)*48).Draw(t, "half hours"))*reward.Day/48
		if pick(t, "at the edge of a day", false, false, false, true) {
			at = edgeOfDay(t, program.Zone, at)
		}
		e := reward.Event{
			Source: "core", ID: fmt.Sprintf("e%d", i), Account: "a", Currency: program.Currency, HasAmount: true,
			Type: reward.TransactionSettled, Transaction: fmt.Sprintf("t%d", i), Time: at,
			Amount:   pick[int64](t, "amount", 10_000, 2_000, 3_000, 5_000, 25_000, 1_999, 300, 0),
			Merchant: pick(t, "merchant", "m1", "m2", ""),
			Category: pick(t, "category", "GROCERY", "GAS", "OTHER"),
		}
		if e.Amount == 0 {
			e.Amount = int64(rapid.IntRange(1, 20_000).Draw(t, "odd amount"))
		}
		if label := pick(t, "channel", "", "online", "shop"); label != "" {
			e.Labels = reward.MakeLabels(map[string]string{"channel": label})
		}
		if pick(t, "purchased before", false, false, true) {
			e.Purchased = e.Time - reward.Day*3/4
		}
		list = append(list, e)
	}
	slices.SortStableFunc(list, func(x, y reward.Event) int { return cmp.Compare(x.Time, y.Time) })
	return list
}

// withReceipts gives some purchases items; those of some come days later.
func withReceipts(t *rapid.T, bought []reward.Event) (list []reward.Event) {
	for i, e := range bought {
		how := pick(t, "receipt", "none", "none", "at once", "at once", "later")
		if how != "none" {
			var items []reward.Item
			for left, n := e.Amount, 0; left > 0; n++ {
				amount := min(left, max(1, pick(t, "item", left, left/2, 1_000, left/3)))
				if n == 3 {
					amount = left
				}
				x := reward.Item{ID: fmt.Sprintf("i%d", n), Amount: amount, Category: pick(t, "item is", "", "GROCERY", "GAS", "OTHER")}
				if label := pick(t, "item's channel", "", "", "online", "shop"); label != "" {
					x.Labels = reward.MakeLabels(map[string]string{"channel": label})
				}
				items, left = append(items, x), left-amount
			}
			e.Items = reward.MakeItems(items)
		}
		if how == "later" {
			said := e
			e.Items = ""
			list = append(list, reward.Event{
				Source: e.Source, ID: fmt.Sprintf("items%d", i), Account: e.Account, Type: reward.TransactionItemized,
				Time: e.Time + reward.Instant(pick(t, "items days later", 0, 3, 40))*reward.Day, Transaction: e.Transaction, Items: said.Items,
			})
		}
		list = append(list, e)
	}
	slices.SortStableFunc(list, func(x, y reward.Event) int { return cmp.Compare(x.Time, y.Time) })
	return list
}

// receipts are the items of purchases, whenever they came.
func receipts(events []reward.Event) map[string][]reward.Item {
	of := map[string][]reward.Item{}
	for _, e := range events {
		if e.Items != "" && e.Type != reward.RefundPosted {
			of[e.Transaction] = slices.Collect(e.Items.All())
		}
	}
	return of
}

// naming has a refund say of which items it is: the first that have as much left.
func naming(r reward.Event, left []reward.Item) reward.Event {
	var said []reward.Item
	rest := r.Amount
	for i := range left {
		if part := min(rest, left[i].Amount); part > 0 {
			said = append(said, reward.Item{ID: left[i].ID, Amount: part})
			left[i].Amount -= part
			rest -= part
		}
	}
	r.Items = reward.MakeItems(said)
	return r
}

// returnOf is a refund of a purchase, some days later.
func returnOf(e reward.Event, id string, amount int64, days int) reward.Event {
	r := reward.Event{Source: "core", ID: id, Account: e.Account, Currency: e.Currency, HasAmount: true, Type: reward.RefundPosted}
	r.Fact, r.Transaction, r.Amount, r.Time = id, e.Transaction, amount, e.Time+reward.Instant(days)*reward.Day
	return r
}

// judgedAs returns an account that has heard events.
func judgedAs(t rapid.TB, p *reward.Program, events ...reward.Event) *judged {
	j := judgeOf(p, newReal(p), "a")
	for _, e := range events {
		j.hear(t, e)
	}
	return j
}

// end lets all cycles close.
func (j *judged) end(t rapid.TB) reward.State {
	j.subject.advance(t, tracesEnd)
	j.compare(t, true)
	j.subject.check(t)
	return j.account().State()
}

// totals are what each basket and bonus holds, of those that hold anything.
func (j *judged) totals(s *reward.State) map[string]int64 {
	lines, sums := judgeLines(s), map[string]int64{}
	for name, b := range j.worth(func(*judgePurchase) bool { return false }).baskets {
		for _, e := range b.entries {
			if v := lines[e.of.id].paid(e); v != 0 {
				sums[name] += v
			}
		}
	}
	for _, b := range s.Bonuses {
		if b.Reward != 0 {
			sums[b.Bonus+" "+b.Period] += b.Reward
		}
	}
	return sums
}

// storyOf is what happened, for who has to find out why.
func storyOf(lists ...[]reward.Event) string {
	var told story
	for _, e := range slices.Concat(lists...) {
		told = append(told, told.line(&e, reward.Result{}))
	}
	return told.of("a")
}
