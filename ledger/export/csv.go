package export

import (
	"bufio"
	"strconv"
	"time"
	"unicode/utf8"

	"recoup/internal/kit/tabular"
	"recoup/reward"
)

// csv writes one row for each leg of a transaction, in the form of RFC 4180.
// Every text is in quotes; amounts are numbers without sign.
type csv struct {
	*bufio.Writer
	number     int64 // of the transaction
	head, tail []byte
}

func newCSV(w *bufio.Writer) Writer {
	w.WriteString("transaction,date,account,debit,credit,currency,explanation")
	for _, d := range new(Transaction).details() {
		w.WriteString("," + d.key)
	}
	w.WriteString("\r\n")
	return &csv{Writer: w}
}

// Transaction implements Writer.
func (c *csv) Transaction(t *Transaction) error {
	c.number++
	c.head = append(strconv.AppendInt(c.head[:0], c.number, 10), ',')
	c.head = append(t.At.Time().AppendFormat(c.head, time.DateOnly), ',')
	c.tail = append(append(c.tail[:0], ','), t.Currency.Code...)
	c.tail = appendCell(append(c.tail, ','), appendPlain(nil, t.Text, ""))
	for _, d := range t.details() {
		c.tail = appendCell(append(c.tail, ','), appendValue(nil, d.value, ""))
	}
	c.tail = append(c.tail, "\r\n"...)
	for _, l := range t.Legs {
		c.Write(c.head)
		row := append(appendCell(c.AvailableBuffer(), appendHledgerName(nil, l.Account, t)), ',')
		if l.Amount > 0 {
			row = append(appendDecimal(row, l.Amount, t.Currency.Decimals), ',')
		} else {
			row = appendDecimal(append(row, ','), -l.Amount, t.Currency.Decimals)
		}
		c.Write(row)
		if _, err := c.Write(c.tail); err != nil {
			return err
		}
	}
	return nil
}

// Balances implements Writer: rows are all movements, so there is nothing to say.
func (c *csv) Balances(reward.Instant, Currency, *Sums) error { return nil }

// Close implements Writer.
func (c *csv) Close() error { return c.Flush() }

// appendCell appends text in quotes, defused as tabular.Defuse does.
func appendCell(b, text []byte) []byte {
	b = append(b, '"')
	if first, _ := utf8.DecodeRune(text); len(text) > 0 && (first == '\'' || tabular.StartsFormula(first)) {
		b = append(b, '\'')
	}
	for _, c := range text {
		if c == '"' {
			b = append(b, '"')
		}
		b = append(b, c)
	}
	return append(b, '"')
}
