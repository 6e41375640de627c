package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// documents are the paths below root of all *.md, without what tools leave there.
func documents(root string) (paths []string, err error) {
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(root, path)
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			switch entry.Name() {
			case ".git", "bin", "out", "node_modules":
				return fs.SkipDir
			}
		case strings.HasSuffix(inside, ".md"):
			paths = append(paths, filepath.ToSlash(inside))
		}
		return nil
	})
	return paths, err
}

// document is one file of Markdown.
type document struct {
	path    string // below the root
	source  []byte
	tree    ast.Node
	anchors map[string]bool
}

var markdown = goldmark.New(goldmark.WithExtensions(extension.Table))

func (c *checker) document(path string) (*document, error) {
	if d := c.read[path]; d != nil {
		return d, nil
	}
	source, err := os.ReadFile(filepath.Join(c.root, filepath.FromSlash(path)))
	if err != nil {
		return nil, err
	}
	d := &document{path: path, source: source, anchors: make(map[string]bool)}
	d.tree = markdown.Parser().Parse(text.NewReader(source))
	d.each(func(n ast.Node, _ int) {
		if heading, ok := n.(*ast.Heading); ok {
			name := anchor(d.text(heading))
			for i := 1; d.anchors[name]; i++ {
				name = strings.TrimSuffix(name, "-"+strconv.Itoa(i-1)) + "-" + strconv.Itoa(i)
			}
			d.anchors[name] = true
		}
	})
	c.read[path] = d
	return d, nil
}

// each calls do with every node and the line that its block begins on.
func (d *document) each(do func(n ast.Node, line int)) {
	line := 1
	_ = ast.Walk(d.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			switch n := n.(type) {
			case *ast.Text:
				line = d.line(n.Segment.Start)
			default:
				if n.Type() == ast.TypeBlock && n.Lines() != nil && n.Lines().Len() > 0 {
					line = d.line(n.Lines().At(0).Start)
				}
			}
			do(n, line)
		}
		return ast.WalkContinue, nil
	})
}

func (d *document) line(at int) int { return 1 + bytes.Count(d.source[:at], []byte("\n")) }

// text is what is read of a node, without its marks.
func (d *document) text(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(d.source))
			if t.SoftLineBreak() {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// anchor is the name that forges give a heading.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(heading))
}
