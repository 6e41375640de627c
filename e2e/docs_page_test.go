package e2e_test

import (
	"path/filepath"
	"testing"

	"recoup/e2e/browser"
)

// page opens an empty page of the service in a browser.
func (s *service) page(t testing.TB, o browser.Options) *browser.Page {
	t.Helper()
	o.Server = s.url
	return browser.Start(t).Page(t, o)
}

// The page that describes the service is there for everybody, on a desk and on a
// phone in the dark.
func TestDocsPage(t *testing.T) {
	t.Parallel()
	s := serveAs(t, "--dev", "--db", filepath.Join(t.TempDir(), "data"))
	for name, o := range map[string]browser.Options{"desk": {}, "phone": {Phone: true, Dark: true}} {
		t.Run(name, func(t *testing.T) {
			p := s.page(t, o)
			p.Open("/docs")
			p.See("/v1/events")
			if long() {
				p.Axe() // which takes seconds for so long a page
			}
			p.Fits()
			for _, stop := range p.TabOrder(5) {
				if !stop.Ring {
					t.Errorf("one does not see that %s has the focus", stop.What)
				}
			}
		})
	}
}
