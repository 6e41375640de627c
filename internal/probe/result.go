package probe

import (
	"cmp"
	"slices"

	"recoup/internal/flaw"
	"recoup/internal/lab/examine"
	"recoup/internal/lab/gaps"
	"recoup/program"
	"recoup/reward"
)

// Result is what a run has found out. Amounts are in minor units.
type Result struct {
	Target       string       `json:"target"`
	Capabilities Capabilities `json:"capabilities"`
	// LeftOut says what was not done, and why.
	LeftOut []string `json:"left_out,omitempty"`
	// ClockInDoubt: the target never said what its clock shows, and nothing that was seen
	// depends on the time.
	ClockInDoubt bool  `json:"clock_in_doubt,omitzero"`
	Terms        Terms `json:"terms"`
	// Class is empty where it could not be told.
	Class        flaw.Class `json:"class"`
	flaw.Mapping `json:",inline"`
	Summary      string `json:"summary"` // the verdict in a sentence
	// Evidence is the course of moves by which the class became clear.
	Evidence  []TraceStep        `json:"evidence,omitempty"`
	PaperRow  []PaperRow         `json:"paper_table,omitempty"`
	Behaviour *examine.Behaviour `json:"behaviour,omitempty"`
	Sweep     *Sweep             `json:"sweep"`
	Window    *Window            `json:"window,omitempty"`
	Search    *Searched          `json:"search,omitempty"`
	Gaps      []Gap              `json:"gaps"`
	Losses    []Loss             `json:"losses,omitempty"`
	Changes   []Change           `json:"changes,omitempty"`
	// Lag is how late the target shows what has happened, in words; empty if that was not
	// measured.
	Lag string `json:"lag,omitempty"`
	// Replays is how often a course of moves had to be begun again.
	Replays int   `json:"replays"`
	Calls   Calls `json:"calls"`
}

// Calls counts what was sent to the target, as Stats does.
type Calls struct {
	Requests  int `json:"requests"`
	Retries   int `json:"retries"`
	Failures  int `json:"failures"`
	Throttled int `json:"throttled"`
	Replays   int `json:"replays"`
	Refusals  int `json:"refusals"`
	Polls     int `json:"polls"`
	// Slowest is the request that was answered last of all, after so many
	// milliseconds.
	Slowest       string `json:"slowest"`
	SlowestMillis int64  `json:"slowest_ms"`
}

// callsOf is what a target has counted, nothing if it does not count.
func callsOf(t *Target) Calls {
	if t.Stats == nil {
		return Calls{}
	}
	s := t.Stats()
	return Calls{s.Requests, s.Retries, s.Failures, s.Throttled, s.Replays, s.Refusals, s.Polls, s.Slowest, s.SlowestTook.Milliseconds()}
}

// Failing returns the gaps that the target has.
func (r *Result) Failing() []Gap {
	return slices.DeleteFunc(slices.Clone(r.Gaps), func(g Gap) bool { return g.Outcome != Fail })
}

// Own returns the rows that fail for a reason of their own: neither the class nor
// another flaw explains them.
func (r *Result) Own() []Gap {
	return slices.DeleteFunc(r.Failing(), func(g Gap) bool { return g.ExplainedBy != "" })
}

// PaperRow is one issuer of the paper's table "Comparative issuer behavior", or
// the target.
type PaperRow struct {
	Issuer                  string     `json:"issuer"`
	RewardTiming            string     `json:"reward_timing"`
	RefundAdjustment        string     `json:"refund_adjustment"`
	NegativeBalance         string     `json:"negative_balance"`
	RewardIntegrity         string     `json:"reward_integrity"`
	RefundRewardConsistency string     `json:"refund_reward_consistency"`
	Class                   flaw.Class `json:"class"`
}

// paperTable is the paper's, with the class that it assigns.
var paperTable = []PaperRow{
	{"A", "Instant", "None", "N/A", "×", "×", flaw.V1},
	{"B", "Stmt. close", "None", "N/A", "×", "×", flaw.V2},
	{"C", "Instant", "Immediate", "Indefinite", "✓", "✓", flaw.Robust},
	{"D", "Stmt. close", "Stmt. close", "Indefinite", "✓", "✓", flaw.Robust},
	{"E", "Stmt. close", "Stmt. close", "Indefinite", "✓", "✓", flaw.Robust},
	{"F", "Instant", "Stmt. close", "Indefinite*", "~", "~", flaw.V3b},
}

// paperRow is the paper's table with one row more; nothing without a behaviour.
func paperRow(b *examine.Behaviour, class flaw.Class) []PaperRow {
	if b == nil {
		return nil
	}
	return append(slices.Clone(paperTable), PaperRow{
		"target", b.RewardTiming, b.RefundAdjustment, b.NegativeBalance,
		b.RewardIntegrity.Symbol(), b.RefundRewardConsistency.Symbol(), class,
	})
}

// Loss is what one account can take by one flaw.
type Loss struct {
	Flaw  string `json:"flaw"` // a class or a row
	Title string `json:"title"`
	// Round is what is taken by one course of moves whose purchases fill the cap or,
	// where there is none, by one of the size that was played.
	Round int64 `json:"round"`
	// Capped: the cap bounds a round. Without one a larger purchase takes more.
	Capped bool `json:"capped"`
	// Rounds is how often it was taken to work in one cycle: once, since one fills
	// the cap.
	Rounds int `json:"rounds_per_cycle,omitzero"`
	// Year is what an account takes in twelve cycles; of a walk-away, which works
	// once, the same as Round.
	Year int64 `json:"per_account_and_year"`
	Once bool  `json:"once,omitzero"`
	// Exposure: it is told, and neither class nor exit code follow from it. Where nothing is
	// found, every loss is one.
	Exposure bool `json:"exposure,omitzero"`
}

// losses works out what each failing exploit takes: what the sweep found, what the class
// takes beside it, and what the scenarios show besides. What a class alone explains is
// not counted again. A year is twelve rounds where a second one was played and took as
// much, and one where it was not.
func (r *run) losses() []Loss {
	var list []Loss
	has := func(code string) bool { return slices.ContainsFunc(list, func(l Loss) bool { return l.Flaw == code }) }
	for _, f := range r.result.Sweep.Finds {
		if f.Short {
			continue
		}
		list = append(list, Loss{Flaw: string(f.Flaw), Title: titleOf(f.Flaw), Round: f.Full, Capped: f.Capped, Rounds: 1, Once: !f.Monthly, Year: f.Year})
	}
	if l, ok := r.classLoss(); ok && !has(l.Flaw) && !has(string(flaw.CodeOf(r.result.Class))) {
		list = append(list, l)
	}
	for i := range r.result.Gaps {
		g := &r.result.Gaps[i]
		if g.Outcome != Fail || g.ExplainedBy != "" || has(g.Row) {
			continue
		}
		if g.Row == string(flaw.G13) {
			list = append(list, r.walkAwayLoss(g))
			continue
		}
		l := Loss{Flaw: g.Row, Title: g.Title, Rounds: 1}
		for _, c := range g.Cases {
			if c.Outcome == Fail && c.Defect == gaps.Leaks && c.Round > l.Round {
				l.Round, l.Capped, l.Once = c.Round, c.Capped, c.Once
			}
		}
		if l.Round > 0 {
			l.Year = l.Round
			if !l.Once {
				l.Year = 12 * l.Round
			}
			list = append(list, l)
		}
	}
	found := r.result.Found()
	for i := range list {
		list[i].Exposure = !found || exposes(list[i].Flaw)
	}
	slices.SortStableFunc(list, func(a, b Loss) int { return cmp.Compare(b.Year, a.Year) })
	return list
}

// titleOf says what goes wrong by a flaw.
func titleOf(code flaw.Code) string {
	if f, ok := flaw.Find(code); ok {
		return f.Title
	}
	return "reward is left on what was returned"
}

// fullCap is what the sample's rule pays at most in a cycle, and what is left of a
// share of a reward that fills it.
func (r *run) fullCap(part, whole int64) (round int64, capped bool) {
	if !r.told() {
		return part, false
	}
	rule := &r.result.Terms.Program.Rules[r.sampleRule()]
	if rule.Cap == reward.NoCap || whole <= 0 {
		return part, false
	}
	return divide(rule.Cap, part, whole), true
}

// classLoss is what the class lets take: of the sample purchase's reward as much
// as the evidence shows, and of a cap's worth the same share: once, since no second round
// was played.
func (r *run) classLoss() (Loss, bool) {
	b := r.result.Behaviour
	if b == nil || r.examinedClass() == flaw.Robust || b.Evidence.NetReward <= 0 || b.Class == flaw.V3b {
		return Loss{}, false
	}
	l := Loss{Flaw: string(b.Class), Title: titleOf(flaw.CodeOf(b.Class)), Rounds: 1, Once: true}
	l.Round, l.Capped = r.fullCap(min(b.Evidence.NetReward, b.Reward), b.Reward)
	l.Year = l.Round
	return l, true
}

func (r *run) walkAwayLoss(g *Gap) Loss {
	l := Loss{Flaw: g.Row, Title: g.Title, Once: true}
	if b := r.result.Behaviour; b != nil && b.WalkAway > 0 {
		l.Round, l.Capped = r.fullCap(b.WalkAway, b.Reward)
	} else {
		for _, c := range g.Cases {
			l.Round = max(l.Round, c.Amount)
		}
	}
	l.Year = l.Round
	return l
}

// Change is what to change about one flaw.
type Change struct {
	// Tier is the paper's tier of defence (section 7.3); zero: none of them.
	Tier   int      `json:"tier"`
	Flaws  []string `json:"flaws"`
	Remedy string   `json:"remedy"`
	// Year is the loss that it ends, per account and year.
	Year int64 `json:"ends_per_account_and_year"`
}

// tierNames are the paper's.
var tierNames = [...]string{"beyond the tiers", "tier 1, prevention", "tier 2, temporal enforcement", "tier 3, recovery"}

// TierName is the name of a change's tier.
func (c *Change) TierName() string { return tierNames[c.Tier] }

// changes says what to do about each flaw: grouped by tier, first the tier and in
// it the change that ends most loss.
func (r *run) changes() []Change {
	loss := map[string]int64{}
	for _, l := range r.result.Losses {
		loss[l.Flaw] = l.Year
	}
	var list []Change
	add := func(code, fallback string) {
		f, ok := flaw.Find(flaw.Code(code))
		if !ok {
			f.Remedy, f.Tier = fallback, 1
		}
		i := slices.IndexFunc(list, func(c Change) bool { return c.Remedy == f.Remedy })
		if i < 0 {
			list = append(list, Change{Tier: f.Tier, Remedy: f.Remedy})
			i = len(list) - 1
		}
		list[i].Flaws = append(list[i].Flaws, code)
		list[i].Year = max(list[i].Year, loss[code])
	}
	if c := r.result.Class; c != "" && c != flaw.Robust {
		add(string(c), "Compute every clawback from the original reward of its purchase, at the close after the refund at the latest.")
	}
	for _, g := range r.result.Own() {
		add(g.Row, MatchingRemedy)
	}
	total := map[int]int64{}
	for _, c := range list {
		total[c.Tier] += c.Year
	}
	slices.SortStableFunc(list, func(a, b Change) int {
		return cmp.Or(cmp.Compare(total[b.Tier], total[a.Tier]), cmp.Compare(order(a.Tier), order(b.Tier)), cmp.Compare(b.Year, a.Year))
	})
	return list
}

// MatchingRemedy is for the rows M, which are about delivery and matching.
const MatchingRemedy = "Keep every refund and chargeback as a fact, link it where it names a purchase, place the rest with the best rewarded purchases, and work that out again whenever a fact comes in."

// order puts what no tier ends last.
func order(tier int) int {
	if tier == 0 {
		return len(tierNames)
	}
	return tier
}

// Money writes an amount in the target's currency.
func (r *Result) Money(minor int64) string {
	return program.FormatAmount(minor, r.Capabilities.Currency)
}
