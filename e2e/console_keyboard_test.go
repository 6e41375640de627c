package e2e_test

import (
	"strings"
	"testing"

	"recoup/e2e/browser"
)

// stops counts what one should come by with the Tab key: whatever can be used, of
// boxes that exclude each other one.
const stops = `(() => {
	const use = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']")]
		.filter((e) => !e.disabled && e.tabIndex >= 0 && e.checkVisibility());
	const groups = new Set();
	return use.filter((e) => e.type !== "radio" || (!groups.has(e.name) && groups.add(e.name))).length;
})()`

// Everything that can be used is reached by the Tab key, each once, and one sees
// where one is; in the playground, where there is time.
func consoleByKeyboard(t *testing.T, s *service) {
	for name, path := range map[string]string{
		"adjust":     "adjustment/new?account=anna",
		"review":     "review?account=farid&kind=refund&id=farid-refund",
		"playground": "playground",
	} {
		t.Run(name, func(t *testing.T) {
			if name == "playground" && !long() {
				t.Skip("two pictures of each of the most stops: set RECOUP_LONG=1")
			}
			t.Parallel()
			p := s.page(t, browser.Options{Dark: name == "review"})
			p.Open("/console/" + path)
			var want int
			p.Evaluate(stops, &want)
			seen := make(map[string]bool)
			for _, stop := range p.TabOrder(want + 1) {
				if seen[stop.Selector] {
					t.Errorf("one comes by %s twice", stop.What)
				}
				if seen[stop.Selector] = true; !stop.Ring {
					t.Errorf("one does not see that %s has the focus", stop.What)
				}
			}
			if len(seen) != want {
				t.Errorf("the Tab key reaches %d of the %d things that can be used", len(seen), want)
			}
		})
	}
	t.Run("the chart of an account", func(t *testing.T) {
		p := s.page(t, browser.Options{})
		p.Open("/console/account?id=anna")
		p.See("balance −$1.00")
		p.Evaluate("document.querySelector('figure[data-told]').focus()", nil)
		for _, key := range []string{"Home", "ArrowRight", "ArrowRight", "ArrowRight"} {
			p.Press(key)
		}
		p.See("balance −$10.00") // after the refund, the third change
		p.Press("End")
		var said string
		p.Evaluate("document.querySelector('.readout').textContent", &said)
		if !strings.HasSuffix(said, "balance −$1.00") {
			t.Errorf("at its end the chart says %q", said)
		}
	})
	t.Run("short cuts", func(t *testing.T) {
		p := s.page(t, browser.Options{})
		p.Open("/console/accounts")
		p.Press("Tab")
		p.Press("Enter")
		p.At("/console/accounts#main")
		p.Press("/")
		if at := p.Focused(); at.Selector != "#search" {
			t.Errorf("the key / leads to %q, want the search field", at.What)
		}
		p.Fill("Account or transaction", "\u200b anna-headphones\u00a0 ") // as it was pasted
		p.Press("Enter")
		p.At("/console/transaction?account=anna&id=anna-headphones")
	})
}
