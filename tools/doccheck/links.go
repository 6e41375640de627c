package main

import (
	goast "go/ast"
	"go/parser"
	"go/token"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
)

var goName = regexp.MustCompile(`^[\pL_][\pL\pN_]*$`)

// links looks where links and pictures lead.
func (c *checker) links(d *document) {
	d.each(func(n ast.Node, line int) {
		switch n := n.(type) {
		case *ast.Link:
			c.link(d, line, string(n.Destination))
			if code, ok := n.FirstChild().(*ast.CodeSpan); ok && n.ChildCount() == 1 {
				c.declared(d, line, d.text(code), string(n.Destination))
			}
		case *ast.Image:
			c.link(d, line, string(n.Destination))
		}
	})
}

func (c *checker) link(d *document, line int, to string) {
	target, err := url.Parse(to)
	if err != nil {
		c.say(d, line, "%s is no address", to)
		return
	}
	if target.Scheme != "" || target.Host != "" {
		return
	}
	path := d.path
	if target.Path != "" {
		if path = below(d, target.Path); !c.there(path) {
			c.say(d, line, "%s leads to %s, which is not there", to, path)
			return
		}
	}
	if target.Fragment == "" || !strings.HasSuffix(path, ".md") {
		return
	}
	other, err := c.document(path)
	if err != nil {
		c.say(d, line, "%s: %v", to, err)
	} else if !other.anchors[target.Fragment] {
		c.say(d, line, "%s leads to a heading that %s does not have", to, path)
	}
}

// declared looks for a Go name, which may be the package's, in the Go file that it is a
// link to.
func (c *checker) declared(d *document, line int, name, to string) {
	path, _, _ := strings.Cut(to, "#")
	if !strings.HasSuffix(path, ".go") || !goName.MatchString(name) || !c.there(below(d, path)) {
		return
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(c.root, filepath.FromSlash(below(d, path))), nil, parser.SkipObjectResolution)
	if err != nil {
		c.say(d, line, "%v", err)
		return
	}
	found := file.Name.Name == name
	note := func(declared *goast.Ident) { found = found || declared.Name == name }
	for _, declaration := range file.Decls {
		switch x := declaration.(type) {
		case *goast.FuncDecl:
			note(x.Name)
		case *goast.GenDecl:
			for _, spec := range x.Specs {
				switch spec := spec.(type) {
				case *goast.TypeSpec:
					note(spec.Name)
				case *goast.ValueSpec:
					for _, declared := range spec.Names {
						note(declared)
					}
				}
			}
		}
	}
	if !found {
		c.say(d, line, "%s declares no %s", below(d, path), name)
	}
}
