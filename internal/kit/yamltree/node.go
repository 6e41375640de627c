package yamltree

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// Node is one value of a document and the way to it. Its methods return errors
// that are an *Error.
type Node struct {
	doc  *document
	path string // "" at the top
	yaml *yaml.Node
}

// Line returns the line that the value begins on, from 1.
func (n Node) Line() int { return n.yaml.Line }

// Path returns the way to the value, such as rules[1].cap; "" at the top.
func (n Node) Path() string { return n.path }

// Fail returns an error about the value.
func (n Node) Fail(format string, args ...any) error {
	return &Error{File: n.doc.file, Line: n.yaml.Line, Member: n.path, Reason: fmt.Sprintf(format, args...)}
}

// Expected returns an error that says what should have been there, and what is.
func (n Node) Expected(what string) error {
	found := Quote(n.yaml.Value)
	switch {
	case n.yaml.Kind == yaml.MappingNode:
		found = "a mapping"
	case n.yaml.Kind == yaml.SequenceNode:
		found = "a list"
	case n.yaml.Tag == "!!null":
		found = "nothing"
	case n.yaml.Tag != "!!str":
		found = clip(n.yaml.Value, longestShown)
	}
	return n.Fail("expected %s, not %s", what, found)
}

// IsNull reports whether the value is left out or written as ~ or null.
func (n Node) IsNull() bool {
	return n.require(yaml.ScalarNode, "") == nil && n.yaml.Tag == "!!null"
}

// IsScalar reports whether the value is a single one, or none.
func (n Node) IsScalar() bool { return n.yaml.Kind == yaml.ScalarNode }

// IsList reports whether the value is a list.
func (n Node) IsList() bool { return n.yaml.Kind == yaml.SequenceNode }

// require refuses a value of another kind than the one described.
func (n Node) require(kind yaml.Kind, what string) error {
	switch {
	case n.yaml.Kind == yaml.AliasNode || n.yaml.Anchor != "":
		return n.Fail("%s", n.doc.noAliases())
	case n.yaml.Style&yaml.TaggedStyle != 0:
		return n.Fail("tags such as %s are not allowed in a %s", Quote(n.yaml.Tag), n.doc.form.Name)
	case n.yaml.Kind != kind:
		return n.Expected(what)
	}
	return nil
}

// member returns the way to a member.
func (n Node) member(name string) string {
	if n.path == "" {
		return name
	}
	return n.path + "." + name
}

// Entry is one member of a mapping.
type Entry struct {
	Name string
	Key  Node // the name itself, with its place
	Node
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,40}$`)

// Entries returns the members of a mapping in the order of the file; no two
// have one name.
func (n Node) Entries() ([]Entry, error) {
	if err := n.require(yaml.MappingNode, "a mapping"); err != nil {
		return nil, err
	}
	members := n.yaml.Content
	entries := make([]Entry, 0, len(members)/2)
	lines := make(map[string]int, len(members)/2)
	for i := 0; i < len(members); i += 2 {
		key := Node{n.doc, n.path, members[i]}
		name, err := key.Text("text")
		if err != nil {
			return nil, err
		}
		if plainName.MatchString(name) {
			key.path = n.member(name)
		} else {
			key.path = n.member(Quote(name))
		}
		if line, ok := lines[name]; ok {
			return nil, key.Fail("given twice, first on line %d", line)
		}
		lines[name] = key.yaml.Line
		entries = append(entries, Entry{name, key, Node{n.doc, key.path, members[i+1]}})
	}
	return entries, nil
}

// List returns the values of a list, one to MaxList: an empty list of conditions
// could be taken for none of them or for no condition.
func (n Node) List() ([]Node, error) {
	if err := n.require(yaml.SequenceNode, "a list"); err != nil {
		return nil, err
	}
	switch length := len(n.yaml.Content); {
	case length == 0:
		return nil, n.Fail("expected a list of at least one value, not an empty one")
	case length > MaxList:
		return nil, n.Fail("expected a list of at most %d values, not %d", MaxList, length)
	}
	return n.items(), nil
}

// ListOf returns the values of a list that may be empty; what is their name in
// the plural.
func (n Node) ListOf(what string, most int) ([]Node, error) {
	if err := n.require(yaml.SequenceNode, "a list of "+what); err != nil {
		return nil, err
	}
	if length := len(n.yaml.Content); length > most {
		return nil, n.Fail("expected at most %d %s, not %d", most, what, length)
	}
	return n.items(), nil
}

func (n Node) items() []Node {
	items := make([]Node, len(n.yaml.Content))
	for i, content := range n.yaml.Content {
		items[i] = Node{n.doc, fmt.Sprintf("%s[%d]", n.path, i), content}
	}
	return items
}

// Scalar returns a value that is neither a mapping nor a list nor nothing, as it
// is written and of any length. What it should be is for the error.
func (n Node) Scalar(what string) (string, error) {
	if err := n.require(yaml.ScalarNode, what); err != nil {
		return "", err
	}
	if n.yaml.Tag == "!!null" {
		return "", n.Expected(what)
	}
	return n.yaml.Value, nil
}

// Text returns a scalar of one to MaxText bytes. Unless the form is verbatim, it
// is not a number or a date without quotes, and has no control characters. What
// it should be is for the error.
func (n Node) Text(what string) (string, error) {
	value, err := n.Scalar(what)
	switch {
	case err != nil:
		return "", err
	case !n.doc.form.Verbatim && n.yaml.Tag != "!!str":
		return "", n.Expected(fmt.Sprintf("%s (in quotes: %s)", what, Quote(value)))
	case value == "":
		return "", n.Expected(what + " of at least one character")
	case len(value) > MaxText:
		return "", n.Expected(fmt.Sprintf("%s of at most %d bytes", what, MaxText))
	case !n.doc.form.Verbatim && strings.ContainsFunc(value, unicode.IsControl):
		return "", n.Expected(what + " without control characters")
	}
	return value, nil
}

// Find returns what stands below a node under the rest of a path, such as "steps[1]", or
// the nearest above it that is there.
func (n Node) Find(rest string) Node {
	return n.toward(n.member(rest))
}

func (n Node) toward(path string) Node {
	var below []Node
	switch n.yaml.Kind {
	case yaml.SequenceNode:
		below = n.items()
	case yaml.MappingNode:
		entries, _ := n.Entries() // what cannot be read has nothing below it
		for _, e := range entries {
			below = append(below, e.Node)
		}
	}
	for _, b := range below {
		if after, on := strings.CutPrefix(path, b.path); on && (after == "" || after[0] == '.' || after[0] == '[') {
			return b.toward(path)
		}
	}
	return n
}
