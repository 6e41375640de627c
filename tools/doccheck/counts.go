package main

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// counted are the folders of what documents count, by the word for it.
var counted = map[string][]string{
	"cases":          {"testdata/cases", "testdata/cases-terms", "testdata/cases-tiers", "testdata/cases-items", "testdata/cases-links", "testdata/cases-expiry"},
	"scenario files": {"internal/scenario/files"},
}

// countIn is a number of what is counted: "200 cases".
var countIn = regexp.MustCompile(`\b([0-9][0-9,]*)\s(cases|scenario files)\b`)

// counts compares numbers with how many there are in one of the folders.
func (c *checker) counts(d *document) {
	for _, m := range countIn.FindAllSubmatchIndex(d.source, -1) {
		said, what := string(d.source[m[2]:m[3]]), string(d.source[m[4]:m[5]])
		right, are := false, []string(nil)
		for _, folder := range counted[what] {
			found, _ := filepath.Glob(filepath.Join(c.root, filepath.FromSlash(folder), "*"))
			n := strconv.Itoa(len(found))
			right = right || n == strings.ReplaceAll(said, ",", "")
			are = append(are, folder+" has "+n)
		}
		if !right {
			c.say(d, d.line(m[0]), "%s %s: %s", said, what, strings.Join(are, ", "))
		}
	}
}
