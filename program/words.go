package program

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"recoup/reward"
)

// Said is what one rule, bonus or tier of a program means, in a sentence.
type Said struct {
	Layer string `json:"layer,omitempty"` // of a rule, where there are several
	ID    string `json:"id"`
	Says  string `json:"says"`
}

// Meaning is what a program means in words: a sentence for each rule, bonus and tier, and
// for what holds of all of them.
type Meaning struct {
	Program    string   `json:"program"`
	Currency   string   `json:"currency"`
	RewardUnit string   `json:"reward_unit"`
	Rules      []Said   `json:"rules"`
	Bonuses    []Said   `json:"bonuses"`
	Tiers      []Said   `json:"tiers"`
	Terms      []string `json:"terms"` // time, refunds, redemptions and expiry
	Year       Worst    `json:"year"`
	Notices    []string `json:"notices"`
}

// Describe says what a program means, in English and plain amounts.
func Describe(p *reward.Program) Meaning { return DescribeAs(p, Telling(p)) }

// DescribeAs says it in the words and amounts of who reads it.
func DescribeAs(p *reward.Program, told reward.Telling) Meaning {
	w := &words{p, told}
	m := Meaning{Program: p.ID, Currency: p.Currency, RewardUnit: p.RewardUnit(), Rules: []Said{}, Bonuses: []Said{}, Tiers: []Said{}, Terms: w.terms(), Year: worstOf(p), Notices: append([]string{}, w.notices()...)}
	for _, l := range layersOf(p) {
		for i := range l.Rules {
			s := Said{ID: l.Rules[i].ID, Says: w.rule(&l.Rules[i], i > 0)}
			if len(p.Layers) > 1 {
				s.Layer = l.ID
			}
			m.Rules = append(m.Rules, s)
		}
	}
	for i := range p.Bonuses {
		m.Bonuses = append(m.Bonuses, Said{ID: p.Bonuses[i].ID, Says: w.bonus(&p.Bonuses[i])})
	}
	for i := range p.Tiers {
		m.Tiers = append(m.Tiers, Said{ID: p.Tiers[i].ID, Says: w.tier(&p.Tiers[i])})
	}
	return m
}

// layersOf are the layers of a program, of a plain one its rules.
func layersOf(p *reward.Program) []reward.Layer {
	if p.Layers == nil {
		return []reward.Layer{{ID: baseLayer, Rules: p.Rules}}
	}
	return p.Layers
}

// words writes sentences and amounts of a program. What a sentence is put together of stands
// between commas, or by itself in it, so that it can be said in another language.
type words struct {
	p    *reward.Program
	told reward.Telling
}

func (w *words) tell(format string, args ...any) string {
	if w.told.Say != nil {
		return w.told.Say(format, args...)
	}
	return fmt.Sprintf(format, args...)
}

// count writes a whole number: in thousands where it is English.
func (w *words) count(n int64) string {
	if w.told.Say != nil {
		return strconv.FormatInt(n, 10)
	}
	return FormatCount(n)
}

func (w *words) rule(r *reward.Rule, follows bool) string {
	var parts []string
	if len(r.Steps) > 0 {
		var steps []string
		for _, s := range r.Steps {
			steps = append(steps, w.tell("%s from %s", w.rate(s.Rate, s.Exact), w.told.Spend(s.From)))
		}
		parts = append(parts, w.tell("%s of the spend %s", strings.Join(steps, ", "), w.in(r.Per)))
		if r.Whole {
			parts = append(parts, w.tell("the highest reached on all of it"))
		}
	} else {
		parts = append(parts, w.rate(r.Rate, r.Exact))
	}
	parts = w.units(parts, &r.Earning)
	if r.AtMost > 0 {
		parts = append(parts, w.tell("at most %s for one purchase", w.told.Reward(r.AtMost)))
	}
	switch {
	case r.Places == 1:
		parts = append(parts, w.tell("the first purchase %s", w.in(r.Per)))
	case r.Places > 0:
		parts = append(parts, w.tell("the first %s purchases %s", w.count(r.Places), w.in(r.Per)))
	}
	switch {
	case r.Cap == reward.NoCap:
	case r.Shared != "":
		parts = append(parts, w.tell("up to %s %s together with all rules that share %s", w.told.Reward(r.Cap), w.in(r.Per), r.Shared))
	default:
		parts = append(parts, w.tell("up to %s %s", w.told.Reward(r.Cap), w.in(r.Per)))
	}
	return w.tell("%s earn %s.", w.which(&r.Match, &r.Earning, follows), strings.Join(parts, ", "))
}

func (w *words) bonus(b *reward.Bonus) string {
	var ways []string
	for _, g := range b.Spend {
		ways = append(ways, w.tell("%s once they come to %s", w.told.Reward(g.Reward), w.told.Spend(g.From)))
	}
	for _, g := range b.Purchases {
		if g.From == 1 {
			ways = append(ways, w.tell("%s once there is one of them", w.told.Reward(g.Reward)))
		} else {
			ways = append(ways, w.tell("%s once there are %s of them", w.told.Reward(g.Reward), w.count(g.From)))
		}
	}
	if e := &b.Every; e.Reward > 0 {
		ways = append(ways, w.every(e))
	}
	all := ways[0]
	for _, way := range ways[1:] {
		all = w.tell("%s, or %s", all, way)
	}
	which := w.which(&b.Match, &b.Earning, false)
	what := strings.Join(w.units([]string{all}, &b.Earning), ", ")
	if b.Per == reward.PerLifetime && b.Every.Reward == 0 {
		return w.tell("%s earn a bonus once %s: %s.", which, w.in(b.Per), what)
	}
	return w.tell("%s earn a bonus %s: %s.", which, w.in(b.Per), what)
}

// every is what a bonus pays again and again.
func (w *words) every(e *reward.Every) string {
	var way string
	switch {
	case e.Purchases == 1:
		way = w.tell("%s for every one of them", w.told.Reward(e.Reward))
	case e.Purchases > 0:
		way = w.tell("%s for every %s of them", w.told.Reward(e.Reward), w.count(e.Purchases))
	default:
		way = w.tell("%s for every %s of spend", w.told.Reward(e.Reward), w.told.Spend(e.Spend))
	}
	switch {
	case e.AtMost == 1:
		return w.tell("%s, at most 1 time", way)
	case e.AtMost > 0:
		return w.tell("%s, at most %s times", way, w.count(e.AtMost))
	}
	return way
}

// tier says what earns a status, and who has it when.
func (w *words) tier(x *reward.Tier) string {
	levels := make([]string, len(x.Spend))
	for i, l := range x.Spend {
		levels[i] = w.tell("%s from %s", l.Tier, w.told.Spend(l.From))
	}
	what := strings.Join(w.units(levels, &x.Earning), ", ")
	which := w.which(&x.Match, &x.Earning, false)
	if x.Next {
		return w.tell("%s count towards it %s: %s. A purchase is made at the level that those of the period before it reach, without what of them came back.", which, w.in(x.Per), what)
	}
	return w.tell("%s count towards it %s: %s. A purchase is made at the level that those before it in the period reach, without what of them came back.", which, w.in(x.Per), what)
}

// which says which purchases something is for, and what must be left of them.
func (w *words) which(match *reward.Match, e *reward.Earning, follows bool) string {
	asked := w.matchParts(match)
	text := w.tell("All purchases")
	if len(asked) == 0 && follows {
		text = w.tell("All other purchases")
	}
	if e.Minimum > 0 {
		asked = append(asked, w.tell("of which at least %s is kept", w.told.Spend(e.Minimum)))
	}
	switch {
	case len(asked) == 1 && e.Minimum > 0:
		text = w.tell("%s %s", text, asked[0])
	case len(asked) > 0:
		text = w.tell("Purchases %s", w.and(asked))
	}
	if excepted := w.matchParts(&e.Except); len(excepted) > 0 {
		none := excepted[0]
		for _, part := range excepted[1:] {
			none = w.tell("%s or %s", none, part)
		}
		text = w.tell("%s, but none %s,", text, none)
	}
	return text
}

// units adds what of a purchase counts.
func (w *words) units(parts []string, e *reward.Earning) []string {
	if e.Unit > 1 {
		parts = append(parts, w.tell("on whole units of %s", w.told.Spend(e.Unit)))
	}
	return parts
}

func (w *words) rate(r reward.Rate, exact reward.Fraction) string {
	if exact.Den == 0 {
		return r.String()
	}
	return w.tell("%s for each %s", w.told.Reward(exact.Num), w.told.Spend(exact.Den))
}

// in is within which period something counts.
func (w *words) in(per reward.Period) string {
	switch per {
	case reward.PerCycle:
		return w.tell("in a billing cycle")
	case reward.PerDay:
		return w.tell("in a day")
	case reward.PerWeek:
		return w.tell("in a week")
	case reward.PerMonth:
		return w.tell("in a calendar month")
	case reward.PerQuarter:
		return w.tell("in a calendar quarter")
	case reward.PerYear:
		return w.tell("in a calendar year")
	}
	return w.tell("in an account's life")
}

// days are so many days.
func (w *words) days(n int) string {
	if n == 1 {
		return w.tell("1 day")
	}
	return w.tell("%s days", w.count(int64(n)))
}

// weekday is the name of a day of the week.
func (w *words) weekday(d time.Weekday) string {
	return [...]string{
		w.tell("Sunday"), w.tell("Monday"), w.tell("Tuesday"), w.tell("Wednesday"), w.tell("Thursday"), w.tell("Friday"), w.tell("Saturday"),
	}[d]
}

func (w *words) matchParts(m *reward.Match) (parts []string) {
	if len(m.Categories) > 0 {
		parts = append(parts, w.tell("of category %s", w.oneOf(m.Categories)))
	}
	if len(m.MCCs) > 0 {
		codes := make([]string, len(m.MCCs))
		for i, r := range m.MCCs {
			codes[i] = r.First.String()
			if r.Last != r.First {
				codes[i] += "–" + r.Last.String()
			}
		}
		parts = append(parts, w.tell("of merchant category code %s", w.oneOf(codes)))
	}
	if len(m.Merchants) > 0 {
		parts = append(parts, w.tell("at merchant %s", w.oneOf(slices.Sorted(maps.Keys(m.Merchants)))))
	}
	x := m.Purchase
	if x == nil {
		return parts
	}
	for _, id := range slices.Sorted(maps.Keys(x.Tiers)) {
		parts = append(parts, w.tell("made at %s %s", id, w.oneOf(x.Tiers[id])))
	}
	for _, name := range slices.Sorted(maps.Keys(x.Labels)) {
		parts = append(parts, w.tell("labelled %s %s", name, w.oneOf(x.Labels[name])))
	}
	for _, name := range slices.Sorted(maps.Keys(x.Account)) {
		parts = append(parts, w.tell("while the account's %s is %s", name, w.oneOf(x.Account[name])))
	}
	if x.Weekdays != nil {
		days := make([]string, len(x.Weekdays))
		for i, d := range x.Weekdays {
			days[i] = w.weekday(d)
		}
		parts = append(parts, w.tell("on a %s", w.oneOf(days)))
	}
	if x.From != nil {
		parts = append(parts, w.tell("from %s on", x.From))
	}
	if x.Until != nil {
		parts = append(parts, w.tell("before %s", x.Until))
	}
	switch {
	case x.Within == nil:
	case x.Within.Of == "opened":
		parts = append(parts, w.tell("in the first %s of the account", w.days(x.Within.Days)))
	default:
		parts = append(parts, w.tell("in the first %s after %s", w.days(x.Within.Days), x.Within.Of))
	}
	return parts
}

// mostNamed is how many values of a rule are named before the others are counted.
const mostNamed = 12

func (w *words) oneOf(values []string) string {
	if rest := len(values) - mostNamed; rest > 0 {
		return w.tell("%s or one of %s others", strings.Join(values[:mostNamed], ", "), w.count(int64(rest)))
	}
	last := len(values) - 1
	if last == 0 {
		return values[0]
	}
	return w.tell("%s or %s", strings.Join(values[:last], ", "), values[last])
}

// and joins one text or more.
func (w *words) and(texts []string) string {
	last := len(texts) - 1
	if last == 0 {
		return texts[0]
	}
	return w.tell("%s and %s", strings.Join(texts[:last], ", "), texts[last])
}
