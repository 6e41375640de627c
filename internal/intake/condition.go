package intake

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"recoup/internal/kit/yamltree"
)

// words are values as rows have them, sorted and without the spaces around them.
type words []string

func (w words) has(value string) bool {
	_, found := slices.BinarySearch(w, value)
	return found
}

// readWords reads a list of values; "" is an empty one.
func readWords(dst *words) yamltree.Reader {
	read := yamltree.Each((*[]string)(dst), func(word *string) yamltree.Reader {
		return func(n yamltree.Node) error {
			value, err := n.Scalar(`a value ("" for an empty one)`)
			if err == nil && len(value) > maxText {
				err = n.Fail("expected a value of at most %d bytes, not %d", maxText, len(value))
			}
			*word = strings.TrimSpace(value)
			return err
		}
	})
	return func(n yamltree.Node) error {
		err := read(n)
		slices.Sort(*dst)
		return err
	}
}

func (l *layout) readDirection(n yamltree.Node) error {
	if l.direction = nil; n.IsNull() {
		return nil
	}
	var d direction
	err := n.Mapping(
		yamltree.Optional("column", yamltree.Text(&d.column, "the name of a column")),
		yamltree.Optional("negative", readWords(&d.negative)),
		yamltree.Optional("positive", readWords(&d.positive)),
	)
	switch {
	case err != nil:
		return err
	case d.column == "" || len(d.negative) == 0:
		return n.Fail("expected column and negative, such as {column: DC, negative: [D]}")
	}
	if i := slices.IndexFunc(d.positive, d.negative.has); i >= 0 {
		return n.Fail("%s is negative and positive", quote(d.positive[i]))
	}
	l.direction = &d
	return nil
}

// condition holds for rows that have one of the values in the column, or text that
// matches, or a number below or above another.
type condition struct {
	column       string
	at           int // its index in the file at hand
	values       words
	matches      *regexp.Regexp
	below, above *int64 // in millionths
}

func readCondition(c *condition) yamltree.Reader {
	return func(n yamltree.Node) error {
		err := n.Mapping(
			yamltree.Optional("column", yamltree.Text(&c.column, "the name of a column")),
			yamltree.Optional("values", readWords(&c.values)),
			yamltree.Optional("matches", yamltree.Compiled(&c.matches, "a regular expression", compilePattern)),
			yamltree.Optional("below", yamltree.Parsed(&c.below, "a number such as 0 or -12.50", asBound)),
			yamltree.Optional("above", yamltree.Parsed(&c.above, "a number such as 0 or -12.50", asBound)),
		)
		tests := 0
		for _, given := range []bool{c.values != nil, c.matches != nil, c.numeric()} {
			if given {
				tests++
			}
		}
		if err == nil && (c.column == "" || tests != 1) {
			err = n.Fail("expected column and one of values, matches, below and above, such as {column: Status, values: [DECLINED]} or {column: Amount, below: 0}")
		}
		return err
	}
}

// compilePattern makes a regular expression that all of a value must match.
func compilePattern(text string) (*regexp.Regexp, error) {
	pattern, err := regexp.Compile("^(?:" + text + ")$")
	if err != nil {
		return nil, fmt.Errorf("expected a regular expression: %w", err)
	}
	return pattern, nil
}

// asBound reads a number as all mappings write it.
func asBound(text string) (*int64, bool) {
	n, why := (&amountFormat{decimal: true, point: ".", decimals: boundDecimals}).read(text)
	return &n, why == ""
}

func (c *condition) numeric() bool { return c.below != nil || c.above != nil }

// holds reports whether the condition does of a value, or why nobody can tell.
func (c *condition) holds(value string, numbers *amountFormat) (bool, string) {
	switch {
	case c.matches != nil:
		return c.matches.MatchString(value), ""
	case !c.numeric():
		return c.values.has(value), ""
	}
	n, reason := numbers.read(value)
	if reason != "" {
		return false, "column " + quote(c.column) + ": " + reason + ", which says whether the row counts"
	}
	return (c.below == nil || n < *c.below) && (c.above == nil || n > *c.above), ""
}
