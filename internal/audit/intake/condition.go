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
	values       map[string]bool
	matches      *regexp.Regexp
	below, above *int64 // in thousandths
}

// readConditions reads one condition or a list of them; ~ is none.
func readConditions(dst *[]condition) yamltree.Reader {
	return func(n yamltree.Node) error {
		nodes := []yamltree.Node{n}
		switch {
		case n.IsNull():
			nodes = nil
		case n.IsList():
			var err error
			if nodes, err = n.List(); err != nil {
				return err
			}
		}
		conditions := make([]condition, len(nodes))
		for i, n := range nodes {
			if err := conditions[i].read(n); err != nil {
				return err
			}
		}
		*dst = conditions
		return nil
	}
}

func (c *condition) read(n yamltree.Node) error {
	var values []string
	err := n.Mapping(
		yamltree.Optional("column", yamltree.Text(&c.column, "the name of a column")),
		yamltree.Optional("values", readValues(&values)),
		yamltree.Optional("matches", c.readPattern),
		yamltree.Optional("below", readBound(&c.below)),
		yamltree.Optional("above", readBound(&c.above)),
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

// plainNumbers is how mappings write numbers, and inBounds how exact they are.
var plainNumbers = amountFormat{decimal: true, point: ".", decimals: inBounds}

const inBounds = 3

func readBound(dst **int64) yamltree.Reader {
	return func(n yamltree.Node) error {
		const what = "a number such as 0 or -12.50"
		text, err := n.Scalar(what)
		if err != nil {
			return err
		}
		bound, why := plainNumbers.read(text)
		if why != "" {
			return n.Expected(what)
		}
		*dst = &bound
		return nil
	}
}

// unwanted reports whether the mapping leaves the row out, or cannot tell.
func (r *rowReader) unwanted(values []string) fault {
	for i, c := range r.skip {
		if holds, f := r.holds(&c, values[r.skipAt[i]]); f.reason != "" || holds {
			return leftOut(f)
		}
	}
	for i, c := range r.only {
		if holds, f := r.holds(&c, values[r.onlyAt[i]]); f.reason != "" || !holds {
			return leftOut(f)
		}
	}
	return fault{}
}

func leftOut(f fault) fault {
	if f.reason != "" {
		return f
	}
	return fault{skipped, noField, "left out as the mapping says (skip, only)", ""}
}

func (r *rowReader) holds(c *condition, value string) (bool, fault) {
	value = strings.TrimSpace(value)
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
