package program_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"recoup/program"
)

// Each file is refused with exactly this message: the line, what was expected and,
// where there is one, the nearest thing that is allowed.
func TestRefusalsOfTerms(t *testing.T) {
	const head = "id: p\ncurrency: USD\nclawback_method: rerate\n" // three lines
	rule := func(r string) string { return head + "rules:\n  - {id: a, " + r + "}\n" }
	bonus := func(b string) string { return head + "bonuses:\n  - {id: b, " + b + "}\n" }
	for _, c := range []struct{ name, file, want string }{
		{"rules and layers", head + "rules: []\nlayers: [{id: l, rules: []}]\n", `:5: layers: a program has rules (line 4) or layers, not both: rules are one layer, named base`},
		{"no layer", head + "layers: []\n", `:4: layers: expected at least one layer; a program that rewards no purchase by itself says rules: []`},
		{"layer twice", head + "layers:\n  - {id: l, rules: []}\n  - {id: l, rules: []}\n", `:6: layers[1]: the id "l" is that of layers[0] (line 5) too`},
		{"id of a rule and a bonus", head + "rules: [{id: b, rate: 1%}]\nbonuses:\n  - {id: b, per: year, every: {spend: 1, reward: 1}}\n", `:6: bonuses[0]: the id "b" is that of rules[0] (line 4) too`},
		{"minimum under proportional", "id: p\ncurrency: USD\nrules:\n  - {id: a, rate: 1%, minimum: 5}\n", `:4: rules[0].minimum: minimum needs clawback_method: rerate: the proportional share of an original reward would leave what the terms do not promise on the purchases that are kept`},
		{"steps under proportional", "id: p\ncurrency: USD\nrules:\n  - {id: a, per: year, steps: [{rate: 1%}]}\n", `:4: rules[0].steps: steps needs clawback_method: rerate: the proportional share of an original reward would leave what the terms do not promise on the purchases that are kept`},
		{"bonuses under proportional", "id: p\ncurrency: USD\nbonuses: [{id: b, per: year, every: {spend: 1, reward: 1}}]\n", `:3: bonuses: bonuses needs clawback_method: rerate: the proportional share of an original reward would leave what the terms do not promise on the purchases that are kept`},
		{"rate and steps", rule("rate: 1%, per: year, steps: [{rate: 1%}]"), `:5: rules[0].rate: a rule has a rate or steps, not both; the first step's rate is that of the spend below the second`},
		{"at_most beside steps", rule("at_most: 5, per: year, steps: [{rate: 1%}]"), `:5: rules[0].at_most: steps reward the spend of a period and not single purchases, so they have no at_most; allowed beside steps are minimum and unit`},
		{"cap beside steps", rule("cap: {reward: 5, per: year}, per: year, steps: [{rate: 1%}]"), `:5: rules[0].cap: a rule has one limit: steps or a cap; a last step with the rate 0% ends the rewards of a period`},
		{"steps without a period", rule("steps: [{rate: 1%}]"), `:5: rules[0].per: missing; expected the period of the steps: cycle, day, week, month, quarter, year or lifetime`},
		{"first step with from", rule("per: year, steps: [{from: 5, rate: 1%}]"), `:5: rules[0].steps[0]: the first step begins with the first spend: leave out its from`},
		{"steps that do not ascend", rule("per: year, steps: [{rate: 1%}, {from: 5, rate: 2%}, {from: 5, rate: 3%}]"), `:5: rules[0].steps[2]: expected from above 5, that of the step before it: steps ascend`},
		{"whole steps that fall", rule("per: year, whole: true, steps: [{rate: 2%}, {from: 5, rate: 2%}]"), `:5: rules[0].steps[1]: expected a rate above that of the step before it: with whole: true more spend must not earn less`},
		{"whole without steps", rule("rate: 1%, whole: true"), `:5: rules[0].whole: expected only beside steps: it says what of a period's spend the highest step's rate is of`},
		{"a period of its own", rule("rate: 1%, per: year"), `:5: rules[0].per: expected only beside steps; the period of a cap stands in the cap: cap: {reward: …, per: year}`},
		{"two limits", rule("rate: 1%, cap: {reward: 5, purchases: 5, per: year}"), `:5: rules[0].cap.purchases: a rule has one limit: reward or purchases`},
		{"shared places", rule("rate: 1%, cap: {purchases: 5, per: year, shared: x}"), `:5: rules[0].cap.shared: only a cap on rewards can be shared: cap: {reward: …, per: year, shared: "x"}`},
		{"shared caps that differ", head + "rules:\n  - {id: a, match: {mcc: [5411]}, rate: 1%, cap: {reward: 5, per: year, shared: x}}\n  - {id: b, rate: 1%, cap: {reward: 6, per: year, shared: x}}\n", `:6: rules[1].cap: the cap "x" is of 5 per year on line 5: rules that share a cap say the same of it`},
		{"zone", head + "zone: Europe/Roma\nrules: []\n", `:4: zone: expected the IANA name of a time zone, such as Europe/Rome or UTC, not "Europe/Roma"`},
		{"statement day", head + "cycle: {day: 29}\nrules: []\n", `:4: cycle.day: expected a whole number of days of the month, which every month has, from 1 to 28, not 29`},
		{"unit", head + "reward: {unit: points, decimals: 0}\nrules: []\n", `:4: reward.unit: expected three capital letters that are no currency's, such as PTS, not "points"`},
		{"unit that is money", head + "reward: {unit: EUR, decimals: 0}\nrules: []\n", `:4: reward.unit: expected three capital letters that are no currency's, such as PTS, not "EUR"`},
		{"percentage of points", head + "reward: {unit: PTS, decimals: 0}\nrules:\n  - {id: a, rate: 3%}\n", `:6: rules[0].rate: rewards in PTS are so many for so much spend, not a share of it: expected for instance 3 per 100`},
		{"attribute name", rule("rate: 1%, match: {within: {days: 5, of: the plan}}"), `:5: rules[0].match.within.of: expected a name of 1 to 64 letters, digits, dots, hyphens and underscores, not "the plan"`},
		{"weekday", rule("rate: 1%, match: {weekday: [sun]}"), `:5: rules[0].match.weekday[0]: expected sunday, monday, tuesday, wednesday, thursday, friday or saturday, not "sun"`},
		{"date", rule("rate: 1%, match: {from: 2026-02-30}"), `:5: rules[0].match.from: expected a date such as 2026-03-01, not "2026-02-30"`},
		{"bonus for nothing", bonus("per: year"), `:5: bonuses[0]: expected what the bonus is for: spend, purchases or every`},
		{"bonus for two", bonus("per: year, spend: [{from: 1, reward: 1}], every: {spend: 1, reward: 1}"), `:5: bonuses[0].every: a bonus is for one of spend, purchases and every; make another bonus of this`},
		{"bonus for every nothing", bonus("per: year, every: {reward: 1}"), `:5: bonuses[0].every: expected one of spend and purchases: what it pays for each time`},
		{"bonus for every two", bonus("per: year, every: {spend: 1, purchases: 1, reward: 1}"), `:5: bonuses[0].every: expected one of spend and purchases: what it pays for each time`},
		{"bonus without a period", bonus("every: {spend: 1, reward: 1}"), `:5: bonuses[0].per: missing; expected the period of the bonus: cycle, day, week, month, quarter, year or lifetime`},
		{"goals that do not ascend", bonus("per: year, spend: [{from: 5, reward: 1}, {from: 4, reward: 2}]"), `:5: bonuses[0].spend[1]: expected from above 5, that of the step before it: steps ascend`},
		{"rewards that do not ascend", bonus("per: year, spend: [{from: 5, reward: 2}, {from: 6, reward: 2}]"), `:5: bonuses[0].spend[1]: expected a reward above 2, that of the step before it: a step's reward is the whole, not an addition`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := program.Parse("program.yaml", []byte(c.file))
			var refusal *program.Error
			if !errors.As(err, &refusal) {
				t.Fatalf("got %v, want an *Error", err)
			}
			if want := "program.yaml" + c.want; err.Error() != want {
				t.Errorf("\ngot  %s\nwant %s", err, want)
			}
		})
	}
}

// What Write writes of the programs of the cases, of the gallery and of the pages of terms,
// Parse reads as the same program.
func TestTermsAreWrittenAndReadAgain(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../testdata/cases-terms/*/program.yaml", "../examples/programs/*.yaml", "../docs/terms/[a-z]*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%d files of %s: %v", len(found), pattern, err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(file) == ".md" {
			_, after, _ := bytes.Cut(text, []byte("\n```yaml\n"))
			text, _, _ = bytes.Cut(after, []byte("\n```\n"))
		}
		p := parse(t, string(text))
		written := program.Write(p)
		read, err := program.Parse("written.yaml", written)
		if err != nil {
			t.Fatalf("%s: %v\n%s", file, err, written)
		}
		read.Categories, p.Categories = nil, nil
		if !reflect.DeepEqual(read, p) {
			t.Errorf("%s: read %+v\nwant %+v\n%s", file, read, p, written)
		}
	}
}

// A program that says nothing of docs/terms.md is plain, whatever it says in other words.
func TestAPlainProgramHasNoLayers(t *testing.T) {
	plain := parse(t, "id: p\ncurrency: USD\ncycle: calendar_month\nrules: [{id: a, rate: 5%, cap: {reward: 5, per: cycle}}]\n")
	if plain.Layers != nil || len(plain.Rules) != 1 {
		t.Errorf("layers %v, rules %v", plain.Layers, plain.Rules)
	}
	for _, more := range []string{"zone: UTC", "cycle: {day: 1}", "bonuses: [{id: b, per: year, every: {spend: 100, reward: 1}}]"} {
		p := parse(t, "id: p\ncurrency: USD\nclawback_method: rerate\nrules: [{id: a, rate: 5%}]\n"+more+"\n")
		if len(p.Layers) != 1 || p.Layers[0].ID != "base" || p.Rules != nil {
			t.Errorf("%s: layers %v, rules %v", more, p.Layers, p.Rules)
		}
	}
}
