package e2e_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"recoup/e2e/browser"
)

// The console with sample data, which takes seconds to load: one service for all
// that can share it. What changes accounts or programs comes after what looks at
// all of them, and each changes others.
func TestConsole(t *testing.T) {
	t.Parallel()
	s, db := sampleData(t)
	t.Cleanup(func() { verified(t, db) })
	t.Run("pages", func(t *testing.T) { consolePages(t, s) })
	for name, part := range map[string]func(*testing.T, *service){
		"keyboard":    consoleByKeyboard,
		"locales":     consoleLocales,
		"languages":   consoleLanguages,
		"playground":  consolePlayground,
		"reviews":     consoleReviews,
		"queue":       consoleQueue,
		"adjustments": consoleAdjustments,
		"programs":    consolePrograms,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			part(t, s)
		})
	}
}

// sampleData serves the sample data, whose figures have been read. The figures are
// read in the background.
func sampleData(t testing.TB) (s *service, db string) {
	t.Helper()
	// The database is named, since a service that is killed leaves its own behind.
	db = filepath.Join(t.TempDir(), "data")
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
		if err != nil {
			return err
		}
		_, page, err = c.ask("GET", "/console/risk", "", nil, nil)
		if err == nil && !strings.Contains(string(page), "As of ") {
			err = errors.New("the page about risk has none yet")
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
