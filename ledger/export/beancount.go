package export

import (
	"bufio"
	"time"

	"recoup/reward"
)

// beancount writes files of Beancount, versions 2 and 3.
type beancount struct {
	*bufio.Writer
	line     []byte
	declared declared
}

// beancountNames are the names of the chart in the spelling of Beancount, where
// each part begins with a capital letter and has no spaces.
var beancountNames = [accounts]string{
	Rewards:     "Expenses:Rewards",
	Bonuses:     "Expenses:Bonuses",
	Adjustments: "Expenses:Adjustments",
	Expired:     "Income:ExpiredRewards",
	Available:   "Liabilities:CardholderRewards:Available",
	Pending:     "Liabilities:CardholderRewards:Pending",
	Reserved:    "Liabilities:CardholderRewards:Reserved",
	Receivable:  "Assets:ReceivableFromCardholders",
	Clearing:    "Assets:RedemptionClearing",
	Opening:     "Equity:OpeningBalances",
}

// beancountOpen opens an account before the earliest time that an event may have.
const beancountOpen = "1970-01-01 open "

func newBeancount(w *bufio.Writer) Writer {
	w.WriteString("; Rewards as double entry, by cardholder account and then by time. Dates are UTC.\n" +
		"; The balance directives at the end say what the accounts must come to.\n" +
		"option \"title\" \"Rewards\"\n\n")
	for _, name := range beancountNames {
		w.WriteString(beancountOpen + name + "\n")
	}
	return &beancount{Writer: w}
}

// Transaction implements Writer.
func (n *beancount) Transaction(t *Transaction) error {
	if t.Divided {
		n.declare(t)
	}
	b := append(n.line[:0], '\n')
	b = t.At.Time().AppendFormat(b, time.DateOnly)
	b = append(b, " * "...)
	b = append(appendString(b, appendPlain(nil, t.Text, "")), '\n')
	for _, d := range t.details() {
		if d.value == "" {
			continue
		}
		b = append(append(append(b, "  "...), d.key...), ": "...)
		b = append(appendString(b, appendValue(nil, d.value, "")), '\n')
	}
	for _, l := range t.Legs {
		b = append(b, "  "...)
		b = appendBeancountName(b, l.Account, t)
		b = append(b, "  "...)
		b = append(appendDecimal(b, l.Amount, t.Currency.Decimals), ' ')
		b = append(append(b, t.Currency.Code...), '\n')
	}
	n.line = b
	_, err := n.Write(b)
	return err
}

// Balances implements Writer with balance directives, which count what is dated
// before their day, sub-accounts included.
func (n *beancount) Balances(latest reward.Instant, c Currency, s *Sums) error {
	b := append(n.line[:0], '\n')
	for a, sum := range s {
		b = latest.Time().AddDate(0, 0, 1).AppendFormat(b, time.DateOnly)
		b = append(append(append(b, " balance "...), beancountNames[a]...), "  "...)
		b = append(appendDecimal(b, sum, c.Decimals), ' ')
		b = append(append(b, c.Code...), '\n')
	}
	n.line = b
	_, err := n.Write(b)
	return err
}

// Close implements Writer.
func (n *beancount) Close() error { return n.Flush() }

// declare opens a cardholder's accounts before their first transaction.
func (n *beancount) declare(t *Transaction) {
	for _, l := range t.Legs {
		if l.Account.divided() && n.declared.first(t.Cardholder, l.Account) {
			n.line = append(appendBeancountName(append(n.line[:0], "\n"+beancountOpen...), l.Account, t), '\n')
			n.Write(n.line)
		}
	}
}

// appendBeancountName appends an account's name, in which parts begin with a
// capital letter and have letters, digits and hyphens.
func appendBeancountName(b []byte, a Account, t *Transaction) []byte {
	b = append(b, beancountNames[a]...)
	if t.Divided && a.divided() {
		b = appendName(append(b, ":Id-"...), t.Cardholder, "", '-')
	}
	return b
}

// appendString appends text that has no control characters as a string.
func appendString(b, text []byte) []byte {
	b = append(b, '"')
	for _, c := range text {
		if c == '"' || c == '\\' {
			b = append(b, '\\')
		}
		b = append(b, c)
	}
	return append(b, '"')
}
