package console

import (
	"net/http"
	"time"

	"recoup/internal/console/locale"
)

// languageCookie has the language that somebody has chosen. It is nobody's secret.
const languageCookie = "recoup_language"

// languageKept is how long a browser keeps the choice: a year, from each choice on.
const languageKept = 365 * 24 * time.Hour

// localeOf is the locale of who sent a request: the language that they chose, or what
// their browser asks for.
func (c *Console) localeOf(r *http.Request) *locale.Locale {
	return locale.Choose(r.Header.Get("Accept-Language"), c.sessions.Preference(r, languageCookie)).With(c.decimals)
}

// chooseLanguage keeps a language that somebody chose, whoever it is, and goes back to
// where they were. That a form of another site cannot do it is the sessions' care; that
// it is from this session need not be known, for nothing but words changes.
func (c *Console) chooseLanguage(v *visit) error {
	chosen := v.field("language")
	for _, l := range locale.Languages() {
		if l.Tag == chosen {
			c.sessions.KeepPreference(v.w, languageCookie, chosen, languageKept)
			http.Redirect(v.w, v.r, c.sessions.Next(v.r), http.StatusSeeOther)
			return nil
		}
	}
	return refuse(http.StatusBadRequest, "There is no such language", "Choose one of those at the end of each page.")
}
