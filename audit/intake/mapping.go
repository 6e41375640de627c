package intake

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"recoup/audit/history"
)

// Limits on a mapping.
const (
	MaxMappingSize = 1 << 20 // bytes of the file
	maxList        = 10_000  // values of a list, members
	maxText        = 256     // bytes of a column's name or a value
	maxSkipLines   = 1000
)

// Mapping says how the files of an export are laid out. Its form as YAML is
// described at the package. It does not change once it is parsed.
type Mapping struct {
	tables [tableCount]layout
}

// layout is how the files of one table are laid out.
type layout struct {
	columns   map[field]string
	absent    map[field]bool // fields that the export has not, whatever its columns are called
	lenient   map[field]bool // columns named for all tables, which one may lack
	constants map[field]string
	kinds     map[string]history.Kind
	date      *dateFormat
	zone      *time.Location
	amount    amountFormat
	sign      sign
	direction *direction
	delimiter byte // 0: by the file's name
	latin1    bool
	skipLines int
	skip      []condition
	only      []condition
	mccNumber bool
}

// sign is what is made of the sign of an amount.
type sign uint8

const (
	asIs sign = iota
	negated
	absolute
)

// direction is a column that says which way an amount goes.
type direction struct {
	column   string
	negative []string
	positive []string // empty: all others
}

// condition holds for rows that have one of the values in the column.
type condition struct {
	column string
	values map[string]bool
}

func newLayout() layout {
	return layout{
		columns: map[field]string{}, absent: map[field]bool{}, lenient: map[field]bool{}, constants: map[field]string{},
		kinds: map[string]history.Kind{}, date: rfc3339, zone: time.UTC, amount: amountFormat{point: "."},
	}
}

// clone returns a layout that changes apart from this one. Lists are replaced
// as a whole and may be shared.
func (l layout) clone() layout {
	l.columns, l.absent, l.lenient = maps.Clone(l.columns), maps.Clone(l.absent), maps.Clone(l.lenient)
	l.constants, l.kinds = maps.Clone(l.constants), maps.Clone(l.kinds)
	return l
}

// native is the layout of a file without a mapping.
func native() *Mapping {
	var m Mapping
	for t := range tableCount {
		m.tables[t] = newLayout()
	}
	return &m
}

// LoadMapping reads the mapping file at path. See ParseMapping.
func LoadMapping(path string) (*Mapping, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxMappingSize+1))
	if err != nil {
		return nil, err
	}
	return ParseMapping(path, data)
}

// ParseMapping reads a mapping; name is what errors call it. It is strict: what
// is not described at the package is an *Error with its line.
func ParseMapping(name string, data []byte) (*Mapping, error) {
	if len(data) > MaxMappingSize {
		return nil, &Error{File: name, Reason: fmt.Sprintf("larger than %d bytes", MaxMappingSize)}
	}
	var document yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF) || err == nil && len(document.Content) == 0:
		return nil, &Error{File: name, Reason: "empty; expected a mapping"}
	case err != nil:
		return nil, &Error{File: name, Reason: "not YAML: " + err.Error()}
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, &Error{File: name, Reason: "expected one document, not several"}
	}
	return parseMapping(node{file: name, yaml: document.Content[0]})
}

// parseMapping reads the defaults of all tables first, wherever they stand in
// the file, and then each table over them.
func parseMapping(top node) (*Mapping, error) {
	entries, err := top.entries()
	if err != nil {
		return nil, err
	}
	var own [tableCount]*node
	defaults := newLayout()
	shared := node{top.file, top.path, &yaml.Node{Kind: yaml.MappingNode, Line: top.yaml.Line}}
	for _, e := range entries {
		t := slices.IndexFunc(layouts[:], func(l layoutOf) bool { return l.name == e.name })
		if t >= 0 {
			own[t] = &e.node
			continue
		}
		shared.yaml.Content = append(shared.yaml.Content, e.key.yaml, e.yaml)
	}
	if err := defaults.read(shared, tableCount); err != nil {
		return nil, err
	}
	var m Mapping
	for t := range tableCount {
		m.tables[t] = defaults.clone()
		if own[t] == nil {
			continue
		}
		if err := m.tables[t].read(*own[t], t); err != nil {
			return nil, err
		}
	}
	return &m, nil
}
