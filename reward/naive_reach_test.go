package reward_test

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"recoup/reward"
)

// TestDrawnTracesReachEveryOutcome keeps the drawing of traces honest: what it
// cannot reach, no comparison by traces can check.
func TestDrawnTracesReachEveryOutcome(t *testing.T) {
	missing := map[reward.Result]bool{}
	for outcome, codes := range map[reward.Outcome][]reward.Code{
		reward.Applied:   {reward.NoCode, reward.OverRefund, reward.Matched, reward.Unmatched},
		reward.Duplicate: {reward.NoCode},
		reward.Parked:    {reward.TransactionUnknown, reward.RefundUnknown, reward.ChargebackUnknown},
		reward.Ignored:   {reward.AlreadyFinal, reward.AlreadyReversed},
		reward.Rejected: {
			reward.InvalidAmount, reward.CurrencyMismatch, reward.IDReused,
			reward.TransactionConflict, reward.RefundConflict, reward.ChargebackConflict, reward.RedemptionConflict, reward.AdjustmentConflict,
			reward.RedemptionUnknown, reward.AccountIsClosed, reward.GraceHold, reward.InsufficientBalance, reward.OutstandingNegativeBalance,
			reward.RefundUnknown, reward.ChargebackUnknown, reward.TransactionUnknown, reward.ProgramUnknown, reward.ProgramConflict,
		},
	} {
		for _, code := range codes {
			missing[reward.Result{Outcome: outcome, Code: code}] = true
		}
	}
	traces := rapid.Custom(func(t *rapid.T) []reward.Result {
		program := drawTerms(t)
		model := newNaive(program)
		var results []reward.Result
		for _, e := range drawTrace(t, program, 60) {
			results = append(results, model.apply(&e))
		}
		return results
	})
	drawUntil(t, func(seed int) bool {
		for _, r := range traces.Example(seed) {
			delete(missing, r)
		}
		return len(missing) == 0
	})
	for r := range missing {
		t.Errorf("no trace ends an event %s %s", r.Outcome, r.Code)
	}
}

// mostTraces is how many traces may pass before all is reached. What is rare is in one of
// some hundreds, so all of it comes long before, whatever is drawn besides.
const mostTraces = 5000

// drawUntil draws traces by their seeds until all is reached that is looked for.
func drawUntil(t *testing.T, all func(seed int) bool) {
	t.Helper()
	for seed := range mostTraces {
		if all(seed) {
			t.Logf("all after %d traces", seed+1)
			return
		}
	}
	t.Errorf("after %d traces there is something that none reached. A new draw shifts all that are drawn after it: what is missing "+
		"need have nothing to do with the change. Where it is only rarer than it was, give it more weight in naive_trace_test.go or "+
		"naive_program_test.go", mostTraces)
}

// corners are what a trace must come to somewhere for the comparison to mean
// something: they are looked for after every event.
var corners = map[string]func(b *naiveBook, e *reward.Event, r reward.Result) bool{
	"another try than the first wins": func(b *naiveBook, _ *reward.Event, _ reward.Result) bool {
		first := b.atHome(b.facts())
		first.run(nil)
		return b.allocate().together().Cmp(first.together()) < 0
	},
	"three targets bind": func(b *naiveBook, _ *reward.Event, _ reward.Result) bool {
		a := b.atHome(b.facts())
		return len(a.claims) > 0 && len(a.bindingPots()) >= 3
	},
	"a refund is firm for being one of many": func(b *naiveBook, _ *reward.Event, _ reward.Result) bool {
		return slices.ContainsFunc(b.facts().unlinked, func(u naiveUnlinked) bool {
			return u.firm && b.now-u.time < naiveDays(b.terms().Refunds.FirmDays)
		})
	},
	"a firm refund gives way": func(b *naiveBook, _ *reward.Event, _ reward.Result) bool {
		return slices.ContainsFunc(b.atHome(b.facts()).claims, func(c *naiveClaim) bool { return c.refund != nil && c.refund.firm })
	},
	"an excess finds a place": func(b *naiveBook, _ *reward.Event, _ reward.Result) bool {
		before, after := b.atHome(b.facts()), b.allocate()
		for i, c := range before.claims {
			if c.excessOf != nil && after.claims[i].needs < c.needs {
				return true
			}
		}
		return false
	},
	"a refund takes another share than was billed": func(b *naiveBook, _ *reward.Event, _ reward.Result) bool {
		return slices.ContainsFunc(b.refunds, func(r *naiveRefund) bool {
			return r.active() && b.home(r) != nil && isAbroad(b.home(r), r) && b.takes(r) != r.posting.Amount
		})
	},
	"more excesses than may move": func(b *naiveBook, _ *reward.Event, _ reward.Result) bool {
		f, n := b.facts(), 0
		for _, t := range b.posted {
			if f.excess(t) != nil {
				n++
			}
		}
		return n > b.terms().Refunds.Movable
	},
	"a purchase arrives after its cycle": func(b *naiveBook, e *reward.Event, r reward.Result) bool {
		return e.Type == reward.TransactionSettled && r == naiveApplied && reward.CycleAt(e.Time) < b.openCycle
	},
	"a purchase is under the terms of before": func(b *naiveBook, e *reward.Event, r reward.Result) bool {
		return e.Type == reward.TransactionSettled && r == naiveApplied && b.transaction(e.Transaction).terms != b.terms()
	},
	"a redemption after closing": func(b *naiveBook, e *reward.Event, r reward.Result) bool {
		return e.Type == reward.RedemptionRequested && r == naiveApplied && b.closed
	},
	"a parked refund holds": func(b *naiveBook, _ *reward.Event, _ reward.Result) bool {
		return b.owed() > 0 && slices.ContainsFunc(b.refunds, b.isParked) && !slices.ContainsFunc(b.refunds, b.holds) &&
			b.terms().Timing.Clawback == reward.ClawbackAtRefund
	},
	"a refund that gave up is linked": func(b *naiveBook, e *reward.Event, r reward.Result) bool {
		return e.Type == reward.RefundLinked && r.Outcome == reward.Applied && b.refund(e.Fact).gaveUp
	},
	"a counted refund is placed": func(_ *naiveBook, e *reward.Event, r reward.Result) bool {
		return e.Type == reward.RefundCounted && r.Code == reward.Matched
	},
	"a counted refund is parked": func(_ *naiveBook, e *reward.Event, r reward.Result) bool {
		return e.Type == reward.RefundCounted && r.Outcome == reward.Parked
	},
	"a refused refund is open again after it was counted": func(b *naiveBook, e *reward.Event, r reward.Result) bool {
		return e.Type == reward.RefundCounted && r.Outcome == reward.Applied && !b.refund(e.Fact).latestPosting().decided
	},
}

// TestDrawnTracesReachEveryCorner is the same for what outcomes do not show.
func TestDrawnTracesReachEveryCorner(t *testing.T) {
	missing := maps.Clone(corners)
	for _, why := range []reward.ReviewKind{
		reward.WaitsForTransaction, reward.WaitsForFact, reward.FoundNoSpend, reward.MatchedWithoutLink,
		reward.OverRefunded, reward.DoubtedLink, reward.Contested, reward.CertainWithoutLink, reward.ReversedBefore,
	} {
		missing["review "+why.String()] = func(b *naiveBook, _ *reward.Event, _ reward.Result) bool {
			return slices.ContainsFunc(b.reviews(), func(r naiveReview) bool { return r.why == why })
		}
	}
	traces := rapid.Custom(func(t *rapid.T) bool {
		program := drawTerms(t)
		model := newNaive(program)
		for _, e := range drawTrace(t, program, 60) {
			r := model.apply(&e)
			if b := model.book(e.Account); b != nil {
				maps.DeleteFunc(missing, func(_ string, reached func(*naiveBook, *reward.Event, reward.Result) bool) bool {
					return reached(b, &e, r)
				})
			}
		}
		return true
	})
	drawUntil(t, func(seed int) bool {
		traces.Example(seed)
		return len(missing) == 0
	})
	for corner := range missing {
		t.Errorf("no trace reaches: %s", corner)
	}
}
