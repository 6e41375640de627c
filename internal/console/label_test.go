package console_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"recoup/internal/console/locale"
)

var (
	// called is a control that says less than it is called: its name for who does not see it,
	// and its text.
	called = regexp.MustCompile(`<(?:button|a)\b(?:[^>{]|\{\{[^}]*\}\})*? aria-label="((?:[^"{]|\{\{[^}]*\}\})*)"(?:[^>{]|\{\{[^}]*\}\})*>([^<{]+)</`)
	action = regexp.MustCompile(`\{\{[^}]*\}\}`)
)

// TestNamesBeginInOneLanguage: where the text of a control is translated, its name is too, and
// has it: who speaks to the page says what is written there (WCAG 2.5.3).
func TestNamesBeginInOneLanguage(t *testing.T) {
	said := make(map[string]map[string]string)
	for _, language := range locale.Languages()[1:] {
		text, err := os.ReadFile("locale/catalogue/" + language.Tag + ".tsv")
		if err != nil {
			t.Fatal(err)
		}
		lines, err := locale.ReadCatalogue(string(text))
		if err != nil {
			t.Fatal(err)
		}
		said[language.Tag] = make(map[string]string)
		for _, line := range lines {
			said[language.Tag][line.English] = line.Said
		}
	}
	files, err := filepath.Glob("pages/*.html")
	if err != nil {
		t.Fatal(err)
	}
	controls := 0
	for _, file := range files {
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range called.FindAllStringSubmatch(string(page), -1) {
			n := 0
			name := action.ReplaceAllStringFunc(m[1], func(string) string { n++; return fmt.Sprintf("{%d}", n) })
			text := strings.TrimSpace(m[2])
			controls++
			for tag, words := range said {
				if words[text] == "" {
					continue
				}
				if !strings.Contains(strings.ToLower(words[name]), strings.ToLower(words[text])) {
					t.Errorf("%s, %s: the control %q is called %q", file, tag, words[text], words[name])
				}
			}
		}
	}
	if controls < 6 {
		t.Errorf("%d controls were found that are called by more than they say", controls)
	}
}
