package locale

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/feature/plural"
)

// Text is a text of the console's own that is there before anybody has asked for it,
// such as a word of a table. It is English, and is said in a reader's language where it
// is shown: templates do that by themselves.
type Text string

// Say returns a text in the locale's language: English where the catalogue lacks it.
func (l *Locale) Say(t Text) string {
	if said, ok := l.speech.find("", string(t)); ok {
		return said
	}
	return string(t)
}

// Message returns a message of a page's file in the locale's language, and whether the
// catalogue has it. See package phrase for what a message is.
func (l *Locale) Message(file, english string) (string, bool) { return l.speech.find(file, english) }

// Sprintf writes a sentence of the console's code as fmt.Sprintf does, in the locale's
// language. Sentences go through it, whole and with their values apart: the format is
// what a translation is found by, and may have the values in another order, as %[2]s.
// What depends on a number has its forms in braces, after the place of the number among
// the values: Sprintf("%s {2:day|days}", l.Count(n), n). A value that is a Text is said.
func (l *Locale) Sprintf(format string, args ...any) string {
	args = l.said(args)
	if said, ok := l.speech.find("", format); ok {
		return l.write(l.speech, said, args)
	}
	return l.write(english, format, args)
}

var (
	verb    = regexp.MustCompile(`%(?:\[(\d+)\])?([-+# 0-9.]*)([a-zA-Z%])`)
	choices = regexp.MustCompile(`\{(\d+):([^{}]*)\}`)
)

// The characters that keep a piece of text to itself where lines run the other way.
const (
	isolate    = "\u2068"
	endIsolate = "\u2069"
)

// Isolates reports whether a character is one of those that Sprintf puts around values
// where lines run from right to left.
func Isolates(r rune) bool { return string(r) == isolate || string(r) == endIsolate }

// write fills in a format of a language.
func (l *Locale) write(s *speech, format string, args []any) string {
	next := 0
	format = verb.ReplaceAllStringFunc(format, func(text string) string {
		m := verb.FindStringSubmatch(text)
		if m[3] == "%" {
			return text
		}
		next++
		if m[1] != "" {
			next, _ = strconv.Atoi(m[1]) // digits
		}
		placed := "%[" + strconv.Itoa(next) + "]" + m[2] + m[3]
		if l.speech.leftward && m[3] != "d" {
			return isolate + placed + endIsolate
		}
		return placed
	})
	format = choices.ReplaceAllStringFunc(format, func(text string) string {
		m := choices.FindStringSubmatch(text)
		place, _ := strconv.Atoi(m[1]) // digits
		if place < 1 || place > len(args) {
			return text
		}
		n, ok := whole(args[place-1])
		if !ok {
			return text
		}
		return s.form(n, strings.Split(m[2], "|"))
	})
	if !verb.MatchString(format) { // the form says the number itself
		return format
	}
	return fmt.Sprintf(format, args...)
}

// Plural returns the form that goes with a number, of those that the language has, in
// the order of Forms.
func (l *Locale) Plural(n int64, forms ...string) string { return l.speech.form(n, forms) }

// Forms are how many forms the words of a language have that depend on a number: in
// English one and others, in Arabic six.
func Forms(language string) int {
	if s := speechOf(language); s != nil {
		return len(s.forms)
	}
	return 0
}

// form is the one of some forms that goes with a number. Of forms that are another
// language's, which is English where there is no translation, the last is of many.
func (s *speech) form(n int64, forms []string) string {
	if len(forms) != len(s.forms) {
		s = english
	}
	n = max(n, -n)
	is := plural.Cardinal.MatchPlural(s.tag, int(n%1_000_000), 0, 0, 0, 0)
	if n >= 1_000_000 && is == plural.One {
		is = plural.Other // only the number itself is one
	}
	for i, form := range s.forms {
		if form == is && i < len(forms) {
			return forms[i]
		}
	}
	return forms[len(forms)-1]
}

func whole(n any) (int64, bool) {
	switch n := n.(type) {
	case int:
		return int64(n), true
	case int64:
		return n, true
	}
	return 0, false
}

// Marks are what a format has besides words, in order: its values, and what depends on a
// number. A translation has the same values.
func Marks(format string) []string {
	all := make(map[string]bool)
	next := 0
	for _, m := range verb.FindAllStringSubmatch(format, -1) {
		if m[3] == "%" {
			continue
		}
		next++
		if m[1] != "" {
			next, _ = strconv.Atoi(m[1]) // digits
		}
		all["%["+strconv.Itoa(next)+"]"+m[2]+m[3]] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// FormsIn says of each place of a message that depends on a number how many forms it has.
func FormsIn(message string) (list []int) {
	for _, m := range choices.FindAllStringSubmatch(message, -1) {
		list = append(list, strings.Count(m[2], "|")+1)
	}
	return list
}
