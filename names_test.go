package recoup_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"
)

// TestEveryExportedNameHasItsSentence: that it begins with the name is staticcheck's to
// see (staticcheck.conf), which says nothing of a name without any.
func TestEveryExportedNameHasItsSentence(t *testing.T) {
	for _, s := range sources(t) {
		positions := token.NewFileSet()
		file, err := parser.ParseFile(positions, s.path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if file.Name.Name == "main" {
			continue // nobody imports it
		}
		for _, declared := range file.Decls {
			for _, name := range unsaid(declared) {
				t.Errorf("%v: %s is exported and has no sentence", positions.Position(name.Pos()), name.Name)
			}
		}
	}
}

// unsaid are the exported names of a declaration that neither a comment of their own nor
// one of their group is about. Methods of a type that is not exported are its own affair.
func unsaid(declared ast.Decl) (names []*ast.Ident) {
	note := func(name *ast.Ident, said ...*ast.CommentGroup) {
		for _, comment := range said {
			if comment != nil {
				return
			}
		}
		if name.IsExported() {
			names = append(names, name)
		}
	}
	switch d := declared.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil || receiver(d.Recv.List[0].Type).IsExported() {
			note(d.Name, d.Doc)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				note(spec.Name, d.Doc, spec.Doc, spec.Comment)
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					note(name, d.Doc, spec.Doc, spec.Comment)
				}
			}
		}
	}
	return names
}

// receiver is the name of the type that a method is of.
func receiver(of ast.Expr) *ast.Ident {
	for {
		switch e := of.(type) {
		case *ast.StarExpr:
			of = e.X
		case *ast.IndexExpr:
			of = e.X
		case *ast.IndexListExpr:
			of = e.X
		case *ast.Ident:
			return e
		default:
			return ast.NewIdent("_")
		}
	}
}
