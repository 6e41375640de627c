package intake

import (
	"io"
	"maps"
	"os"
	"time"

	"recoup/internal/audit/history"
	"recoup/internal/kit/yamltree"
)

// Limits on a mapping.
const (
	maxText      = yamltree.MaxText // bytes of a column's name or a value
	maxKinds     = yamltree.MaxList // of one table
	maxSkipLines = 1000
	maxJoined    = 8 // columns that make one field
)

// form takes text as it is written, as rows of an export have it.
var form = yamltree.Form{Name: "mapping", Verbatim: true}

// Mapping says how the files of an export are laid out. Its form as YAML is
// described at the package. It does not change once it is parsed.
type Mapping struct {
	tables [tableCount]layout
	given  [tableCount]bool // the mapping has a section for the table
}

// Currency is the one that all transactions are in by the mapping, "" where it
// leaves that to a column.
func (m *Mapping) Currency() string { return m.tables[transactions].constants[fieldCurrency] }

// Receipts says what rows with one id are, of purchases or of refunds.
func (m *Mapping) Receipts(refund bool) Receipts {
	if refund {
		return m.tables[refunds].receipts
	}
	return m.tables[transactions].receipts
}

// layout is how the files of one table are laid out.
type layout struct {
	columns   map[field]columnsOf
	constants map[field]string
	kinds     map[string]history.Kind
	date      *dateFormat
	zone      *time.Location
	amount    amountFormat
	sign      sign
	direction *direction
	delimiter byte // 0: by the file's name
	charset   charset
	sheet     string
	skipLines int
	skip      []condition
	only      []condition
	mccNumber bool
	idNumber  bool
	ownIDs    bool // the files have none: places in them stand for ids
	roundDown bool
	receipts  Receipts
}

// columnsOf are the columns of a field.
type columnsOf struct {
	names   []string // joined with spaces; none: the export has not got it, whatever its columns are called
	lenient bool     // named for all tables, of which one may lack it
}

// names reports whether a column is named for the field.
func (l *layout) names(f field) bool { return len(l.columns[f].names) > 0 }

// sign is what is made of the sign of an amount.
type sign uint8

const (
	asIs sign = iota
	negated
	absolute
)

// Receipts says what rows with one id are.
type Receipts uint8

// The kinds of receipts.
const (
	NoReceipts   Receipts = iota // each row is a purchase or refund of its own
	ReceiptSums                  // rows with one id are one purchase
	ReceiptItems                 // and each row is an item of it
)

// direction is a column that says which way an amount goes.
type direction struct {
	column             string
	negative, positive words // none positive: all others are
}

func newLayout() layout {
	return layout{
		columns: map[field]columnsOf{}, constants: map[field]string{}, kinds: map[string]history.Kind{},
		date: rfc3339, zone: time.UTC, amount: amountFormat{point: "."},
	}
}

// clone returns a layout that changes apart from this one. Lists are replaced
// as a whole and may be shared.
func (l layout) clone() layout {
	l.columns, l.constants, l.kinds = maps.Clone(l.columns), maps.Clone(l.constants), maps.Clone(l.kinds)
	return l
}

// LoadMapping reads the mapping file at path. See ParseMapping.
func LoadMapping(path string) (*Mapping, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, yamltree.MaxSize+1))
	if err != nil {
		return nil, err
	}
	return ParseMapping(path, data)
}

// ParseMapping reads a mapping; name is what errors call it. It is strict: what
// is not described at the package is an *Error with its line.
func ParseMapping(name string, data []byte) (*Mapping, error) {
	top, err := form.Parse(name, data)
	if err != nil {
		return nil, err
	}
	// The defaults of all tables come first, wherever they stand in the file.
	var own [tableCount]*yamltree.Node
	sections := make([]yamltree.Member, tableCount)
	for t := range tableCount {
		sections[t] = yamltree.Optional(t.String(), func(n yamltree.Node) error {
			own[t] = &n
			return nil
		})
	}
	defaults := newLayout()
	if err := defaults.read(top, tableCount, sections...); err != nil {
		return nil, err
	}
	var m Mapping
	for t := range tableCount {
		m.tables[t], m.given[t] = defaults.clone(), own[t] != nil
		if m.given[t] {
			if err := m.tables[t].read(*own[t], t); err != nil {
				return nil, err
			}
		}
	}
	return &m, nil
}
