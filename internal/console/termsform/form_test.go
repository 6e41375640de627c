package termsform_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"recoup/examples/programs"
	"recoup/internal/console/termsform"
	"recoup/internal/scenario"
	"recoup/program"
)

// documents are program files that people wrote, and the programs of scenarios, by name.
func documents(t testing.TB) map[string]string {
	t.Helper()
	all := map[string]string{"everyday": string(program.EverydayDocument())}
	for _, name := range programs.Names() {
		document, _ := programs.Document(name)
		all[name] = string(document)
	}
	for _, s := range scenario.Terms() {
		all["scenario "+s.Name] = string(program.Write(s.Program))
	}
	return all
}

// fieldsOf are all fields of a form, by name.
func fieldsOf(t testing.TB, document string) map[string]termsform.Field {
	t.Helper()
	f, err := termsform.New(document, english)
	if err != nil {
		t.Fatalf("no form: %v\n%s", err, document)
	}
	all := make(map[string]termsform.Field)
	var walk func(*termsform.Group)
	walk = func(g *termsform.Group) {
		for _, field := range g.Fields {
			if _, twice := all[field.Name]; twice {
				t.Errorf("the field %s is there twice", field.Name)
			}
			all[field.Name] = field
		}
		for i := range g.Groups {
			walk(&g.Groups[i])
		}
		for i := range g.Lists {
			for j := range g.Lists[i].Items {
				walk(&g.Lists[i].Items[j])
			}
		}
	}
	walk(&f.Top)
	return all
}

// change sends fields as a browser does: all of them, some with other values.
func change(t testing.TB, document string, values map[string]string) (string, map[string]*termsform.Problem) {
	t.Helper()
	fields := fieldsOf(t, document)
	out, problems, err := termsform.Change(document, english, func(name string) (string, bool) {
		if v, ok := values[name]; ok {
			return v, true
		}
		f, ok := fields[name]
		return strings.ReplaceAll(f.Value, "\n", "\r\n"), ok
	})
	if err != nil {
		t.Fatalf("%v: %v\n%s", values, err, document)
	}
	return out, problems
}

// What nobody changed stays as it is, to the byte, and nothing of what people publish is
// unknown to the form.
func TestAFormThatIsSentAsItIsChangesNothing(t *testing.T) {
	for name, document := range documents(t) {
		if out, problems := change(t, document, nil); out != document || len(problems) > 0 {
			t.Errorf("%s: %v\n%s", name, problems, out)
		}
		if f, _ := termsform.New(document, english); len(f.Kept) > 0 {
			t.Errorf("%s: the form has no field for %q", name, f.Kept)
		}
	}
}

// other is another value that a field could have.
func other(f termsform.Field) string {
	pick := func(a, b string) string {
		if f.Value == a {
			return b
		}
		return a
	}
	switch f.Kind {
	case "number", "cycle":
		return pick("7", "8")
	case "spend", "earned":
		return pick("12", "34")
	case "rate":
		return pick("2.5%", "3%")
	case "date":
		return pick("2026-03-01", "2026-04-01")
	case "choice":
		return pick(string(f.Choices[0]), string(f.Choices[1]))
	case "list":
		return pick("0742", "on, a: b, [x]")
	case "names":
		return pick("channel: online, 7", "plan: gold\nother: #1, 'q'")
	}
	return pick("yes", `it's "7" # {all}, [of] it: `)
}

// A changed field is what it was changed to, all others and all comments stay, and what the
// program's reader makes of the rest stays the same.
func TestOneFieldChangesOneThing(t *testing.T) {
	all := documents(t)
	names := slices.Sorted(maps.Keys(all))
	rapid.Check(t, func(rt *rapid.T) {
		document := all[rapid.SampledFrom(names).Draw(rt, "document")]
		before := fieldsOf(t, document)
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(before))).Draw(rt, "field")
		value := other(before[name])
		if before[name].Value != "" && rapid.Bool().Draw(rt, "emptied") {
			value = ""
		}
		out, problems := change(t, document, map[string]string{name: value})
		if len(problems) > 0 {
			rt.Fatalf("%s = %q: %v", name, value, problems)
		}
		after := fieldsOf(t, out)
		for n, f := range before {
			want := f.Value
			if n == name {
				want = strings.TrimSpace(value)
			}
			got, there := after[n]
			if f.Kind == "spend" || f.Kind == "earned" {
				got.Value, want = strings.TrimSuffix(got.Value, ".00"), strings.TrimSuffix(want, ".00")
			}
			if currencies := n == "currency" || strings.HasPrefix(n, "reward."); name == "currency" || strings.HasPrefix(name, "reward.") && !currencies {
				continue // amounts are shown in it
			}
			if there && got.Value != want || !there && want != "" {
				rt.Fatalf("%s was set to %q, and %s is %q, want %q\n%s", name, value, n, got.Value, want, out)
			}
		}
		for line := range strings.Lines(document) {
			if _, comment, ok := strings.Cut(line, " # "); ok && value != "" && strings.Count(out, strings.TrimSpace(comment)) != strings.Count(document, strings.TrimSpace(comment)) {
				rt.Fatalf("the comment %q is gone:\n%s", comment, out)
			}
		}
	})
}

// A value that takes the place of another moves nothing else of the file.
func TestAChangedValueStandsWhereItStood(t *testing.T) {
	document := string(program.EverydayDocument())
	out, _ := change(t, document, map[string]string{"rules.0.rate": "4.5%", "rules.0.cap.reward": "60,00", "maturity_days": "30"})
	want := strings.NewReplacer("rate: 5%", "rate: 4.5%", "cap: {reward: 5000,", "cap: {reward: 6000,", "maturity_days: 0  ", "maturity_days: 30  ").Replace(document)
	if out != want {
		t.Errorf("the file is\n%s", out)
	}
	p, err := program.Parse("changed", []byte(out))
	if err != nil || p.Rules[0].Cap != 6000 || p.MaturityDays != 30 {
		t.Errorf("it reads as %+v, %v", p, err)
	}
}

func TestWhatIsAddedRemovedAndMoved(t *testing.T) {
	const document = "# the house's\nid: a\ncurrency: USD\n\nrules: # in order\n  - {id: grocery, match: {category: [GROCERY]}, rate: 5%} # dear\n  - {id: base, rate: 1%}\n"
	do := func(document, operation string) string {
		t.Helper()
		out, err := termsform.Do(document, operation)
		if err != nil {
			t.Fatalf("%s: %v", operation, err)
		}
		return out
	}
	added := do(document, "add rules")
	if want := strings.Replace(document, "  - {id: base", "  - {id: rule-1, rate: 1%}\n  - {id: base", 1); added != want {
		t.Errorf("a rule is added as\n%s", added)
	}
	if removed := do(added, "remove rules.1"); removed != document {
		t.Errorf("it is removed as\n%s", removed)
	}
	if up := do(document, "up rules.1"); !strings.Contains(up, "rate: 1%}\n  - {id: grocery, match: {category: [GROCERY]}, rate: 5%} # dear") {
		t.Errorf("moved up as\n%s", up)
	}
	bonus := do(do(document, "add bonuses"), "add bonuses.0.spend")
	bonus, _ = change(t, bonus, map[string]string{"clawback_method": "rerate", "bonuses.0.spend.0.from": "500", "bonuses.0.spend.0.reward": "200.00"})
	layers := do(do(bonus, "layers"), "add layers")
	if _, err := program.Parse("bonus", []byte(layers)); err != nil {
		t.Errorf("%v in\n%s", err, layers)
	}
	for _, comment := range []string{"# the house's", "# in order", "# dear"} {
		if !strings.Contains(layers, comment) {
			t.Errorf("%s is gone:\n%s", comment, layers)
		}
	}
	for _, wrong := range []string{"", "add", "add id", "add rules.7.steps", "remove rules.2", "up rules.0", "remove id", "dance rules", "remove rules.-1"} {
		if out, err := termsform.Do(document, wrong); err == nil || out != document {
			t.Errorf("%q is done: %s", wrong, out)
		}
	}
}

func TestWhatTheFormDoesNotKnowIsSaidAndKept(t *testing.T) {
	document := "id: a\ncurrency: USD\ncolour: red\nmaturity_days: soon\nrules: [{id: base, rate: 1%, match: {merchant: [\"a, b\"], label: {x: [1]}}}, 7]\n"
	f, err := termsform.New(document, english)
	if err != nil {
		t.Fatal(err)
	}
	kept := fmt.Sprint(f.Kept)
	for _, path := range []string{"{colour ", "{maturity_days ", "{rules.0.match.merchant ", "{rules.1 "} {
		if !strings.Contains(kept, path) {
			t.Errorf("%s is not said: %q", path, kept)
		}
	}
	out, _ := change(t, document, map[string]string{"rules.0.rate": "2%", "redemption.grace_days": "3"})
	for _, text := range []string{"colour: red", "maturity_days: soon", `merchant: ["a, b"]`, ", 7]", "rate: 2%", "redemption: {grace_days: 3}"} {
		if !strings.Contains(out, text) {
			t.Errorf("%q is not in\n%s", text, out)
		}
	}
	_, problems := change(t, document, map[string]string{"redemption.grace_days": "x", "redemption.minimum_balance": "1.234", "rules.0.match.from": "soon", "timing.grant": "never", "rules.0.match.label": "x"})
	if len(problems) != 5 {
		t.Errorf("the problems are %v", problems)
	}
	for _, none := range []string{"", "[]", "a: b\n---\nc: d\n", "a: [", "text"} {
		if _, err := termsform.New(none, english); err == nil {
			t.Errorf("%q has a form", none)
		}
	}
	if _, err := termsform.New("rules:\n"+strings.Repeat("  - {id: x}\n", 500), english); err == nil || !strings.Contains(err.Error(), "fields") {
		t.Errorf("a large file: %v", err)
	}
}

// The form has the members that the reader of program files knows, at every place: the
// reader names them when it finds one that it does not know.
func TestTheFormHasTheWholeLanguage(t *testing.T) {
	const zzz = "zzz: 1"
	places := map[string]string{
		"":                      zzz + "\n",
		"timing":                "timing: {" + zzz + "}\n",
		"expires":               "expires: {" + zzz + "}\n",
		"refunds":               "refunds: {" + zzz + "}\n",
		"redemption":            "redemption: {" + zzz + "}\n",
		"reward":                "reward: {" + zzz + "}\n",
		"rules.0":               "rules: [{" + zzz + "}]\n",
		"rules.0.match":         "rules: [{match: {" + zzz + "}}]\n",
		"rules.0.except":        "rules: [{except: {" + zzz + "}}]\n",
		"rules.0.match.within":  "rules: [{match: {within: {" + zzz + "}}}]\n",
		"rules.0.cap":           "rules: [{cap: {" + zzz + "}}]\n",
		"rules.0.steps.0":       "rules: [{steps: [{" + zzz + "}]}]\n",
		"layers.0":              "layers: [{" + zzz + "}]\n",
		"bonuses.0":             "bonuses: [{" + zzz + "}]\n",
		"bonuses.0.spend.0":     "bonuses: [{spend: [{" + zzz + "}]}]\n",
		"bonuses.0.purchases.0": "bonuses: [{purchases: [{" + zzz + "}]}]\n",
		"bonuses.0.every":       "bonuses: [{every: {" + zzz + "}}]\n",
		"tiers.0":               "tiers: [{" + zzz + "}]\n",
		"tiers.0.spend.0":       "tiers: [{spend: [{" + zzz + "}]}]\n",
	}
	for path, document := range places {
		_, err := program.Parse("x", []byte(document))
		_, list, found := strings.Cut(fmt.Sprint(err), "expected one of ")
		if !found {
			t.Errorf("%s: the reader says %v", path, err)
			continue
		}
		f, err := termsform.New(document, english)
		if err != nil {
			t.Fatal(err)
		}
		have := membersAt(&f.Top, path)
		for _, name := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' }) {
			if name == "layers" && path == "" || name == "or" {
				continue // offered where there are rules
			}
			if !have[name] {
				t.Errorf("%s: the form lacks %s; it has %v", path, name, have)
			}
		}
	}
}

// membersAt are the members that a form has fields, groups or lists for at a place.
func membersAt(g *termsform.Group, path string) map[string]bool {
	have := make(map[string]bool)
	var walk func(g *termsform.Group)
	walk = func(g *termsform.Group) {
		add := func(p string) {
			if rest, below := strings.CutPrefix(p, path); below {
				if rest = strings.TrimPrefix(rest, "."); rest != "" && !strings.Contains(rest, ".") {
					have[rest] = true
				}
			}
		}
		for _, f := range g.Fields {
			add(f.Name)
		}
		for i := range g.Groups {
			add(g.Groups[i].Path)
			walk(&g.Groups[i])
		}
		for i := range g.Lists {
			add(g.Lists[i].Path)
			for j := range g.Lists[i].Items {
				walk(&g.Lists[i].Items[j])
			}
		}
	}
	walk(g)
	return have
}
