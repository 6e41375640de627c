package export_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"recoup/internal/traffic"
	"recoup/ledger/export"
	"recoup/program"
	"recoup/reward"
)

// A log that says something else than its events give is not exported.
func TestALogThatWasChangedIsAnErrorThatNamesAccountAndEvent(t *testing.T) {
	for name, c := range map[string]struct {
		change func(e *export.Entry)
		says   string
	}{
		"an amount":       {func(e *export.Entry) { e.Postings[0].Amount++ }, "posting 2 is {"},
		"a reason":        {func(e *export.Entry) { e.Postings[0].Formula.Reversed-- }, "posting 2 is {"},
		"a lost posting":  {func(e *export.Entry) { e.Postings = nil }, "the log has 0 postings, the rules of program everyday give 1"},
		"a made up one":   {func(e *export.Entry) { e.Postings = append(e.Postings, e.Postings[0]) }, "the log has 2 postings"},
		"another outcome": {func(e *export.Entry) { e.Result.Code = reward.OverRefund }, "the log says applied: over_refund, the rules of program everyday give applied"},
		"another event":   {func(e *export.Entry) { e.Event.Amount = 1 }, "posting 2 is {"},
		"another program": {func(e *export.Entry) { e.Program.Rules[0].Rate *= 2 }, "posting 1 is {"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newService(t, program.Everyday())
			s.deliver(settled("01-05 10:00", "t1"), event("acct-1", "01-06 10:00", reward.RefundPosted, "t1", "r1", 4000))
			c.change(s.entries[1])
			_, err := export.Write(context.Background(), s, &lines{}, options())
			difference := (*export.Difference)(nil)
			if !errors.As(err, &difference) {
				t.Fatalf("the error is %v, want a difference", err)
			}
			if difference.Account != "acct-1" || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), difference.Event) {
				t.Errorf("the error is %v, want the account, the event and %q", err, c.says)
			}
		})
	}
}

// What happens on the way to an event is compared as part of it.
func TestALogIsSoundWhereAnEventPassesCloseAndMaturities(t *testing.T) {
	for _, p := range modes() {
		if _, err := export.Write(context.Background(), busy(t, p, 2000), &lines{}, options()); err != nil {
			t.Errorf("%s: %v", nameOf(p), err)
		}
	}
}

// Accounts that sleep for months are moved on through the cycles between, where
// that changes nothing, and only there.
func TestALogOfSleepyAccountsIsSound(t *testing.T) {
	for _, p := range modes() {
		s := newService(t, p)
		for e := range traffic.Generate(traffic.Options{
			Accounts: 200, Events: 4000, Seed: 5, Program: p, Days: 1000, ReturnShare: 300, OverRefunds: 100, Disorder: 100,
		}) {
			s.deliver(e)
		}
		_, got := checked(t, s, "csv", options())
		expectSums(t, "csv", got, s.expected())
	}
}
