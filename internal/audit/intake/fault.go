package intake

import (
	"fmt"

	"recoup/reward"
)

// class is why a row is left out.
type class uint8

const (
	good class = iota
	classSkipped
	classCurrency // another one than the program's
	classFields
	classBareQuote
	classOpenQuote
	classEmpty
	classLong
	classEncoding
	classMinor
	classDecimal
	classRounds
	classLarge
	classZero
	classBelow
	classBoth
	classDirection
	classTime
	classInstant
	classMCC
	classKind
	classCount
)

// isBad reports whether the class is a bad row, and not merely an unwanted one.
func (c class) isBad() bool { return c != classSkipped && c != classCurrency }

// fault says what is wrong with a row; good where nothing is.
type fault struct {
	class  class
	field  field
	sample string // what was found; "" where that would say nothing, or too much
}

// wanted describes each class, up to what was found instead.
func (r *rowReader) wanted(f fault) string {
	var text string
	switch f.class {
	case classSkipped:
		text = "left out as the mapping says (skip, only)"
	case classCurrency:
		text = fmt.Sprintf("expected %s, the program's", r.currency)
	case classFields:
		text = fmt.Sprintf("expected %d values, as the header has columns", len(r.header))
	case classBareQuote:
		text = `a quotation mark inside a value; expected values with one in quotes, and it doubled`
	case classOpenQuote:
		text = `a quotation mark that is never closed`
	case classEmpty:
		text = "missing"
	case classLong:
		text = fmt.Sprintf("longer than %d bytes", maxText)
	case classEncoding:
		text = "not UTF-8; see encoding in the mapping"
	case classMinor:
		text = "expected an integer in minor units (see amount_format in the mapping)"
	case classDecimal:
		text = "expected a decimal number"
		if r.amount.point != "." || r.amount.group != "" {
			text += fmt.Sprintf(" with %q before its decimals", r.amount.point)
		}
	case classRounds:
		text = fmt.Sprintf("expected at most %d decimals", r.amount.decimals)
	case classLarge:
		text = fmt.Sprintf("expected at most %d minor units", reward.MaxAmount)
	case classZero:
		text = "zero; expected an amount"
	case classBelow:
		text = "below zero; expected it above (see sign in the mapping)"
	case classBoth:
		text = "given beside an amount; expected one of them"
	case classDirection:
		text = "expected one of the values of direction in the mapping"
	case classTime:
		text = "expected a time as " + r.date.format.text + " has it"
	case classInstant:
		text = "expected a time from " + reward.EarliestInstant.String() + " to " + reward.LatestInstant.String()
	case classMCC:
		text = `expected four digits`
	case classKind:
		text = "expected a known kind (see kinds in the mapping)"
	}
	if f.field != noField {
		text = f.field.String() + ": " + text
	}
	return text
}

// tally counts the rows of one reason.
type tally struct {
	wanted string
	sample string // of the first, in quotes
	rows   int64
	places []int64 // lines or rows of the first
}

const maxPlaces = 5

// faults counts the rows of one file that were left out, by reason.
type faults struct {
	by   [fieldCount + 1][classCount]*tally
	bad  int64
	list []*tally // in order of their first rows
	left []*tally // those that are not bad
}

// add counts a row.
func (f *faults) add(r *rowReader, what fault, place int64) {
	t := f.by[what.field][what.class]
	if t == nil {
		t = &tally{wanted: r.wanted(what)}
		if what.sample != "" {
			t.sample = quote(what.sample)
		}
		f.by[what.field][what.class] = t
		if what.class.isBad() {
			f.list = append(f.list, t)
		} else {
			f.left = append(f.left, t)
		}
	}
	t.rows++
	if what.class.isBad() {
		f.bad++
	}
	if len(t.places) < maxPlaces {
		t.places = append(t.places, place)
	}
}

// rows returns how many rows were left out for one reason.
func (f *faults) rows(of field, why class) int64 {
	if t := f.by[of][why]; t != nil {
		return t.rows
	}
	return 0
}
