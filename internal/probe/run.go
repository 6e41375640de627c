package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"recoup/internal/lab/examine"
	"recoup/internal/scenario"
	"recoup/program"
	"recoup/reward"
)

// Plan is what a run does.
type Plan struct {
	// Name is what the result calls the target, such as its address.
	Name string
	// Program has the terms that the target publishes; nil: they are found out.
	Program *reward.Program
	// Rate is how many calls a second are made at most, for the announcement; 0: not
	// known.
	Rate int
	// Quick leaves out the catalogue's scenarios and half of the sweep: the class and what
	// leaks, in a quarter of the calls.
	Quick bool
	// Search is the seed of a search for other histories that leave something; 0: none.
	Search uint64
	// Log is told what the run is going to do, and where it is. Nil: nobody is.
	Log io.Writer
}

// What the parts of a run take, in calls, about: from runs against the lab's
// designs. An announcement is no promise; the bounds are mostInferenceCalls and
// mostRunCalls.
const (
	aboutNames       = 100
	aboutInference   = 600
	aboutSweep       = 4600
	aboutQuickSweep  = 2600
	aboutExamination = 600
	aboutGaps        = 2800
	aboutResets      = 150
	mostRunCalls     = 40_000
)

// Calls is about how many calls a run makes at a target that shows everything at once.
func (p *Plan) Calls(can Capabilities) int64 {
	calls := aboutSweep
	if p.Quick {
		calls = aboutQuickSweep
	}
	if can.CanSetClock && can.StatementClose != ClosesNot {
		calls += aboutExamination
	}
	if p.Program == nil && can.Categories == nil {
		calls += aboutNames
	}
	if !p.Quick {
		calls += aboutGaps
		if p.Program == nil {
			calls += aboutInference
		}
	}
	if p.Search > 0 {
		calls += searchCalls
	}
	return int64(calls)
}

// examinedFrom is the year in which an examination begins.
const examinedFrom = 2026

// Run probes a target: it finds out its terms if they are not given, examines it
// as the lab examines its designs, and plays the scenarios of every gap.
//
// Where the target has no clock, or no statements, only what needs none is done;
// LeftOut of the result says what was not.
func Run(ctx context.Context, t Target, plan Plan) (*Result, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	r := &run{
		ctx: ctx, target: &t, plan: plan, stage: &stage{target: &t, most: mostRunCalls},
		result: &Result{Target: plan.Name, Capabilities: t.Can},
	}
	r.announce()
	for _, part := range []func() error{r.ready, r.findNames, r.findTerms, r.measureAgain, r.sweep, r.examine, r.windows, r.set, r.diagnose, r.play, r.search, r.sumUp} {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		if err := part(); err != nil {
			return nil, err
		}
	}
	return r.result, nil
}

// check refuses what cannot be probed.
func (t *Target) check() error {
	if err := t.Can.check(); err != nil {
		return fmt.Errorf("probe: capabilities: %w", err)
	}
	if _, known := program.MinorUnits(t.Can.Currency); !known {
		return fmt.Errorf("probe: capabilities: currency %q: expected an ISO 4217 code in use, such as USD", t.Can.Currency)
	}
	if !t.Can.CanSetClock && t.Reset == nil {
		return errors.New("probe: expected a target with a clock or one that can be reset")
	}
	return nil
}

// run is one run of the prober.
type run struct {
	ctx     context.Context
	target  *Target
	plan    Plan
	stage   *stage
	result  *Result
	sample  examine.Sample
	scout   scout
	cases   []*sweepCase // of the sweep, those that were judged
	setting setting
	plain   plain
	// unsteady: the same purchase does not earn the same in every account.
	unsteady bool
}

func (r *run) logf(format string, args ...any) {
	if r.plan.Log != nil {
		fmt.Fprintf(r.plan.Log, format+"\n", args...)
	}
}

// announce says what is going to happen.
func (r *run) announce() {
	does := "buys, returns, disputes and redeems in accounts of its own"
	if r.target.Reset != nil {
		does += fmt.Sprintf(", and resets the sandbox about %d times; every account that is there is forgotten", aboutResets)
	}
	r.warn(does, int(r.plan.Calls(r.target.Can)))
}

// warn says what is going to be done to the target, by how many calls, and how long that
// takes at the rate.
func (r *run) warn(does string, calls int) {
	takes := fmt.Sprintf("about %d calls", calls)
	if r.plan.Rate > 0 {
		takes += fmt.Sprintf(", at most %d a second: %v or more", r.plan.Rate, time.Duration(calls/r.plan.Rate)*time.Second)
	}
	r.logf("This moves test money in the sandbox at %s: it %s. It takes %s.", cmp.Or(r.plan.Name, "the target"), does, takes)
}

// ready does what has to be done before the first course of moves.
func (r *run) ready() error {
	if r.target.Prepare == nil {
		return nil
	}
	r.logf("Measuring how late balances show.")
	began := time.Now()
	if err := r.target.Prepare(r.plan.Program); err != nil || r.target.Lag == nil {
		return err
	}
	lag := r.target.Lag()
	r.result.Lag = lag.String()
	if r.logf("Changes show %s.", lag); lag.Time >= time.Second {
		wait := 2 * lag.Time
		r.logf("Every balance is read until it has stayed the same for %v, so that a run takes %v or more.",
			wait, (time.Duration(r.plan.Calls(r.target.Can)/4) * wait).Round(time.Minute))
	} else if r.target.Stats != nil {
		const slow = 50 * time.Millisecond
		if each := time.Since(began) / time.Duration(max(1, r.target.Stats().Requests)); each > slow && each*time.Duration(r.plan.Rate) > 2*time.Second {
			r.logf("A call takes %v, so that a run takes %v or more.", each.Round(time.Millisecond), (time.Duration(r.plan.Calls(r.target.Can)) * each).Round(time.Minute))
		}
	}
	return nil
}

// examine has the lab examine the target, and takes its timing from that.
func (r *run) examine() error {
	if !r.stage.canWait() {
		r.leaveOut("the class and the paper's row: they need a clock and statement closes")
		return r.watchOneRefund()
	}
	r.logf("Telling the class, by purchases of %s that are returned: about %d calls.", program.FormatAmount(r.sample.Amount, r.target.Can.Currency), aboutExamination)
	var b *examine.Behaviour
	replays, err := again(func() error {
		first := time.Date(examinedFrom, time.January, 1, 0, 0, 0, 0, time.UTC)
		years, err := r.stage.fresh(first)
		if err != nil {
			return err
		}
		b, err = examine.Issuer(r.stage, r.sample, examinedFrom+years)
		return err
	})
	r.result.Replays += replays
	if flaky(err) {
		r.leaveOut(fmt.Sprintf("the paper's row: target flaky, examined %d times in vain (%v)", replays+1, err))
		return nil
	}
	if errors.Is(err, examine.ErrEarnsNothing) {
		r.leaveOut("the paper's row: rewards come later than with the statement of their purchase")
		r.scout.later = true
		return nil
	}
	if err != nil {
		return err
	}
	r.result.Behaviour = b
	if !r.told() {
		r.result.Evidence = r.traceOf(b.Evidence.Sequence)
		return nil
	}
	timing := &r.result.Terms.Program.Timing
	timing.Grant, timing.Clawback = reward.GrantAtStatement, reward.ClawbackAtRefund
	if b.RewardTiming == "Instant" {
		timing.Grant = reward.GrantAtSettlement
	}
	switch adjustment := b.RefundAdjustment; {
	case adjustment == "Stmt. close", adjustment == "Late", strings.HasPrefix(adjustment, "Within"):
		timing.Clawback = reward.ClawbackAtStatement
		r.setting.late = adjustment == "Late"
	}
	r.result.Terms.saw("refund adjustment", b.RefundAdjustment, "purchases returned in their own month and in the next")
	r.result.Terms.write()
	r.result.Evidence = r.traceOf(b.Evidence.Sequence)
	return nil
}

func (r *run) leaveOut(what string) { r.result.LeftOut = append(r.result.LeftOut, what) }

// watchOneRefund finds out, where time cannot pass, whether a refund takes its
// reward back at once or at the close.
func (r *run) watchOneRefund() error {
	if !r.told() {
		return nil
	}
	timing := &r.result.Terms.Program.Timing
	if timing.Grant == reward.GrantAtStatement || r.target.Can.StatementClose != ClosesByCall {
		r.result.Terms.write()
		return nil
	}
	c, err := scenario.Parse("one-refund.txt", []byte(`title: A refund
program:
  currency: USD
  rules:
    - {id: all, rate: 5%}
2026-01-05 settle t1 100.00 at m1
2026-01-05 refund r1 100.00 of t1
2026-02-01 close
`))
	if err != nil {
		return err
	}
	r.prepare()
	a, err := r.setting.adapt(c, version{})
	if err != nil {
		return err
	}
	var played *scenario.Transcript
	if _, err := again(func() error {
		if _, err := r.stage.fresh(a.Steps[0].At); err != nil {
			return err
		}
		played, err = scenario.Play(a.Scenario, r.stage)
		return err
	}); err != nil && !flaky(err) {
		return err
	} else if err == nil && played.Lines[1].NetReward() > 0 && played.Last().NetReward() <= 0 {
		timing.Clawback = reward.ClawbackAtStatement
	}
	r.result.Terms.write()
	return nil
}

// prepare sets what scenarios are played under.
func (r *run) prepare() {
	r.setting.can, r.setting.program = &r.target.Can, r.result.Terms.Program
	r.setting.paysOut = r.stage.paysOut
	r.setting.still = !r.stage.hasClock()
	r.setting.closes = r.stage.canWait() || !r.stage.hasClock() && r.target.Can.StatementClose == ClosesByCall
}

func (r *run) set() error {
	if r.told() {
		r.prepare()
	}
	return nil
}

// play plays the scenarios of all gaps.
func (r *run) play() error {
	switch {
	case r.plan.Quick:
		r.leaveOut("the catalogue's scenarios, and the returns that differ by category, day of the month, age of the account, neighbours and number of purchases: --quick")
		return nil
	case !r.told():
		why := "these are not known"
		if r.result.Terms.Program != nil {
			why = "these have more than rules with a rate and a cap a month"
		}
		if r.scout.later {
			why = "under these the reward of a purchase comes by the close of its month"
		}
		r.leaveOut("the catalogue's scenarios: they are played beside a program under the target's terms, and " + why)
		return nil
	}
	r.logf("Playing the catalogue's scenarios of every gap: about %d calls.", aboutGaps)
	rows, err := r.gaps()
	if err != nil {
		return err
	}
	r.result.Gaps = append(rows, r.result.Gaps...)
	for i := range r.result.Gaps {
		for _, c := range r.result.Gaps[i].Cases {
			r.result.Replays += c.Replays
			if c.Outcome == NotApplicable && strings.HasPrefix(c.Reason, "needs a clock") {
				r.leaveOut(fmt.Sprintf("%s, scenario %s: it needs a clock", r.result.Gaps[i].Row, c.Scenario))
			}
		}
	}
	return nil
}

// clockInDoubt reports whether a target that was to move its clock gives no sign that it
// did: it never says what the clock shows, and no reward came, went or could be had later
// than the moment of what brought it about.
func (r *run) clockInDoubt() bool {
	if r.target.ClockTold == nil || !r.stage.hasClock() || r.target.ClockTold() {
		return false
	}
	b := r.result.Behaviour
	if slices.ContainsFunc(r.result.Terms.Observed, func(o Observed) bool { return strings.HasPrefix(o.What, "statement") }) {
		return false // rewards came by a wait. A cap is no sign: another account's is full again, too.
	}
	return b == nil || b.RewardTiming == "" || b.RewardTiming == "Instant" && (b.RefundAdjustment == "None" || b.RefundAdjustment == "Immediate")
}

// sumUp draws the conclusions.
func (r *run) sumUp() error {
	if r.clockInDoubt() {
		r.result.ClockInDoubt = true
		r.leaveOut("whether the target's clock moves: it does not say what it shows (POST /clock may answer {\"now\":…}), and nothing that was seen depends on the time; a clock that is ignored looks like this")
	}
	r.result.Class = r.class()
	r.result.Mapping = r.result.Class.Mapping()
	r.result.PaperRow = paperRow(r.result.Behaviour, r.result.Class)
	r.result.Losses = r.losses()
	r.result.Changes = r.changes()
	r.result.Calls = callsOf(r.target)
	r.result.Summary = r.result.Verdict()
	return nil
}
