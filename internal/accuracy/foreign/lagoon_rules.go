package foreign

import (
	"strconv"
	"time"
)

// lagoonRules is a rule engine: rules stand in groups, in each group the one of the highest
// priority that matches wins, and what the groups give is stacked.
var lagoonRules = Design{
	Name:   "lagoon-rules",
	Source: "from memory, after cashback cards of banks in Kuwait and the Gulf with stacked offers (weekend, campaign, new member)",
	Published: "3% on fuel and 1% on everything else; 1% more on dining on Fridays and Saturdays; 2% more on shopping in our campaigns " +
		"(March 2024, March 2025, March 2026); 1% more on everything in the first 60 days. All add up. Cashback shows at once and can " +
		"be used 14 days after the purchase. A return takes back everything the returned part has earned, offers included, at " +
		"the rates of the purchase; the balance may be below zero. A return that names no purchase takes the highest rates.",
	How: "Which rules won is decided by the purchase and its day alone, and each has an entry of its own (one to four for a " +
		"purchase). A return reckons every entry of its purchase anew on what is left. Nameless returns have entries of their own, at the " +
		"rates of the purchases that earned most, each rule rounded up. What is younger than 14 days, or would be taken if all that " +
		"waits were decided against the customer, cannot be redeemed.",
	Class:    "robust",
	Currency: "KWD",
	New: func() Engine {
		return lagoonNewDesk(&lagoonRulesPlan{zone: lagoonZone("Asia/Kuwait"), winners: map[*lagoonPurchase][]lagoonRule{}})
	},
}

const lagoonRulesMaturity = 14 * 24 * time.Hour

type lagoonRulesPlan struct {
	lagoonIdle
	zone    *time.Location
	winners map[*lagoonPurchase][]lagoonRule
}

// lagoonRule gives a percentage to purchases that match; the first that does wins its group.
type lagoonRule struct {
	group, name string
	percent     int64
	match       func(local time.Time, age time.Duration, p *lagoonPurchase) bool
}

// lagoonRulebook is sorted by group, then by priority.
var lagoonRulebook = []lagoonRule{
	{"base", "fuel", 3, func(_ time.Time, _ time.Duration, p *lagoonPurchase) bool {
		return p.category == "FUEL" || p.mcc == "5541" || p.mcc == "5542"
	}},
	{"base", "all", 1, func(time.Time, time.Duration, *lagoonPurchase) bool { return true }},
	{"weekend", "weekend dining", 1, func(l time.Time, _ time.Duration, p *lagoonPurchase) bool {
		return p.category == "DINING" && (l.Weekday() == time.Friday || l.Weekday() == time.Saturday)
	}},
	{"campaign", "spring campaign", 2, func(l time.Time, _ time.Duration, p *lagoonPurchase) bool {
		return p.category == "SHOPPING" && l.Month() == time.March && l.Year() >= 2024 && l.Year() <= 2026
	}},
	{"newcomer", "new member", 1, func(_ time.Time, age time.Duration, _ *lagoonPurchase) bool {
		return age >= 0 && age < 60*24*time.Hour
	}},
}

// won are the rules that apply to a purchase, once and for all.
func (e *lagoonRulesPlan) won(a *lagoonAccount, p *lagoonPurchase) []lagoonRule {
	rules := e.winners[p]
	if rules != nil {
		return rules
	}
	local, age := p.at.In(e.zone), p.at.Sub(a.opened)
	for _, r := range lagoonRulebook {
		if n := len(rules); (n == 0 || rules[n-1].group != r.group) && r.match(local, age, p) {
			rules = append(rules, r)
		}
	}
	e.winners[p] = rules
	return rules
}

func (e *lagoonRulesPlan) percent(a *lagoonAccount, p *lagoonPurchase) (sum int64) {
	for _, r := range e.won(a, p) {
		sum += r.percent
	}
	return sum
}

// worth is what is left of the purchases that are old enough, and what nameless returns
// take of it at most, by number of return.
func (e *lagoonRulesPlan) worth(a *lagoonAccount, now time.Time, prudent bool, age time.Duration) (left []int64, sum int64, unnamed map[int]int64) {
	old := func(p *lagoonPurchase) bool { return !p.at.After(now.Add(-age)) }
	percent := make([]int64, len(a.purchases))
	for i, p := range a.purchases {
		percent[i] = e.percent(a, p)
	}
	match := lagoonMatch{prudent: prudent, rank: func(p *lagoonPurchase) int64 { return percent[p.index] },
		fits: func(p *lagoonPurchase, _ *lagoonReturn) bool { return old(p) }}
	left, parts := a.net(now, match)
	for i, p := range a.purchases {
		for _, r := range e.won(a, p) {
			if old(p) {
				sum += left[i] * r.percent / 100
			}
		}
	}
	unnamed = map[int]int64{}
	for _, part := range parts {
		for _, r := range e.won(a, part.purchase) {
			take := min(sum, lagoonUp(part.amount, r.percent, 100))
			unnamed[part.refund.index] += take
			sum -= take
		}
	}
	return left, sum, unnamed
}

// post brings all entries to what they should be; cause is the return behind it, if any.
func (e *lagoonRulesPlan) post(a *lagoonAccount, now time.Time, cause string) {
	left, _, unnamed := e.worth(a, now, false, 0)
	for i, p := range a.purchases {
		for _, r := range e.won(a, p) {
			a.level(p.id+"\x00"+r.group, left[i]*r.percent/100, Posting{At: now, Transaction: p.id, Refund: cause, Note: r.name})
		}
	}
	for i, r := range a.returns {
		a.level("\x00"+strconv.Itoa(i), -unnamed[i], Posting{At: now, Refund: r.id, Note: "return without a purchase"})
	}
}

func (e *lagoonRulesPlan) settled(a *lagoonAccount, _ *lagoonPurchase, now time.Time) {
	e.post(a, now, "")
}

func (e *lagoonRulesPlan) returned(a *lagoonAccount, r *lagoonReturn, now time.Time) {
	e.post(a, now, r.id)
}

func (e *lagoonRulesPlan) redeemable(a *lagoonAccount, now time.Time) int64 {
	_, all, _ := e.worth(a, now, true, 0)
	_, mature, _ := e.worth(a, now, true, lagoonRulesMaturity)
	return a.free(min(all, mature))
}
