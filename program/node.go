package program

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// Limits on every value of a program file.
const (
	MaxText = 256    // bytes of an id, a category or a merchant
	MaxList = 10_000 // values of a list, as many as there are codes
)

const noAliases = "anchors and aliases are not allowed in a program; write the value out"

// node is one value of a program file and the way to it.
type node struct {
	file string
	path string // "" at the top
	yaml *yaml.Node
}

// fail returns an error about the value.
func (n node) fail(format string, args ...any) error {
	return &Error{File: n.file, Line: n.yaml.Line, Member: n.path, Reason: fmt.Sprintf(format, args...)}
}

// expected returns an error that says what should have been there, and what is.
func (n node) expected(what string) error {
	found := quote(n.yaml.Value)
	switch {
	case n.yaml.Kind == yaml.MappingNode:
		found = "a mapping"
	case n.yaml.Kind == yaml.SequenceNode:
		found = "a list"
	case n.yaml.Tag == "!!null":
		found = "nothing"
	case n.yaml.Tag != "!!str":
		found = clip(n.yaml.Value)
	}
	return n.fail("expected %s, not %s", what, found)
}

// require refuses a value of another kind than the one described.
func (n node) require(kind yaml.Kind, what string) error {
	switch {
	case n.yaml.Kind == yaml.AliasNode || n.yaml.Anchor != "":
		return n.fail(noAliases)
	case n.yaml.Style&yaml.TaggedStyle != 0:
		return n.fail("tags such as %s are not allowed in a program", quote(n.yaml.Tag))
	case n.yaml.Kind != kind:
		return n.expected(what)
	}
	return nil
}

// plain reports whether the value is a scalar without quotes.
func (n node) plain() bool {
	return n.yaml.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
}

// entry is one member of a mapping.
type entry struct {
	name string
	key  node // the name itself, with its place
	node
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,40}$`)

// entries returns the members of a mapping in the order of the file; no two
// have one name.
func (n node) entries() ([]entry, error) {
	if err := n.require(yaml.MappingNode, "a mapping"); err != nil {
		return nil, err
	}
	members := n.yaml.Content
	entries := make([]entry, 0, len(members)/2)
	lines := make(map[string]int, len(members)/2)
	for i := 0; i < len(members); i += 2 {
		key := node{n.file, n.path, members[i]}
		name, err := key.text()
		if err != nil {
			return nil, err
		}
		path := name
		if !plainName.MatchString(name) {
			path = quote(name)
		}
		if n.path != "" {
			path = n.path + "." + path
		}
		key.path = path
		if line, ok := lines[name]; ok {
			return nil, key.fail("given twice, first on line %d", line)
		}
		lines[name] = key.yaml.Line
		entries = append(entries, entry{name, key, node{n.file, path, members[i+1]}})
	}
	return entries, nil
}

// items returns the values of a list, which must hold at least one: an empty
// list of conditions could be taken for none of them or for no condition.
func (n node) items() ([]node, error) {
	if err := n.require(yaml.SequenceNode, "a list"); err != nil {
		return nil, err
	}
	if len(n.yaml.Content) == 0 {
		return nil, n.fail("expected a list of at least one value, not an empty one")
	}
	if len(n.yaml.Content) > MaxList {
		return nil, n.fail("expected a list of at most %d values, not %d", MaxList, len(n.yaml.Content))
	}
	items := make([]node, len(n.yaml.Content))
	for i, content := range n.yaml.Content {
		items[i] = node{n.file, fmt.Sprintf("%s[%d]", n.path, i), content}
	}
	return items, nil
}

// text returns a scalar that is text: not empty, not a number or a date
// without quotes.
func (n node) text() (string, error) {
	const want = "text"
	if err := n.require(yaml.ScalarNode, want); err != nil {
		return "", err
	}
	value := n.yaml.Value
	switch {
	case n.yaml.Tag == "!!null":
		return "", n.expected(want)
	case n.yaml.Tag != "!!str":
		return "", n.expected(fmt.Sprintf("text (in quotes: %s)", quote(value)))
	case value == "":
		return "", n.expected("text of at least one character")
	case len(value) > MaxText:
		return "", n.expected(fmt.Sprintf("text of at most %d bytes", MaxText))
	case strings.ContainsFunc(value, unicode.IsControl):
		return "", n.expected("text without control characters")
	}
	return value, nil
}

// member says how one member of a mapping is read.
type member struct {
	name    string
	missing string // what was expected where it is missing; "" where it may be
	read    func(node) error
}

func required(name, what string, read func(node) error) member { return member{name, what, read} }

func optional(name string, read func(node) error) member { return member{name, "", read} }

// mapping reads a mapping of these members and no others.
func (n node) mapping(members ...member) error {
	entries, err := n.entries()
	if err != nil {
		return err
	}
	given := make(map[string]bool, len(entries))
	for _, e := range entries {
		given[e.name] = true
		known := slices.IndexFunc(members, func(m member) bool { return m.name == e.name })
		if known < 0 {
			return e.key.unknown(members)
		}
		if err := members[known].read(e.node); err != nil {
			return err
		}
	}
	for _, m := range members {
		if m.missing != "" && !given[m.name] {
			path := m.name
			if n.path != "" {
				path = n.path + "." + path
			}
			return node{n.file, path, n.yaml}.fail("missing; expected %s", m.missing)
		}
	}
	return nil
}

// unknown refuses a name that is none of those of the members.
func (n node) unknown(members []member) error {
	names := make([]string, len(members))
	for i, m := range members {
		names[i] = m.name
	}
	return n.fail("unknown member; expected one of %s", strings.Join(names, ", "))
}

// text reads text into dst.
func text(dst *string) func(node) error {
	return func(n node) (err error) {
		*dst, err = n.text()
		return err
	}
}

var wholeNumber = regexp.MustCompile(`^(0|[1-9][0-9]*)$`)

// whole reads a number of units from 0 to most into dst: decimal digits, no
// quotes, so that no other notation of YAML is taken for something else.
func whole[T int | int64](dst *T, units string, most T) func(node) error {
	return func(n node) error {
		want := fmt.Sprintf("a whole number of %s from 0 to %d", units, most)
		if err := n.require(yaml.ScalarNode, want); err != nil {
			return err
		}
		value, err := strconv.ParseInt(n.yaml.Value, 10, 64)
		if err != nil || !n.plain() || !wholeNumber.MatchString(n.yaml.Value) || value > int64(most) {
			return n.expected(want)
		}
		*dst = T(value)
		return nil
	}
}

// option is one of the words that a member may have.
type option[T any] struct {
	word  string
	value T
}

// choice reads one of two words into dst.
func choice[T any](dst *T, a, b option[T]) func(node) error {
	return func(n node) error {
		want := a.word + " or " + b.word
		if err := n.require(yaml.ScalarNode, want); err != nil {
			return err
		}
		switch n.yaml.Value {
		case a.word:
			*dst = a.value
		case b.word:
			*dst = b.value
		default:
			return n.expected(want)
		}
		return nil
	}
}

// only reads a member that has one possible word so far.
func only(word, why string) func(node) error {
	return func(n node) error {
		want := word + " (" + why + ")"
		if err := n.require(yaml.ScalarNode, want); err != nil {
			return err
		}
		if n.yaml.Value != word {
			return n.expected(want)
		}
		return nil
	}
}
