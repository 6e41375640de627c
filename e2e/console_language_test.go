package e2e_test

import (
	"testing"

	"recoup/e2e/browser"
)

// narrow is the width at which WCAG asks for pages without scrolling sideways.
const narrow = 320

// languages are those of the console, and which way each runs.
var languages = map[string]struct{ locale, direction string }{
	"en": {"en-US", "ltr"}, "de": {"de-DE", "ltr"}, "ar": {"ar", "rtl"},
}

// awayInMenu is by how much the entry of the page is outside of the menu that shows it.
const awayInMenu = `(() => {
  const here = document.querySelector("header nav [aria-current]");
  if (!here) return 0;
  const at = here.getBoundingClientRect(), shown = here.parentElement.getBoundingClientRect();
  return Math.max(0, shown.left - at.left, at.right - shown.right);
})()`

// Every page says which language it is in and fits, in the narrowest window that counts: German
// has the longest words, and Arabic runs from the right, where it is accessible, too, and in
// the dark. German pages are the English ones but for their words, so that axe-core looks at
// them only if there is time.
func consoleLanguages(t *testing.T, s *service) {
	for language, is := range languages {
		t.Run(language, func(t *testing.T) {
			if language == "en" && !long() {
				t.Skip("the words of all other tests of the console: set RECOUP_LONG=1")
			}
			t.Parallel()
			p := s.page(t, browser.Options{Locale: is.locale, Phone: true, Width: narrow, Height: 640, Dark: is.direction == "rtl"})
			for _, page := range consoleList() {
				if page.alike && !long() {
					continue
				}
				if page.status != 0 {
					p.Expect(page.status)
				}
				p.Open("/console/" + page.path)
				var got string
				if p.Evaluate("document.documentElement.lang + ' ' + document.dir", &got); got != language+" "+is.direction {
					t.Errorf("%s in %s is %q", page.path, is.locale, got)
				}
				var away float64
				if p.Evaluate(awayInMenu, &away); away > 1 {
					t.Errorf("%s in %s: where one is lies %.0f px outside of the menu", page.path, is.locale, away)
				}
				if p.Fits(); long() || page.dense && is.direction == "rtl" {
					p.Axe()
				}
			}
		})
	}
	t.Run("chosen", func(t *testing.T) {
		p := s.page(t, browser.Options{Locale: "en-US"})
		p.Open("/console/accounts")
		p.See("Accounts")
		p.Click("Deutsch")
		p.See("Konten")
		p.Open("/console/programs") // it is kept
		p.See("Programme")
		p.Click("العربية")
		p.See("البرامج")
		p.Click("English")
		p.See("Programs")
	})
}
