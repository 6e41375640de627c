package program

import (
	"fmt"
	"maps"
	"slices"
	"strings"

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

// Describe says what a program means.
func Describe(p *reward.Program) Meaning {
	w := &words{p, Telling(p)}
	m := Meaning{Program: p.ID, Currency: p.Currency, RewardUnit: p.RewardUnit(), Rules: []Said{}, Bonuses: []Said{}, Tiers: []Said{}, Terms: w.terms(), Year: worstOf(p), Notices: append([]string{}, Notices(p)...)}
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

// words writes amounts of a program.
type words struct {
	p    *reward.Program
	told reward.Telling
}

func (w *words) rule(r *reward.Rule, follows bool) string {
	text := w.which(&r.Match, &r.Earning, follows) + " earn "
	switch {
	case len(r.Steps) > 0:
		var steps []string
		for _, s := range r.Steps {
			steps = append(steps, fmt.Sprintf("%s from %s", w.rate(s.Rate, s.Exact), w.told.Spend(s.From)))
		}
		text += strings.Join(steps, ", ") + " of the spend in " + perWords(r.Per)
		if r.Whole {
			text += ", the highest reached on all of it"
		}
	default:
		text += w.rate(r.Rate, r.Exact)
	}
	text += w.units(&r.Earning)
	if r.AtMost > 0 {
		text += fmt.Sprintf(", at most %s for one purchase", w.told.Reward(r.AtMost))
	}
	if r.Places > 0 {
		text += fmt.Sprintf(", the first %s in %s", counted(r.Places, "purchase"), perWords(r.Per))
	}
	if r.Cap != reward.NoCap {
		text += fmt.Sprintf(", up to %s in %s", w.told.Reward(r.Cap), perWords(r.Per))
		if r.Shared != "" {
			text += fmt.Sprintf(" together with all rules that share %s", r.Shared)
		}
	}
	return text + "."
}

func (w *words) bonus(b *reward.Bonus) string {
	var ways []string
	for _, g := range b.Spend {
		ways = append(ways, fmt.Sprintf("%s once they come to %s", w.told.Reward(g.Reward), w.told.Spend(g.From)))
	}
	for _, g := range b.Purchases {
		there := "there are " + FormatCount(g.From)
		if g.From == 1 {
			there = "there is one"
		}
		ways = append(ways, fmt.Sprintf("%s once %s of them", w.told.Reward(g.Reward), there))
	}
	if e := &b.Every; e.Reward > 0 {
		each := w.told.Spend(e.Spend) + " of spend"
		switch {
		case e.Purchases == 1:
			each = "one of them"
		case e.Purchases > 0:
			each = FormatCount(e.Purchases) + " of them"
		}
		way := fmt.Sprintf("%s for every %s", w.told.Reward(e.Reward), each)
		if e.AtMost > 0 {
			way += ", at most " + counted(e.AtMost, "time")
		}
		ways = append(ways, way)
	}
	often := "in "
	if b.Per == reward.PerLifetime && b.Every.Reward == 0 {
		often = "once in "
	}
	return w.which(&b.Match, &b.Earning, false) + " earn a bonus " + often + perWords(b.Per) + ": " + strings.Join(ways, ", or ") + w.units(&b.Earning) + "."
}

// tier says what earns a status, and who has it when.
func (w *words) tier(x *reward.Tier) string {
	levels := make([]string, len(x.Spend))
	for i, l := range x.Spend {
		levels[i] = fmt.Sprintf("%s from %s", l.Tier, w.told.Spend(l.From))
	}
	text := fmt.Sprintf("%s count towards it in %s: %s", w.which(&x.Match, &x.Earning, false), perWords(x.Per), strings.Join(levels, ", "))
	if x.Next {
		return text + w.units(&x.Earning) + ". A purchase is made at the level that those of the period before it reach, without what of them came back."
	}
	return text + w.units(&x.Earning) + ". A purchase is made at the level that those before it in the period reach, without what of them came back."
}

// which says which purchases something is for, and what must be left of them.
func (w *words) which(match *reward.Match, e *reward.Earning, follows bool) string {
	kept := ""
	if e.Minimum > 0 {
		kept = fmt.Sprintf("of which at least %s is kept", w.told.Spend(e.Minimum))
	}
	text := "All purchases"
	switch parts := matchParts(match); {
	case len(parts) > 0:
		if kept != "" {
			parts = append(parts, kept)
		}
		text = "Purchases " + listed(parts, "and")
	case follows:
		text = "All other purchases"
		fallthrough
	case kept != "":
		text = strings.TrimSuffix(text+" "+kept, " ")
	}
	if parts := matchParts(&e.Except); len(parts) > 0 {
		text += ", but none " + strings.Join(parts, " or ") + ","
	}
	return text
}

// units says what of a purchase counts.
func (w *words) units(e *reward.Earning) string {
	if e.Unit > 1 {
		return fmt.Sprintf(", on whole units of %s", w.told.Spend(e.Unit))
	}
	return ""
}

func (w *words) rate(r reward.Rate, exact reward.Fraction) string {
	if exact.Den == 0 {
		return r.String()
	}
	return w.told.Reward(exact.Num) + " for each " + w.told.Spend(exact.Den)
}

// perWords is a period.
func perWords(per reward.Period) string {
	switch per {
	case reward.PerCycle:
		return "a billing cycle"
	case reward.PerQuarter, reward.PerYear, reward.PerMonth:
		return "a calendar " + per.String()
	case reward.PerLifetime:
		return "an account's life"
	}
	return "a " + per.String()
}

func counted(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return FormatCount(n) + " " + noun
}

func matchParts(m *reward.Match) (parts []string) {
	if len(m.Categories) > 0 {
		parts = append(parts, "of category "+oneOf(m.Categories))
	}
	if len(m.MCCs) > 0 {
		codes := make([]string, len(m.MCCs))
		for i, r := range m.MCCs {
			codes[i] = r.First.String()
			if r.Last != r.First {
				codes[i] += "–" + r.Last.String()
			}
		}
		parts = append(parts, "of merchant category code "+oneOf(codes))
	}
	if len(m.Merchants) > 0 {
		parts = append(parts, "at merchant "+oneOf(slices.Sorted(maps.Keys(m.Merchants))))
	}
	x := m.Purchase
	if x == nil {
		return parts
	}
	for _, id := range slices.Sorted(maps.Keys(x.Tiers)) {
		parts = append(parts, "made at "+id+" "+oneOf(x.Tiers[id]))
	}
	for _, name := range slices.Sorted(maps.Keys(x.Labels)) {
		parts = append(parts, "labelled "+name+" "+oneOf(x.Labels[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(x.Account)) {
		parts = append(parts, "while the account's "+name+" is "+oneOf(x.Account[name]))
	}
	if x.Weekdays != nil {
		days := make([]string, len(x.Weekdays))
		for i, d := range x.Weekdays {
			days[i] = d.String()
		}
		parts = append(parts, "on a "+oneOf(days))
	}
	if x.From != nil {
		parts = append(parts, "from "+x.From.String()+" on")
	}
	if x.Until != nil {
		parts = append(parts, "before "+x.Until.String())
	}
	if x.Within != nil {
		of := "after " + x.Within.Of
		if x.Within.Of == "opened" {
			of = "of the account"
		}
		parts = append(parts, fmt.Sprintf("in the first %s %s", dayCount(x.Within.Days), of))
	}
	return parts
}

// mostNamed is how many values of a rule are named before the others are counted.
const mostNamed = 12

func oneOf(values []string) string {
	if rest := len(values) - mostNamed; rest > 0 {
		return strings.Join(values[:mostNamed], ", ") + fmt.Sprintf(" or one of %d others", rest)
	}
	return listed(values, "or")
}

// listed joins one text or more, the last with a word.
func listed(texts []string, word string) string {
	last := len(texts) - 1
	if last == 0 {
		return texts[0]
	}
	return strings.Join(texts[:last], ", ") + " " + word + " " + texts[last]
}
