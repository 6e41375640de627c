// Package casebook reads the conformance cases of terms, for tests: what happens under which
// program. What must come of it each reader holds against what it tests.
package casebook

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recoup/event"
	"recoup/program"
	"recoup/reward"
)

// Course is what happens under a program.
type Course struct {
	Name    string
	Program *reward.Program
	Events  []reward.Event
}

// OfTerms reads the courses of testdata that are about more than plain programs: layers and bonuses,
// items, guessed links and money abroad, expiry and tiers.
func OfTerms(t testing.TB, testdata string) (list []Course) {
	t.Helper()
	for _, sort := range []string{"cases-terms", "cases-items", "cases-links", "cases-expiry", "cases-tiers"} {
		entries, err := os.ReadDir(filepath.Join(testdata, sort))
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			path := filepath.Join(testdata, sort, entry.Name())
			var c Course
			if entry.IsDir() {
				c = ReadFolder(t, path)
			} else {
				c = ReadText(t, path).course(t)
			}
			c.Program.ID = "terms" // one database may have all of them, and has one program
			c.Name = sort + " " + strings.TrimSuffix(entry.Name(), ".txt")
			list = append(list, c)
		}
	}
	if len(list) < 200 {
		t.Fatalf("%d cases in %s", len(list), testdata)
	}
	return list
}

// ReadFolder reads program.yaml and events.jsonl of a folder.
func ReadFolder(t testing.TB, folder string) (c Course) {
	t.Helper()
	c.Name = filepath.Base(folder)
	var err error
	if c.Program, err = program.Load(filepath.Join(folder, "program.yaml")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := event.NewDecoder()
	for line := range bytes.Lines(text) {
		var e reward.Event
		if err := lines.Decode(line, &e); err != nil {
			t.Fatalf("%s: %v", folder, err)
		}
		c.Events = append(c.Events, e)
	}
	return c
}
