package reward_test

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"recoup/reward"
)

// attributeTypes are what only accounts of programs with layers hear.
var attributeTypes = []reward.Type{reward.AttributeSet, reward.AttributeSet, reward.AttributeWithdrawn, reward.AttributeDismissed, reward.AccountOpened}

// occasion says when a purchase was made, and what labels it has, where terms ask.
func (tr *traceDraw) occasion(e *reward.Event) {
	if tr.program.Layers == nil {
		return
	}
	switch how := tr.roll("labels"); {
	case how < 30:
		e.Labels = reward.MakeLabels(map[string]string{"channel": pick(tr.t, "channel", "online", "shop")})
	case how < 35:
		e.Labels = reward.MakeLabels(map[string]string{"channel": "app", "hall": "a"})
	}
	if tr.roll("purchased") >= 85 {
		e.Purchased = e.Time - reward.Day/2*reward.Instant(pick(tr.t, "purchased before", 0, 1, 4, -1))
	}
}

// inUnit has an amount in what rewards are in.
func (tr *traceDraw) inUnit(e *reward.Event) {
	if e.Currency == tr.program.Currency {
		e.Currency = tr.program.RewardUnit()
	}
}

// drawPromises draws a program that says more than a plain one.
func drawPromises(t *rapid.T, tiered bool) *reward.Program {
	p := drawProgram(t)
	if tiered {
		p.Method = reward.Rerate
	}
	p.Rules = nil
	zones := map[string]*time.Location{"none": nil}
	for _, name := range []string{"Europe/Rome", "America/New_York", "Africa/Cairo", "Pacific/Apia"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		zones[name] = zone
	}
	p.Zone = zones[pick(t, "zone", "none", "none", "Europe/Rome", "America/New_York", "Africa/Cairo", "Pacific/Apia")]
	p.StatementDay = pick(t, "statement day", 0, 0, 15, 28)
	if pick(t, "unit of rewards", "", "", "PTS") != "" {
		p.Reward = reward.Unit{Name: "PTS"}
	}
	d := &promiseDraw{t: t, p: p, caps: map[string]reward.Rule{}}
	for i := range pick(t, "layers", 1, 1, 2, 3) {
		l := reward.Layer{ID: fmt.Sprintf("l%d", i)}
		for range pick(t, "rules", 1, 2, 3, 0) {
			l.Rules = append(l.Rules, d.rule())
		}
		p.Layers = append(p.Layers, l)
	}
	if p.Method == reward.Rerate {
		for range pick(t, "bonuses", 0, 1, 2) {
			p.Bonuses = append(p.Bonuses, d.bonus())
		}
		if tiered {
			d.tiers()
		}
	}
	return p
}

type promiseDraw struct {
	t    *rapid.T
	p    *reward.Program
	n    int
	caps map[string]reward.Rule
}

func (d *promiseDraw) id(letter string) string {
	d.n++
	return fmt.Sprintf("%s%d", letter, d.n)
}

func (d *promiseDraw) rate() (reward.Rate, reward.Fraction) {
	if d.p.Reward.Name != "" || pick(d.t, "fraction", 0, 0, 0, 1) == 1 {
		return 0, pick(d.t, "so many for so many", reward.Fraction{Num: 3, Den: 100}, reward.Fraction{Num: 2, Den: 7}, reward.Fraction{Num: 1, Den: 1000}, reward.Fraction{Num: 3, Den: 2})
	}
	return pick[reward.Rate](d.t, "rate", 5_000_000, 1_000_000, 4_750_000, 333_000), reward.Fraction{}
}

func (d *promiseDraw) per() reward.Period {
	return pick(d.t, "per", reward.PerCycle, reward.PerMonth, reward.PerQuarter, reward.PerWeek, reward.PerDay, reward.PerYear, reward.PerLifetime)
}

func (d *promiseDraw) rule() reward.Rule {
	t := d.t
	r := reward.Rule{ID: d.id("r"), Cap: reward.NoCap}
	r.Rate, r.Exact = d.rate()
	if pick(t, "matches", 0, 1) == 1 {
		r.Match = d.match()
	}
	if pick(t, "excepts", 0, 0, 0, 1) == 1 {
		r.Except = d.match()
	}
	rerate := d.p.Method == reward.Rerate
	if rerate {
		r.Minimum = pick[int64](t, "minimum", 0, 0, 0, 2_000, 10_000)
		r.Unit = pick[int64](t, "unit", 0, 0, 0, 100)
		r.AtMost = pick[int64](t, "at most", 0, 0, 0, 20, 300)
	}
	limit := pick(t, "limit", "none", "cap", "cap", "shared", "places", "steps", "whole")
	if !rerate && (limit == "places" || limit == "steps" || limit == "whole") {
		limit = "cap"
	}
	switch limit {
	case "cap":
		r.Cap, r.Per = pick[int64](t, "cap", 600, 150, 7, 2_000, 0), d.per()
	case "shared":
		name := pick(t, "shared", "s1", "s2")
		if like, known := d.caps[name]; known {
			r.Cap, r.Per = like.Cap, like.Per
		} else {
			r.Cap, r.Per = pick[int64](t, "cap", 600, 150, 2_000), d.per()
			d.caps[name] = r
		}
		r.Shared = name
	case "places":
		r.Places, r.Per = pick[int64](t, "places", 1, 2, 4), d.per()
	case "steps", "whole":
		r.AtMost, r.Per, r.Whole = 0, d.per(), limit == "whole"
		first := reward.Step{Rate: r.Rate, Exact: r.Exact}
		r.Rate, r.Exact = 0, reward.Fraction{}
		r.Steps = []reward.Step{first}
		for i := range pick(t, "steps", 1, 2) {
			s := reward.Step{From: int64(i+1) * pick[int64](t, "from", 10_000, 3_000)}
			if s.From <= r.Steps[i].From {
				break
			}
			s.Rate, s.Exact = d.rate()
			if r.Whole {
				s.Rate, s.Exact = 0, reward.Fraction{Num: 2 + int64(i), Den: 1}
			}
			r.Steps = append(r.Steps, s)
		}
	}
	return r
}

func (d *promiseDraw) match() (m reward.Match) {
	more := new(reward.PurchaseMatch)
	date := func(days int) *reward.Date {
		x := reward.DateOf(time.Date(2026, 1, 5+days, 0, 0, 0, 0, time.UTC))
		return &x
	}
	switch pick(d.t, "match", "category", "merchant", "label", "account", "weekday", "from", "until", "within") {
	case "category":
		m.Categories = pick(d.t, "categories", []string{"GROCERY"}, []string{"OTHER", "GAS"})
		return m
	case "merchant":
		m.Merchants = map[string]bool{"m1": true}
		return m
	case "label":
		more.Labels = map[string][]string{"channel": {"online", "app"}}
	case "account":
		more.Account = map[string][]string{"spring": {"on"}}
	case "weekday":
		more.Weekdays = []time.Weekday{time.Monday, time.Saturday, time.Sunday}
	case "from":
		more.From = date(pick(d.t, "from", 1, 20))
	case "until":
		more.Until = date(pick(d.t, "until", 40, 5))
	case "within":
		more.Within = &reward.Within{Days: pick(d.t, "days", 20, 60), Of: pick(d.t, "of", "opened", "plan")}
	}
	m.Purchase = more
	return m
}

func (d *promiseDraw) bonus() reward.Bonus {
	t := d.t
	b := reward.Bonus{ID: d.id("b")}
	b.Per = d.per()
	b.Minimum = pick[int64](t, "minimum", 0, 0, 2_000)
	b.Unit = pick[int64](t, "unit", 0, 0, 100)
	if pick(t, "matches", 0, 1) == 1 {
		b.Match = d.match()
	}
	switch pick(t, "bonus for", "spend", "purchases", "every", "every so many") {
	case "spend":
		b.Spend = []reward.Goal{{From: pick[int64](t, "from", 10_000, 3_000), Reward: 300}, {From: 25_000, Reward: pick[int64](t, "reward", 900, 5_000)}}
	case "purchases":
		b.Purchases = []reward.Goal{{From: pick[int64](t, "from", 2, 1), Reward: 300}, {From: 4, Reward: 900}}
	case "every so many":
		b.Every = reward.Every{Purchases: pick[int64](t, "for each", 2, 1, 3), Reward: 250, AtMost: pick[int64](t, "times", 0, 2)}
	default:
		b.Every = reward.Every{Spend: pick[int64](t, "for each", 5_000, 10_000), Reward: 250, AtMost: pick[int64](t, "times", 0, 2)}
	}
	return b
}

// drawPromisedTerms draws one version or two; the second changes what may change at
// any cycle.
func drawPromisedTerms(t *rapid.T) *reward.Program { return promisedTerms(t, false) }

// drawTieredTerms draws programs with tiers, most of them.
func drawTieredTerms(t *rapid.T) *reward.Program { return promisedTerms(t, true) }

func promisedTerms(t *rapid.T, tiered bool) *reward.Program {
	first := drawPromises(t, tiered)
	if pick(t, "versions", 1, 1, 1, 2) == 1 {
		return first
	}
	second := *first
	second.ExpiryMonths = pick(t, "expires then after months", first.ExpiryMonths, 0, 1, 3)
	second.MaturityDays = pick(t, "maturity days then", 0, 20)
	second.Redemption.AfterClosing = true
	first.Version, second.Version = 1, 2
	second.From = reward.Cycle(2026*12 + pick(t, "in force from", 1, 2, 3))
	second.Earlier = first
	return &second
}
