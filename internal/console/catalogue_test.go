package console_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"recoup/internal/console/locale"
	"recoup/internal/console/phrase"
	"recoup/internal/console/play"
	"recoup/reward"
)

// used is what the console says, with the files that say it: messages of templates, texts
// and formats of code.
type used struct {
	places map[string][]string
	// literals are all texts of code. Some are said without that types show it: a page's
	// words that come from a table.
	literals map[string][]string
	// glued is where a sentence is put together of pieces, which no catalogue can have.
	glued []string
}

func (u *used) add(message, place string) {
	if !slices.Contains(u.places[message], place) {
		u.places[message] = append(u.places[message], place)
	}
}

// everythingSaid reads all templates, and all code of the console.
func everythingSaid(t *testing.T) *used {
	t.Helper()
	u := &used{places: make(map[string][]string), literals: make(map[string][]string)}
	files, err := filepath.Glob("pages/*.html")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d pages: %v", len(files), err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, message := range phrase.Cut(string(source)) {
			u.add(message, filepath.Base(file))
		}
	}
	r := &reader{positions: token.NewFileSet(), packs: make(map[string]*types.Package), formats: make(map[string]int), used: u}
	for _, folder := range []string{".", "locale", "overview", "play", "risk", "session", "simulate", "termsform", "weigh"} {
		r.read(folder, "Sprintf")
	}
	for _, folder := range []string{"../../reward", "../../program"} {
		r.read(folder, "tell") // Telling.Say is asked for these
	}
	for folder, format := range map[string]int{"../service/approval": 1, "../service/drafts": 0, "../store/triage": 1} {
		r.formats["invalid"] = format
		r.read(folder, "invalid")
	}
	for k := reward.WaitsForTransaction; k <= reward.LastReview; k++ {
		u.add(strings.ReplaceAll(k.String(), "_", " "), "functions.go") // by words
	}
	for _, name := range wireNames {
		u.add(name, "functions.go")
	}
	// What the playground plays is told by packages that know no languages.
	for _, d := range play.Designs() {
		u.add(string(d.Summary), "design.go")
		if strings.Contains(d.Name, " ") { // others are letters, which are the same everywhere
			u.add(d.Name, "design.go")
		}
	}
	for _, a := range play.Attacks() {
		if strings.Contains(a.Class, " ") { // others are the paper's labels
			u.add(a.Class, "script.go")
		}
	}
	for _, p := range play.Gallery() {
		u.add(string(p.About), p.Name+".yaml")
	}
	for _, list := range u.places {
		slices.Sort(list)
	}
	return u
}

// wireNames are other names of the wire as the function words writes them, and a title that
// is in no call that the reader knows.
var wireNames = []string{
	"refund", "chargeback", "transaction", "redemption", "account", "refused",
	"viewer", "operator", "approver", "admin", "approved", "rejected", "open", "posted", "applied", "ignored", "duplicate", "parked", "accepted", "denied",
	"in force", "upcoming", "earlier", "Who are you?",
}

// reader finds what code says by its types: constants that are a locale.Text, formats of
// Locale.Sprintf, and the titles and texts of pages. Of packages elsewhere only ours are
// looked into, as far as their names go, so most of what it makes of types is incomplete.
type reader struct {
	positions *token.FileSet
	packs     map[string]*types.Package
	formats   map[string]int // of functions that are no method: which argument is the format
	used      *used
}

// Import is how types asks for a package.
func (r *reader) Import(path string) (*types.Package, error) {
	if p := r.packs[path]; p != nil {
		return p, nil
	}
	below, ours := strings.CutPrefix(path, "recoup/")
	if !ours {
		p := types.NewPackage(path, filepath.Base(path))
		p.MarkComplete()
		r.packs[path] = p
		return p, nil
	}
	config := types.Config{Importer: r, IgnoreFuncBodies: true, FakeImportC: true, Error: func(error) {}}
	p, _ := config.Check(path, r.positions, r.parse(filepath.Join("../..", below)), nil) // what is missing is other people's
	r.packs[path] = p
	return p, nil
}

var _ types.Importer = (*reader)(nil)

func (r *reader) parse(folder string) (files []*ast.File) {
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			f, err := parser.ParseFile(r.positions, filepath.Join(folder, name), nil, parser.SkipObjectResolution)
			if err == nil {
				files = append(files, f)
			}
		}
	}
	return files
}

// aSentence is one that a person reads.
var aSentence = regexp.MustCompile(`^[A-Z].* .*\.$`)

// saidBy are functions whose constant arguments are said: the first of them.
var saidBy = map[string]int{"refuse": 1, "show": 2}

func (r *reader) read(folder, formatter string) {
	info := types.Info{Types: make(map[ast.Expr]types.TypeAndValue), Selections: make(map[*ast.SelectorExpr]*types.Selection)}
	config := types.Config{Importer: r, FakeImportC: true, Error: func(error) {}}
	files := r.parse(folder)
	config.Check("recoup/internal/console/"+folder, r.positions, files, &info)
	for _, f := range files {
		place := filepath.Base(r.positions.Position(f.Pos()).Filename)
		say := func(e ast.Expr) string {
			if value := info.Types[e].Value; value != nil && value.Kind() == constant.String && constant.StringVal(value) != "" {
				r.used.add(constant.StringVal(value), place)
				return constant.StringVal(value)
			} else if _, sum := ast.Unparen(e).(*ast.BinaryExpr); sum && value == nil {
				r.used.glued = append(r.used.glued, r.positions.Position(e.Pos()).String())
			}
			return ""
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				name := ""
				switch f := n.Fun.(type) {
				case *ast.Ident:
					if name = f.Name; name == formatter {
						say(n.Args[r.formats[formatter]])
					}
				case *ast.SelectorExpr:
					name = f.Sel.Name
					if name == formatter && !isPackage(f.X, "fmt") {
						say(n.Args[0])
					}
				}
				if first, ok := saidBy[name]; ok && folder == "." {
					for _, arg := range n.Args[min(first, len(n.Args)):] {
						say(arg)
					}
				}
			case *ast.CompositeLit:
				r.titles(n, say)
			case *ast.BasicLit:
				if value := info.Types[n].Value; value != nil && value.Kind() == constant.String {
					text := constant.StringVal(value)
					if !slices.Contains(r.used.literals[text], place) {
						r.used.literals[text] = append(r.used.literals[text], place)
					}
					if folder == "." && aSentence.MatchString(text) { // of whatever type: what a form is answered
						say(n)
					}
				}
				if isText(info.Types[n].Type) {
					say(n)
				}
			case ast.Expr:
				if isText(info.Types[n].Type) {
					say(n)
				}
			}
			return true
		})
	}
}

// titles says what a view or a problem has that is put together on the spot, or an error
// about what somebody sent.
func (r *reader) titles(n *ast.CompositeLit, say func(ast.Expr) string) {
	name, _ := n.Type.(*ast.Ident)
	if of, is := n.Type.(*ast.SelectorExpr); is && of.Sel.Name == "InvalidError" {
		for _, e := range n.Elts {
			if pair, ok := e.(*ast.KeyValueExpr); ok {
				if key, ok := pair.Key.(*ast.Ident); ok && key.Name == "Problem" {
					say(pair.Value)
				}
			}
		}
	}
	if name == nil || name.Name != "view" && name.Name != "problem" {
		return
	}
	for _, e := range n.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); !ok {
			say(e)
		} else if key, ok := pair.Key.(*ast.Ident); ok && key.Name == "Title" {
			say(pair.Value)
		}
	}
}

func isPackage(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

func isText(t types.Type) bool {
	named, ok := t.(*types.Named)
	return ok && named.Obj().Name() == "Text" && named.Obj().Pkg() != nil && strings.HasSuffix(named.Obj().Pkg().Path(), "console/locale")
}

// writeCatalogues, set, has the catalogues written anew: what is new is empty in them,
// and what nothing says any more is gone.
const writeCatalogues = "RECOUP_WRITE_CATALOGUES"

// TestCatalogues: whatever the console says is in the German catalogue, which has nothing
// that it does not say, and a translation has what its message has. Arabic may lack some.
func TestCatalogues(t *testing.T) {
	u := everythingSaid(t)
	for _, at := range u.glued {
		t.Errorf("%s: a sentence is glued together: expected Locale.Sprintf", at)
	}
	if len(u.places) < 300 {
		t.Fatalf("only %d messages were found", len(u.places))
	}
	for _, language := range locale.Languages()[1:] {
		file := "locale/catalogue/" + language.Tag + ".tsv"
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := locale.ReadCatalogue(string(text))
		if err != nil {
			t.Fatal(err)
		}
		u.addLiterals(lines)
		if os.Getenv(writeCatalogues) != "" {
			if err := os.WriteFile(file, []byte(written(language, lines, u)), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		u.hold(t, language.Tag, lines)
		if got := written(language, lines, u); got != string(text) {
			t.Errorf("%s is not as it is written: %s=1 go test ./internal/console -run TestCatalogues", file, writeCatalogues)
		}
	}
}

// addLiterals adds what a catalogue says for texts of code that types do not show.
func (u *used) addLiterals(lines []locale.Line) {
	for _, line := range lines {
		if u.places[line.English] == nil && u.literals[line.English] != nil {
			u.places[line.English] = slices.Sorted(slices.Values(u.literals[line.English]))
		}
	}
}

// hold holds a catalogue against what is said.
func (u *used) hold(t *testing.T, language string, lines []locale.Line) {
	known, places := make(map[string]bool), make(map[string]bool)
	for _, line := range lines {
		known[line.English] = known[line.English] || line.Said != ""
		if u.places[line.English] == nil {
			t.Errorf("%s: nothing says %q any more", language, line.English)
		}
		for _, place := range line.Places {
			if at := place + "\t" + line.English; places[at] {
				t.Errorf("%s: %q of %s is there twice", language, line.English, place)
			} else {
				places[at] = true
			}
		}
		if line.Said == "" {
			continue
		}
		if problem := differs(language, line, slices.ContainsFunc(line.Places, func(p string) bool { return strings.HasSuffix(p, ".go") })); problem != "" {
			t.Errorf("%s: %q as %q: %s", language, line.English, line.Said, problem)
		}
	}
	if language == "ar" {
		return
	}
	for message, at := range u.places {
		if !known[message] {
			t.Errorf("%s: nothing is said for %q of %v", language, message, at)
		}
	}
}

// differs says what a translation has other than its message.
func differs(language string, line locale.Line, code bool) string {
	marks := phrase.Marks
	if code && strings.Contains(line.English, "%") {
		marks = locale.Marks
	}
	if want, got := marks(line.English), marks(line.Said); !slices.Equal(want, got) {
		return fmt.Sprintf("expected %v, found %v", want, got)
	}
	for _, forms := range locale.FormsIn(line.Said) {
		if want := locale.Forms(language); forms != want {
			return fmt.Sprintf("expected %d forms, found %d", want, forms)
		}
	}
	if strings.Contains(line.Said, "{{") || strings.TrimSpace(line.Said) != line.Said && strings.TrimSpace(line.English) == line.English {
		return "expected no action, and no space at its ends"
	}
	return ""
}

// written is a catalogue as it is kept: a line for each message, in order, each place on
// the line that it was on.
func written(language locale.Language, lines []locale.Line, u *used) string {
	by := make(map[string][]locale.Line)
	for _, line := range lines {
		by[line.English] = append(by[line.English], line)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# What the console says in %s: a message, what is said for it, and the files that have it.\n", language.Name)
	for _, message := range slices.Sorted(maps.Keys(u.places)) {
		list := by[message]
		if len(list) == 0 {
			if language.Tag == "ar" {
				continue
			}
			list = []locale.Line{{English: message}}
		}
		named := make(map[string]bool)
		for i := range list[1:] {
			line := &list[i+1]
			line.Places = slices.DeleteFunc(line.Places, func(p string) bool { return !slices.Contains(u.places[message], p) })
			for _, p := range line.Places {
				named[p] = true
			}
		}
		list[0].Places = slices.DeleteFunc(slices.Clone(u.places[message]), func(p string) bool { return named[p] })
		slices.SortStableFunc(list[1:], func(a, b locale.Line) int {
			return cmp.Compare(strings.Join(a.Places, " "), strings.Join(b.Places, " "))
		})
		for _, line := range list {
			if len(line.Places) > 0 {
				fmt.Fprintf(&b, "%s\t%s\t%s\n", line.English, line.Said, strings.Join(line.Places, " "))
			}
		}
	}
	return b.String()
}
