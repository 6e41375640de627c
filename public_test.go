package recoup_test

import (
	"go/ast"
	"go/token"
	"regexp"
	"strings"
	"testing"
)

// public are the rooms that programs of other people import.
var public = map[string]bool{"reward": true, "program": true, "event": true, "ledger": true}

// TestWhatIsPublicHasItsSentence: each exported name of the library says what it is, in a
// comment that begins with it. Constants and variables may share one.
func TestWhatIsPublicHasItsSentence(t *testing.T) {
	for _, s := range sources(t) {
		if !public[s.pack] {
			continue
		}
		missing := func(at token.Pos, name string) {
			t.Errorf("%v: %s is exported: expected a comment that begins with %q", s.positions.Position(at), name, name)
		}
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && receiverExported(d) && !says(d.Doc, d.Name.Name) {
					missing(d.Pos(), d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						if spec.Name.IsExported() && !says(spec.Doc, spec.Name.Name) && !says(d.Doc, spec.Name.Name) {
							missing(spec.Pos(), spec.Name.Name)
						}
					case *ast.ValueSpec:
						for _, name := range spec.Names {
							if name.IsExported() && d.Doc == nil && spec.Doc == nil && spec.Comment == nil {
								missing(name.Pos(), name.Name)
							}
						}
					}
				}
			}
		}
	}
}

// receiverExported reports whether a function is of no type, or of one that is exported.
func receiverExported(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return true
	}
	of := f.Recv.List[0].Type
	if star, is := of.(*ast.StarExpr); is {
		of = star.X
	}
	if generic, is := of.(*ast.IndexExpr); is {
		of = generic.X
	}
	name, is := of.(*ast.Ident)
	return is && name.IsExported()
}

var article = regexp.MustCompile(`^(A|An|The) `)

// says reports whether a comment begins with a name.
func says(doc *ast.CommentGroup, name string) bool {
	if doc == nil {
		return false
	}
	text := article.ReplaceAllString(doc.Text(), "")
	rest, is := strings.CutPrefix(text, name)
	return is && rest != "" && !regexp.MustCompile(`^\w`).MatchString(rest)
}
