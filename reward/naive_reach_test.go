package reward_test

import (
	"maps"
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
	for seed := range 400 {
		for _, r := range traces.Example(seed) {
			delete(missing, r)
		}
		if len(missing) == 0 {
			return
		}
	}
	for r := range maps.Keys(missing) {
		t.Errorf("no trace ends an event %s %s", r.Outcome, r.Code)
	}
}
