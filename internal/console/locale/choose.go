package locale

import (
	"strings"

	"golang.org/x/text/language"
)

var matcher = func() language.Matcher {
	tags := make([]language.Tag, len(locales))
	for i := range locales {
		tags[i] = language.MustParse(locales[i].Tag)
	}
	return language.NewMatcher(tags)
}()

var speaker = func() language.Matcher {
	tags := make([]language.Tag, len(speeches))
	for i := range speeches {
		tags[i] = speeches[i].tag
	}
	return language.NewMatcher(tags)
}()

// longestHeader bounds the Accept-Language header that is looked at.
const longestHeader = 500

// Match returns the locale that an Accept-Language header asks for, or the nearest;
// without one that is known, English with the day before the month.
func Match(header string) *Locale { return Choose(header, "") }

// Choose is Match for somebody who has chosen one of the Languages: then the header says
// only in which of that language's countries. A choice of no language is none.
func Choose(header, chosen string) *Locale {
	var asked []language.Tag
	if len(header) <= longestHeader {
		asked, _, _ = language.ParseAcceptLanguage(header) // what cannot be read asks for nothing
	}
	if s := speechOf(chosen); s != nil {
		return localeOf(s, only(asked, s.tag))
	}
	numbers := nearest(asked)
	if s := speechOf(baseOf(language.MustParse(numbers.Tag))); s != nil {
		numbers.speech = s
		return &numbers
	}
	numbers.speech = english
	if _, i, confidence := speaker.Match(asked...); confidence != language.No {
		numbers.speech = speeches[i]
	}
	if numbers.speech != english && strings.Contains(numbers.date, "Jan") {
		numbers.date, numbers.clock = iso, clock24 // whose months are English words
	}
	return &numbers
}

// localeOf is how a language writes numbers and dates, in a country that is asked for.
func localeOf(s *speech, asked []language.Tag) *Locale {
	if len(asked) == 0 {
		asked = []language.Tag{s.tag}
	}
	l := nearest(asked)
	l.speech = s
	return &l
}

// nearest is the locale that is nearest to what is asked for, the default if none is.
func nearest(asked []language.Tag) Locale {
	if len(asked) == 0 {
		return locales[0]
	}
	_, i, confidence := matcher.Match(asked...)
	if confidence == language.No {
		return locales[0]
	}
	return locales[i]
}

// only are the tags of one language.
func only(asked []language.Tag, of language.Tag) (list []language.Tag) {
	for _, tag := range asked {
		if baseOf(tag) == baseOf(of) {
			list = append(list, tag)
		}
	}
	return list
}

func baseOf(tag language.Tag) string {
	base, _ := tag.Base()
	return base.String()
}

// Language is the language of the console's words, as BCP 47 has it.
func (l *Locale) Language() string { return l.speech.tag.String() }

// Direction is that of lines, as HTML has it: ltr or rtl.
func (l *Locale) Direction() string {
	if l.speech.leftward {
		return "rtl"
	}
	return "ltr"
}
