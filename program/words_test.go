package program_test

import (
	"slices"
	"strings"
	"testing"

	"recoup/program"
	"recoup/reward"
)

func parsed(t *testing.T, text string) *reward.Program {
	t.Helper()
	p, err := program.Parse("p.yaml", []byte("{id: p, currency: USD, clawback_method: rerate, maturity_days: 30, "+text+"}"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// What a program means is said of every element, in its own unit.
func TestAProgramIsSaidInWords(t *testing.T) {
	m := program.Describe(parsed(t, `zone: Europe/Rome, cycle: {day: 15}, reward: {unit: PTS, decimals: 1},
		layers: [{id: a, rules: [{id: gas, match: {category: [GAS], weekday: [sunday]}, except: {label: {channel: [app]}}, rate: 5 per 100, unit: 100, minimum: 1000, cap: {reward: 1500, per: quarter}}, {id: rest, steps: [{rate: 1 per 100}, {from: 100000, rate: 2 per 100}], per: year}]},
			{id: b, rules: [{id: first, rate: 1 per 100, at_most: 50, cap: {purchases: 3, per: month}}]}],
		bonuses: [{id: welcome, per: lifetime, match: {within: {days: 90, of: opened}}, spend: [{from: 50000, reward: 20000}]}, {id: more, per: year, every: {spend: 10000, reward: 10, at_most: 4}}]`))
	var got []string
	for _, s := range slices.Concat(m.Rules, m.Bonuses) {
		got = append(got, s.Layer+" "+s.ID+": "+s.Says)
	}
	want := []string{
		"a gas: Purchases of category GAS and on a Sunday, but none labelled channel app earn PTS 0.5 for each $1.00, purchases of which at least $10.00 is kept, on whole units of $1.00, up to PTS 150.0 a calendar quarter.",
		"a rest: All other purchases earn PTS 0.1 for each $1.00 from $0.00, PTS 0.2 for each $1.00 from $1,000.00 of the spend a calendar year.",
		"b first: All purchases earn PTS 0.1 for each $1.00, at most PTS 5.0 for one purchase, the first 3 purchases a calendar month.",
		" welcome: Purchases in the first 90 days after opened earn a bonus once and for all: PTS 2,000.0 once they reach $500.00.",
		" more: All purchases earn a bonus a calendar year: PTS 1.0 for each $100.00, at most 4 times.",
	}
	if !slices.Equal(got, want) {
		t.Errorf("it says\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if !strings.Contains(m.Terms[0], "day 15 of a month in Europe/Rome") || m.RewardUnit != "PTS" {
		t.Errorf("of time and unit it says %q, %s", m.Terms, m.RewardUnit)
	}
	// 4 quarters of 1,500; 12 months of 3 purchases of 50; 20,000 once; 4 times 10.
	if w := m.Year; w.Most != nil || w.Bounded != 4*1500+12*3*50+20_000+40 || w.OnceOnly != 20_000 || !slices.Equal(w.Unbounded, []string{"rest"}) {
		t.Errorf("the year comes to %+v", w)
	}
}

// A cycle that begins within a month is touched thirteen times a year, and a shared cap is
// counted once.
func TestTheMostOfAYear(t *testing.T) {
	for terms, want := range map[string]int64{
		`rules: [{id: a, rate: 1%, cap: {reward: 100, per: cycle}}]`:                  1_200,
		`cycle: {day: 2}, rules: [{id: a, rate: 1%, cap: {reward: 100, per: cycle}}]`: 1_300,
		`rules: [{id: a, rate: 1%, cap: {reward: 100, per: week}}]`:                   5_400,
		`rules: [{id: a, rate: 0%}]`:                                                  0,
		`rules: [{id: a, match: {category: [X]}, rate: 1%, cap: {reward: 100, per: year, shared: s}}, {id: b, rate: 2%, cap: {reward: 100, per: year, shared: s}}]`: 100,
		`rules: [{id: a, per: year, steps: [{rate: 2%}, {from: 10000, rate: 0%}]}]`:                                                                                 201,
	} {
		if w := program.Describe(parsed(t, terms)).Year; w.Most == nil || *w.Most != want {
			t.Errorf("%s: %+v, want %d", terms, w, want)
		}
	}
}

// What may not be meant is said, and what is meant is not.
func TestNoticesOfTerms(t *testing.T) {
	for terms, want := range map[string]string{
		`rules: [{id: a, match: {category: [X, Y]}, rate: 1%}, {id: b, match: {category: [X]}, rate: 2%}]`:                       "rules.b: it never applies, because a before it",
		`rules: [{id: a, match: {mcc: [5000-5999]}, rate: 1%}, {id: b, match: {mcc: [5411], merchant: [m]}, rate: 2%}]`:          "rules.b: it never applies, because a before it",
		`rules: [{id: a, match: {category: [X]}, rate: 1%}, {id: b, match: {category: [X, Y]}, rate: 2%}]`:                       "",
		`rules: [{id: a, match: {category: [X]}, except: {merchant: [m]}, rate: 1%}, {id: b, match: {category: [X]}, rate: 2%}]`: "",
		`rules: [{id: a, rate: 0%, cap: {reward: 100, per: year}}]`:                                                              "rules.a.cap: a rate of nothing never reaches it",
		`rules: [{id: a, rate: 1%, at_most: 200, cap: {reward: 100, per: year}}]`:                                                "rules.a.at_most: it never binds",
		`rules: [{id: a, rate: 1%, at_most: 50, cap: {reward: 100, per: year}}]`:                                                 "",
		`rules: [{id: a, rate: 1%, minimum: 50, unit: 100}]`:                                                                     "rules.a.minimum: it makes no difference",
		`rules: [{id: a, rate: 1%, cap: {reward: 100, per: year, shared: s}}]`:                                                   "rules.a.cap.shared: no other rule shares s",
	} {
		got := program.Notices(parsed(t, terms))
		if (want == "") != (len(got) == 0) || want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], want)) {
			t.Errorf("%s: %q, want %q", terms, got, want)
		}
	}
	immature := parsed(t, "bonuses: [{id: b, per: year, spend: [{from: 1, reward: 1}]}]")
	immature.MaturityDays = 0
	if got := program.Notices(immature); len(got) != 1 || !strings.HasPrefix(got[0], "bonuses.b: with maturity_days: 0 a bonus can be redeemed") {
		t.Errorf("of a bonus without maturity it says %q", got)
	}
}
