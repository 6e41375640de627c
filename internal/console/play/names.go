package play

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"recoup/internal/console/locale"
	"recoup/reward"
)

// things are what is bought where no category says it.
var things = []locale.Text{
	"the headphones", "the coat", "the lamp", "the kettle", "the backpack", "the camera", "the chair", "the blender", "the tent", "the watch", "the radio", "the carpet",
}

// shops are what stands on the doors of m1, m2 and so on.
var shops = []locale.Text{"the corner shop", "the market hall", "the department store", "the outlet"}

// goods are what categories are of: as purchases are called, and as one says what one buys.
// Every category of the gallery's programs is here.
var goods = map[string]struct{ the, bare locale.Text }{
	grocery:       {"the groceries", "groceries"},
	"GAS":         {"the fuel", "fuel"},
	"FUEL":        {"the fuel", "fuel"},
	"DINING":      {"the dining", "dining"},
	"ELECTRONICS": {"the electronics", "electronics"},
	"FRESH":       {"the fresh food", "fresh food"},
	"HOME":        {"the home goods", "home goods"},
	"TRAVEL":      {"the travel", "travel"},
}

// Names are what people call the purchases of a run, in its order: "the groceries". Links
// and files call them t1, t2 and so on.
func (r Run) Names(l *locale.Locale) []string {
	var names []string
	times := make(map[string]int)
	other := 0
	for i := range r.Moves {
		m := &r.Moves[i]
		if m.Kind != Buy {
			continue
		}
		name := l.Say(goods[m.Category].the)
		switch {
		case m.Category == "":
			name = l.Say(things[other%len(things)])
			other++
		case name == "":
			name = l.Sprintf("the %s", Goods(l, m.Category))
		}
		if times[name]++; times[name] > 1 {
			name += " (" + strconv.Itoa(times[name]) + ")"
		}
		names = append(names, name)
	}
	return names
}

// Goods are what a category is of, in people's words; "" for none. One that nobody has words
// for is said as it is written.
func Goods(l *locale.Locale, category string) string {
	if g, known := goods[category]; known {
		return l.Say(g.bare)
	}
	return strings.ReplaceAll(strings.ToLower(category), "_", " ")
}

// Shop is what people call a merchant: m1 is the corner shop, others are as they are.
func Shop(l *locale.Locale, merchant string) string {
	if n, ok := number(strings.TrimPrefix(merchant, "m"), len(shops)); ok && merchant[0] == 'm' {
		return l.Say(shops[n-1])
	}
	return merchant
}

// Word is what people choose: a word as links have it, and what people call it.
type Word struct{ Word, Name string }

// Shops are where something can be bought: those that everybody knows, and those that a
// program is about.
func (p Program) Shops(l *locale.Locale) (list []Word) {
	for i := range shops {
		word := "m" + strconv.Itoa(i+1)
		list = append(list, Word{word, Shop(l, word)})
	}
	for _, m := range p.matches() {
		for _, word := range slices.Sorted(maps.Keys(m.Merchants)) {
			if w := (Word{word, Shop(l, word)}); !slices.Contains(list, w) {
				list = append(list, w)
			}
		}
	}
	return list
}

// matches are what the rules, bonuses and tiers of a program match, and what they except.
func (p Program) matches() (list []*reward.Match) {
	terms := p.Terms()
	add := func(match, except *reward.Match) { list = append(list, match, except) }
	for i := range terms.Bonuses {
		add(&terms.Bonuses[i].Match, &terms.Bonuses[i].Except)
	}
	for i := range terms.Tiers {
		add(&terms.Tiers[i].Match, &terms.Tiers[i].Except)
	}
	for _, l := range terms.Layers {
		for i := range l.Rules {
			add(&l.Rules[i].Match, &l.Rules[i].Except)
		}
	}
	for i := range terms.Rules {
		add(&terms.Rules[i].Match, &terms.Rules[i].Except)
	}
	return list
}

// Kept is what of the purchases shown has not gone back, in minor units.
func (r Run) Kept() (sum int64) {
	bought := 0
	for _, m := range r.shown() {
		if m.Kind == Buy {
			bought++
			_, left := r.purchase(bought)
			sum += left
		}
	}
	return sum
}
