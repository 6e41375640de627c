package audit

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"

	"recoup/program"
	"recoup/reward"
)

// terms are what the words of a report take from the program.
type terms struct {
	Program  string `json:"program"`
	Currency string `json:"currency"`
	// Unit is what rewards are in: the currency, or points, with their decimals.
	Unit     string `json:"reward_unit"`
	Decimals int    `json:"reward_decimals"`
	Cap      int64  `json:"smallest_cap"`    // of a rule, in minor units; zero where none has one
	Unseen   string `json:"unseen,omitzero"` // see Report.NotJudged
}

func termsOf(p *reward.Program) terms {
	unit := p.Units().Reward
	t := terms{Program: p.ID, Currency: p.Currency, Unit: unit.Name, Decimals: program.Decimals(unit), Unseen: unseenTerms(p)}
	for _, r := range rulesOf(p) {
		if r.Cap > 0 && (t.Cap == 0 || r.Cap < t.Cap) {
			t.Cap = r.Cap
		}
	}
	return t
}

// rulesOf are the rules of one version of a program, whatever their layer.
func rulesOf(p *reward.Program) []reward.Rule {
	rules := slices.Clone(p.Rules)
	for _, l := range p.Layers {
		rules = append(rules, l.Rules...)
	}
	return rules
}

// money is an amount of rewards.
func (t terms) money(minor int64) string {
	if t.Unit == t.Currency {
		return t.spend(minor)
	}
	return program.Format(minor, reward.Unit{Name: t.Unit, Decimals: t.Decimals})
}

// spend is an amount of purchases and refunds.
func (t terms) spend(minor int64) string { return program.FormatAmount(minor, t.Currency) }

// near reports whether an amount is about as much as the smallest cap.
func (t terms) near(amount int64) bool {
	return t.Cap > 0 && atLeast(amount, nearCap, t.Cap)
}

// unseenTerms names what the terms of a program go by that no export says: labels of
// purchases, and attributes of accounts but for when they opened.
func unseenTerms(p *reward.Program) string {
	words := map[string]bool{}
	look := func(m reward.Match) {
		asked := cmp.Or(m.Purchase, &reward.PurchaseMatch{})
		for name := range asked.Labels {
			words["the label "+name] = true
		}
		for name := range asked.Account {
			words["the account's "+name] = true
		}
		if w := asked.Within; w != nil && w.Of != "opened" {
			words["when the account's "+w.Of+" was set"] = true
		}
	}
	for ; p != nil; p = p.Earlier {
		for _, r := range rulesOf(p) {
			look(r.Match)
			look(r.Except)
		}
		for _, b := range p.Bonuses {
			look(b.Match)
			look(b.Except)
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(words)), ", ")
}

// fingerprint tells published terms apart: all that a program file can say of each
// version. Two programs with the same fingerprint entitle to the same.
func fingerprint(p *reward.Program) string {
	h := sha256.New()
	for ; p != nil; p = p.Earlier {
		fmt.Fprintf(h, "%d %d %q\n", p.Version, p.From, program.Write(p))
		for code := 0; p.Categories != nil && code < 10_000; code++ {
			mcc, _ := reward.ParseMCC(fmt.Sprintf("%04d", code))
			if name := p.Categories(mcc); name != "" {
				fmt.Fprintf(h, "%v %q\n", mcc, name)
			}
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}
