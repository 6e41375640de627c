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
		"a gas: Purchases of category GAS, on a Sunday and of which at least $10.00 is kept, but none labelled channel app, earn PTS 0.5 for each $1.00, on whole units of $1.00, up to PTS 150.0 in a calendar quarter.",
		"a rest: All other purchases earn PTS 0.1 for each $1.00 from $0.00, PTS 0.2 for each $1.00 from $1,000.00 of the spend in a calendar year.",
		"b first: All purchases earn PTS 0.1 for each $1.00, at most PTS 5.0 for one purchase, the first 3 purchases in a calendar month.",
		" welcome: Purchases in the first 90 days of the account earn a bonus once in an account's life: PTS 2,000.0 once they come to $500.00.",
		" more: All purchases earn a bonus in a calendar year: PTS 1.0 for every $100.00 of spend, at most 4 times.",
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

// Bonuses by purchases are said so that a cashier understands them.
func TestStampCardsAreSaidInWords(t *testing.T) {
	for terms, want := range map[string]string{
		"match: {merchant: [wash]}, minimum: 1000, per: lifetime, every: {purchases: 4, reward: 900}": "Purchases at merchant wash and of which at least $10.00 is kept earn a bonus in an account's life: $9.00 for every 4 of them.",
		"per: week, every: {purchases: 1, reward: 10, at_most: 3}":                                    "All purchases earn a bonus in a week: $0.10 for every one of them, at most 3 times.",
		"minimum: 300, per: month, purchases: [{from: 1, reward: 100}, {from: 5, reward: 400}]":       "All purchases of which at least $3.00 is kept earn a bonus in a calendar month: $1.00 once there is one of them, or $4.00 once there are 5 of them.",
	} {
		if got := program.Describe(parsed(t, "bonuses: [{id: b, "+terms+"}]")).Bonuses[0].Says; got != want {
			t.Errorf("it says\n%s\nwant\n%s", got, want)
		}
	}
}

// Tiers, expiry and within which times refunds are matched are sentences as well.
func TestTiersAndExpiryAreSaidInWords(t *testing.T) {
	m := program.Describe(parsed(t, `expires: {months: 24}, refunds: {pending_days: 7, match_days: 3, window_days: 100, firm_days: 60, park_days: 1, movable: 5},
		tiers: [{id: status, match: {category: [AIR]}, minimum: 100, per: year, spend: [{from: 500000, tier: silver}, {from: 1000000, tier: gold}], keeps: next}, {id: club, per: month, spend: [{from: 100, tier: in}], keeps: this}],
		rules: [{id: gold, match: {tier: {status: [gold]}}, rate: 3%}, {id: two, match: {tier: {club: [in]}}, rate: 2%}, {id: base, rate: 1%}]`))
	want := []string{
		"status: Purchases of category AIR and of which at least $1.00 is kept count towards it in a calendar year: silver from $5,000.00, gold from $10,000.00. A purchase is made at the level that those of the period before it reach, without what of them came back.",
		"club: All purchases count towards it in a calendar month: in from $1.00. A purchase is made at the level that those before it in the period reach, without what of them came back.",
	}
	for i, s := range m.Tiers {
		if got := s.ID + ": " + s.Says; got != want[i] {
			t.Errorf("of a tier it says\n%s\nwant\n%s", got, want[i])
		}
	}
	if got := m.Rules[0].Says; got != "Purchases made at status gold earn 3%." {
		t.Errorf("of a rule by tier it says %s", got)
	}
	for _, want := range []string{
		"Rewards that nobody uses expire, the oldest first: at the close of the billing cycle that is 24 months after the one they are of.",
		"Where a purchase lists its items, each of them is rated as a purchase of its own.",
		"A refund that is announced holds what it would take until it posts, but for no more than 7 days.",
		"A refund that names a purchase which is not there waits for it 1 day, and is then matched like one that names none.",
		"A refund that names no purchase is taken to be of those that it takes most from: settled up to 100 days before it, or up to 3 days after it.",
		"What it is taken to be of may change for 60 days as other facts arrive, for 5 such refunds at a time.",
	} {
		if !slices.Contains(m.Terms, want) {
			t.Errorf("no %q in\n%s", want, strings.Join(m.Terms, "\n"))
		}
	}
}

// A rule that never applies adds nothing to the year, and makes nothing unbounded.
func TestWhatNeverAppliesIsNotInTheYear(t *testing.T) {
	const bounded = "{id: a, match: {category: [X]}, rate: 5%, cap: {reward: 100, per: year}}"
	for _, idle := range []string{
		"{id: b, match: {category: [X]}, rate: 1%}",
		"{id: b, match: {category: [Y]}, except: {category: [Y, Z]}, rate: 1%}",
		"{id: b, match: {from: 2026-02-01, until: 2026-02-01}, rate: 1%}",
	} {
		if w := program.Describe(parsed(t, "rules: ["+bounded+", "+idle+"]")).Year; w.Most == nil || *w.Most != 100 {
			t.Errorf("%s: the year comes to %+v", idle, w)
		}
	}
}

// What may not be meant is said, and what is meant is not.
func TestNoticesOfTerms(t *testing.T) {
	for terms, want := range map[string]string{
		`rules: [{id: a, match: {category: [X, Y]}, rate: 1%}, {id: b, match: {category: [X]}, rate: 2%}]`:                             "rules.b: it never applies, because a before it",
		`rules: [{id: a, match: {mcc: [5000-5999]}, rate: 1%}, {id: b, match: {mcc: [5411], merchant: [m]}, rate: 2%}]`:                "rules.b: it never applies, because a before it",
		`rules: [{id: a, match: {category: [X]}, rate: 1%}, {id: b, match: {category: [X, Y]}, rate: 2%}]`:                             "",
		`rules: [{id: a, match: {category: [X]}, except: {merchant: [m]}, rate: 1%}, {id: b, match: {category: [X]}, rate: 2%}]`:       "",
		`rules: [{id: a, rate: 0%, cap: {reward: 100, per: year}}]`:                                                                    "rules.a.cap: a rate of nothing never reaches it",
		`rules: [{id: a, rate: 1%, at_most: 200, cap: {reward: 100, per: year}}]`:                                                      "rules.a.at_most: it never binds",
		`rules: [{id: a, rate: 1%, at_most: 50, cap: {reward: 100, per: year}}]`:                                                       "",
		`rules: [{id: a, rate: 1%, minimum: 50, unit: 100}]`:                                                                           "rules.a.minimum: it makes no difference",
		`rules: [{id: a, rate: 1%, cap: {reward: 100, per: year, shared: s}}]`:                                                         "rules.a.cap.shared: no other rule shares s",
		`rules: [{id: a, rate: 0%, cap: {purchases: 3, per: year}}]`:                                                                   "rules.a.cap: a rate of nothing never reaches it",
		`rules: [{id: a, rate: 1%, cap: {reward: 0, per: year}}]`:                                                                      "rules.a.cap: it is nothing",
		`rules: [{id: a, rate: 50%, at_most: 600000000000000}]`:                                                                        "rules.a.at_most: it never binds, because no purchase",
		`rules: [{id: a, rate: 50%, at_most: 400000000000000}]`:                                                                        "",
		`rules: [{id: a, rate: 1%, unit: 1}]`:                                                                                          "rules.a.unit: it makes no difference",
		`rules: [{id: a, rate: 1%, minimum: 1}]`:                                                                                       "rules.a.minimum: it makes no difference",
		`rules: [{id: a, rate: 1%, minimum: 2}]`:                                                                                       "",
		`rules: [{id: a, per: year, steps: [{rate: 1%}, {from: 100, rate: 1%}, {from: 200, rate: 0%}]}]`:                               "rules.a.steps: the one from 100 makes no difference",
		`rules: [{id: a, per: year, steps: [{rate: 0%}, {from: 100, rate: 0 per 5}]}]`:                                                 "rules.a.steps: all of them have a rate of nothing",
		`rules: [{id: a, per: year, whole: true, minimum: 150, unit: 100, steps: [{rate: 1%}, {from: 100, rate: 2%}]}]`:                "rules.a.steps: the rate of the one from 0 is nobody's",
		`rules: [{id: a, per: year, whole: true, minimum: 150, unit: 100, steps: [{rate: 1%}, {from: 101, rate: 2%}]}]`:                "",
		`rules: [{id: a, match: {weekday: [sunday]}, except: {weekday: [saturday, sunday]}, rate: 1%}]`:                                "rules.a: it never applies, because all that match asks",
		`rules: [{id: a, except: {weekday: [saturday, sunday]}, rate: 1%}]`:                                                            "",
		`rules: [{id: a, match: {from: 2026-03-01}, except: {from: 2026-02-01}, rate: 1%}]`:                                            "rules.a: it never applies",
		`rules: [{id: a, match: {from: 2026-01-01}, except: {from: 2026-02-01}, rate: 1%}]`:                                            "",
		`rules: [{id: a, match: {label: {channel: [app]}}, except: {label: {channel: [app, web]}}, rate: 1%}]`:                         "rules.a: it never applies",
		`rules: [{id: a, match: {label: {channel: [app]}}, except: {label: {channel: [app], kind: [gift]}}, rate: 1%}]`:                "",
		`rules: [{id: a, match: {within: {days: 30, of: opened}}, except: {within: {days: 90, of: opened}}, rate: 1%}]`:                "rules.a: it never applies",
		`bonuses: [{id: b, match: {merchant: [m]}, except: {merchant: [m]}, per: year, every: {purchases: 2, reward: 1}}]`:             "bonuses.b: it pays nothing, because all that match asks",
		`bonuses: [{id: b, minimum: 500, per: year, spend: [{from: 100, reward: 1}, {from: 500, reward: 2}]}]`:                         "bonuses.b.spend: its step from 100 pays nothing",
		`bonuses: [{id: b, minimum: 499, per: year, spend: [{from: 100, reward: 1}, {from: 500, reward: 2}]}]`:                         "",
		`bonuses: [{id: b, unit: 100, minimum: 100, per: year, every: {purchases: 2, reward: 1}}]`:                                     "bonuses.b.minimum: it makes no difference",
		`tiers: [{id: s, per: year, spend: [{from: 5, tier: in}], keeps: this}], rules: [{id: a, rate: 1%}]`:                           "tiers.s: the level in makes no difference",
		`tiers: [{id: s, per: year, spend: [{from: 5, tier: in}], keeps: this}], rules: [{id: b, match: {tier: {s: [in]}}, rate: 2%}]`: "",
		`tiers: [{id: s, per: year, minimum: 9, spend: [{from: 5, tier: in}, {from: 9, tier: on}], keeps: this}], rules: [{id: b, match: {tier: {s: [on]}}, rate: 3%}, {id: c, match: {tier: {s: [in, on]}}, rate: 2%}]`: "tiers.s: nobody is at in",
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
