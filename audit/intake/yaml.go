package intake

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// node is one value of a mapping file and the way to it. As in program files,
// anchors, aliases and tags are refused and no member may be given twice.
// Unlike there, a scalar is read as it is written, whatever YAML takes it for:
// a column may be called 7, and a value NO.
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
	switch {
	case n.yaml.Kind == yaml.MappingNode:
		return n.fail("expected %s, not a mapping", what)
	case n.yaml.Kind == yaml.SequenceNode:
		return n.fail("expected %s, not a list", what)
	case n.null():
		return n.fail("expected %s, not nothing", what)
	}
	return n.fail("expected %s, not %s", what, quote(n.yaml.Value))
}

func (n node) null() bool { return n.yaml.Kind == yaml.ScalarNode && n.yaml.Tag == "!!null" }

// require refuses a value of another kind than the one described.
func (n node) require(kind yaml.Kind, what string) error {
	switch {
	case n.yaml.Kind == yaml.AliasNode || n.yaml.Anchor != "":
		return n.fail("anchors and aliases are not allowed in a mapping; write the value out")
	case n.yaml.Style&yaml.TaggedStyle != 0:
		return n.fail("tags such as %s are not allowed in a mapping", quote(n.yaml.Tag))
	case n.yaml.Kind != kind:
		return n.expected(what)
	}
	return nil
}

// entry is one member of a YAML mapping.
type entry struct {
	name string
	key  node // the name itself, with its place
	node
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,40}$`)

// entries returns the members of a YAML mapping in the order of the file.
func (n node) entries() ([]entry, error) {
	if err := n.require(yaml.MappingNode, "a mapping"); err != nil {
		return nil, err
	}
	members := n.yaml.Content
	if len(members)/2 > maxList {
		return nil, n.fail("expected at most %d members, not %d", maxList, len(members)/2)
	}
	entries := make([]entry, 0, len(members)/2)
	lines := make(map[string]int, len(members)/2)
	for i := 0; i < len(members); i += 2 {
		key := node{n.file, n.path, members[i]}
		name, err := key.text("a name")
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

// items returns the values of a list, at least one.
func (n node) items() ([]node, error) {
	if err := n.require(yaml.SequenceNode, "a list"); err != nil {
		return nil, err
	}
	if len(n.yaml.Content) == 0 || len(n.yaml.Content) > maxList {
		return nil, n.fail("expected a list of 1 to %d values, not %d", maxList, len(n.yaml.Content))
	}
	items := make([]node, len(n.yaml.Content))
	for i, content := range n.yaml.Content {
		items[i] = node{n.file, fmt.Sprintf("%s[%d]", n.path, i), content}
	}
	return items, nil
}

// text returns a scalar as it is written, at least one character.
func (n node) text(what string) (string, error) {
	if err := n.require(yaml.ScalarNode, what); err != nil {
		return "", err
	}
	switch value := n.yaml.Value; {
	case n.null() || value == "":
		return "", n.expected(what)
	case len(value) > maxText:
		return "", n.fail("expected %s of at most %d bytes, not %d", what, maxText, len(value))
	default:
		return value, nil
	}
}

// word returns one of the words.
func (n node) word(words ...string) (string, error) {
	what := join(words)
	value, err := n.text(what)
	if err == nil && !slices.Contains(words, value) {
		err = n.expected(what)
	}
	return value, err
}

// whole returns a number from 0 to most.
func (n node) whole(most int) (int, error) {
	what := fmt.Sprintf("a whole number from 0 to %d", most)
	value, err := n.text(what)
	if err != nil {
		return 0, err
	}
	number, err := strconv.Atoi(value)
	if err != nil || number < 0 || number > most || strconv.Itoa(number) != value {
		return 0, n.expected(what)
	}
	return number, nil
}

// member says how one member of a YAML mapping is read.
type member struct {
	name string
	read func(node) error
}

// members reads a YAML mapping of these members and no others.
func (n node) members(known ...member) error {
	entries, err := n.entries()
	if err != nil {
		return err
	}
	for _, e := range entries {
		i := slices.IndexFunc(known, func(m member) bool { return m.name == e.name })
		if i < 0 {
			names := make([]string, len(known))
			for i, m := range known {
				names[i] = m.name
			}
			return e.key.fail("unknown member; expected one of %s", strings.Join(names, ", "))
		}
		if err := known[i].read(e.node); err != nil {
			return err
		}
	}
	return nil
}
