package audit

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"recoup/internal/audit/history"
	"recoup/internal/audit/judge"
	"recoup/program"
	"recoup/reward"
)

// Tally adds judgements of accounts up. It is the same whatever the order of the
// accounts, and tallies of parts of the accounts merge to the tally of all: it is
// a commutative monoid, with the tally of no account as its neutral element. Its
// size does not grow with the number of accounts.
type Tally struct {
	terms terms
	sums  sums
}

// terms are what the words of a report take from the program.
type terms struct {
	Program  string `json:"program"`
	Currency string `json:"currency"`
	// Cap is the smallest cap of a rule, in minor units; zero where none has one.
	Cap int64 `json:"smallest_cap"`
	// Unseen are what the terms go by and no export says.
	Unseen string `json:"unseen,omitzero"`
}

// NewTally returns the tally of no account of the program.
func NewTally(p *reward.Program) *Tally {
	return &Tally{terms: termsOf(p), sums: newSums()}
}

func termsOf(p *reward.Program) terms {
	t := terms{Program: p.ID, Currency: p.Currency, Unseen: unseenTerms(p)}
	least := func(rules []reward.Rule) {
		for _, r := range rules {
			if r.Cap > 0 && (t.Cap == 0 || r.Cap < t.Cap) {
				t.Cap = r.Cap
			}
		}
	}
	least(p.Rules)
	for _, l := range p.Layers {
		least(l.Rules)
	}
	return t
}

// money is an amount in the program's currency.
func (t terms) money(minor int64) string { return program.FormatAmount(minor, t.Currency) }

// Add adds one account, which must not have been added before. The history is
// what the timelines of the accounts that stand out are told from; it may be nil,
// and they have none then. Neither is kept.
func (t *Tally) Add(a *judge.Account, h *history.History) {
	s := &t.sums
	s.addAccounts(countOf(&a.Figures))
	s.addFigures(&a.Figures)
	s.addSimulation(&a.Simulation)
	s.addFit(&a.Fit)
	if a.Misfit != nil && examples.enters(s.Misfits, a.Misfit) {
		s.Misfits = examples.add(s.Misfits, cloneExample(a.Misfit))
	}
	s.addGrants(grants{a.GrantsAtOnce, a.GrantsAtClose, a.GrantsOther})
	s.Debts.Forgotten += a.DebtsForgotten
	s.Debts.Kept += a.DebtsKept
	for i := range a.Refunds {
		s.addRefund(a, i)
	}
	for _, w := range a.Waits {
		s.addWait(w.Days, w.Amount)
	}
	for i := range a.Months {
		m := &a.Months[i]
		s.addMonth(m.Cycle, &Month{
			Spend: m.Spend, Refunded: m.Refunded, Granted: m.Granted,
			TakenBack: m.TakenBack, Redeemed: m.Redeemed, Leakage: m.Leakage,
		})
	}
	for i := range a.Signs {
		s.addSign(&a.Signs[i])
	}
	t.addSuspect(a, h)
}

// countOf is an account's part of the counts of accounts.
func countOf(f *judge.Figures) Accounts {
	return Accounts{All: 1, Above: oneIf(f.Leakage > 0), Below: oneIf(f.ShortPaid > 0), ShortBeyond: oneIf(f.ShortPaid > f.Purchases+f.Refunds),
		Strange: oneIf(f.Purchases == 0 && (f.Refunds > 0 || f.Granted > 0 || f.TakenBack > 0 || f.Redeemed > 0)), InDebt: oneIf(f.Debt > 0), Unexplained: oneIf(f.Unexplained > 0)}
}

func oneIf(holds bool) int64 {
	if holds {
		return 1
	}
	return 0
}

// addSign counts an opportunity, and keeps its example if it is among the
// largest.
func (s *sums) addSign(sign *judge.Sign) {
	f := s.flaw(sign.Flaw)
	f.Could++
	if sign.Shorts {
		f.CouldShort++
	}
	if !sign.Shown {
		return
	}
	f.Shown++
	s.add(&f.Amount, sign.Amount)
	if sign.Shorts {
		f.Shorts++
		s.add(&f.ShortAmount, sign.Amount)
	}
	if sign.Example != nil && examples.enters(f.Examples, sign.Example) {
		f.Examples = examples.add(f.Examples, cloneExample(sign.Example))
	}
}

// examples are the largest of a flaw, of different accounts and purchases as far
// as the order can tell.
var examples = top[judge.Example]{5, func(a, b *judge.Example) int {
	return cmp.Or(
		cmp.Compare(b.Amount, a.Amount), cmp.Compare(a.Account, b.Account), cmp.Compare(a.Purchase, b.Purchase),
		cmp.Compare(a.Found, b.Found), cmp.Compare(a.Expected, b.Expected),
		slices.CompareFunc(a.Steps, b.Steps, compareSteps),
	)
}}

func compareSteps(a, b judge.Step) int {
	return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.What, b.What), cmp.Compare(a.Amount, b.Amount))
}

// cloneExample copies an example with its texts, which may lie in memory that is
// used again for the next account.
func cloneExample(e *judge.Example) judge.Example {
	c := *e
	c.Account, c.Purchase = strings.Clone(e.Account), strings.Clone(e.Purchase)
	c.Expected, c.Found = strings.Clone(e.Expected), strings.Clone(e.Found)
	c.Steps = slices.Clone(e.Steps)
	for i := range c.Steps {
		c.Steps[i].What = strings.Clone(c.Steps[i].What)
	}
	return c
}

// Merge adds the accounts of another tally of the same program. It fails if the
// programs differ. The other tally stays as it is.
func (t *Tally) Merge(o *Tally) error {
	if t.terms != o.terms {
		return errors.New("audit: tallies of different programs do not add up")
	}
	t.sums.merge(&o.sums)
	return nil
}

// Report says what the accounts come to. It leaves out what a tally does not
// know: what was read, and the times of its first and last row.
func (t *Tally) Report() *Report {
	s := &t.sums
	j := s.judgement(t.terms.money)
	return &Report{
		Program:        t.terms.Program,
		Currency:       t.terms.Currency,
		Verdict:        j.verdict(t.terms.money),
		Findings:       j.findingsList,
		NotJudged:      t.terms.Unseen,
		Separation:     j.separation,
		LeakageByTerms: j.byTerms,
		LeakageRate:    tenThousandths(s.Figures.Leakage, s.Figures.Granted),
		Accounts:       s.Accounts,
		Figures:        s.Figures,
		Arrival:        s.arrival(),
		Months:         s.months(),
		Simulation:     s.Simulation,
		Suspects:       s.Suspects,
		Worst:          s.Worst,
	}
}
