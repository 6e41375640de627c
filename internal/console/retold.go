package console

import (
	"html/template"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"recoup/internal/console/locale"
	"recoup/internal/kit/tabular"
)

// retold are sentences that packages wrote which know no languages: why a program file is
// refused or a version cannot be put, and why a delivery failed, which is kept as text. They
// are English there, the same over HTTP and in old rows, and are recognised by their shape to
// be said in a reader's language; what is among them may be one of them itself. What is of
// none of the shapes stays English, and is marked as that.
var retold = []locale.Text{
	// Deliveries: internal/service/webhook/send.go, address.go and Go's own.
	"no answer within %s", "answered %d %s: redirects are not followed", "answered %d %s",
	"%s: not a public address: deliveries to private addresses are not allowed", "%s is not a public address: deliveries to private addresses are not allowed",
	"dial tcp %s: connect: connection refused", "dial tcp %s: connect: no route to host", "dial tcp %s: connect: network is unreachable", "dial tcp %s: i/o timeout", "dial tcp %s: %s", "dial tcp: lookup %s: no such host",
	"tls: failed to verify certificate: %s",

	// Versions of programs: internal/store/durable/programs.go, internal/service/preview/draft.go.
	"rewards in %s have %d decimals in program %s, found %d: expected as many, or another unit",
	"the document is of program %s, expected one of %s", "the draft is of program %s, expected one of %s",
	"the first version of program %s is in force from the beginning of time: leave out from when",
	"program %s is in %s, found %s: amounts on its accounts cannot change currency; make it another program",
	"a version takes effect with a billing cycle: expected the start of one, such as %s, not %s",
	"a version of program %s can be in force from %s at the soonest, not from %s: it must be announced %s before, and not be in force before version %d",
	"a version must be in force before %s",
	"version %d of program %s was put by somebody else meanwhile: look at it and, if yours is still wanted, put yours again",

	// Program files: program, internal/kit/yamltree.
	"a bonus is for one of spend, purchases and every; make another bonus of this",
	"expected a reward of at most %d minor units for each of spend",
	"expected at least one step, such as {from: 50000, reward: 20000}",
	"expected one of spend and purchases: what it pays for each time",
	"expected what the bonus is for: spend, purchases or every",
	"expected at most %d categories, not %d",
	"the code %s is in the category %s already",
	"expected UTF-8 text", "the character %s is not allowed", "expected a %s of at most %d bytes", "expected a %s, but the file is empty", "expected one %s, but a second document starts here",
	"not well-formed YAML: %s", "tags are not allowed in a %s", "tags such as %s are not allowed in a %s",
	"%s needs clawback_method: rerate: the proportional share of an original reward would leave what the terms do not promise on the purchases that are kept",
	"a program has rules (line %d) or layers, not both: rules are one layer, named base",
	"its rates have no common denominator up to %d, a percentage having 10^8: expected fewer that differ",
	"rewards in %s are so many for so much spend, not a share of it: expected for instance %s",
	"the id %s is that of %s (line %d) too",
	"with maturity_days: %d rewards could expire before they may be redeemed: expected at least {months: %d}, or maturity_days of at most %d",
	"with maturity_days: %d rewards could expire before they may be redeemed: expected maturity_days of at most %d",
	"amount %s: expected a number such as 1234, 1,234.50 or -3", "amount %s: expected at most %d decimals, as %s has",
	"amount %s: too large for a 64-bit number of minor units", "currency %s: expected an ISO 4217 code in use, such as USD",
	"expected a name of %s", "expected from 1 to %d names with their values, found %d",
	"expected a list of at least one value, not an empty one", "expected a list of at most %d values, not %d", "expected at most %d %s, not %d",
	"given twice, first on line %d", "expected %s, not %s", "missing; expected %s", "unknown member; expected one of %s",
	"a rule has a rate or steps, not both; the first step's rate is that of the spend below the second",
	"a rule has one limit: reward or purchases", "a rule has one limit: steps or a cap; a last step with the rate 0%% ends the rewards of a period",
	"expected at least one layer; a program that rewards no purchase by itself says rules: []", "expected at least one step",
	"expected only beside steps: it says what of a period's spend the highest step's rate is of",
	"expected only beside steps; the period of a cap stands in the cap: cap: {reward: …, per: %s}",
	"only a cap on rewards can be shared: cap: {reward: …, per: %s, shared: %s}",
	"steps reward the spend of a period and not single purchases, so they have no at_most; allowed beside steps are minimum and unit",
	"the cap %s is of %d per %s on line %d: rules that share a cap say the same of it",
	"expected at least one level, such as {from: 500000, tier: silver}",
	"expected at most %d rules in a layer of which one asks for a tier, not %d",
	"no period comes after a lifetime: expected this, or another period, such as per: year",
	"there is no tier %s; expected %s",

	// What they expect.
	"a date such as 2026-03-01", "a mapping", "a list", "nothing", "a list of %s", "a name of %s", "a level of the tier %s", "at least one level", "a percentage from 0%% to 100%% with at most six decimals, such as 5%% or 4.75%%",
	"a percentage such as 5%% or 4.75%%", "a percentage such as 5%% or 4.75%%, or steps", "a whole number of %s from %d to %d", "after how many months rewards expire", "an ISO 4217 code in use, such as USD", "an ISO 4217 code such as USD",
	"anchors and aliases are not allowed in a %s; write the value out", "the IANA name of a time zone, such as Europe/Rome or UTC", "the bonus's id", "the day of the month with which a cycle begins", "the layer's id", "the level's name, such as silver",
	"the levels by tier, such as {status: [silver, gold]}", "the list of its rules", "the list of rules", "the most that the rule rewards, in minor units: a cap without amount is none", "the name of the attribute since which they count, such as opened",
	"the period of the bonus: %s", "the period of the cap: %s", "the period of the steps: %s", "the period whose spend earns the tier: %s", "the program's id", "the rule's id", "the spend that reaches the level, in minor units", "the tier's id",
	"the whole reward at that step, in minor units", "one of %s", "minor units", "days", "months", "program", "program file",

	// The form of terms: internal/console/termsform.
	"the form would have %d fields, more than %d", "the file is not well-formed YAML: %s", "the file has more than one document", "the file is empty",
	"the file is not a mapping of members such as id and rules", "the terms cannot be written so that nothing is lost: change them as YAML",
	"%s is not written as a list", "nothing can be added to %s", "there is no %s that could be moved or removed", "there is no %s", "the program has no rules to make a layer of",
}

// shape is a sentence of retold as it is recognised.
type shape struct {
	format  locale.Text
	numbers []bool // which of its values are whole numbers
	is      *regexp.Regexp
}

var verbOf = regexp.MustCompile(`%[sd%]`)

// shapes are the sentences, those with more words of their own first.
var shapes = func() (list []shape) {
	for _, format := range retold {
		s := shape{format: format}
		var pattern strings.Builder
		rest := string(format)
		for at := verbOf.FindStringIndex(rest); at != nil; at = verbOf.FindStringIndex(rest) {
			pattern.WriteString(regexp.QuoteMeta(rest[:at[0]]))
			switch rest[at[1]-1] {
			case 'd':
				pattern.WriteString(`(\d{1,18})`)
				s.numbers = append(s.numbers, true)
			case 's':
				pattern.WriteString(`(.+?)`)
				s.numbers = append(s.numbers, false)
			default:
				pattern.WriteString(`%`)
			}
			rest = rest[at[1]:]
		}
		s.is = regexp.MustCompile(`(?s)^` + pattern.String() + regexp.QuoteMeta(rest) + `$`)
		list = append(list, s)
	}
	words := func(s shape) int { return len(verbOf.ReplaceAllString(string(s.format), "")) }
	slices.SortStableFunc(list, func(a, b shape) int { return words(b) - words(a) })
	return list
}()

// longestRetold bounds the texts that are looked at.
const longestRetold = 2000

// ofFile is what a program file or an address has: a text in quotes, a word, or a list of them.
var ofFile = regexp.MustCompile(`^(?:"[^"]*"|[^\s",]+)(?:(?:, or |, | or )(?:"[^"]*"|[^\s",]+))*$`)

// valuePlace is the first of the characters that stand for the values of a sentence until it
// is escaped; texts from outside have none of them.
const valuePlace = '\ue000'

// retell says a sentence of another package in the locale's language; false: it has none of
// the shapes, or nothing is said for its shape. Words of files among it are in no language,
// and what is of no shape is in English.
func retell(l *locale.Locale, text string) (template.HTML, bool) {
	if len(text) > longestRetold {
		return "", false
	}
	text = tabular.VisibleLines(text)
	for i := range shapes {
		s := &shapes[i]
		found := s.is.FindStringSubmatch(text)
		if found == nil {
			continue
		}
		if _, ok := l.Message("", string(s.format)); !ok {
			return "", false
		}
		values := make([]any, len(s.numbers))
		var places []string
		for i, value := range found[1:] {
			if s.numbers[i] {
				values[i], _ = strconv.ParseInt(value, 10, 64) // digits
				continue
			}
			place := string(rune(valuePlace + i))
			values[i] = place
			places = append(places, place, string(retoldValue(l, value)))
		}
		sentence := template.HTMLEscapeString(l.Sprintf(string(s.format), values...))
		return template.HTML(strings.NewReplacer(places...).Replace(sentence)), true
	}
	return "", false
}

// retoldValue is a value within a sentence.
func retoldValue(l *locale.Locale, value string) template.HTML {
	if said, ok := retell(l, value); ok {
		return said
	}
	if ofFile.MatchString(value) {
		return template.HTML(`<span translate="no">` + template.HTMLEscapeString(value) + `</span>`)
	}
	return inEnglish(value)
}
