package audit

import (
	"math"
	"slices"

	"recoup/internal/audit/judge"
	"recoup/internal/flaw"
	"recoup/reward"
)

// sums are what a tally adds up. Every member adds up in any order.
type sums struct {
	// Overflow is set when a sum left 64 bits. The figures are worth nothing then.
	Overflow   bool             `json:"overflow,omitzero"`
	Accounts   Accounts         `json:"accounts"`
	Figures    judge.Figures    `json:"figures"`
	Simulation judge.Simulation `json:"simulation"`
	Fit        judge.Fit        `json:"fit"`
	Misfits    []judge.Example  `json:"misfits,omitempty"`
	Grants     grants           `json:"grants"`
	Debts      debts            `json:"debts"`
	Refunds    refundCounts     `json:"refunds"`
	Arrivals   arrivals         `json:"arrivals"`
	// Waits are amounts of rewards of kept purchases by the days from the purchase
	// to their redemption.
	Waits    map[int]int64           `json:"waits"`
	Flaws    map[flaw.Code]*flawSums `json:"flaws"`
	Months   map[reward.Cycle]*Month `json:"months"`
	Suspects []Suspect               `json:"suspects"`
	Worst    []Suspect               `json:"worst"`
}

// grants counts purchases by when their reward came.
type grants struct {
	AtOnce  int64 `json:"at_once"`
	AtClose int64 `json:"at_close"`
	Other   int64 `json:"other"`
}

// debts counts debts by whether they were forgotten or kept for long.
type debts struct {
	Forgotten int64 `json:"forgotten"`
	Kept      int64 `json:"kept"`
}

// flawSums are the signs of one flaw.
type flawSums struct {
	Shown  int64 `json:"shown"`
	Could  int64 `json:"could"`
	Amount int64 `json:"amount"`
	// Shorts of CouldShort, and ShortAmount, are those that cost the cardholder, of a
	// flaw that can cost either.
	Shorts      int64           `json:"shorts,omitzero"`
	CouldShort  int64           `json:"could_short,omitzero"`
	ShortAmount int64           `json:"short_amount,omitzero"`
	Examples    []judge.Example `json:"examples,omitempty"`
}

// merge adds other signs of the flaw. A sum past 64 bits is below zero.
func (f *flawSums) merge(o *flawSums) {
	f.Shown += o.Shown
	f.Could += o.Could
	f.Amount += o.Amount
	f.Shorts += o.Shorts
	f.CouldShort += o.CouldShort
	f.ShortAmount += o.ShortAmount
	f.Examples = examples.merge(slices.Clone(f.Examples), o.Examples)
}

// leaking counts the signs that cost the program, of how many, and what.
func (f *flawSums) leaking() (shown, could, amount int64) {
	return f.Shown - f.Shorts, f.Could - f.CouldShort, f.Amount - f.ShortAmount
}

// standing is what to make of the signs of a flaw, which showed so often of so many
// opportunities. G9 is two flaws, of which one costs the program and one the
// cardholder, and stands as the clearer of them does: who never gives back after a
// lost dispute has it, however many chargebacks were taken right.
func (f *flawSums) standing(code flaw.Code) (is Standing, shown, could int64) {
	is, shown, could = standingOf(code, f.Shown, f.Could), f.Shown, f.Could
	if code != flaw.G9 {
		return is, shown, could
	}
	leaked, couldLeak, _ := f.leaking()
	for _, half := range [...][2]int64{{leaked, couldLeak}, {f.Shorts, f.CouldShort}} {
		switch s := standing(half[0], half[1]); {
		case clearness[s] > clearness[is]:
			is, shown, could = s, half[0], half[1]
		case s == TooFew && is == NotFound:
			is = TooFew // of the other half nobody knows
		}
	}
	return is, shown, could
}

var clearness = map[Standing]int{TooFew: 0, NotFound: 1, Occasional: 2, Found: 3}

func newSums() sums {
	return sums{
		Arrivals: newArrivals(),
		Refunds:  refundCounts{Waited: map[int]int64{}},
		Waits:    map[int]int64{},
		Flaws:    map[flaw.Code]*flawSums{},
		Months:   map[reward.Cycle]*Month{},
	}
}

// add adds to a sum, which stays in 64 bits: past them it is stuck at the end.
func (s *sums) add(sum *int64, amount int64) {
	switch {
	case amount > 0 && *sum > math.MaxInt64-amount:
		*sum, s.Overflow = math.MaxInt64, true
	case amount < 0 && *sum < math.MinInt64-amount:
		*sum, s.Overflow = math.MinInt64, true
	default:
		*sum += amount
	}
}

func (s *sums) addFigures(f *judge.Figures) {
	sum, part := figures(&s.Figures), figures(f)
	for i := range sum {
		s.add(sum[i], *part[i])
	}
}

// figures are all members, for adding up.
func figures(f *judge.Figures) [29]*int64 {
	return [...]*int64{
		&f.Purchases, &f.Refunds, &f.Spend, &f.Refunded, &f.NetSpend, &f.Granted, &f.TakenBack, &f.Adjustments, &f.Redeemed, &f.Balance,
		&f.NetReward, &f.Entitlement, &f.NotDue, &f.Beyond, &f.Leakage, &f.ShortPaid, &f.Debt, &f.RedeemedOpen, &f.FloatDays,
		&f.Unearned, &f.UnearnedRows, &f.RewardRows, &f.Unexplained, &f.InQuestion, &f.LeakageNamed, &f.RefundsNaming, &f.RefundsAstray, &f.RewardsNaming, &f.RewardsAstray,
	}
}

func (s *sums) addFit(other *judge.Fit) {
	sum, part := fit(&s.Fit), fit(other)
	for i := range sum {
		s.add(sum[i], *part[i])
	}
}

func fit(f *judge.Fit) [8]*int64 {
	return [...]*int64{&f.AtStake, &f.Before, &f.LooseBefore, &f.RoundedBefore, &f.OverBefore, &f.GrantedBefore, &f.AccountsOver, &f.Left}
}

func (s *sums) addSimulation(other *judge.Simulation) {
	sum, part := simulation(&s.Simulation), simulation(other)
	for i := range sum {
		s.add(sum[i], *part[i])
	}
}

func simulation(s *judge.Simulation) [8]*int64 {
	return [...]*int64{&s.Granted, &s.TakenBack, &s.NetReward, &s.NextClose, &s.Held, &s.HeldMost, &s.Refused, &s.RefusedAmount}
}

func (s *sums) addAccounts(a Accounts) {
	s.Accounts.All += a.All
	s.Accounts.Above += a.Above
	s.Accounts.Below += a.Below
	s.Accounts.ShortBeyond += a.ShortBeyond
	s.Accounts.Strange += a.Strange
	s.Accounts.InDebt += a.InDebt
	s.Accounts.Suspected += a.Suspected
	s.Accounts.Unexplained += a.Unexplained
}

func (s *sums) addGrants(g grants) {
	s.Grants.AtOnce += g.AtOnce
	s.Grants.AtClose += g.AtClose
	s.Grants.Other += g.Other
}

// month returns the sums of a calendar month.
func (s *sums) month(c reward.Cycle) *Month {
	m := s.Months[c]
	if m == nil {
		m = &Month{Month: c.String()}
		s.Months[c] = m
	}
	return m
}

func (s *sums) addMonth(c reward.Cycle, part *Month) {
	m := s.month(c)
	for _, p := range [...][2]*int64{
		{&m.Spend, &part.Spend}, {&m.Refunded, &part.Refunded}, {&m.Granted, &part.Granted},
		{&m.TakenBack, &part.TakenBack}, {&m.Redeemed, &part.Redeemed}, {&m.Leakage, &part.Leakage},
	} {
		s.add(p[0], *p[1])
	}
}

// flaw returns the sums of one flaw.
func (s *sums) flaw(code flaw.Code) *flawSums {
	f := s.Flaws[code]
	if f == nil {
		f = &flawSums{}
		s.Flaws[code] = f
	}
	return f
}

// merge adds the sums of other accounts.
func (s *sums) merge(o *sums) {
	s.Overflow = s.Overflow || o.Overflow
	s.addAccounts(o.Accounts)
	s.addFigures(&o.Figures)
	s.addSimulation(&o.Simulation)
	s.addFit(&o.Fit)
	s.Misfits = examples.merge(s.Misfits, o.Misfits)
	s.addGrants(o.Grants)
	s.Debts.Forgotten += o.Debts.Forgotten
	s.Debts.Kept += o.Debts.Kept
	s.mergeRefunds(&o.Refunds)
	s.mergeArrivals(&o.Arrivals)
	for days, amount := range o.Waits {
		s.addWait(days, amount)
	}
	for code, part := range o.Flaws {
		f := s.flaw(code)
		f.merge(part)
		s.Overflow = s.Overflow || f.Amount < 0 || f.ShortAmount < 0
	}
	for c, part := range o.Months {
		s.addMonth(c, part)
	}
	s.Suspects = suspects.merge(s.Suspects, o.Suspects)
	s.Worst = worst.merge(s.Worst, o.Worst)
}

func (s *sums) addWait(days int, amount int64) {
	sum := s.Waits[days]
	s.add(&sum, amount)
	s.Waits[days] = sum
}
