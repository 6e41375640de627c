package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// pathIn is what stands in backquotes and may be a path.
var pathIn = regexp.MustCompile(`^[\w.-]+(/[\w.*-]+)+/?$`)

// placeholder stands for a name that a reader chooses: internal/store/NAME.
var placeholder = regexp.MustCompile(`[A-Z]{3,}`)

// paths looks whether the paths in backquotes that begin with a folder of the root are there.
func (c *checker) paths(d *document) {
	d.each(func(n ast.Node, line int) {
		if _, ok := n.(*ast.CodeSpan); !ok {
			return
		}
		path := d.text(n)
		if !pathIn.MatchString(path) {
			return
		}
		top, _, _ := strings.Cut(path, "/")
		if top == "." || top == "bin" || top == "out" { // what commands make
			return
		}
		if info, err := os.Stat(filepath.Join(c.root, top)); err != nil || !info.IsDir() {
			return
		}
		if !c.there(path) && !c.there(placeholder.ReplaceAllString(path, "*")) {
			c.say(d, line, "there is no %s", path)
		}
	})
}

// quotations compares blocks of code with the files that they are of.
func (c *checker) quotations(d *document) {
	d.each(func(n ast.Node, line int) {
		block, ok := n.(*ast.FencedCodeBlock)
		if !ok || block.Info == nil {
			return
		}
		info := strings.Fields(string(block.Info.Segment.Value(d.source)))
		if len(info) != 2 {
			return
		}
		content, err := os.ReadFile(filepath.Join(c.root, filepath.FromSlash(info[1])))
		if err != nil {
			c.say(d, line, "quotes %s, which is not there", info[1])
			return
		}
		rest := strings.Split(string(content), "\n")
		for i := range block.Lines().Len() {
			segment := block.Lines().At(i)
			quoted := strings.TrimSpace(string(segment.Value(d.source)))
			if quoted == "" || quoted == "…" {
				continue
			}
			at := find(rest, quoted)
			if at < 0 {
				c.say(d, d.line(segment.Start), "%s does not have, or not there: %s", info[1], quoted)
				return
			}
			rest = rest[at+1:]
		}
	})
}

// find is the first of lines that says the same but for its indentation; -1 if none does.
func find(lines []string, quoted string) int {
	for i, line := range lines {
		if strings.Join(strings.Fields(line), " ") == strings.Join(strings.Fields(quoted), " ") {
			return i
		}
	}
	return -1
}
