package console_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"recoup/internal/service/access"
	"recoup/program"
)

// refusing are the functions that say what is wrong with terms, and which argument of each
// is the sentence.
var refusing = map[string]int{"Fail": 0, "Expected": 0, "fail": 1, "refuseProgram": 1, "Errorf": 0, "New": 0}

// notShown are sentences of those packages that no page has: they are of readers that the
// console does not call, or are all what they quote.
var notShown = []string{"%s", "reading the program: %s", "writing the terms: %s", "there is no operation %s", "no program %s", "expected either env or file", "there is no secret in %s", "%s: expected a secret, found more than %d bytes"}

var anyVerb = regexp.MustCompile(`%[qvwU]`)

// sentencesOf are the sentences that files refuse terms with.
func sentencesOf(t *testing.T, patterns ...string) (list []string) {
	t.Helper()
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(parsed, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				name := ""
				switch f := call.Fun.(type) {
				case *ast.Ident:
					name = f.Name
				case *ast.SelectorExpr:
					name = f.Sel.Name
				}
				if at, is := refusing[name]; is && at < len(call.Args) {
					if text, ok := call.Args[at].(*ast.BasicLit); ok && text.Kind == token.STRING {
						said, err := strconv.Unquote(text.Value)
						if err != nil {
							t.Fatal(err)
						}
						list = append(list, anyVerb.ReplaceAllString(said, "%s"))
					}
				}
				return true
			})
		}
	}
	return list
}

// Whatever terms are refused with is known to the console, and is in the German catalogue
// as TestCatalogues holds it.
func TestEveryRefusalOfTermsIsKnown(t *testing.T) {
	parsed, err := parser.ParseFile(token.NewFileSet(), "retold.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var known []string
	ast.Inspect(parsed, func(n ast.Node) bool {
		if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
			said, _ := strconv.Unquote(text.Value)
			known = append(known, said)
		}
		return true
	})
	sentences := sentencesOf(t, "../../program/*.go", "../kit/yamltree/*.go", "termsform/*.go", "../service/preview/draft.go", "../service/webhook/send.go")
	if len(sentences) < 70 {
		t.Fatalf("only %d sentences were found", len(sentences))
	}
	for _, of := range sentencesOf(t, "../store/durable/programs.go") {
		if strings.Contains(of, "expected") || strings.Contains(of, "version of program") {
			sentences = append(sentences, of)
		}
	}
	for _, s := range sentences {
		if !slices.Contains(known, s) && !slices.Contains(notShown, s) {
			t.Errorf("%q is in no list of retold.go", s)
		}
	}
}

// A program file that is refused is refused in German words: of everything that is said
// about a line nothing is left in English.
func TestRefusedTermsAreToldInGerman(t *testing.T) {
	english := englishWords(t)
	b := openOffice(t).signIn("root", access.Administrator)
	delete(english, "currency") // the member, which stands before what is wrong with it
	b.submit(b.page("/console/"), "/console/language", "language", "de")
	const good = "id: everyday\ncurrency: USD\nrules: [{id: base, rate: 1%}]\n"
	for name, document := range map[string]string{
		"another currency": strings.Replace(good, "USD", "XXX", 1),
		"an odd rate":      strings.Replace(good, "1%", "much", 1),
		"no rules":         strings.Replace(good, "rules: [{id: base, rate: 1%}]\n", "", 1),
		"a mapping":        strings.Replace(good, "[{id: base, rate: 1%}]", "{}", 1),
		"twice":            good + "currency: USD\n",
		"unknown":          good + "colour: red\n",
		"two of an id":     strings.Replace(good, "}]", "}, {id: base, rate: 2%}]", 1),
		"empty":            " ",
		"a level":          good + "tiers: [{id: status, per: year, levels: []}]\n",
		"a day":            good + "statement_day: 40\n",
		"a bonus":          good + "bonuses: [{id: welcome, per: lifetime}]\n",
	} {
		if _, err := program.Parse("draft", []byte(document)); err == nil {
			t.Errorf("%s: the program is taken", name)
			continue
		}
		r := b.previews(document)
		if strings.Contains(r.body, `<span lang="en"`) {
			t.Errorf("%s: a sentence is left in English: %s", name, said(r.body))
		}
		for w, where := range leftIn(r.body, english) {
			t.Errorf("%s: %q is English: … %s", name, w, where)
		}
	}
}
