package audit

import (
	"errors"

	"recoup/internal/audit/judge"
	"recoup/internal/intake/history"
	"recoup/reward"
)

// Tally adds judgements of accounts up. It is the same whatever the order of the
// accounts, and tallies of parts of the accounts merge to the tally of all: it is
// a commutative monoid, with the tally of no account as its neutral element. Its
// size does not grow with the number of accounts.
type Tally struct {
	Terms terms `json:"terms"`
	Sums  sums  `json:"sums"`
}

// NewTally returns the tally of no account of the program.
func NewTally(p *reward.Program) *Tally { return &Tally{termsOf(p), newSums()} }

// Add adds one account, which must not have been added before. The history is what
// timelines are told from; it may be nil, and there are none then. Neither is kept.
func (t *Tally) Add(a *judge.Account, h *history.History) {
	s, f := &t.Sums, &a.Figures
	merge(s, &s.Accounts, &Accounts{
		All: 1, Above: oneIf(f.Leakage > 0), Below: oneIf(f.ShortPaid > 0), ShortBeyond: oneIf(f.ShortPaid > f.Purchases+f.Refunds),
		Strange: oneIf(f.Purchases == 0 && (f.Refunds > 0 || f.Granted > 0 || f.TakenBack > 0 || f.Redeemed > 0)), InDebt: oneIf(f.Debt > 0), Unexplained: oneIf(f.Unexplained > 0),
	})
	merge(s, &s.Figures, f)
	merge(s, &s.Simulation, &a.Simulation)
	merge(s, &s.Fit, &a.Fit)
	merge(s, &s.Grants, &grants{a.GrantsAtOnce, a.GrantsAtClose, a.GrantsOther})
	merge(s, &s.Debts, &debts{a.DebtsForgotten, a.DebtsKept})
	merge(s, &s.Bonuses, &a.Bonuses)
	keepExample(&s.Misfits, a.Misfit)
	for i := range a.Refunds {
		s.addRefund(a, i)
	}
	for _, w := range a.Waits {
		s.addAt(s.Waits, w.Days, w.Amount)
	}
	for _, m := range a.Months {
		merge(s, at(s.Months, m.Cycle), &Month{m.Cycle.String(), m.Spend, m.Refunded, m.Granted, m.TakenBack, m.Redeemed, m.Leakage})
	}
	for i := range a.Signs {
		s.addSign(&a.Signs[i])
	}
	t.addSuspect(a, h)
}

func oneIf(holds bool) int64 {
	if holds {
		return 1
	}
	return 0
}

// Merge adds the accounts of another tally, which stays as it is. It fails if the programs
// differ.
func (t *Tally) Merge(o *Tally) error {
	if t.Terms != o.Terms {
		return errors.New("audit: tallies of different programs do not add up")
	}
	merge(&t.Sums, &t.Sums, &o.Sums)
	return nil
}

// Report says what the accounts come to. It leaves out what a tally does not
// know: what was read, and the times of its first and last row.
func (t *Tally) Report() *Report {
	s := &t.Sums
	j := s.judgement(t.Terms.money)
	return &Report{
		Program: t.Terms.Program, Currency: t.Terms.Currency, NotJudged: t.Terms.Unseen,
		Verdict: j.Verdict, Findings: j.findingsList, Separation: j.separation,
		LeakageByTerms: j.byTerms, LeakageRate: ratio(10_000, s.Figures.Leakage, s.Figures.Granted),
		Accounts: s.Accounts, Figures: s.Figures, Simulation: s.Simulation, Months: s.months(),
		Arrival: s.arrival(), Suspects: s.Suspects, Worst: s.Worst,
	}
}
