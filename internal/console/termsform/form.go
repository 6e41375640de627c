package termsform

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"recoup/internal/console/locale"
	"recoup/reward"
)

// MostFields bounds how large a form may be.
const MostFields = 4000

// Field is one value of the terms.
type Field struct {
	Name    string // of the form's field: the path of the member, such as rules.0.rate
	Label   locale.Text
	Hint    locale.Text
	Kind    string
	Value   string
	Choices []locale.Text
}

// Group is fields that belong together, with groups and lists below them.
type Group struct {
	Path   string
	Title  locale.Text
	Hint   locale.Text
	Name   string // of an item: what it is called
	Fields []Field
	Groups []Group
	Lists  []List
	Given  bool // something in it is given
	First  bool // of the items of a list
}

// List is groups in order, to which more can be added.
type List struct {
	Path              string
	Title, Hint, Noun locale.Text
	Items             []Group
}

// Form is the terms of a file.
type Form struct {
	Top Group
	// Kept is what the file has and the form has no field for. It stays as it is.
	Kept []Kept
	// CanLayer: its rules can be made the first of several layers.
	CanLayer bool
}

// Kept is a place of a file that a form has no field for, and why.
type Kept struct {
	Path string
	Why  locale.Text
}

// New makes a form of a file, with amounts as a locale writes them. The error says why there is none: only the file itself can
// be changed then.
func New(document string, l *locale.Locale) (*Form, error) {
	tree, err := read(document)
	if err != nil {
		return nil, err
	}
	b := newBuilder(tree, l)
	f := &Form{Top: b.group(root, tree.Content[0], "")}
	if b.fields > MostFields {
		return nil, fmt.Errorf("the form would have %d fields, more than %d", b.fields, MostFields)
	}
	f.Kept = b.kept
	f.CanLayer = find(tree.Content[0], "rules") != nil && find(tree.Content[0], "layers") == nil
	return f, nil
}

// builder makes fields of nodes.
type builder struct {
	locale        *locale.Locale
	spend, earned reward.Unit
	fields        int
	kept          []Kept
}

func newBuilder(tree *yaml.Node, l *locale.Locale) *builder {
	top := tree.Content[0]
	b := &builder{locale: l, spend: reward.Unit{Name: scalarOf(find(top, "currency"))}}
	b.earned = b.spend
	if unit := find(top, "reward"); unit != nil {
		b.earned = reward.Unit{Name: scalarOf(find(unit, "unit"))}
		if n, err := strconv.Atoi(scalarOf(find(unit, "decimals"))); err == nil && n >= 0 && n <= 6 {
			b.earned.Decimals = n
		}
	}
	return b
}

func (b *builder) keep(path string, why locale.Text) {
	b.kept = append(b.kept, Kept{path, why})
}

// group makes the fields of a mapping, which may be missing.
func (b *builder) group(members []member, n *yaml.Node, path string) (g Group) {
	g.Path, g.Given = path, n != nil
	b.strangers(members, n, path)
	for _, m := range members {
		at := below(path, m.key)
		value := find(n, m.key)
		switch m.kind {
		case group:
			if value != nil && (value.Kind != yaml.MappingNode || !plain(value)) {
				b.keep(at, "it is not written as members")
				continue
			}
			inner := b.group(m.members, value, at)
			inner.Title, inner.Hint = m.label, m.hint
			g.Groups = append(g.Groups, inner)
		case items:
			if m.key == "rules" && path == "" && value == nil && find(n, "layers") != nil || m.key == "layers" && value == nil {
				continue // rules or layers
			}
			if l, ok := b.list(m, value, at); ok {
				g.Lists = append(g.Lists, l)
			}
		default:
			if f, ok := b.field(m, value, at); ok {
				g.Fields = append(g.Fields, f)
			}
		}
	}
	return g
}

// strangers names the members that no form has.
func (b *builder) strangers(members []member, n *yaml.Node, path string) {
	seen := make(map[string]bool)
	for i := 0; n != nil && i+1 < len(n.Content); i += 2 {
		key := n.Content[i].Value
		switch {
		case !slices.ContainsFunc(members, func(m member) bool { return m.key == key }):
			b.keep(below(path, key), "the form has no field for it")
		case seen[key]:
			b.keep(below(path, key), "it is given twice; the form shows the first")
		}
		seen[key] = true
	}
}

func (b *builder) list(m member, n *yaml.Node, path string) (l List, ok bool) {
	l = List{Path: path, Title: m.label, Hint: m.hint, Noun: m.noun}
	if n == nil {
		return l, true
	}
	if n.Kind != yaml.SequenceNode || !plain(n) {
		b.keep(path, "it is not written as a list")
		return l, false
	}
	for i, item := range n.Content {
		at := below(path, strconv.Itoa(i))
		if item.Kind != yaml.MappingNode || !plain(item) {
			b.keep(at, "it is not written as members")
			continue
		}
		if b.fields > MostFields {
			return l, true // there is none of so many
		}
		g := b.group(m.members, item, at)
		g.Title, g.First = m.noun, i == 0
		if id := find(item, "id"); id != nil {
			g.Name = id.Value
		}
		l.Items = append(l.Items, g)
	}
	return l, true
}

// field makes a field of a value, which may be missing.
func (b *builder) field(m member, n *yaml.Node, path string) (f Field, ok bool) {
	b.fields++
	f = Field{Name: path, Label: m.label, Hint: m.hint, Kind: string(m.kind), Choices: m.choices}
	if n == nil {
		return f, true
	}
	if f.Value, ok = b.show(m, n); !ok {
		b.keep(path, "the form has no field for how it is written")
	}
	return f, ok
}

// show writes a value as a field has it; ok is false where it could not be read back as it
// is.
func (b *builder) show(m member, n *yaml.Node) (value string, ok bool) {
	switch m.kind {
	case list:
		return texts(n)
	case names:
		return linesOf(n)
	case cycle:
		if n.Kind == yaml.ScalarNode {
			return "", plain(n) && n.Value == "calendar_month"
		}
		day := find(n, "day")
		return scalarOf(day), day != nil && len(n.Content) == 2 && plain(n) && plain(day) && isWhole(day.Value)
	}
	if n.Kind != yaml.ScalarNode || !plain(n) || n.Tag == "!!null" || n.Value == "" || strings.TrimSpace(n.Value) != n.Value || strings.ContainsAny(n.Value, "\r\n") {
		return "", false
	}
	switch m.kind {
	case spend:
		return b.shown(n.Value, b.spend)
	case earned:
		return b.shown(n.Value, b.earned)
	case rate:
		if _, err := reward.ParseRate(n.Value); err == nil {
			return b.locale.Decimal(n.Value), true
		}
	case number:
		return n.Value, isWhole(n.Value)
	case choice:
		return n.Value, slices.Contains(m.choices, locale.Text(n.Value))
	}
	return n.Value, true
}

func scalarOf(n *yaml.Node) string {
	if n == nil {
		return ""
	}
	return n.Value
}

// texts joins a list of texts by commas.
func texts(n *yaml.Node) (string, bool) {
	if n.Kind != yaml.SequenceNode || !plain(n) || len(n.Content) == 0 {
		return "", false
	}
	values := make([]string, len(n.Content))
	for i, item := range n.Content {
		values[i] = item.Value
		if item.Kind != yaml.ScalarNode || !plain(item) || item.Value == "" || strings.ContainsAny(item.Value, ",\r\n") || strings.TrimSpace(item.Value) != item.Value {
			return "", false
		}
	}
	return strings.Join(values, ", "), true
}

// linesOf writes lists by name, each on a line.
func linesOf(n *yaml.Node) (string, bool) {
	if n.Kind != yaml.MappingNode || !plain(n) {
		return "", false
	}
	var lines []string
	seen := make(map[string]bool)
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i].Value
		values, ok := texts(n.Content[i+1])
		if !ok || name == "" || seen[name] || strings.ContainsAny(name, ":\r\n") || strings.TrimSpace(name) != name {
			return "", false
		}
		seen[name] = true
		lines = append(lines, name+": "+values)
	}
	return strings.Join(lines, "\n"), len(lines) > 0
}

// isWhole reports whether a text is a whole number as forms write it.
func isWhole(s string) bool {
	n, err := strconv.ParseInt(s, 10, 64)
	return err == nil && n >= 0 && strconv.FormatInt(n, 10) == s
}

// shown writes minor units as an amount.
func (b *builder) shown(text string, unit reward.Unit) (string, bool) {
	minor, err := strconv.ParseInt(text, 10, 64)
	if err != nil || !isWhole(text) {
		return "", false
	}
	return b.locale.Plain(minor, unit), true
}

func below(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
