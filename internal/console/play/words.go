package play

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"recoup/internal/console/locale"
	"recoup/program"
	"recoup/reward"
)

const (
	maxWord   = 32 // bytes of a merchant or a category
	allAmount = "all"
)

// String writes a move as links have it, such as "buy 100.00 GROCERY at m1",
// "refund 40.00 of t1", "refund 40.00 GROCERY at m1 really t1", "chargeback of
// t1", "redeem all", "wait 7" or "close". ParseMove reads it.
func (m Move) String() string {
	words := []string{m.Kind.String()}
	switch {
	case m.Kind == Redeem && m.Amount == 0:
		words = append(words, allAmount)
	case m.Amount != 0:
		words = append(words, decimal(m.Amount))
	}
	if m.Category != "" {
		words = append(words, m.Category)
	}
	if m.Merchant != "" {
		words = append(words, "at", m.Merchant)
	}
	words = append(words, m.termWords()...)
	switch {
	case m.Of != 0 && m.Unlinked:
		words = append(words, "really", purchaseID(m.Of))
	case m.Of != 0:
		words = append(words, "of", purchaseID(m.Of))
	}
	switch {
	case m.Kind == Wait:
		words = append(words, strconv.Itoa(m.Days))
	case m.Days != 0:
		words = append(words, "late", strconv.Itoa(m.Days))
	}
	return strings.Join(words, " ")
}

// ParseMove reads what Move.String writes. Whether the move can follow those
// before it is Run.Check's to say.
func ParseMove(text string) (Move, error) {
	fail := func(err error) (Move, error) { return Move{}, locale.Errorf("move %s: %s", quote(text), err) }
	words := strings.Split(text, " ")
	kind := slices.Index(kindWords[1:], locale.Text(words[0])) + 1
	if kind == 0 {
		return fail(locale.Errorf("expected buy, refund, chargeback, redeem, wait, close or set"))
	}
	r := &wordReader{words: words[1:]}
	m := Move{Kind: Kind(kind)}
	var err error
	switch m.Kind {
	case Buy, Refund, Chargeback:
		err = r.fact(&m)
	case Redeem:
		if word := r.next(); word != allAmount {
			m.Amount, err = amount(word)
		}
	case Wait:
		m.Days, err = days(r.next())
	case Set:
		m.Labels, err = r.labels()
	}
	if err == nil && len(r.words) > 0 {
		err = locale.Errorf("unexpected %s", quote(r.words[0]))
	}
	if err == nil {
		err = m.check(MaxMoves)
	}
	if err != nil {
		return fail(err)
	}
	return m, nil
}

// wordReader reads a move's words behind the first, in their one order.
type wordReader struct{ words []string }

// next takes the next word, "" at the end.
func (r *wordReader) next() string {
	if len(r.words) == 0 {
		return ""
	}
	word := r.words[0]
	r.words = r.words[1:]
	return word
}

// take takes the next word if it is this one.
func (r *wordReader) take(word string) bool {
	if len(r.words) == 0 || r.words[0] != word {
		return false
	}
	r.words = r.words[1:]
	return true
}

// fact reads what a purchase, a refund or a chargeback says. A chargeback may
// leave its amount out, a refund that says of no purchase is unlinked.
func (r *wordReader) fact(m *Move) (err error) {
	if m.Kind != Chargeback || len(r.words) == 0 || r.words[0] != "of" {
		if m.Amount, err = amount(r.next()); err != nil {
			return err
		}
	}
	if len(r.words) > 0 && isCategory(r.words[0]) {
		m.Category = r.next()
	}
	if r.take("at") {
		if m.Merchant = r.next(); m.Merchant == "" {
			return locale.Errorf("expected a merchant behind at")
		}
	}
	if err = r.terms(m); err != nil {
		return err
	}
	named := r.take("of")
	m.Unlinked = m.Kind == Refund && !named
	if named || m.Unlinked && r.take("really") {
		if m.Of, err = purchaseNumber(r.next()); err != nil {
			return err
		}
	}
	if r.take("late") {
		m.Days, err = days(r.next())
	}
	return err
}

// amount reads a decimal amount above zero as minor units.
func amount(word string) (int64, error) {
	minor, err := program.ParseDecimal(word, Currency)
	if err != nil {
		return 0, notDecimal(word, reward.Unit{Name: Currency})
	}
	if minor <= 0 || minor > MaxAmount {
		return 0, locale.Errorf("amount %s: expected more than 0, at most %s", quote(word), decimal(MaxAmount))
	}
	return minor, nil
}

// notDecimal says that a word is no amount of a unit.
func notDecimal(word string, unit reward.Unit) error {
	return locale.Errorf("amount %s: expected a number with at most %d decimals", quote(word), program.Decimals(unit))
}

// days reads how many pass, one at least.
func days(word string) (int, error) {
	n, ok := number(word, MaxDays)
	if !ok {
		return 0, locale.Errorf("days %s: expected a whole number from 1 to %d", quote(word), MaxDays)
	}
	return n, nil
}

// purchaseNumber reads a purchase's name, such as t1.
func purchaseNumber(word string) (int, error) {
	digits, found := strings.CutPrefix(word, "t")
	n, ok := number(digits, MaxMoves)
	if !found || !ok {
		return 0, locale.Errorf("purchase %s: expected t1 to t%d", quote(word), MaxMoves)
	}
	return n, nil
}

// number reads a whole number from one, in digits alone, without leading zeros.
func number(digits string, most int) (int, bool) {
	n, err := strconv.Atoi(digits)
	return n, err == nil && n >= 1 && n <= most && digits == strconv.Itoa(n)
}

func purchaseID(n int) string { return "t" + strconv.Itoa(n) }

// decimal writes minor units, never negative, as links have them.
func decimal(minor int64) string { return fmt.Sprintf("%d.%02d", minor/100, minor%100) }

// isWord says whether s can be a merchant, as scenario files have them.
func isWord(s string) bool {
	if s == "" || len(s) > maxWord {
		return false
	}
	return !strings.ContainsFunc(s, func(c rune) bool {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		return !letter && !('0' <= c && c <= '9') && !strings.ContainsRune("-_.:/", c)
	})
}

// isCategory says whether s is written as categories are: in capitals.
func isCategory(s string) bool {
	return isWord(s) && 'A' <= s[0] && s[0] <= 'Z' && s == strings.ToUpper(s)
}

// quote repeats what somebody sent, shortened.
func quote(s string) string {
	const most = 40
	if !utf8.ValidString(s) || len(s) <= most {
		return strconv.Quote(s[:min(len(s), most)])
	}
	return strconv.Quote(string([]rune(s)[:min(most, utf8.RuneCountInString(s))]) + "…")
}
