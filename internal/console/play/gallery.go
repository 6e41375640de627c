package play

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"recoup/examples/programs"
	"recoup/internal/console/locale"
	"recoup/program"
	"recoup/reward"
)

// galleried is a program of the gallery that can be played.
type galleried struct {
	about locale.Text // what it promises, in a line
	terms *reward.Program
	text  []byte // the same as program.Write has it
}

// gallery reads the programs of the gallery once. Months close with the calendar here, in
// UTC, so a program with another cycle or zone is not played.
var gallery = sync.OnceValue(func() map[string]galleried {
	list := make(map[string]galleried)
	for _, name := range programs.Names() {
		document, _ := programs.Document(name)
		terms, err := program.Parse(name+".yaml", document)
		if err != nil {
			panic("play: " + err.Error()) // it is part of the binary
		}
		if terms.Currency == Currency && terms.Zone == nil && terms.StatementDay <= 1 {
			list[name] = galleried{aboutOf(string(document)), terms, program.Write(terms)}
		}
	}
	return list
})

// aboutOf is the first sentence of the comment that a file begins with.
func aboutOf(document string) locale.Text {
	var words []string
	for line := range strings.Lines(document) {
		line, comment := strings.CutPrefix(line, "#")
		if !comment {
			break
		}
		words = append(words, strings.Fields(line)...)
	}
	about, _, _ := strings.Cut(strings.Join(words, " ")+" ", ". ")
	return locale.Text(about)
}

// GalleryProgram is a program of the gallery that can be chosen.
type GalleryProgram struct {
	Name  string      // its id, as links have it
	About locale.Text // what it promises, in a line
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
	return locale.Errorf("program %s: expected one of the gallery's: %s", quote(name), strings.Join(names, ", "))
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
	const most = 3
	var list []Move
	terms := gallery()[p.Name].terms
	add := func(m *reward.Match, price int64) {
		ware := Move{Kind: Buy, Amount: max(price, usualPrice), Merchant: usualShop}
		if m.Merchants != nil {
			ware.Merchant = slices.Sorted(maps.Keys(m.Merchants))[0]
			ware.Amount = max(price, stampPrice)
		}
		switch {
		case m.Categories != nil:
			ware.Category = m.Categories[0]
		case m.MCCs != nil:
			ware.Code = m.MCCs[0].First.String()
		}
		if x := m.Purchase; x != nil && x.Labels != nil {
			first := make(map[string]string)
			for name, values := range x.Labels {
				first[name] = values[0]
			}
			ware.Labels = reward.MakeLabels(first)
		}
		same := func(o Move) bool { o.Amount = ware.Amount; return o == ware }
		if len(list) < most && !slices.ContainsFunc(list, same) && ware.check(0) == nil {
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

// receipt is a purchase of all wares of a program at once, each on a line: what is bought
// at one shop. ok is false where there is only one.
func (p Program) receipt() (m Move, ok bool) {
	m = Move{Kind: Buy, Merchant: usualShop}
	var items []reward.Item
	for i, ware := range p.wares() {
		if ware.Merchant == usualShop && ware.Code == "" {
			items = append(items, reward.Item{ID: "line-" + strconv.Itoa(i+1), Amount: ware.Amount, Category: ware.Category, Labels: ware.Labels})
			m.Amount += ware.Amount
		}
	}
	m.Items = reward.MakeItems(items)
	return m, len(items) > 1 && m.check(0) == nil
}

// offers are the attributes of an account that a program goes by: a move that sets the
// first value of each, but when the account was opened.
func (p Program) offers() (list []Move) {
	add := func(name, value string) {
		m := Move{Kind: Set, Labels: reward.MakeLabels(map[string]string{name: value})}
		if name != "opened" && m.check(0) == nil && !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	for _, match := range p.matches() {
		x := match.Purchase
		if x == nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(x.Account)) {
			for _, value := range x.Account[name] {
				add(name, value)
			}
		}
		if x.Within != nil {
			add(x.Within.Of, "yes")
		}
	}
	return list
}

// Labels are what purchases may be labelled with that a program asks for.
func (p Program) Labels() (list []string) {
	for _, match := range p.matches() {
		if x := match.Purchase; x != nil {
			for _, name := range slices.Sorted(maps.Keys(x.Labels)) {
				for _, value := range x.Labels[name] {
					if label := name + "=" + value; !slices.Contains(list, label) && isWord(name) && isWord(value) {
						list = append(list, label)
					}
				}
			}
		}
	}
	return list
}

// Categories are those that a program asks for, and groceries.
func (p Program) Categories() []string {
	list := []string{grocery}
	for _, match := range p.matches() {
		for _, category := range match.Categories {
			if !slices.Contains(list, category) && isCategory(category) {
				list = append(list, category)
			}
		}
	}
	return list
}

// Decimals says how many decimals the points of a program of the gallery have, by their
// unit.
func Decimals(unit string) (decimals int, known bool) {
	for _, g := range gallery() {
		if g.terms.Reward.Name == unit && unit != "" {
			return g.terms.Reward.Decimals, true
		}
	}
	return 0, false
}

// Unit is what rewards are in.
func (p Program) Unit() reward.Unit { return p.Terms().Units().Reward }
