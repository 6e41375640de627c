package console

import (
	"html/template"
	"strings"

	"recoup/internal/console/locale"
	"recoup/internal/kit/tabular"
	"recoup/program"
	"recoup/reward"
)

// What the engine says of postings and terms are sentences of the ledger: they are the same
// over HTTP, in exports and here. They are said in German as well; on other pages they are
// English, and say so to who reads them aloud and to lines that run the other way.

// told has postings and terms explained in the page's language, as far as that can be. In
// Arabic it cannot: a sentence of ids and formulas does not read well from the right.
func (v *visit) told(t reward.Telling) reward.Telling {
	if v.locale.Language() != locale.English && v.locale.Direction() == "ltr" {
		t.Say = v.locale.Sprintf
	}
	return t
}

// describe says what terms mean, and the most that an account can earn in a year.
func (v *visit) describe(terms *reward.Program) (m program.Meaning, year string) {
	told := v.toldOf(terms)
	m = program.DescribeAs(terms, told)
	return m, m.Year.Words(told)
}

// toldOf tells of terms.
func (v *visit) toldOf(terms *reward.Program) reward.Telling {
	return v.told(reward.Telling{Spend: v.money(terms.Currency), Reward: v.money(terms.RewardUnit())})
}

// meaningOf is how templates show what told has said, in the language that it is in.
func meaningOf(l *locale.Locale) func(string) any {
	if l.Direction() == "ltr" {
		return func(text string) any { return visibleLines(text) }
	}
	return englishOf(l)
}

// explained says why a posting was made, as meaningOf has it.
func explained(l *locale.Locale, p *reward.Posting, told reward.Telling) any {
	return meaningOf(l)(p.Explain(told))
}

// inEnglish is a text of the ledger's, which is English whatever the page is in.
func inEnglish(text string) template.HTML {
	return template.HTML(`<span lang="en" dir="ltr">` + template.HTMLEscapeString(tabular.VisibleLines(text)) + `</span>`)
}

// englishOf is inEnglish for templates: only a page in another language says so, of what
// cannot be said in that language. Sentences are shown whole, however long.
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
