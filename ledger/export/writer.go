package export

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"recoup/reward"
)

// Writer is a format. What it is given is in the words of the chart; how that is
// spelt, and that no text from outside is taken for anything else, is up to it.
type Writer interface {
	// Transaction writes a balanced transaction. It may not keep it.
	Transaction(t *Transaction) error
	// Balances states what the accounts of one currency have come to when all
	// transactions are written, of which the latest has that time. A format that
	// can have its reader check it does.
	Balances(latest reward.Instant, c Currency, s *Sums) error
	// Close writes what is still to be written. It does not close the file below.
	Close() error
}

// formats are the formats by name.
var formats = map[string]func(*bufio.Writer) Writer{
	"hledger":   newHledger,
	"beancount": newBeancount,
	"csv":       newCSV,
}

// NewWriter returns a writer of the format: hledger, beancount or csv.
func NewWriter(format string, w io.Writer) (Writer, error) {
	create := formats[format]
	if create == nil {
		return nil, fmt.Errorf("format %q: expected hledger, beancount or csv", format)
	}
	return create(bufio.NewWriterSize(w, 1<<16)), nil
}

// detail is one thing that a transaction has to say besides its legs.
type detail struct{ key, value string }

// details are always the same, in the same order; values may be empty.
func (t *Transaction) details() [17]detail {
	d := [17]detail{
		{"cardholder", t.Cardholder},
		{"time", t.At.Time().Format(time.RFC3339Nano)},
		{"kind", t.Kind},
		{"source", t.Source},
		{"event", t.Event},
		{"event-type", ""},
		{"posting", ""},
		{"purchase", t.Purchase},
		{"fact", t.Fact},
		{"program", t.Program},
		{"version", ""},
		{"rule", t.Rule},
		{"reason", t.Reason},
		{"actor", t.Actor},
		{"approver", t.Approver},
		{"principal", t.Principal},
		{"item", t.Item},
	}
	if t.Type != 0 {
		d[5].value = t.Type.String()
	}
	if t.Number != 0 {
		d[6].value = strconv.FormatInt(t.Number, 10)
	}
	if t.Version != 0 {
		d[10].value = strconv.Itoa(int(t.Version))
	}
	return d
}

// divided reports whether an account of the chart has a sub-account for each
// cardholder, where cardholders have any.
func (a Account) divided() bool {
	return a == Available || a == Pending || a == Reserved || a == Receivable
}

// declared remembers which sub-accounts of one cardholder were declared. Those of
// one cardholder come one after the other.
type declared struct {
	cardholder string
	known      bool
	accounts   [accounts]bool
}

// first reports whether a sub-account is used for the first time.
func (d *declared) first(cardholder string, a Account) bool {
	if !d.known || d.cardholder != cardholder {
		*d = declared{cardholder: strings.Clone(cardholder), known: true}
	}
	first := !d.accounts[a]
	d.accounts[a] = true
	return first
}

// appendDecimal appends an amount of minor units, exactly: -5 with two decimals
// is -0.05.
func appendDecimal(dst []byte, minor int64, decimals int) []byte {
	if minor < 0 {
		dst = append(dst, '-')
	}
	digits := strings.TrimPrefix(strconv.FormatInt(minor, 10), "-")
	if short := decimals + 1 - len(digits); short > 0 {
		digits = strings.Repeat("0", short) + digits
	}
	point := len(digits) - decimals
	dst = append(dst, digits[:point]...)
	if decimals > 0 {
		dst = append(append(dst, '.'), digits[point:]...)
	}
	return dst
}
