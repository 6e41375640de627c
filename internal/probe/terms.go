package probe

import (
	"maps"
	"slices"
	"strings"

	"recoup/program"
	"recoup/reward"
)

// Terms are what a target promises to cardholders: given in a program file, or
// found out by purchases.
type Terms struct {
	// Given: the terms are those of a program file. Only the timing was observed.
	Given bool `json:"given"`
	// Program are the terms as a program. When it grants and claws back is what was
	// observed.
	Program *reward.Program `json:"-"`
	// File is the program as a program file.
	File string `json:"file"`
	// Rounding says how rewards are rounded to minor units, empty if that is not
	// known.
	Rounding string `json:"rounding,omitempty"`
	// Observed is what was seen, and how; Untold what could not be told.
	Observed []Observed `json:"observed,omitempty"`
	Untold   []string   `json:"untold,omitempty"`
	// Varies: the same purchase earns another reward in another month.
	Varies bool `json:"varies_by_month,omitzero"`
	// Calls is how many calls the inference took.
	Calls int `json:"calls"`
}

// Observed is one thing that was found out of a target by trying.
type Observed struct {
	What string `json:"what"` // such as "rate of GROCERY", or of several "rate of GAS, DINING"
	Is   string `json:"is"`   // such as "5%"
	How  string `json:"how"`  // such as "$1,000,000.00 earned $50,000.00"
}

// GivenTerms are the terms of a program file.
func GivenTerms(p *reward.Program) *Terms {
	t := &Terms{Given: true, Program: p}
	t.write()
	return t
}

func (t *Terms) write() { t.File = string(program.Write(t.Program)) }

// saw notes what was found out. What is the same of several, and was seen in the same
// way, is one note: "rate of GAS, DINING".
func (t *Terms) saw(what, is, how string) {
	i := slices.IndexFunc(t.Observed, func(o Observed) bool { return o.Is == is && o.How == how })
	if i < 0 {
		t.Observed = append(t.Observed, Observed{what, is, how})
		return
	}
	o := &t.Observed[i]
	if kind, name, ok := strings.Cut(what, " of "); ok && strings.HasPrefix(o.What, kind+" of ") && !strings.Contains(o.What, ";") {
		o.What += ", " + name
		return
	}
	o.What += "; " + what
}

func (t *Terms) untold(why string) { t.Untold = append(t.Untold, why) }

// Spot is where a purchase is made: what a settlement says of it.
type Spot struct {
	Merchant string `json:"merchant"`
	MCC      string `json:"mcc,omitempty"`
	Category string `json:"category,omitempty"`
}

// String names the category, or the code, or says that there is neither.
func (s Spot) String() string {
	switch {
	case s.Category != "":
		return s.Category
	case s.MCC != "":
		return "code " + s.MCC
	}
	return "no category"
}

// rule returns the index of the program's rule for purchases there.
func (s Spot) rule(p *reward.Program) int {
	code, _ := reward.ParseMCC(s.MCC)
	return p.RuleFor(reward.Terms{Merchant: s.Merchant, MCC: code, Category: s.Category})
}

// spots are where purchases are tried: in each built-in category and in none,
// where the target takes codes also by a few of these, and, where terms are given,
// in the categories, by the codes and at the merchants that their rules name.
func spots(can *Capabilities, given *reward.Program) []Spot {
	const merchant = "m1"
	var list []Spot
	for _, c := range categories(can) {
		list = append(list, Spot{Merchant: merchant, Category: c})
	}
	list = append(list, Spot{Merchant: merchant})
	if can.MCC {
		for _, code := range []string{"5411", "5541", "5812", "4722", "5999"} {
			list = append(list, Spot{Merchant: merchant, MCC: code})
		}
	}
	add := func(s Spot) {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	for _, rule := range rulesOf(given) {
		m := &rule.Match
		merchants := append([]string{merchant}, slices.Sorted(maps.Keys(m.Merchants))...)
		for _, name := range merchants {
			for _, c := range append([]string{""}, m.Categories...) {
				add(Spot{Merchant: name, Category: c})
				for _, r := range m.MCCs {
					if can.MCC {
						add(Spot{Merchant: name, MCC: r.First.String(), Category: c})
					}
				}
			}
		}
	}
	return list
}

// rulesOf are all rules of terms, those of layers too; of nil, none.
func rulesOf(p *reward.Program) []reward.Rule {
	if p == nil {
		return nil
	}
	rules := slices.Clone(p.Rules)
	for i := range p.Layers {
		rules = append(rules, p.Layers[i].Rules...)
	}
	return rules
}

// categories are those that a target names or, where it names none, the built-in ones and
// what else cards pay more for.
func categories(can *Capabilities) []string {
	if can.Categories != nil {
		return can.Categories
	}
	return append(program.BuiltInCategories(), "FUEL", "ONLINE")
}

// spotOf returns where a purchase falls under each of the rules, as far as there
// is such a place.
func spotOf(p *reward.Program, can *Capabilities) map[int]Spot {
	found := map[int]Spot{}
	for _, s := range spots(can, p) {
		if rule := s.rule(p); found[rule] == (Spot{}) {
			found[rule] = s
		}
	}
	return found
}
