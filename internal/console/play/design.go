package play

import (
	"slices"
	"strings"

	"recoup/internal/console/locale"
	"recoup/internal/lab/design"
	"recoup/reward"
)

// Choice is a design that can be played.
type Choice struct {
	Name    string      // as the lab has it: "V3(a)", "Recoup (rerate)"
	Key     string      // as links have it: "v3a", "recoup-rerate"
	Group   locale.Text // a heading for the designs of its kind, which stand together
	Summary locale.Text // what it does, in a few words
}

// Title is the name as people of any language say it.
func (c Choice) Title() locale.Text { return locale.Text(c.Name) }

// Designs returns what can be played, in the lab's order: the paper's issuers, its
// algorithms taken literally, Recoup in several settings, and loyalty platforms.
func Designs() []Choice {
	var list []Choice
	for _, d := range append(design.All(), vendors()...) {
		group := locale.Text("Issuers in the paper")
		switch {
		case strings.HasPrefix(d.Source, "Algorithms"):
			group = "The paper's algorithms, as printed"
		case d.Source == "Recoup":
			group = "Recoup"
		case d.Source == "Loyalty platforms":
			group = "Loyalty platforms that keep what they gave"
		}
		list = append(list, Choice{d.Name, key(d.Name), group, locale.Text(d.Title)})
	}
	return list
}

func vendors() (list []design.Design) {
	for _, v := range design.Vendors() {
		list = append(list, v.Design)
	}
	return list
}

// DesignsUnder are those that can say the terms of a program: the paper's know rules with
// a rate and a monthly cap alone.
func DesignsUnder(p Program) []Choice {
	terms := p.Terms()
	return slices.DeleteFunc(Designs(), func(c Choice) bool { return !canSay(c.Name, terms) })
}

func canSay(name string, terms *reward.Program) bool {
	d, err := design.Find(name)
	return err == nil && d.CanSay(terms)
}

// key writes a name for links: small letters and digits, with a dash for each gap.
func key(name string) string {
	name = strings.NewReplacer("(", "", ")", "").Replace(strings.ToLower(name))
	return strings.ReplaceAll(name, " ", "-")
}

// choice finds a design by its name or its key.
func choice(name string) (Choice, error) {
	var keys []string
	for _, c := range Designs() {
		if name == c.Name || name == c.Key {
			return c, nil
		}
		keys = append(keys, c.Key)
	}
	return Choice{}, locale.Errorf("design %s: expected one of %s", quote(name), strings.Join(keys, ", "))
}
