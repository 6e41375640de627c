package e2e_test

import (
	"testing"

	"recoup/e2e/browser"
)

// narrow is the width at which WCAG asks for pages without scrolling sideways.
const narrow = 320

// Every page fits and is accessible in every language, in the narrowest window that
// counts: German has the longest words, and Arabic runs from the right.
func consoleLanguages(t *testing.T, s *service) {
	for locale, direction := range map[string]string{"en-US": "ltr", "de-DE": "ltr", "ar": "rtl"} {
		t.Run(locale, func(t *testing.T) {
			t.Parallel()
			p := s.page(t, browser.Options{Locale: locale, Phone: true, Width: narrow, Height: 640})
			for _, page := range consoleList() {
				if page.status != 0 {
					p.Expect(page.status)
				}
				p.Open("/console/" + page.path)
				var got string
				if p.Evaluate("document.dir", &got); got != direction {
					t.Errorf("%s in %s runs %q", page.path, locale, got)
				}
				if p.Fits(); long() || !page.alike && direction == "rtl" {
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
