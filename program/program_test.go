package program_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"testing"

	"go.yaml.in/yaml/v3"

	"recoup/program"
	"recoup/reward"
)

// parse reads a program that must be valid.
func parse(t *testing.T, text string) *reward.Program {
	t.Helper()
	p, err := program.Parse("program.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// terms returns the program without its category table, to compare the rest.
func terms(p *reward.Program) reward.Program {
	rest := *p
	rest.Categories = nil
	return rest
}

func TestWhatIsLeftOutHasItsDefault(t *testing.T) {
	defaults := reward.Program{
		Version:  1,
		ID:       "p",
		Currency: "USD",
		Timing:   reward.Timing{Grant: reward.GrantAtSettlement, Clawback: reward.ClawbackAtRefund},
		Method:   reward.Proportional,
		Refunds:  reward.RefundTerms{PendingDays: 30, MatchDays: 10, ParkDays: 30, WindowDays: 400, FirmDays: 180, Movable: 32},
		Rules:    []reward.Rule{{ID: "base", Rate: 1_000_000, Cap: reward.NoCap}},
	}
	untried := options(&defaults)
	// A member that is not there by default is in a comment.
	absent := regexp.MustCompile(`(?m)^# (\w+: \{)`)
	shown := membersOf(t, absent.ReplaceAll(program.EverydayDocument(), []byte("$1")))
	const least = "id: p\ncurrency: USD\nrules: [{id: base, rate: 1%}]\n"
	for _, c := range []struct {
		given string
		set   func(*reward.Program)
	}{
		{"", func(*reward.Program) {}},
		{"timing: {}", func(*reward.Program) {}},
		{"timing: {grant: statement}", func(p *reward.Program) { p.Timing.Grant = reward.GrantAtStatement }},
		{"timing: {clawback: statement}", func(p *reward.Program) { p.Timing.Clawback = reward.ClawbackAtStatement }},
		{"timing: {grant: settlement, clawback: refund}", func(*reward.Program) {}},
		{"clawback_method: rerate", func(p *reward.Program) { p.Method = reward.Rerate }},
		{"clawback_method: proportional", func(*reward.Program) {}},
		{"cycle: calendar_month", func(*reward.Program) {}},
		{"maturity_days: 3660", func(p *reward.Program) { p.MaturityDays = 3660 }},
		{"expires: {months: 24}", func(p *reward.Program) { p.ExpiryMonths = 24 }},
		{"refunds: {}", func(*reward.Program) {}},
		{"refunds: {pending_days: 1}", func(p *reward.Program) { p.Refunds.PendingDays = 1 }},
		{"refunds: {match_days: 2}", func(p *reward.Program) { p.Refunds.MatchDays = 2 }},
		{"refunds: {park_days: 3}", func(p *reward.Program) { p.Refunds.ParkDays = 3 }},
		{"refunds: {window_days: 4}", func(p *reward.Program) { p.Refunds.WindowDays = 4 }},
		{"refunds: {firm_days: 0}", func(p *reward.Program) { p.Refunds.FirmDays = 0 }},
		{"refunds: {movable: 5}", func(p *reward.Program) { p.Refunds.Movable = 5 }},
		{"redemption: {}", func(*reward.Program) {}},
		{"redemption: {minimum_balance: 2500}", func(p *reward.Program) { p.Redemption.MinimumBalance = 2500 }},
		{"redemption: {grace_days: 27}", func(p *reward.Program) { p.Redemption.GraceDays = 27 }},
		{"redemption: {after_closing: true}", func(p *reward.Program) { p.Redemption.AfterClosing = true }},
		{"categories: {}", func(*reward.Program) {}},
	} {
		t.Run(c.given, func(t *testing.T) {
			want := defaults
			c.set(&want)
			for name, v := range options(&want) {
				if !v.Equal(options(&defaults)[name]) {
					delete(untried, name)
				}
			}
			for member := range membersOf(t, []byte(c.given)) {
				if !reflect.DeepEqual(want, defaults) && !shown[member] {
					t.Errorf("everyday.yaml has no %s: expected it with its default and what it means", member)
				}
			}
			if got := terms(parse(t, least+c.given)); !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
	for name := range untried {
		t.Errorf("%s: expected a case in the list above (program_test.go) that gives it", name)
	}
	said := options(program.Everyday())
	for name, v := range options(&defaults) {
		if !v.Equal(said[name]) {
			t.Errorf("everyday.yaml has %v for %s, which is %v where a file leaves it out", said[name], name, v)
		}
	}
}

// membersOf are the members that a file gives, and those of its members: "refunds.park_days".
func membersOf(t *testing.T, file []byte) map[string]bool {
	t.Helper()
	var top map[string]any
	if err := yaml.Unmarshal(file, &top); err != nil {
		t.Fatal(err)
	}
	given := make(map[string]bool)
	for name, v := range top {
		inner, _ := v.(map[string]any)
		for member := range inner {
			given[name+"."+member] = true
		}
		if inner == nil {
			given[name] = true
		}
	}
	return given
}

// options are the terms of a program that are numbers and choices, by their names in
// Go, such as "Refunds.MatchDays". Which version it is of is none;
// what a program may say beyond rates and caps is in terms_test.go.
func options(p *reward.Program) map[string]reflect.Value {
	found := make(map[string]reflect.Value)
	var add func(prefix string, v reflect.Value)
	add = func(prefix string, v reflect.Value) {
		for i := range v.NumField() {
			switch name, member := prefix+v.Type().Field(i).Name, v.Field(i); {
			case name == "Version" || name == "From" || name == "StatementDay" || name == "Reward":
			case member.Kind() == reflect.Struct:
				add(name+".", member)
			case member.Kind() == reflect.Bool || member.CanInt() || member.CanUint():
				found[name] = member
			}
		}
	}
	add("", reflect.ValueOf(p).Elem())
	return found
}

func TestRules(t *testing.T) {
	p := parse(t, `
id: p
currency: JPY
rules:
  - id: everything
    match:
      category: [GROCERY, "no such category", NO]
      mcc: ["0742", 0743, 5411, "5400-5499", 3000-3999]
      merchant: [m1, "12345", m1]
    rate: 4.75%
    cap: {reward: 1000000000000000, per: cycle}
  - {id: nothing, match: {mcc: ["7995"]}, rate: "0%", cap: {reward: 0, per: cycle}}
  - {id: all, match: {}, rate: 100%}
`)
	mcc := func(s string) reward.MCC {
		code, ok := reward.ParseMCC(s)
		if !ok {
			t.Fatalf("MCC %s", s)
		}
		return code
	}
	span := func(first, last string) reward.MCCRange { return reward.MCCRange{First: mcc(first), Last: mcc(last)} }
	want := []reward.Rule{
		{
			ID: "everything",
			Match: reward.Match{
				Categories: []string{"GROCERY", "no such category", "NO"},
				MCCs: []reward.MCCRange{
					span("0742", "0742"), span("0743", "0743"), span("5411", "5411"), span("5400", "5499"), span("3000", "3999"),
				},
				Merchants: map[string]bool{"m1": true, "12345": true},
			},
			Rate: 4_750_000,
			Cap:  1_000_000_000_000_000,
		},
		{ID: "nothing", Match: reward.Match{MCCs: []reward.MCCRange{span("7995", "7995")}}, Rate: 0, Cap: 0},
		{ID: "all", Rate: reward.MaxRate, Cap: reward.NoCap},
	}
	if !reflect.DeepEqual(p.Rules, want) {
		t.Errorf("got  %+v\nwant %+v", p.Rules, want)
	}
}

func TestAProgramMayRewardNothing(t *testing.T) {
	if p := parse(t, "{id: p, currency: EUR, rules: []}"); len(p.Rules) != 0 {
		t.Errorf("got %d rules, want none", len(p.Rules))
	}
}

func TestJSONIsYAML(t *testing.T) {
	p := parse(t, "{\n\t\"id\":\t\"caf\\u00e9 \\ud83d\\ude00 a\\/b \\\\/\",\n\t\"currency\": \"USD\",\n\t\"rules\": [\n\t\t{\"id\": \"base\", \"rate\": \"1%\"}\n\t]\n}\n")
	if want := `café 😀 a/b \/`; p.ID != want {
		t.Errorf("got id %q, want %q", p.ID, want)
	}
}

func TestEverydaySpellsOutTheDefaults(t *testing.T) {
	want := parse(t, `
id: everyday
currency: USD
rules:
  - {id: grocery, match: {category: [GROCERY]}, rate: 5%, cap: {reward: 5000, per: cycle}}
  - {id: base, rate: 1%}
`)
	if got := program.Everyday(); !reflect.DeepEqual(terms(got), terms(want)) {
		t.Errorf("got  %+v\nwant %+v", terms(got), terms(want))
	}
}

func TestLoad(t *testing.T) {
	p, err := program.Load("everyday.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(terms(p), terms(program.Everyday())) {
		t.Error("everyday.yaml differs from Everyday()")
	}

	missing := filepath.Join(t.TempDir(), "none.yaml")
	_, err = program.Load(missing)
	if want := "reading the program: open " + missing + ": no such file or directory"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}

	large := filepath.Join(t.TempDir(), "large.yaml")
	if err := os.WriteFile(large, make([]byte, program.MaxSize+1), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = program.Load(large)
	if want := large + ": expected a program of at most 1048576 bytes"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestConformanceProgramsLoad(t *testing.T) {
	files, err := filepath.Glob("../testdata/cases/*/program.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d conformance cases: %v", len(files), err)
	}
	for _, file := range files {
		p, err := program.Load(file)
		if err != nil {
			t.Error(err)
			continue
		}
		if len(p.Rules) == 0 || p.ID == "" || p.Categories == nil {
			t.Errorf("%s: loaded without its rules, id or categories", file)
		}
	}
}
