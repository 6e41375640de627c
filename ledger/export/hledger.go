package export

import (
	"bufio"
	"strings"
	"time"

	"recoup/reward"
)

// hledger writes journals of hledger. Everything it uses is declared, so that
// `hledger check --strict` passes.
type hledger struct {
	*bufio.Writer
	line        []byte
	declared    declared
	commodities map[string]bool
}

func newHledger(w *bufio.Writer) Writer {
	h := &hledger{Writer: w, commodities: make(map[string]bool)}
	w.WriteString("; Rewards as double entry, by cardholder account and then by time. Dates are UTC.\n" +
		"; The last transactions assert what the accounts must come to.\n\n")
	for a := range accounts {
		w.WriteString("account " + a.String() + "  ; type: " + hledgerTypes[a] + "\n")
	}
	return h
}

var hledgerTypes = [accounts]string{
	Rewards: "X", Bonuses: "X", Adjustments: "X", Expired: "R", Available: "L", Pending: "L", Reserved: "L", Receivable: "A", Clearing: "A", Opening: "E",
}

// Transaction implements Writer.
func (h *hledger) Transaction(t *Transaction) error {
	h.commodity(t.Currency)
	if t.Divided {
		h.declare(t)
	}
	b := append(h.line[:0], '\n')
	b = t.At.Time().AppendFormat(b, time.DateOnly)
	b = append(b, " * "...)
	if t.Event != "" {
		b = append(b, '(')
		b = append(appendValue(b, t.Event, ")"), ") "...)
	}
	// A semicolon would begin a comment, and a bar end the payee.
	b = appendPlain(b, strings.ReplaceAll(t.Text, ";", ","), "|")
	b = append(b, '\n')
	for _, d := range t.details() {
		if d.value == "" {
			continue
		}
		b = append(append(append(b, "    ; "...), d.key...), ": "...)
		b = append(appendValue(b, d.value, ","), '\n') // a comma would end the value
	}
	for _, l := range t.Legs {
		b = append(b, "    "...)
		b = appendHledgerName(b, l.Account, t)
		b = append(b, "  "...)
		b = h.appendAmount(b, l.Amount, t.Currency)
		b = append(b, '\n')
	}
	h.line = b
	_, err := h.Write(b)
	return err
}

// Balances implements Writer with a transaction of zeros that asserts balances.
func (h *hledger) Balances(latest reward.Instant, c Currency, s *Sums) error {
	h.commodity(c)
	b := append(h.line[:0], '\n')
	b = latest.Time().AppendFormat(b, time.DateOnly)
	b = append(append(append(b, " * Balances in "...), c.Code...), " of all exported accounts\n"...)
	for a, sum := range s {
		b = append(append(append(b, "    "...), Account(a).String()...), "  "...)
		b = h.appendAmount(b, 0, c)
		b = append(b, " =* "...) // with sub-accounts
		b = append(h.appendAmount(b, sum, c), '\n')
	}
	h.line = b
	_, err := h.Write(b)
	return err
}

// Close implements Writer.
func (h *hledger) Close() error { return h.Flush() }

// commodity declares a currency before its first amount. It also says that a
// point is no comma: 1.500 KWD is one and a half.
func (h *hledger) commodity(c Currency) {
	if h.commodities[c.Code] {
		return
	}
	h.commodities[c.Code] = true
	h.WriteString("\ncommodity 1000." + strings.Repeat("0", c.Decimals) + " " + c.Code + "\n")
}

// declare declares a cardholder's accounts before their first transaction.
func (h *hledger) declare(t *Transaction) {
	for _, l := range t.Legs {
		if l.Account.divided() && h.declared.first(t.Cardholder, l.Account) {
			h.line = append(appendHledgerName(append(h.line[:0], "\naccount "...), l.Account, t), '\n')
			h.Write(h.line)
		}
	}
}

func (h *hledger) appendAmount(b []byte, minor int64, c Currency) []byte {
	return append(append(appendDecimal(b, minor, c.Decimals), ' '), c.Code...)
}

// appendHledgerName appends an account's name: a colon would begin a sub-account,
// and two spaces end the name.
func appendHledgerName(b []byte, a Account, t *Transaction) []byte {
	b = append(b, a.String()...)
	if t.Divided && a.divided() {
		b = appendName(append(b, ':'), t.Cardholder, "-_.@", '%')
	}
	return b
}
