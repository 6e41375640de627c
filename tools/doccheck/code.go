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
		rest := sayings(string(content))
		for _, run := range c.runs(d, block) {
			at, same := find(rest, run)
			if same < len(run) {
				c.say(d, run[same].line, "%s does not have, or not there: %s (what is left out between two lines is a line with …)", info[1], run[same].text)
				return
			}
			rest = rest[at+len(run):]
		}
	})
}

// quoted is a line of a quotation, and the document's line that it is.
type quoted struct {
	text string
	line int
}

// runs are the lines of a quotation that stand together, parted where a line has … alone.
func (c *checker) runs(d *document, block *ast.FencedCodeBlock) (list [][]quoted) {
	var run []quoted
	for i := range block.Lines().Len() {
		segment := block.Lines().At(i)
		switch text := words(string(segment.Value(d.source))); text {
		case "":
		case "…":
			list, run = append(list, run), nil
		default:
			run = append(run, quoted{text, d.line(segment.Start)})
		}
	}
	return append(list, run)
}

// words is a line without its indentation and alignment.
func words(line string) string { return strings.Join(strings.Fields(line), " ") }

// sayings are the lines of a text that say anything.
func sayings(text string) (list []string) {
	for line := range strings.Lines(text) {
		if line = words(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

// find is where a run first stands in lines, and how much of it is the same there: all of
// it, or the most that is found anywhere.
func find(lines []string, run []quoted) (at, same int) {
	for i := range lines {
		n := 0
		for n < len(run) && i+n < len(lines) && lines[i+n] == run[n].text {
			n++
		}
		if n > same {
			at, same = i, n
		}
		if same == len(run) {
			break
		}
	}
	return at, same
}
