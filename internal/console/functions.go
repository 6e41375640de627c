package console

import (
	"fmt"
	"html/template"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"recoup/internal/console/locale"
	"recoup/internal/kit/tabular"
	"recoup/reward"
)

// functions are what templates call, in the forms of a locale.
//
//	amount   an amount of minor units and its currency      {{amount .Balance .Currency}}
//	change   the same with its sign                         {{change .Difference .Currency}}
//	count    a whole number
//	plural   its noun: {{count .Rows}} {{plural .Rows "account" "accounts"}}
//	say      a text of the console's own in the page's language; all values go through it
//	english  a sentence of the ledger's, or of sample data, which is in no other language
//	percent  a share in thousandths
//	date     the day of an instant
//	moment   an instant to the minute, as a time element
//	cycle    a billing cycle of a program, or of several: {{cycle .Terms .Cycle}}
//	month    a calendar month
//	begins   the day on which a cycle begins, in the program's zone: {{begins .Terms .From}}
//	span     a length of time
//	sentence a sentence of the console's own, with what others chose in it
//	text     what others chose: with what it hides made visible
//	lines    the same of several lines
//	account, transaction    the address of an account's page, of a purchase's
//	link     an address below the console, with pairs for its query
//	days     a span of days, such as "31–60 days"
//	review, reviewID    the address of what is on the review list, and its id
//	reason   why something was proposed: what the console wrote of terms is in the page's language
//	proposed what is proposed where it is no adjustment, "" for one
//	list     its arguments as a list, for the parts of a template that take several
func functions(l *locale.Locale) template.FuncMap {
	return template.FuncMap{
		"amount": l.Amount, "change": l.Change, "count": countOf(l), "plural": pluralOf(l), "say": sayOf(l), "sentence": sentenceOf(l), "english": englishOf(l), "terms": meaningOf(l), "percent": l.Percent,
		"date": l.Date, "moment": momentOf(l), "cycle": l.Cycle, "month": func(c reward.Cycle) string { return l.Cycle(nil, c) }, "begins": l.Begins, "span": l.Span,
		"text": visibleText, "lines": visibleLines, "words": words, "account": accountPath, "transaction": transactionPath, "link": linkTo, "list": listOf, "static": staticPath,
		"days": daysOf(l), "ageEnd": ageEnd, "holdReason": holdReason, "waiting": waiting, "review": reviewPath, "reviewID": reviewID, "statusWords": statusWords, "outcome": outcomeOf(l), "reason": reasonOf(l), "proposed": proposedOf(l),
	}
}

// countOf writes whole numbers of whatever type.
func countOf(l *locale.Locale) func(any) (string, error) {
	return func(n any) (string, error) {
		whole, err := wholeNumber(n)
		return l.Count(whole), err
	}
}

// pluralOf is the form of a noun, or of what else differs, that goes with a number.
func pluralOf(l *locale.Locale) func(any, ...string) (string, error) {
	return func(n any, forms ...string) (string, error) {
		whole, err := wholeNumber(n)
		return l.Plural(whole, forms...), err
	}
}

// sayOf is what every value goes through that a page of another language shows: what is
// the console's own is said in it. What others chose comes through text, and is none.
func sayOf(l *locale.Locale) func(any) any {
	return func(value any) any {
		switch value := value.(type) {
		case locale.Text:
			return l.Say(value)
		case string:
			return l.Say(locale.Text(value))
		case fmt.Stringer: // a name of the wire
			return l.Say(locale.Text(value.String()))
		}
		return value
	}
}

// sentenceOf is text for a sentence of the console's with what others chose in it. Where
// lines run from right to left it has marks of the console's own around that, which stay.
func sentenceOf(l *locale.Locale) func(string) visible {
	return func(sentence string) visible {
		if l.Direction() == "ltr" {
			return visible(tabular.Visible(sentence))
		}
		var b strings.Builder
		for sentence != "" {
			at := strings.IndexFunc(sentence, locale.Isolates)
			if at < 0 {
				at = len(sentence)
			}
			b.WriteString(tabular.Visible(sentence[:at]))
			_, size := utf8.DecodeRuneInString(sentence[at:])
			b.WriteString(sentence[at : at+size])
			sentence = sentence[at+size:]
		}
		return visible(b.String())
	}
}

// visible is what others chose, with what it hides made visible.
type visible string

func visibleLines(text string) visible { return visible(tabular.VisibleLines(text)) }

func visibleText(text any) any {
	switch text := text.(type) {
	case string:
		return visible(tabular.Visible(text))
	case locale.Text:
		return text
	}
	return text // it is visible already
}

func wholeNumber(n any) (int64, error) {
	switch n := n.(type) {
	case int:
		return int64(n), nil
	case int32:
		return int64(n), nil
	case int64:
		return n, nil
	}
	return 0, fmt.Errorf("expected a whole number, found a %T", n)
}

// momentOf writes an instant as a time element, which says it exactly to machines.
func momentOf(l *locale.Locale) func(any) (template.HTML, error) {
	return func(at any) (template.HTML, error) {
		var instant reward.Instant
		switch at := at.(type) {
		case reward.Instant:
			instant = at
		case time.Time:
			instant = reward.At(at)
		default:
			return "", fmt.Errorf("moment: expected an instant, found a %T", at)
		}
		exact := instant.String()
		return template.HTML(`<time datetime="` + exact + `" title="` + exact + `">` + template.HTMLEscapeString(l.Moment(instant)) + `</time>`), nil
	}
}

// words turns a name of the wire, such as over_refunded, into words.
func words(name any) string { return strings.ReplaceAll(fmt.Sprint(name), "_", " ") }

func listOf(items ...any) []any { return items }

// accountPath is the address of an account's page. The id is in the query, where it
// may have any characters.
func accountPath(account string) string {
	return Path + "account?" + url.Values{"id": {account}}.Encode()
}

func transactionPath(account, transaction string) string {
	return Path + "transaction?" + url.Values{"account": {account}, "id": {transaction}}.Encode()
}

// linkTo is an address below the console with a query of names and values.
func linkTo(path string, pairs ...any) (string, error) {
	if len(pairs)%2 != 0 {
		return "", fmt.Errorf("link: expected names and values in pairs, found %d", len(pairs))
	}
	q := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		if value := fmt.Sprint(pairs[i+1]); value != "" {
			q.Set(fmt.Sprint(pairs[i]), value)
		}
	}
	if len(q) == 0 {
		return Path + path, nil
	}
	return Path + path + "?" + q.Encode(), nil
}

// ageEnd is the end of a span of days as a query has it: nothing for none.
func ageEnd(to int) string {
	if to == 0 {
		return ""
	}
	return strconv.Itoa(to)
}

func outcomeOf(l *locale.Locale) func(reward.Result) string {
	return func(r reward.Result) string { return resultWords(l, r) }
}
