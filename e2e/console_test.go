package e2e_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"recoup/e2e/browser"
)

// The console with sample data, which takes seconds to load: one service for all
// that can share it. Those that change accounts or programs come after those that
// look at them.
func TestConsole(t *testing.T) {
	s, db := sampleData(t)
	for _, part := range []struct {
		name string
		test func(*testing.T, *service)
	}{
		{"pages", consolePages},
		{"keyboard", consoleByKeyboard},
		{"locales", consoleLocales},
		{"playground", consolePlayground},
		{"reviews", consoleReviews},
		{"adjustments", consoleAdjustments},
		{"programs", consolePrograms},
	} {
		t.Run(part.name, func(t *testing.T) { part.test(t, s) })
	}
	verified(t, db)
}

// sampleData serves the sample data, whose figures have been read. The figures are
// read in the background.
func sampleData(t testing.TB) (s *service, db string) {
	t.Helper()
	// The database is named, since a service that is killed leaves its own behind.
	db = "sqlite:" + filepath.Join(t.TempDir(), "recoup.db")
	s = serveAs(t, "--demo", "--db", db)
	s.figures(t)
	return s, db
}

// figures waits until the figures of the overview are there.
func (s *service) figures(t testing.TB) {
	t.Helper()
	c := s.client(t)
	eventually(t, "figures", func() error {
		_, page, err := c.ask("GET", "/console/", "", nil, nil)
		if err == nil && !strings.Contains(string(page), "As of ") {
			err = errors.New("the overview has none yet")
		}
		return err
	})
}

// be makes whoever is at a page of an open service somebody with a role, and goes
// to a path then.
func be(p *browser.Page, role, path string) {
	p.Open(path)
	p.Click("Be somebody else")
	p.Click("Be the " + role)
	p.See(role)
	p.Open(path)
}
