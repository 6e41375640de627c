package search

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"recoup/internal/flaw"
	"recoup/internal/issuer"
	"recoup/internal/kit/labtest"
	"recoup/internal/lab/design"
	"recoup/internal/lab/gaps"
	"recoup/internal/probe"
	"recoup/internal/scenario"
	"recoup/reward"
)

var update = flag.Bool("update", false, "write signatures.txt anew")

// The signatures of the catalogue are what its scenarios shrink to at the designs
// that do something wrong with them.
func TestTheSignaturesAreThoseOfTheCatalogue(t *testing.T) {
	if testing.Short() {
		t.Skip("shrinks the whole catalogue at every design")
	}
	designs := design.Others()
	for _, v := range design.Variants() {
		designs = append(designs, v.Design)
	}
	found := map[string]map[string]bool{}
	for _, s := range scenario.Catalogue() {
		c, ok := courseOf(s)
		if !ok {
			continue
		}
		for _, d := range designs {
			if !shows(s, d) {
				continue
			}
			if words, kind := shrunk(t, s, c, d); kind != "" {
				key := signature(words, kind)
				if found[key] == nil {
					found[key] = map[string]bool{}
				}
				found[key][s.Name] = true
			}
		}
	}
	var text strings.Builder
	for _, key := range slices.Sorted(maps.Keys(found)) {
		fmt.Fprintf(&text, "%s\t%s\n", key, strings.Join(slices.Sorted(maps.Keys(found[key])), " "))
	}
	if *update {
		if err := os.WriteFile("signatures.txt", []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if text.String() != signatures {
		t.Errorf("signatures.txt is not what the catalogue shrinks to: run go test ./internal/probe/search -run Signatures -update\n%s", text.String())
	}
	if len(found) < 15 {
		t.Errorf("%d signatures: expected more of a catalogue that shows every gap", len(found))
	}
}

// shows reports whether a scenario is about what is wrong with a design. A design
// that never takes anything back fails at all of them, which says nothing of what
// they are about; neither does a flaw that a variant has from issuer C.
func shows(s *scenario.Scenario, d design.Design) bool {
	truth, _ := design.TruthOf(d.Name, s.Program)
	common, _ := design.TruthOf("C", s.Program)
	labels := []string{string(truth.Class)}
	if truth.Class != flaw.V1 && truth.Class != flaw.V2 {
		for _, code := range truth.Flaws {
			if d.Name != "C" && d.Source != "Algorithms 1 to 4, section 6" && slices.Contains(common.Flaws, code) {
				continue
			}
			labels = append(labels, string(code))
			if code == flaw.Compounding || code == flaw.PartsIgnored {
				labels = append(labels, "Algorithm 2")
			}
		}
	}
	if d.Name == "Literal (hybrid)" {
		labels = append(labels, string(flaw.G6)) // which no other design has
	}
	matching := []string{"C", "Literal (instant)", "Unlinked ignored", "Early refunds dropped", "Over-refunds ignored"}
	return slices.ContainsFunc(s.Shows, func(shown string) bool {
		return slices.Contains(labels, shown) || shown[0] == 'M' && slices.Contains(matching, d.Name)
	})
}

// shrunk is what a design shows of a scenario, as small as can be. The terms are
// the scenario's, at the time at which the design grants and claws back.
func shrunk(t *testing.T, s *scenario.Scenario, c *course, d design.Design) ([]string, gaps.DefectKind) {
	t.Helper()
	p := *s.Program
	p.Timing = timingOf(d.Name)
	fresh := labtest.NewFresh(func() issuer.Issuer { return d.New(&p) })
	target := Target{probe.Target{Issuer: fresh, Can: everything(p.Currency), Reset: fresh.Reset}, &p}
	h := newHunter(context.Background(), &target, Options{Calls: 1_000_000}.withDefaults())
	h.world.places = placesIn(s)
	v, err := h.play(c)
	if err != nil {
		t.Fatal(err)
	}
	if v.kind == "" {
		return nil, ""
	}
	_, v, _, err = h.shrink(c, v, func(*verdict) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	return wordsOf(v), v.kind
}

func everything(currency string) probe.Capabilities {
	return probe.Capabilities{
		Currency: currency, CanSetClock: true, Chargebacks: true, PartialRefunds: true, StatementClose: probe.ClosesByClock,
		MCC: true, RefundCategory: true, WholeChargebacks: true,
	}
}

// timingOf is when a design grants and claws back.
func timingOf(design string) reward.Timing {
	switch design {
	case "B", "D", "E", "Literal (statement)", "Late clawback":
		return reward.Timing{Grant: reward.GrantAtStatement, Clawback: reward.ClawbackAtStatement}
	case "F", "Literal (hybrid)":
		return reward.Timing{Clawback: reward.ClawbackAtStatement}
	}
	return reward.Timing{}
}

// placesIn are where a scenario's purchases are made, the best first.
func placesIn(s *scenario.Scenario) []place {
	var list []place
	for i := range s.Steps {
		m := &s.Steps[i].Move
		if m.Kind != scenario.Settle || slices.ContainsFunc(list, func(at place) bool { return at.takes(m) }) {
			continue
		}
		at := place{rule: reward.NoRule, limit: reward.NoCap, merchants: [2]string{m.Merchant, m.Merchant}, mcc: m.MCC, category: m.Category}
		code, _ := reward.ParseMCC(m.MCC)
		if at.rule = s.Program.RuleFor(reward.Terms{Merchant: m.Merchant, MCC: code, Category: m.Category}); at.rule != reward.NoRule {
			at.rate, at.limit = s.Program.Rules[at.rule].Rate, s.Program.Rules[at.rule].Cap
		}
		list = append(list, at)
	}
	slices.SortStableFunc(list, func(a, b place) int { return int(b.rate - a.rate) })
	return list
}

func (at *place) takes(m *scenario.Move) bool {
	return at.merchants[0] == m.Merchant && at.mcc == m.MCC && at.category == m.Category
}

// courseOf is a scenario as a course, if the protocol has all of its moves.
func courseOf(s *scenario.Scenario) (*course, bool) {
	if s.Program.Earlier != nil {
		return nil, false // a course has one program
	}
	c := &course{}
	facts := map[string]int{}
	prices := map[string]int64{}
	for i := range s.Steps {
		if m := &s.Steps[i].Move; m.Kind == scenario.Settle {
			prices[m.ID] = m.Amount
		}
	}
	places := placesIn(s)
	before := s.Steps[0].At
	for i := range s.Steps {
		step := &s.Steps[i]
		m := &step.Move
		if m.Another {
			return nil, false // and one fact of a name
		}
		if m.Kind == scenario.CloseStatement || m.Kind == scenario.Wait {
			continue
		}
		to := move{kind: m.Kind, amount: m.Amount}
		switch name := m.Kind.String() + m.ID; {
		case facts[name] == 0:
			facts[name] = len(facts) + 1
			fallthrough
		default:
			to.fact = facts[name]
		}
		switch m.Kind {
		case scenario.Settle:
			to.place = slices.IndexFunc(places, func(at place) bool { return at.takes(m) })
		case scenario.Refund, scenario.Chargeback:
			of := m.Of
			if of == "" && len(m.Really) == 1 {
				of = m.Really[0].Purchase
				to.unlinked, to.silent = true, m.Merchant == ""
			}
			if prices[of] == 0 {
				return nil, false
			}
			if facts["settle"+of] == 0 {
				facts["settle"+of] = len(facts) + 1
			}
			to.of, to.amount = facts["settle"+of], 0
			to.share = share{m.Amount, prices[of]}
			if m.Amount == prices[of] || m.Amount == 0 {
				to.share = whole
			}
		case scenario.Redeem:
			to.amount, to.ask = 0, ask{askExactly, m.Amount}
		default:
			return nil, false
		}
		months := 0
		for scenario.FirstOfMonth(before, months).Before(scenario.FirstOfMonth(step.At, 0)) {
			months++
		}
		if to.gap.months = months; months == 0 {
			to.gap.days = step.At.YearDay() - before.YearDay()
		}
		before = step.At
		c.moves = append(c.moves, to)
	}
	if len(c.moves) > 0 {
		c.moves[0].gap = gap{}
	}
	return c, len(c.moves) > 0
}
