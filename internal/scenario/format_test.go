package scenario_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"recoup/internal/scenario"
	"recoup/program"
	"recoup/reward"
)

// withoutLines is a scenario without what a file that is written anew has
// otherwise: line numbers, and the function that a program's categories are.
func withoutLines(s *scenario.Scenario) *scenario.Scenario {
	c := *s
	c.Program = withoutCategories(s.Program)
	c.Steps = slices.Clone(s.Steps)
	for i := range c.Steps {
		step := &c.Steps[i]
		step.Line = 0
		step.Expect = slices.Clone(step.Expect)
		for k := range step.Expect {
			step.Expect[k].Line = 0
		}
	}
	return &c
}

func withoutCategories(p *reward.Program) *reward.Program {
	c := *p
	c.Categories = nil
	if c.Earlier != nil {
		c.Earlier = withoutCategories(c.Earlier)
	}
	return &c
}

// again writes a scenario and reads it.
func again(t interface {
	Helper()
	Fatalf(string, ...any)
}, s *scenario.Scenario) *scenario.Scenario {
	t.Helper()
	text := scenario.Format(s)
	read, err := scenario.Parse(s.File, text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	want, got := withoutLines(s), withoutLines(read)
	for i := range min(len(want.Steps), len(got.Steps)) {
		if w, g := want.Steps[i], got.Steps[i]; !reflect.DeepEqual(g, w) {
			t.Fatalf("line %d of %s, %q, is read again as %q:\n%+v\nwant\n%+v\nfrom\n%s", s.Steps[i].Line, s.File, w.Text, g.Text, g, w, text)
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%+v\nread again is\n%+v\nfrom\n%s", want, got, text)
	}
	return read
}

func TestTheCatalogueWrittenAndReadAgainIsTheSame(t *testing.T) {
	for _, s := range whole() {
		t.Run(s.Name, func(t *testing.T) {
			read := again(t, s)
			if first, second := scenario.Format(s), scenario.Format(read); string(first) != string(second) {
				t.Errorf("written twice:\n%s\n%s", first, second)
			}
		})
	}
}

func TestFormat(t *testing.T) {
	const file = `# Why.
#
# And how.
title: A test
shows: V1, G4
program:
  id: scenario
  currency: JPY
  timing: {grant: settlement, clawback: refund}
  clawback_method: proportional
  maturity_days: 0
  refunds: {pending_days: 30, match_days: 10, park_days: 30, window_days: 400, firm_days: 180, movable: 32}
  redemption: {minimum_balance: 0, grace_days: 0, after_closing: false}
  rules:
    - {id: base, rate: 1%}

2026-01-05 10:00  settle t1 100 at m1 mcc 5411 GROCERY dated 2026-01-03
                  expect balance 1 redeemable 1
                  expect at C, Literal (instant): balance 1 leak 0
2026-01-05 10:01  again settle t1
2026-01-06        redeem d1 -5 -> denied
                  expect leak 0
                  expect at C: denied
2026-01-07        refund r1 70 at m1 really t1 60
2026-01-07        chargeback c1 of t1
2026-02-01        close
`
	s, err := scenario.Parse("x.txt", []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	if text := string(scenario.Format(s)); text != file {
		t.Errorf("wrote\n%s\nwant\n%s", text, file)
	}
}

// Whatever a scenario says, the file says the same.
func TestAnyScenarioWrittenAndReadAgainIsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { again(t, drawScenario(t)) })
}

// FuzzFormat writes anything that can be read.
func FuzzFormat(f *testing.F) {
	for _, s := range whole() {
		f.Add(scenario.Format(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := scenario.Parse("x.txt", text)
		if err != nil || len(text) > 100_000 {
			return
		}
		if strings.Contains(string(text), "categories") {
			return // a file's own categories cannot be written
		}
		again(t, s)
	})
}

var (
	words      = rapid.StringMatching(`[a-zA-Z0-9_.:/-]{1,8}`)
	names      = rapid.StringMatching(`[a-z][a-z0-9_.-]{0,8}`)
	categories = rapid.StringMatching(`[A-Z][A-Z0-9_]{0,8}`)
	positive   = rapid.Int64Range(1, reward.MaxAmount)
	texts      = rapid.StringMatching(`[a-z]([a-z ,:'"-]{0,20}[a-z])?`)
)

// drawScenario makes a scenario of moves that need not make sense together.
func drawScenario(t *rapid.T) *scenario.Scenario {
	p := *program.Everyday()
	p.Currency = rapid.SampledFrom([]string{"USD", "JPY", "KWD"}).Draw(t, "currency")
	if rapid.Bool().Draw(t, "later version") {
		first := p
		p.Version, p.From, p.Earlier, p.Rules = 2, reward.CycleAt(reward.At(time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC))), &first, p.Rules[1:]
	}
	s := &scenario.Scenario{File: "x.txt", Name: "x", Title: texts.Draw(t, "title"), Program: &p}
	if rapid.Bool().Draw(t, "shows") {
		s.Shows = []string{"V1", "G4"}
	}
	if rapid.Bool().Draw(t, "about") {
		s.About = texts.Draw(t, "about") + "\n\n" + texts.Draw(t, "more about")
	}
	at := time.Date(2026, time.January, 5, 10, 0, 0, 0, time.UTC)
	type fact struct {
		kind scenario.Kind
		id   string
	}
	delivered := map[fact]scenario.Move{}
	var settled []string
	for range rapid.IntRange(1, 12).Draw(t, "steps") {
		at = at.Add(time.Duration(rapid.IntRange(0, 50_000).Draw(t, "minutes")) * time.Minute)
		if rapid.IntRange(0, 5).Draw(t, "midnight") == 0 {
			at = time.Date(at.Year(), at.Month(), at.Day()+1, 0, 0, 0, 0, time.UTC)
		}
		m := scenario.Move{Kind: rapid.SampledFrom([]scenario.Kind{
			scenario.Settle, scenario.Settle, scenario.Refund, scenario.Chargeback, scenario.Redeem, scenario.CloseStatement,
			scenario.Authorize, scenario.Cancel, scenario.Withdraw, scenario.UndoRefund, scenario.UndoChargeback,
			scenario.Announce, scenario.CancelRefund, scenario.CloseAccount, scenario.Wait, scenario.CountRefund,
			scenario.SetAttribute, scenario.WithdrawAttribute, scenario.Itemize,
		}).Draw(t, "kind")}
		drawMove(t, &m, at, settled)
		repeats := m.Amount != 0 || m.Kind == scenario.Chargeback
		if first, again := delivered[fact{m.Kind, m.ID}]; again && repeats && m.Kind != scenario.Authorize {
			if m.Kind == scenario.Refund && rapid.Bool().Draw(t, "another") {
				m.Another = true
				delivered[fact{m.Kind, m.ID}] = m
			} else {
				m = first
				m.Again = true
			}
		} else {
			delivered[fact{m.Kind, m.ID}] = m
		}
		if m.Kind == scenario.Settle && !m.Again {
			settled = append(settled, m.ID)
		}
		step := scenario.Step{At: at, Move: m, Expect: drawExpectations(t, m.Kind)}
		step.Text = scenario.DescribeMove(&step, p.Currency)
		s.Steps = append(s.Steps, step)
	}
	return s
}

// drawMove fills in the members that the move's kind has.
func drawMove(t *rapid.T, m *scenario.Move, at time.Time, settled []string) {
	maybe := func(what string) bool { return rapid.Bool().Draw(t, what) }
	switch m.Kind {
	case scenario.CloseStatement, scenario.CloseAccount, scenario.Wait:
		return
	}
	m.ID = words.Draw(t, "id")
	switch m.Kind {
	case scenario.SetAttribute:
		m.Happened = at
		m.Labels = reward.MakeLabels(map[string]string{names.Draw(t, "name"): words.Draw(t, "value")})
		return
	case scenario.Itemize:
		m.Items = drawItems(t)
		return
	case scenario.Settle, scenario.Refund, scenario.Chargeback, scenario.Authorize, scenario.Announce:
		m.Happened = at
		if maybe("earlier") {
			m.Happened = at.Add(-time.Duration(rapid.IntRange(1, 5000).Draw(t, "by")) * time.Minute)
		}
		m.Amount = positive.Draw(t, "amount")
	}
	switch m.Kind {
	case scenario.Settle, scenario.Refund, scenario.Authorize:
		if maybe("merchant") {
			m.Merchant = words.Draw(t, "merchant")
		}
		if maybe("mcc") {
			m.MCC = rapid.StringMatching(`[0-9]{4}`).Draw(t, "code")
		}
		if maybe("category") {
			m.Category = categories.Draw(t, "category")
		}
		m.Labels = drawLabels(t)
	}
	if (m.Kind == scenario.Settle || m.Kind == scenario.Refund) && maybe("items") {
		m.Items, m.Amount = drawItems(t), 0
		for _, item := range m.Items {
			m.Amount += item.Amount
		}
	}
	switch m.Kind {
	case scenario.Redeem:
		m.Amount = rapid.Int64Range(-10_000, 10_000).Draw(t, "amount")
		if m.Amount == 0 {
			m.Amount = 1
		}
	case scenario.Chargeback:
		m.Of = words.Draw(t, "of")
		if maybe("whole") {
			m.Amount = 0
		}
	case scenario.Announce:
		m.Of = words.Draw(t, "of")
	case scenario.CountRefund:
		m.As = words.Draw(t, "as")
	case scenario.Refund:
		if maybe("linked") {
			m.Of = words.Draw(t, "of")
		}
		rest := m.Amount
		for range rapid.IntRange(0, min(3, len(settled))).Draw(t, "parts") {
			if rest == 0 {
				break
			}
			part := rapid.Int64Range(1, rest).Draw(t, "part")
			m.Really = append(m.Really, scenario.Part{Purchase: rapid.SampledFrom(settled).Draw(t, "really"), Amount: part})
			rest -= part
		}
	}
}

func drawLabels(t *rapid.T) reward.Labels {
	return reward.MakeLabels(rapid.MapOfN(names, words, 0, 2).Draw(t, "labels"))
}

func drawItems(t *rapid.T) []reward.Item {
	return rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) reward.Item {
		item := reward.Item{ID: words.Draw(t, "item"), Amount: rapid.Int64Range(1, 1_000_000).Draw(t, "amount"), Labels: drawLabels(t)}
		if rapid.Bool().Draw(t, "kind") {
			item.Category = categories.Draw(t, "category")
			item.MCC = reward.MCC(rapid.IntRange(1, 10_000).Draw(t, "code"))
		}
		return item
	}), 1, 3, func(x reward.Item) string { return x.ID }).Draw(t, "items")
}

func drawExpectations(t *rapid.T, k scenario.Kind) []scenario.Expectation {
	list := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) scenario.Expectation {
		e := scenario.Expectation{Design: rapid.SampledFrom([]string{scenario.Recoup, scenario.Recoup, "C", "Literal (instant)"}).Draw(t, "design")}
		if k == scenario.Redeem && rapid.Bool().Draw(t, "answer") {
			e.Answer = rapid.SampledFrom([]scenario.Answer{scenario.Accepted, scenario.Denied}).Draw(t, "said")
			return e
		}
		if rapid.IntRange(0, 3).Draw(t, "review") == 0 {
			e.Review = words.Draw(t, "reviewed")
			return e
		}
		e.Quantity = rapid.SampledFrom([]scenario.Quantity{scenario.Balance, scenario.Redeemed, scenario.Leak}).Draw(t, "quantity")
		e.Amount = rapid.Int64Range(-2, 2).Draw(t, "amount")
		return e
	}), 0, 5).Draw(t, "expect")
	if len(list) == 0 {
		return nil
	}
	return list
}
