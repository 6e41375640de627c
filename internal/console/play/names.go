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

// Goods that categories are of, as purchases are called.
const (
	theGroceries locale.Text = "the groceries"
	theFuel      locale.Text = "the fuel"
)

// Names are what people call the purchases of a run, in its order: "the groceries". Links
// and files call them t1, t2 and so on.
func (r Run) Names() []string {
	var names []string
	times := make(map[string]int)
	other := 0
	for i := range r.Moves {
		m := &r.Moves[i]
		if m.Kind != Buy {
			continue
		}
		name := "the " + Goods(m.Category)
		if m.Category == "" {
			name = string(things[other%len(things)])
			other++
		}
		if times[name]++; times[name] > 1 {
			name += " (" + strconv.Itoa(times[name]) + ")"
		}
		names = append(names, name)
	}
	return names
}

// name is what people call a purchase; one that is not in the run is yet to come.
func (r Run) name(n int) string {
	if names := r.Names(); n <= len(names) {
		return names[n-1]
	}
	return "what is yet to be bought"
}

// Goods are what a category is of, in people's words; "" for none.
func Goods(category string) string {
	switch category {
	case grocery:
		return strings.TrimPrefix(string(theGroceries), "the ")
	case "GAS", "FUEL":
		return strings.TrimPrefix(string(theFuel), "the ")
	}
	return strings.ReplaceAll(strings.ToLower(category), "_", " ")
}

// Shop is what people call a merchant: m1 is the corner shop, others are as they are.
func Shop(merchant string) string {
	if n, ok := number(strings.TrimPrefix(merchant, "m"), len(shops)); ok && merchant[0] == 'm' {
		return string(shops[n-1])
	}
	return merchant
}

// Word is what people choose: a word as links have it, and what people call it.
type Word struct{ Word, Name string }

// Shops are where something can be bought: those that everybody knows, and those that a
// program is about.
func (p Program) Shops() (list []Word) {
	for i := range shops {
		word := "m" + strconv.Itoa(i+1)
		list = append(list, Word{word, Shop(word)})
	}
	for _, m := range p.matches() {
		for _, word := range slices.Sorted(maps.Keys(m.Merchants)) {
			if w := (Word{word, Shop(word)}); !slices.Contains(list, w) {
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

// Marks are what a purchase says of itself besides shop and category, in people's words.
func Marks(m Move) string {
	text := ""
	if m.Code != "" {
		text += ", code " + m.Code
	}
	for name, value := range m.Labels.All() {
		text += ", " + name + " " + value
	}
	return text
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
