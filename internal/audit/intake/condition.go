package intake

import (
	"regexp"
	"strings"

	"recoup/internal/kit/yamltree"
)

// condition holds for rows that have one of the values in the column, or text that
// matches, or a number below or above another.
type condition struct {
	column       string
	at           int // its index in the file at hand
	values       map[string]bool
	matches      *regexp.Regexp
	below, above *int64 // in thousandths
}

// readConditions reads one condition or a list of them; ~ is none.
func readConditions(dst *[]condition) yamltree.Reader {
	return func(n yamltree.Node) (err error) {
		nodes := []yamltree.Node{n}
		switch {
		case n.IsNull():
			nodes = nil
		case n.IsList():
			if nodes, err = n.List(); err != nil {
				return err
			}
		}
		*dst = make([]condition, len(nodes))
		for i, n := range nodes {
			if err := (*dst)[i].read(n); err != nil {
				return err
			}
		}
		return nil
	}
}

func (c *condition) read(n yamltree.Node) error {
	var values []string
	err := n.Mapping(
		yamltree.Optional("column", yamltree.Text(&c.column, "the name of a column")),
		yamltree.Optional("values", readValues(&values)),
		yamltree.Optional("matches", c.readPattern),
		yamltree.Optional("below", parsed(&c.below, aNumber, bound)),
		yamltree.Optional("above", parsed(&c.above, aNumber, bound)),
	)
	tests := 0
	for _, given := range []bool{len(values) > 0, c.matches != nil, c.below != nil || c.above != nil} {
		if given {
			tests++
		}
	}
	switch {
	case err != nil:
		return err
	case c.column == "" || tests != 1:
		return n.Fail("expected column and one of values, matches, below and above, such as {column: Status, values: [DECLINED]} or {column: Amount, below: 0}")
	}
	c.values = make(map[string]bool, len(values))
	for _, value := range values {
		c.values[value] = true
	}
	return nil
}

// readPattern reads a regular expression, which all of a value must match.
func (c *condition) readPattern(n yamltree.Node) error {
	const what = "a regular expression"
	text, err := n.Text(what)
	if err != nil {
		return err
	}
	if c.matches, err = regexp.Compile("^(?:" + text + ")$"); err != nil {
		return n.Fail("expected %s: %v", what, err)
	}
	return nil
}

const (
	aNumber = "a number such as 0 or -12.50"
	// inBounds is how exact mappings write numbers.
	inBounds = 3
)

func bound(text string) (*int64, bool) {
	n, why := (&amountFormat{decimal: true, point: ".", decimals: inBounds}).read(text)
	return &n, why == ""
}

// unwanted reports whether the mapping leaves the row out, or cannot tell.
func (r *rowReader) unwanted(values []string) fault {
	for i := range r.conditions {
		c := &r.conditions[i]
		holds, f := r.holds(c, strings.TrimSpace(values[c.at]))
		switch skip := i < len(r.skip); {
		case f.reason != "":
			return f
		case holds == skip:
			return fault{skipped, noField, "left out as the mapping says (skip, only)", ""}
		}
	}
	return fault{}
}

func (r *rowReader) holds(c *condition, value string) (bool, fault) {
	switch {
	case c.matches != nil:
		return c.matches.MatchString(value), fault{}
	case c.below == nil && c.above == nil:
		return c.values[value], fault{}
	}
	n, reason := r.numbers.read(value)
	if reason != "" {
		return false, of(noField, "column "+quote(c.column)+": "+reason+", which says whether the row counts", value)
	}
	return (c.below == nil || n < *c.below) && (c.above == nil || n > *c.above), fault{}
}
