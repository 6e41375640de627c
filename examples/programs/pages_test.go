package programs

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"recoup/program"
)

// TestEveryPageOfTerms: each page of docs/terms has a program and a course that comes to
// what the page says, and is led to.
func TestEveryPageOfTerms(t *testing.T) {
	pages, err := filepath.Glob("../../docs/terms/*.md")
	if err != nil || len(pages) < 2 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	index, err := os.ReadFile("../../docs/terms/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		base := filepath.Base(page)
		if base == "README.md" {
			continue
		}
		t.Run(base, func(t *testing.T) {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Contains(index, []byte("("+base+")")) {
				t.Error("README.md does not lead to it")
			}
			for _, part := range []string{"**Formula.**", "**Written**", "**What a refund does.**"} {
				if !bytes.Contains(text, []byte("\n"+part)) {
					t.Errorf("it has no paragraph that begins %s", part)
				}
			}
			p, err := program.Parse(base, block(t, text, "yaml"))
			if err != nil {
				t.Fatal(err)
			}
			if p.ID+".md" != base {
				t.Errorf("its program is called %s", p.ID)
			}
			c, err := parse(string(block(t, text, "text")), p)
			if err != nil {
				t.Fatal(err)
			}
			judge(t, c)
		})
	}
}

// block is what a page has between fences of a kind, of which there is one. What is before
// it is blank lines, so that errors name the page's.
func block(t *testing.T, page []byte, kind string) []byte {
	t.Helper()
	found := regexp.MustCompile("(?s)```"+kind+"\n(.*?)```").FindAllSubmatchIndex(page, -1)
	if len(found) != 1 {
		t.Fatalf("%d blocks of %s, want one", len(found), kind)
	}
	begin, end := found[0][2], found[0][3]
	return append([]byte(strings.Repeat("\n", bytes.Count(page[:begin], []byte("\n")))), page[begin:end]...)
}
