package play

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"recoup/examples/programs"
	"recoup/program"
	"recoup/reward"
)

// galleried is a program of the gallery that can be played.
type galleried struct {
	about string // the first line of its file
	terms *reward.Program
	text  []byte // the same as program.Write has it
}

// gallery reads the programs of the gallery once. Moves say a shop and a category and are
// in money, so a program that asks for more, or whose rewards are in points, is not played.
var gallery = sync.OnceValue(func() map[string]galleried {
	list := make(map[string]galleried)
	for _, name := range programs.Names() {
		document, _ := programs.Document(name)
		terms, err := program.Parse(name+".yaml", document)
		if err != nil {
			panic("play: " + err.Error()) // it is part of the binary
		}
		if terms.Currency == Currency && terms.Reward == (reward.Unit{}) && !asksForMore(terms) {
			about, _, _ := strings.Cut(string(document), "\n")
			list[name] = galleried{strings.TrimSuffix(strings.TrimPrefix(about, "# "), "."), terms, program.Write(terms)}
		}
	}
	return list
})

// asksForMore reports whether terms go by what no move says: labels, or attributes but
// when the account was opened.
func asksForMore(p *reward.Program) bool {
	asks := func(m *reward.Match) bool {
		x := m.Purchase
		return m.MCCs != nil && m.Categories == nil && m.Merchants == nil ||
			x != nil && (x.Labels != nil || x.Account != nil || x.Within != nil && x.Within.Of != "opened")
	}
	for i := range p.Bonuses {
		if asks(&p.Bonuses[i].Match) || asks(&p.Bonuses[i].Except) {
			return true
		}
	}
	for i := range p.Layers {
		for j := range p.Layers[i].Rules {
			if r := &p.Layers[i].Rules[j]; asks(&r.Match) || asks(&r.Except) {
				return true
			}
		}
	}
	return false
}

// GalleryProgram is a program of the gallery that can be chosen.
type GalleryProgram struct {
	Name  string // its id, as links have it
	About string // what it promises, in a line
}

// Gallery returns the programs of the gallery that can be played, by name.
func Gallery() []GalleryProgram {
	var list []GalleryProgram
	for name, g := range gallery() {
		list = append(list, GalleryProgram{name, g.about})
	}
	slices.SortFunc(list, func(a, b GalleryProgram) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// About says in a line what a program of the gallery promises; "" for other terms.
func (p Program) About() string { return gallery()[p.Name].about }

// Under is an account with nothing played yet under a program of the gallery, at the
// first design that keeps what such a program gives, beside Recoup.
func Under(name string) (Run, error) {
	r := Run{Left: "Bonus stays", Right: "Recoup", Program: Program{Name: name}}
	terms, known := gallery()[name]
	if !known {
		return Run{}, unknownProgram(name)
	}
	if len(terms.terms.Bonuses) == 0 {
		r.Left = "Level stays"
	}
	return r, r.Check()
}

func unknownProgram(name string) error {
	var names []string
	for _, g := range Gallery() {
		names = append(names, g.Name)
	}
	return fmt.Errorf("program %s: expected one of the gallery's: %s", quote(name), strings.Join(names, ", "))
}

// galleryName finds the program of the gallery that terms are, under whatever id.
func galleryName(terms *reward.Program) (name string, ok bool) {
	for name, g := range gallery() {
		same := *terms
		same.ID = g.terms.ID
		if bytes.Equal(program.Write(&same), g.text) {
			return name, true
		}
	}
	return "", false
}

// wares are what is worth buying under a program: a purchase for each shop or category
// that its rules and bonuses are about, of what its first bonus or level asks for.
func (p Program) wares() []Move {
	if p.Name == "" {
		return []Move{{Kind: Buy, Amount: usualPrice, Category: grocery, Merchant: usualShop}}
	}
	const most = 2
	var list []Move
	terms := gallery()[p.Name].terms
	add := func(m *reward.Match, price int64) {
		ware := Move{Kind: Buy, Amount: max(price, usualPrice), Merchant: usualShop}
		if m.Merchants != nil {
			ware.Merchant = slices.Sorted(maps.Keys(m.Merchants))[0]
			ware.Amount = max(price, stampPrice)
		}
		if m.Categories != nil {
			ware.Category = m.Categories[0]
		}
		same := func(o Move) bool { return o.Merchant == ware.Merchant && o.Category == ware.Category }
		if len(list) < most && !slices.ContainsFunc(list, same) {
			list = append(list, ware)
		}
	}
	for i := range terms.Bonuses {
		b := &terms.Bonuses[i]
		price := max(b.Minimum, b.Every.Spend)
		if len(b.Spend) > 0 {
			price = b.Spend[0].From
		}
		add(&b.Match, price)
	}
	for i := range terms.Tiers {
		add(&terms.Tiers[i].Match, terms.Tiers[i].Spend[0].From)
	}
	for _, l := range terms.Layers {
		for i := range l.Rules {
			add(&l.Rules[i].Match, l.Rules[i].Minimum)
		}
	}
	for i := range terms.Rules {
		add(&terms.Rules[i].Match, 0)
	}
	return list
}
