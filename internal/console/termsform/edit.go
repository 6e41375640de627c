package termsform

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"recoup/internal/console/locale"
	"recoup/program"
	"recoup/reward"
)

// Change applies what a form sent to the file that it was made of: sent returns the value
// of a field, if it was sent. What was not changed stays as it is written. Problems are by
// the names of fields, whose values are not applied; the other changes are.
func Change(document string, l *locale.Locale, sent func(name string) (string, bool)) (out string, problems map[string]*Problem, err error) {
	tree, err := read(document)
	if err != nil {
		return document, nil, err
	}
	e := &editor{builder: newBuilder(tree, l), sent: sent, problems: make(map[string]*Problem)}
	e.group(root, tree.Content[0], "")
	if len(e.changes) == 0 && !e.rebuilt {
		return document, e.problems, nil
	}
	out, err = write(document, tree, e.changes, e.rebuilt)
	if err != nil {
		return document, e.problems, err
	}
	return out, e.problems, nil
}

// Problem is what was expected of a value: a format, for a locale to say, and its values.
type Problem struct {
	Format locale.Text
	Args   []any
}

func expected(format locale.Text, args ...any) *Problem { return &Problem{format, args} }

type editor struct {
	*builder
	sent     func(string) (string, bool)
	problems map[string]*Problem
	changes  []change // in the order of the file
	rebuilt  bool     // more than values was changed
}

// group applies the fields of a mapping that is there.
func (e *editor) group(members []member, n *yaml.Node, path string) {
	for _, m := range members {
		at := below(path, m.key)
		value := find(n, m.key)
		switch {
		case m.kind == items:
			for i := 0; value != nil && value.Kind == yaml.SequenceNode && plain(value) && i < len(value.Content); i++ {
				if item := value.Content[i]; item.Kind == yaml.MappingNode && plain(item) {
					e.group(m.members, item, below(at, strconv.Itoa(i)))
				}
			}
		case m.kind == group && value == nil:
			made := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Style: yaml.FlowStyle}
			if e.group(m.members, made, at); len(made.Content) > 0 {
				put(n, m.key, made)
			}
		case m.kind == group:
			if value.Kind == yaml.MappingNode && plain(value) {
				had := len(value.Content)
				if e.group(m.members, value, at); had > 0 && len(value.Content) == 0 {
					remove(n, m.key)
				}
			}
		default:
			e.field(m, n, value, at)
		}
	}
	slices.SortStableFunc(e.changes, func(x, y change) int {
		if x.old.Line != y.old.Line {
			return x.old.Line - y.old.Line
		}
		return x.old.Column - y.old.Column
	})
}

// field applies what was sent for one value.
func (e *editor) field(m member, in, old *yaml.Node, path string) {
	given, ok := e.sent(path)
	if !ok {
		return
	}
	given = strings.TrimSpace(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(given))
	before, known := "", true
	if old != nil {
		if before, known = e.show(m, old); !known {
			return // the form has no field for it
		}
	}
	if given == before {
		return
	}
	if given == "" {
		remove(in, m.key)
		e.rebuilt = true
		return
	}
	made, problem := e.made(m, given, old)
	if problem != nil {
		e.problems[path] = problem
		return
	}
	if old != nil && old.Kind == yaml.ScalarNode && made.Kind == yaml.ScalarNode {
		e.changes = append(e.changes, change{old, made})
	} else {
		e.rebuilt = true
	}
	put(in, m.key, made)
}

var aDate = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)

// amount reads an amount as the locale writes it, and one with the other mark before decimals
// that cannot be meant otherwise, such as 12,50 in English.
func (e *editor) amount(given string, unit reward.Unit) (int64, error) {
	minor, err := e.locale.ParseUnits(given, unit)
	if _, fraction, has := strings.Cut(given, ","); err != nil && has && len(fraction) < 3 {
		return program.ParseReward(strings.Replace(given, ",", ".", 1), unit)
	}
	return minor, err
}

// made is a value of what was sent.
func (e *editor) made(m member, given string, old *yaml.Node) (*yaml.Node, *Problem) {
	switch m.kind {
	case number:
		if !isWhole(given) {
			return nil, expected("expected a whole number")
		}
		return scalar("!!int", given), nil
	case spend, earned:
		unit := e.spend
		if m.kind == earned {
			unit = e.earned
		}
		minor, err := e.amount(given, unit)
		if err != nil || minor < 0 {
			return nil, expected("expected an amount with at most %d decimals", program.Decimals(unit))
		}
		return scalar("!!int", strconv.FormatInt(minor, 10)), nil
	case date:
		if !aDate.MatchString(given) {
			return nil, expected("expected a date such as 2026-03-01")
		}
		return scalar("!!timestamp", given), nil
	case choice:
		if !slices.Contains(m.choices, locale.Text(given)) {
			return nil, expected("expected one of those to choose from")
		}
		if given == "true" || given == "false" {
			return scalar("!!bool", given), nil
		}
	case cycle:
		if !isWhole(given) {
			return nil, expected("expected a day of the month")
		}
		return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Style: yaml.FlowStyle, Content: []*yaml.Node{scalar("!!str", "day"), scalar("!!int", given)}}, nil
	case rate:
		return scalar("!!str", plainRate(given)), oneLine(given)
	case list:
		return listOf(given, old)
	case names:
		return namesOf(given, old)
	}
	return scalar("!!str", given), oneLine(given)
}

func oneLine(given string) *Problem {
	if strings.Contains(given, "\n") {
		return expected("expected one line")
	}
	return nil
}

// plainRate is a percentage as files write it: with a point before its decimals, where people
// write a comma as well, and no space before its sign. No rate has marks between thousands, so
// neither mark can be meant otherwise. What is no percentage is left to who reads the file.
func plainRate(given string) string {
	plain := strings.Join(strings.Fields(given), "")
	if !strings.Contains(plain, ".") {
		plain = strings.Replace(plain, ",", ".", 1)
	}
	if _, err := reward.ParseRate(plain); err != nil {
		return given
	}
	return plain
}

// listOf reads texts with commas between them. What was there before stays as it was
// written.
func listOf(given string, old *yaml.Node) (*yaml.Node, *Problem) {
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: yaml.FlowStyle}
	before := make(map[string]*yaml.Node)
	if old != nil && old.Kind == yaml.SequenceNode {
		n.Style = old.Style
		for _, item := range old.Content {
			before[item.Value] = item
		}
	}
	for _, value := range strings.Split(given, ",") {
		value = strings.TrimSpace(value)
		if value == "" || strings.Contains(value, "\n") {
			return nil, expected("expected texts with commas between them")
		}
		if there := before[value]; there != nil {
			n.Content = append(n.Content, there)
			delete(before, value)
			continue
		}
		n.Content = append(n.Content, scalar("!!str", value))
	}
	return n, nil
}

// namesOf reads lists by name, each on a line.
func namesOf(given string, old *yaml.Node) (*yaml.Node, *Problem) {
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Style: yaml.FlowStyle}
	if old != nil {
		n.Style = old.Style
	}
	for line := range strings.Lines(given) {
		name, values, ok := strings.Cut(strings.TrimSpace(line), ":")
		if name = strings.TrimSpace(name); !ok || name == "" || find(n, name) != nil {
			return nil, expected("expected lines such as channel: online, app, each with another name")
		}
		list, problem := listOf(values, find(old, name))
		if problem != nil {
			return nil, problem
		}
		put(n, name, list)
	}
	return n, nil
}
