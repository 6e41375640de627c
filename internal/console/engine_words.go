package console

import (
	"html/template"
	"strings"

	"recoup/internal/console/locale"
	"recoup/internal/kit/tabular"
	"recoup/reward"
)

// What the engine says of a posting, and the terms of a program in words, are sentences
// of the ledger: they are the same over HTTP, in exports and here. Postings under plain
// terms are explained in German as well; the rest is English, and says so to who reads
// it aloud and to lines that run the other way.

// told has postings explained in the page's language, as far as that can be. In Arabic it
// cannot: a sentence of ids and formulas does not read well from the right.
func (v *visit) told(t reward.Telling) reward.Telling {
	if v.locale.Language() != locale.English && v.locale.Direction() == "ltr" {
		t.Say = v.locale.Sprintf
	}
	return t
}

// explained says why a posting was made, as text has it. English is only marked as such
// where the page is in another language.
func explained(l *locale.Locale, p *reward.Posting, told reward.Telling) any {
	text := p.Explain(told)
	if told.Say != nil && p.Translatable() {
		return visibleText(text)
	}
	return englishOf(l)(text)
}

// inEnglish is a text of the ledger's, which is English whatever the page is in.
func inEnglish(text string) template.HTML {
	return template.HTML(`<span lang="en" dir="ltr">` + template.HTMLEscapeString(tabular.VisibleLines(text)) + `</span>`)
}

// englishOf is inEnglish for templates: only a page in another language says so, of what
// cannot be said in that language.
// Sentences are shown whole, however long.
func englishOf(l *locale.Locale) func(string) any {
	return func(text string) any {
		if l.Language() == locale.English || strings.TrimSpace(text) == "" {
			return visibleLines(text)
		}
		if said, ok := retell(l, text); ok {
			return said
		}
		return inEnglish(text)
	}
}
