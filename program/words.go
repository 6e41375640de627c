package program

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"recoup/reward"
)

// Said is what one rule or bonus of a program means, in a sentence.
type Said struct {
	Layer string `json:"layer,omitempty"` // of a rule, where there are several
	ID    string `json:"id"`
	Says  string `json:"says"`
}

// Meaning is what a program means in words: a sentence for each rule and bonus, and for
// what holds of all of them.
type Meaning struct {
	Program    string   `json:"program"`
	Currency   string   `json:"currency"`
	RewardUnit string   `json:"reward_unit"`
	Rules      []Said   `json:"rules"`
	Bonuses    []Said   `json:"bonuses"`
	Terms      []string `json:"terms"` // time, refunds and redemptions
	Year       Worst    `json:"year"`
	Notices    []string `json:"notices"`
}

// Describe says what a program means.
func Describe(p *reward.Program) Meaning {
	w := &words{p, Telling(p)}
	m := Meaning{Program: p.ID, Currency: p.Currency, RewardUnit: p.RewardUnit(), Rules: []Said{}, Bonuses: []Said{}, Terms: w.terms(), Year: worstOf(p), Notices: append([]string{}, Notices(p)...)}
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
	text := MatchWords(&r.Match, &r.Except, follows) + " earn "
	switch {
	case len(r.Steps) > 0:
		var steps []string
		for _, s := range r.Steps {
			steps = append(steps, fmt.Sprintf("%s from %s", w.rate(s.Rate, s.Exact), w.told.Spend(s.From)))
		}
		text += strings.Join(steps, ", ") + " of the spend " + perWords(r.Per)
		if r.Whole {
			text += ", the highest reached on all of it"
		}
	default:
		text += w.rate(r.Rate, r.Exact)
	}
	text += w.counts(&r.Earning)
	if r.AtMost > 0 {
		text += fmt.Sprintf(", at most %s for one purchase", w.told.Reward(r.AtMost))
	}
	if r.Places > 0 {
		text += fmt.Sprintf(", the first %s %s", counted(r.Places, "purchase"), perWords(r.Per))
	}
	if r.Cap != reward.NoCap {
		text += fmt.Sprintf(", up to %s %s", w.told.Reward(r.Cap), perWords(r.Per))
		if r.Shared != "" {
			text += fmt.Sprintf(" together with all rules that share %s", r.Shared)
		}
	}
	return text + "."
}

func (w *words) bonus(b *reward.Bonus) string {
	text := MatchWords(&b.Match, &b.Except, false)
	var steps []string
	add := func(goals []reward.Goal, reached func(int64) string) {
		for _, g := range goals {
			steps = append(steps, fmt.Sprintf("%s once they reach %s", w.told.Reward(g.Reward), reached(g.From)))
		}
	}
	add(b.Spend, w.told.Spend)
	add(b.Purchases, func(n int64) string { return counted(n, "purchase") })
	if b.Every.Reward > 0 {
		each := w.told.Spend(b.Every.Spend)
		if b.Every.Purchases > 0 {
			each = counted(b.Every.Purchases, "purchase")
		}
		s := fmt.Sprintf("%s for each %s", w.told.Reward(b.Every.Reward), each)
		if b.Every.AtMost > 0 {
			s += ", at most " + counted(b.Every.AtMost, "time")
		}
		steps = append(steps, s)
	}
	text += " earn a bonus " + perWords(b.Per) + ": " + strings.Join(steps, ", or ")
	return text + w.counts(&b.Earning) + "."
}

// counts says what of a purchase counts.
func (w *words) counts(e *reward.Earning) (text string) {
	if e.Minimum > 0 {
		text += fmt.Sprintf(", purchases of which at least %s is kept", w.told.Spend(e.Minimum))
	}
	if e.Unit > 1 {
		text += fmt.Sprintf(", on whole units of %s", w.told.Spend(e.Unit))
	}
	return text
}

func (w *words) rate(r reward.Rate, exact reward.Fraction) string {
	if exact.Den == 0 {
		return r.String()
	}
	return w.told.Reward(exact.Num) + " for each " + w.told.Spend(exact.Den)
}

// perWords is how often a period comes.
func perWords(per reward.Period) string {
	switch per {
	case reward.PerCycle:
		return "a billing cycle"
	case reward.PerQuarter, reward.PerYear, reward.PerMonth:
		return "a calendar " + per.String()
	case reward.PerLifetime:
		return "once and for all"
	}
	return "a " + per.String()
}

func counted(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return FormatCount(n) + " " + noun
}

// terms says what holds of all rules.
func (w *words) terms() []string {
	p := w.p
	zone, day := "UTC", "the first"
	if p.Zone != nil {
		zone = p.Zone.String()
	}
	if p.StatementDay > 1 {
		day = fmt.Sprintf("day %d", p.StatementDay)
	}
	list := []string{fmt.Sprintf("A billing cycle begins with %s of a month in %s, and so do days and periods with midnight there.", day, zone)}
	say := func(is bool, yes, no string) {
		if !is {
			yes = no
		}
		list = append(list, yes)
	}
	say(p.Timing.Grant == reward.GrantAtSettlement, "Rewards are granted when a purchase settles.", "Rewards are granted when the statement closes.")
	say(p.Timing.Clawback == reward.ClawbackAtRefund, "A refund takes its reward back when it arrives.", "A refund takes its reward back when the statement closes; until then that is held.")
	say(p.Method == reward.Rerate, "What is taken back is what would not have been earned had the returned part never been bought.", "What is taken back is the returned share of the reward.")
	say(p.MaturityDays > 0, fmt.Sprintf("A reward can be redeemed %s after its purchase posted.", counted(int64(p.MaturityDays), "day")), "A reward can be redeemed at once.")
	if p.Redemption.GraceDays > 0 {
		list = append(list, fmt.Sprintf("Nothing is redeemed for %s after a statement closes.", counted(int64(p.Redemption.GraceDays), "day")))
	}
	if p.Redemption.MinimumBalance > 0 {
		list = append(list, fmt.Sprintf("A redemption leaves %s on the balance.", w.told.Reward(p.Redemption.MinimumBalance)))
	}
	if p.Reward.Name != "" {
		list = append(list, fmt.Sprintf("Rewards are in %s with %s.", p.Reward.Name, counted(int64(p.Reward.Decimals), "decimal")))
	}
	return list
}

// MatchWords says which purchases a rule or bonus is for; follows: others come before it.
func MatchWords(match, except *reward.Match, follows bool) string {
	text := "All purchases"
	if parts := matchParts(match); len(parts) > 0 {
		text = "Purchases " + strings.Join(parts, " and ")
	} else if follows {
		text = "All other purchases"
	}
	if parts := matchParts(except); len(parts) > 0 {
		text += ", but none " + strings.Join(parts, " or ")
	}
	return text
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
		parts = append(parts, fmt.Sprintf("in the first %s after %s", counted(int64(x.Within.Days), "day"), x.Within.Of))
	}
	return parts
}

// mostNamed is how many values of a rule are named before the others are counted.
const mostNamed = 12

func oneOf(values []string) string {
	if rest := len(values) - mostNamed; rest > 0 {
		return strings.Join(values[:mostNamed], ", ") + fmt.Sprintf(" or one of %d others", rest)
	}
	if last := len(values) - 1; last > 0 {
		return strings.Join(values[:last], ", ") + " or " + values[last]
	}
	return values[0]
}
