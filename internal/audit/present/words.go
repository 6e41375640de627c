package present

import (
	"fmt"
	"math/bits"
	"strings"
	"time"
	"unicode/utf8"

	"recoup/internal/audit"
	"recoup/program"
	"recoup/reward"
)

// report is a report with the words for what is in it.
type report struct{ *audit.Report }

// money is an amount in the program's currency.
func (r report) money(minor int64) string { return program.FormatAmount(minor, r.Currency) }

// short is an amount for a tile or an axis, in millions where it is long.
func (r report) short(minor int64) string {
	const room, million = 12, 1_000_000
	text := r.money(minor)
	if utf8.RuneCountInString(text) <= room {
		return text
	}
	return r.money(minor/million) + "M"
}

// span says when the exports are of.
func (r report) span() string {
	if r.From.IsZero() || r.To.IsZero() {
		return "no time at all"
	}
	return longDate(r.From) + " to " + longDate(r.To)
}

// days is how many days the exports cover, at least one.
func (r report) days() int64 { return max(int64(r.To.Sub(r.From)/(24*time.Hour)), 1) }

// averageFloat is what was out on the average, over the time of the exports, of
// rewards whose purchase had been refunded.
func (r report) averageFloat() int64 { return r.Figures.FloatDays / r.days() }

func longDate(t time.Time) string       { return t.UTC().Format("2 January 2006") }
func shortDate(i reward.Instant) string { return i.Time().Format(time.DateOnly) }

// count is a number with a noun, which takes an s where there is not just one.
func count(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return program.FormatCount(n) + " " + noun
}

// countBe is a count with the verb that goes with it.
func countBe(n int64, noun, one, more string) string {
	if n == 1 {
		more = one
	}
	return count(n, noun) + " " + more
}

// percent writes a permille as a percentage with one decimal.
func percent(permille int64) string { return fmt.Sprintf("%d.%d%%", permille/10, permille%10) }

// share is a part of a whole in per mille, rounded down; zero of nothing.
func share(part, whole int64) int64 {
	if whole <= 0 || part <= 0 {
		return 0
	}
	return mulDiv(1000, min(part, whole), whole)
}

// mulDiv returns ⌊n · part / whole⌋ for 0 ≤ part ≤ whole, 0 ≤ n.
func mulDiv(n, part, whole int64) int64 {
	if n <= 0 || part <= 0 || whole <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(n), uint64(part))
	quotient, _ := bits.Div64(hi, lo, uint64(whole))
	return int64(quotient)
}

// hundredths writes a number of hundredths with one decimal, rounded down.
func hundredths(n int64) string {
	return fmt.Sprintf("%s.%d", program.FormatCount(n/100), n%100/10)
}

// listed joins words as prose does.
func listed(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// sentence begins with a capital and ends with a full stop.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	if c := text[0]; 'a' <= c && c <= 'z' {
		text = string(c-'a'+'A') + text[1:]
	}
	if !strings.ContainsRune(".!?…:", rune(text[len(text)-1])) {
		text += "."
	}
	return text
}
