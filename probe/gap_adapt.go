package probe

import (
	"cmp"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"time"

	"recoup/issuer"
	"recoup/lab"
	"recoup/program"
	"recoup/reward"
	"recoup/scenario"
)

// setting is what scenarios of the catalogue are played under at a target: its
// terms, its timing and what it can be told. A file's categories, amounts and
// redemptions are replaced by those that stand in the same relation to the
// target's terms.
type setting struct {
	can     *Capabilities
	program *reward.Program
	// paysOut: the target pays out all that can be redeemed, at every close.
	paysOut bool
	// late: refunds take what they take some closes after the next.
	late bool
	// still: no clock, so nothing may depend on time but by closes that are called.
	still bool
	// closes: statements can be closed.
	closes bool
	// months is how much later than in the file everything happens, since the terms
	// do not hold in every month.
	months int
}

// version is how a scenario is set.
type version struct {
	// across: what follows the purchases is a month later, behind their close; so is
	// a purchase that follows its refund.
	across bool
	// full: the purchases of the main rule fill its cap.
	full bool
}

// adapted is a scenario as a target can be played.
type adapted struct {
	*scenario.Scenario
	// main is the rule that stands for the file's best; its place in the program.
	main int
	// spent is what is bought under it, at most in one month.
	spent int64
}

// notApplicable says why a scenario cannot be played at a target.
type notApplicable string

func (n notApplicable) Error() string { return string(n) }

// recoup is the correct program that the target is compared with.
func (g *setting) recoup(p *reward.Program) issuer.Issuer {
	if g.paysOut {
		return &paying{Issuer: lab.NewRecoup(p), paid: map[string]int64{}}
	}
	return lab.NewRecoup(p)
}

// adapt sets a scenario. An error is a notApplicable or a defect of ours.
func (g *setting) adapt(file *scenario.Scenario, v version) (*adapted, error) {
	a := &transposer{setting: g, file: file, version: v, to: map[int]int{}, spots: spotOf(g.program, g.can)}
	for _, step := range []func() error{a.checkMoves, a.mapRules, a.scale, a.steps} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return &adapted{a.out, a.main, a.mostSpent() * a.unit}, nil
}

// transposer sets one scenario.
type transposer struct {
	*setting
	version
	file *scenario.Scenario
	out  *scenario.Scenario

	to        map[int]int // the file's rules to the target's
	spots     map[int]Spot
	fileMain  int
	main      int
	needsCap  bool
	gcd, unit int64 // what the gcd of the file's amounts becomes
}

// checkMoves refuses what the target cannot be told of.
func (a *transposer) checkMoves() error {
	prices := map[string]int64{}
	for i := range a.file.Steps {
		m := &a.file.Steps[i].Move
		switch m.Kind {
		case scenario.Settle:
			prices[m.ID] = m.Amount
		case scenario.Refund:
			if m.Of == "" && !a.can.unlinked() {
				return notApplicable("needs refunds that name no purchase")
			}
			if m.Of != "" && m.Amount < prices[m.Of] && !a.can.PartialRefunds {
				return notApplicable("needs partial refunds")
			}
		case scenario.Chargeback:
			if !a.can.Chargebacks {
				return notApplicable("needs chargebacks")
			}
			if _, settled := prices[m.Of]; m.Amount == 0 && !settled && !a.can.WholeChargebacks {
				return notApplicable("needs chargebacks without an amount")
			}
			if m.Amount > 0 && m.Amount < prices[m.Of] && !a.can.PartialRefunds {
				return notApplicable("needs partial chargebacks")
			}
		case scenario.Redeem, scenario.CloseStatement, scenario.Wait:
		default:
			return notApplicable("needs a call that the protocol has not: " + m.Kind.String())
		}
	}
	if !a.closes {
		for i := range a.file.Steps {
			if a.file.Steps[i].Move.Kind == scenario.CloseStatement {
				return notApplicable("needs statement closes")
			}
		}
		if a.program.Timing.Grant == reward.GrantAtStatement || a.program.Timing.Clawback == reward.ClawbackAtStatement {
			return notApplicable("needs statement closes, at which this target acts")
		}
	}
	return nil
}

func terms(m *scenario.Move) reward.Terms {
	code, _ := reward.ParseMCC(m.MCC)
	return reward.Terms{Merchant: m.Merchant, MCC: code, Category: m.Category}
}

// bucketOf is a rule and a month of a file, and what is bought there.
type bucketOf struct {
	rule  int
	cycle reward.Cycle
}

// spending is what is bought under each rule in each month of the file. A purchase
// that is delivered twice counts twice, so that there is room for two grants.
func (a *transposer) spending() map[bucketOf]int64 {
	sums := map[bucketOf]int64{}
	for i := range a.file.Steps {
		if s := &a.file.Steps[i]; s.Move.Kind == scenario.Settle {
			sums[bucketOf{a.file.Program.RuleFor(terms(&s.Move)), reward.CycleAt(reward.At(s.At))}] += s.Move.Amount
		}
	}
	return sums
}

// mapRules finds for each rule of the file one of the target: for the best that
// is bought under the best that there is, with a cap if one binds in the file;
// for the others some of another rate, lower if possible.
func (a *transposer) mapRules() error {
	rules := a.file.Program.Rules
	a.fileMain = reward.NoRule
	var used []int
	for b, sum := range a.spending() {
		if !slices.Contains(used, b.rule) {
			used = append(used, b.rule)
		}
		if b.rule == reward.NoRule {
			continue
		}
		r := &rules[b.rule]
		a.needsCap = a.needsCap || r.Cap != reward.NoCap && r.Rate.Of(sum) >= r.Cap
		if a.fileMain == reward.NoRule || r.Rate > rules[a.fileMain].Rate {
			a.fileMain = b.rule
		}
	}
	if a.fileMain == reward.NoRule {
		return notApplicable("buys nothing that earns")
	}
	ours := a.program.Rules
	reachable := slices.Sorted(maps.Keys(a.spots))
	a.main = reward.NoRule
	for _, r := range reachable {
		if r == reward.NoRule || ours[r].Rate == 0 || a.needsCap && ours[r].Cap == reward.NoCap {
			continue
		}
		if a.main == reward.NoRule || ours[r].Rate > ours[a.main].Rate {
			a.main = r
		}
	}
	switch {
	case a.main == reward.NoRule && a.needsCap:
		return notApplicable("needs a cap: no rule of the target has one")
	case a.main == reward.NoRule:
		return notApplicable("needs a category that earns")
	}
	a.to[a.fileMain] = a.main
	for _, r := range slices.Sorted(slices.Values(used)) {
		if r == a.fileMain {
			continue
		}
		other, ok := a.another(reachable, r == reward.NoRule)
		if !ok {
			return notApplicable("needs purchases of a second rate")
		}
		a.to[r] = other
	}
	return nil
}

// another picks a rule for what is not bought under the main one: the best of
// those that earn less, else any other. What earns nothing in the file must earn
// nothing at the target.
func (a *transposer) another(reachable []int, nothing bool) (int, bool) {
	rate := func(r int) reward.Rate {
		if r == reward.NoRule {
			return 0
		}
		return a.program.Rules[r].Rate
	}
	best, found := 0, false
	for _, r := range reachable {
		if r == a.main || rate(r) == rate(a.main) || nothing && rate(r) != 0 {
			continue
		}
		lower := func(r int) bool { return rate(r) < rate(a.main) }
		better := !found || lower(r) && !lower(best) || lower(r) == lower(best) && rate(r) > rate(best)
		if better {
			best, found = r, true
		}
	}
	return best, found
}

// mostSpent is the most that is bought under the main rule in one month, in units.
func (a *transposer) mostSpent() (units int64) {
	for b, sum := range a.spending() {
		if b.rule == a.fileMain {
			units = max(units, sum/a.gcd)
		}
	}
	return units
}

// scale finds what the file's amounts become. All are multiples of one unit, so
// that parts still add up.
func (a *transposer) scale() error {
	for i := range a.file.Steps {
		m := &a.file.Steps[i].Move
		if m.Kind == scenario.Redeem {
			continue
		}
		a.gcd = gcd(a.gcd, m.Amount)
		for _, part := range m.Really {
			a.gcd = gcd(a.gcd, part.Amount)
		}
	}
	theirs, ours := &a.file.Program.Rules[a.fileMain], &a.program.Rules[a.main]
	scale := int64(reward.MaxRate)
	most := a.mostSpent()
	switch {
	case a.needsCap: // bought in relation to what fills the cap
		a.unit = ceiling(divide(a.gcd, ours.Cap, theirs.Cap)+1, int64(theirs.Rate), int64(ours.Rate))
	case a.full && ours.Cap != reward.NoCap:
		a.unit = ceiling(ours.Cap, scale, int64(ours.Rate)*most)
	default: // earns what it earns in the file
		a.unit = ceiling(a.gcd, int64(theirs.Rate), int64(ours.Rate))
		if least := 3 * a.program.Redemption.MinimumBalance; ours.Rate.Of(a.unit*most) < least {
			a.unit = ceiling(least, scale, int64(ours.Rate)*most)
		}
	}
	if a.needsCap || a.full {
		return nil
	}
	for b, sum := range a.spending() {
		if b.rule == reward.NoRule {
			continue
		}
		to := a.to[b.rule]
		if to == reward.NoRule || a.program.Rules[to].Cap == reward.NoCap {
			continue
		}
		if r := &a.program.Rules[to]; r.Rate > 0 {
			a.unit = min(a.unit, divide(r.Cap, scale, int64(r.Rate)*(sum/a.gcd)))
		}
	}
	if ours.Rate.Of(a.unit*most) < 20 {
		return notApplicable("needs a cap with room for some purchases: the target's is too small to tell anything")
	}
	return nil
}

func (a *transposer) amount(n int64) int64 { return n / a.gcd * a.unit }

// steps writes the scenario anew.
func (a *transposer) steps() error {
	own, err := scenario.Play(a.file, lab.NewRecoup(a.file.Program))
	if err != nil {
		return err
	}
	p := *a.program
	p.Method, p.Refunds = a.file.Program.Method, a.file.Program.Refunds
	if len(returnsOf(a.file)) > 0 { // else there is nothing that maturity would be for
		p.MaturityDays = max(p.MaturityDays, a.file.Program.MaturityDays)
	}
	a.out = &scenario.Scenario{File: a.file.File, Name: a.file.Name, Title: a.file.Title, Shows: a.file.Shows, Program: &p}
	var bought, returned, shift bool
	closes := 0
	var before time.Time // of the file
	for i := range a.file.Steps {
		step := a.file.Steps[i]
		step.Expect = nil
		settles := step.Move.Kind == scenario.Settle
		shift = shift || a.across && i > 0 && (settles && returned || !settles && bought)
		bought, returned = bought || settles, returned || !settles
		if a.still && i > 0 && reward.CycleAt(reward.At(step.At)) != reward.CycleAt(reward.At(before)) && step.Move.Kind != scenario.CloseStatement {
			return notApplicable("needs a clock")
		}
		before = step.At
		step.At, step.Move.Happened = a.inMonth(step.At), a.inMonth(step.Move.Happened)
		late := step.At.Sub(step.Move.Happened)
		switch {
		case a.still:
			if step.Move.Kind == scenario.CloseStatement {
				closes++
			}
			step.At = stillAt(a.inMonth(a.file.Steps[0].At), closes)
		case shift:
			step.At = step.At.AddDate(0, 1, 0)
		}
		if !step.Move.Happened.IsZero() {
			step.Move.Happened = step.At
			if a.can.Dates && !a.still {
				step.Move.Happened = step.At.Add(-late)
			}
		}
		if step.Move.Kind == scenario.Redeem {
			keep, err := a.redeem(&step, own, i)
			if err != nil {
				return err
			}
			if !keep {
				continue
			}
		} else {
			a.move(&step.Move)
		}
		a.closeUntil(step.At)
		a.add(step)
	}
	a.finish()
	return nil
}

// inMonth moves a file's time to months in which the terms hold.
func (a *transposer) inMonth(at time.Time) time.Time {
	if at.IsZero() {
		return at
	}
	return at.AddDate(0, a.months, 0)
}

// stillAt is the time that stands for that of a target without a clock, after so
// many closes.
func stillAt(first time.Time, closes int) time.Time {
	if closes == 0 {
		return first
	}
	return firstOf(first, closes)
}

// move replaces amounts and categories.
func (a *transposer) move(m *scenario.Move) {
	rule := a.file.Program.RuleFor(terms(m))
	m.Amount = a.amount(m.Amount)
	if m.Really != nil {
		m.Really = slices.Clone(m.Really)
		for i := range m.Really {
			m.Really[i].Amount = a.amount(m.Really[i].Amount)
		}
	}
	named := m.Category != "" || m.MCC != ""
	at, known := a.spots[a.to[rule]]
	if _, mapped := a.to[rule]; !mapped {
		known = false
	}
	switch {
	case m.Kind == scenario.Settle:
		m.Category, m.MCC = at.Category, at.MCC
	case !named:
	case !a.can.RefundCategory:
		m.Category, m.MCC = "", ""
	case known:
		m.Category, m.MCC = at.Category, at.MCC
	}
	if !a.can.MCC {
		m.MCC = ""
	}
	if m.Merchant != "" && known && at.Merchant != "m1" {
		m.Merchant = at.Merchant
	}
}

// redeem replaces the amount of a redemption by what stands in the same relation
// to what Recoup shows under the target's terms, and reports whether there is
// anything to ask for. What the file has denied for a reason that the target's
// terms do not have, such as a grace period, is left out.
func (a *transposer) redeem(step *scenario.Step, own *scenario.Transcript, i int) (keep bool, err error) {
	var was scenario.Line
	if i > 0 {
		was = own.Lines[i-1]
	}
	shown, err := a.shownBefore(step.At)
	if err != nil {
		return false, err
	}
	m := &step.Move
	theirs, ours := &a.file.Program.Rules[a.fileMain], &a.program.Rules[a.main]
	switch asked := m.Amount; {
	case asked == 0:
	case was.Redeemable > 0 && asked == was.Redeemable:
		m.Amount = shown.Redeemable
	case was.Redeemable > 0 && asked == was.Redeemable+1:
		m.Amount = shown.Redeemable + 1
	case asked == was.Balance:
		m.Amount = shown.Balance
	default:
		negative := asked < 0
		m.Amount = divide(ours.Rate.Of(a.unit), max(asked, -asked), max(1, theirs.Rate.Of(a.gcd)))
		if theirs.Rate.Of(a.gcd) == 0 {
			m.Amount = max(asked, -asked)
		}
		if negative {
			m.Amount = -m.Amount
		}
	}
	if a.file.Steps[i].Move.Amount > 0 && m.Amount <= 0 {
		return false, nil
	}
	if own.Lines[i].Answer != scenario.Denied || a.file.Steps[i].Move.Amount <= 0 {
		return true, nil
	}
	trial := *a.out
	trial.Steps = append(slices.Clone(trial.Steps), *step)
	played, err := scenario.Play(&trial, a.recoup(trial.Program))
	if err != nil {
		return false, err
	}
	return played.Last().Answer == scenario.Denied, nil
}

// shownBefore is what Recoup shows just before a time, after all steps so far.
func (a *transposer) shownBefore(at time.Time) (scenario.Line, error) {
	if len(a.out.Steps) == 0 {
		return scenario.Line{}, nil
	}
	until := *a.out
	until.Steps = append(slices.Clone(until.Steps), scenario.Step{At: at, Move: scenario.Move{Kind: scenario.Wait}})
	played, err := scenario.Play(&until, a.recoup(until.Program))
	if err != nil {
		return scenario.Line{}, err
	}
	return *played.Last(), nil
}

func (a *transposer) add(step scenario.Step) {
	step.Line = len(a.out.Steps) + 1
	step.Text = describe(&step.Move, a.program.Currency)
	a.out.Steps = append(a.out.Steps, step)
}

// closeUntil adds the closes that are due before a time and are no steps.
func (a *transposer) closeUntil(at time.Time) {
	if len(a.out.Steps) == 0 || a.still || !a.closes {
		return
	}
	last := &a.out.Steps[len(a.out.Steps)-1]
	for due := firstOf(last.At, 1); due.Before(at); due = firstOf(due, 1) {
		a.add(scenario.Step{At: due, Move: scenario.Move{Kind: scenario.CloseStatement}})
	}
}

// finish lets everything happen that waits for a close.
func (a *transposer) finish() {
	if !a.closes {
		return
	}
	closes := 2
	if a.late {
		closes = 4
	}
	for range closes {
		last := &a.out.Steps[len(a.out.Steps)-1]
		a.add(scenario.Step{At: firstOf(last.At, 1), Move: scenario.Move{Kind: scenario.CloseStatement}})
	}
}

// describe writes a move for people.
func describe(m *scenario.Move, currency string) string {
	text := m.Kind.String()
	if m.Again {
		text = "again " + text
	}
	if m.ID != "" {
		text += " " + m.ID
	}
	if m.Amount != 0 || m.Kind == scenario.Redeem {
		text += " " + program.FormatAmount(m.Amount, currency)
	}
	if m.Of != "" {
		text += " of " + m.Of
	}
	if m.Merchant != "" {
		text += " at " + m.Merchant
	}
	if at := cmp.Or(m.Category, m.MCC); at != "" {
		text += " " + at
	}
	if m.Really != nil {
		text += " (really"
		for i, part := range m.Really {
			if i > 0 {
				text += ","
			}
			text += fmt.Sprintf(" %s of %s", program.FormatAmount(part.Amount, currency), part.Purchase)
		}
		text += ")"
	}
	return text
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// ceiling returns ⌈a·b/c⌉ for a, b ≥ 0 and c > 0.
func ceiling(a, b, c int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	q, r := bits.Div64(hi, lo, uint64(c))
	if r > 0 {
		q++
	}
	return int64(q)
}
