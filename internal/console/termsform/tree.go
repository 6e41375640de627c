package termsform

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// read returns the top of a file, which has to be one mapping.
func read(document string) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(strings.NewReader(document))
	var first, second yaml.Node
	err := decoder.Decode(&first)
	switch {
	case errors.Is(err, io.EOF):
		return nil, errors.New("the file is empty")
	case err != nil:
		return nil, fmt.Errorf("the file is not well-formed YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	case first.Kind != yaml.DocumentNode || len(first.Content) != 1 || first.Content[0].Kind != yaml.MappingNode:
		return nil, errors.New("the file is not a mapping of members such as id and rules")
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, errors.New("the file has more than one document")
	}
	return &first, nil
}

// find returns a member of a mapping; nil: there is none.
func find(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; mapping != nil && mapping.Kind == yaml.MappingNode && i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	return nil
}

// put sets a member of a mapping, or adds it at its end.
func put(mapping *yaml.Node, key string, value *yaml.Node) {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			old := mapping.Content[i+1]
			value.HeadComment, value.LineComment, value.FootComment = old.HeadComment, old.LineComment, old.FootComment
			mapping.Content[i+1] = value
			return
		}
	}
	mapping.Content = append(mapping.Content, scalar("!!str", key), value)
}

// remove takes a member out of a mapping.
func remove(mapping *yaml.Node, key string) {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			mapping.Content = append(mapping.Content[:i], mapping.Content[i+2:]...)
			return
		}
	}
}

func scalar(tag, value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value}
}

// plain reports whether a node is one that program files may have: no anchor, alias or tag.
func plain(n *yaml.Node) bool {
	return n.Kind != yaml.AliasNode && n.Anchor == "" && n.Style&yaml.TaggedStyle == 0
}

// same reports whether two trees say the same, comments and style aside.
func same(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || a.ShortTag() != b.ShortTag() || a.Value != b.Value || a.Anchor != b.Anchor || len(a.Content) != len(b.Content) {
		return false
	}
	for i := range a.Content {
		if !same(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}

// change is a scalar that took the place of another.
type change struct{ old, new *yaml.Node }

// write renders a changed tree. Where only values were changed they are put into the file
// where they stand, so that nothing else of it moves. Otherwise the file is written anew,
// with its comments. Either way what comes out is read again, and says what the tree says.
func write(document string, tree *yaml.Node, changes []change, rebuilt bool) (string, error) {
	if !rebuilt {
		if out, ok := splice(document, changes); ok {
			if again, err := read(out); err == nil && same(again, tree) {
				return out, nil
			}
		}
	}
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(tree); err != nil {
		return "", fmt.Errorf("writing the terms: %w", err)
	}
	out := spaced(document, b.String())
	again, err := read(out)
	if err != nil || !same(again, tree) {
		return "", errors.New("the terms cannot be written so that nothing is lost: change them as YAML")
	}
	return out, nil
}

// splice puts values into a file in the place of others, from its end to its beginning.
func splice(document string, changes []change) (string, bool) {
	lines := strings.SplitAfter(document, "\n")
	for i := len(changes) - 1; i >= 0; i-- {
		c := changes[i]
		at := c.old.Line - 1
		if at < 0 || at >= len(lines) || strings.Contains(c.new.Value, "\n") {
			return "", false
		}
		from := offset(lines[at], c.old.Column-1)
		long, ok := written(lines[at][from:], c.old)
		if !ok {
			return "", false
		}
		text, err := yaml.Marshal(scalar(c.new.Tag, c.new.Value))
		if err != nil {
			return "", false
		}
		lines[at] = lines[at][:from] + strings.TrimSuffix(string(text), "\n") + lines[at][from+long:]
	}
	return strings.Join(lines, ""), true
}

// offset is where a column of a line begins, in bytes.
func offset(line string, column int) int {
	at := 0
	for range column {
		_, size := utf8.DecodeRuneInString(line[at:])
		at += size
	}
	return at
}

// written is how many bytes a scalar takes that a text begins with.
func written(text string, n *yaml.Node) (int, bool) {
	switch n.Style {
	case 0:
		return len(n.Value), n.Value != "" && strings.HasPrefix(text, n.Value)
	case yaml.DoubleQuotedStyle:
		quoted, err := strconv.QuotedPrefix(text)
		return len(quoted), err == nil && strings.HasPrefix(text, `"`)
	case yaml.SingleQuotedStyle:
		quoted := "'" + strings.ReplaceAll(n.Value, "'", "''") + "'"
		return len(quoted), strings.HasPrefix(text, quoted)
	}
	return 0, false
}

// spaced puts an empty line before each member of the top that had one before it.
func spaced(before, after string) string {
	old, err := read(before)
	if err != nil {
		return after
	}
	fresh, err := read(after)
	if err != nil {
		return after
	}
	was, is := strings.Split(before, "\n"), strings.SplitAfter(after, "\n")
	gaps := make(map[string]bool)
	for i := 0; i < len(old.Content[0].Content); i += 2 {
		key := old.Content[0].Content[i]
		if at := begin(was, key.Line-1); at > 0 && strings.TrimSpace(was[at-1]) == "" {
			gaps[key.Value] = true
		}
	}
	var b strings.Builder
	from := 0
	for i := 0; i < len(fresh.Content[0].Content); i += 2 {
		key := fresh.Content[0].Content[i]
		at := begin(is, key.Line-1)
		if at < from {
			continue
		}
		b.WriteString(strings.Join(is[from:at], ""))
		if from = at; gaps[key.Value] && at > 0 && strings.TrimSpace(is[at-1]) != "" {
			b.WriteString("\n")
		}
	}
	b.WriteString(strings.Join(is[from:], ""))
	return b.String()
}

// begin is the line that what is about a member begins with: its comment, or itself.
func begin(lines []string, at int) int {
	for at > 0 && strings.HasPrefix(strings.TrimSpace(lines[at-1]), "#") {
		at--
	}
	return at
}
