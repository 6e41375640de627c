package approval_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"recoup/internal/service/approval"
	"recoup/reward"
)

// TestWhateverHappensTwoPeopleAreInTheJournal: proposals, decisions and failures
// of the power, in any order. In the end every approved proposal is posted once,
// under the names of two people, and nothing else is.
func TestWhateverHappensTwoPeopleAreInTheJournal(t *testing.T) {
	o := embedded(t)
	ctx := context.Background()
	runs := 0
	people := []approval.Person{oscar, anna, jo}
	rapid.Check(t, func(t *rapid.T) {
		runs++
		account := fmt.Sprint("acct-", runs)
		o.deliver(reward.Event{Account: account, Type: reward.AccountOpened, Fact: "everyday"})
		var proposals []int64
		person := func() approval.Person { return rapid.SampledFrom(people).Draw(t, "person") }
		number := func() int64 {
			if len(proposals) == 0 {
				t.Skip("nothing is proposed")
			}
			return rapid.SampledFrom(proposals).Draw(t, "proposal")
		}
		powered := func() {
			o.meddling([]power{nil, nil, before, after}[rapid.IntRange(0, 3).Draw(t, "power")])
		}
		t.Repeat(map[string]func(*rapid.T){
			"propose": func(t *rapid.T) {
				o.meddling(nil)
				p, _, waits, err := o.Propose(ctx, approval.Proposal{Account: account, Amount: 1 + int64(len(proposals)), Reason: "x", Proposer: person()}, limit(0))
				if err != nil || !waits {
					t.Fatalf("proposed: %t, %v", waits, err)
				}
				proposals = append(proposals, p.Number)
			},
			"approve": func(t *rapid.T) {
				n, by := number(), person()
				was := o.get(n)
				powered()
				p, r, err := o.Approve(ctx, n, by)
				switch {
				case by == was.Proposer:
					if !errors.Is(err, approval.ErrSamePerson) || o.get(n) != was {
						t.Fatalf("%+v approved by the same person: %v", was, err)
					}
				case errors.Is(err, errPower):
				case errors.Is(err, approval.ErrDecided):
					if done := o.get(n); done.State == approval.Open || done.State == approval.Approved && done.Decider == by {
						t.Fatalf("%+v approved by %+v: %v, and it is %+v", was, by, err, done)
					}
				case was.State == approval.Rejected || was.State == approval.Approved && was.Decider != by:
					t.Fatalf("%+v approved by %+v: %v", was, by, err)
				default:
					if err != nil || p.State != approval.Approved || p.Decider != by || r.Outcome != reward.Applied && r.Outcome != reward.Duplicate {
						t.Fatalf("%+v approved by %+v: %+v, %+v, %v", was, by, p, r, err)
					}
				}
			},
			"reject": func(t *rapid.T) {
				n, by := number(), person()
				was := o.get(n)
				powered()
				p, err := o.Reject(ctx, n, by, "no")
				switch {
				case errors.Is(err, errPower):
				case errors.Is(err, approval.ErrDecided):
					if o.get(n).State == approval.Open {
						t.Fatalf("%+v rejected: %v, and it is open", was, err)
					}
				case was.State != approval.Open:
					t.Fatalf("%+v rejected: %v", was, err)
				default:
					if err != nil || p.State != approval.Rejected || p.Decider != by {
						t.Fatalf("%+v rejected by %+v: %+v, %v", was, by, p, err)
					}
				}
			},
			"finish": func(t *rapid.T) {
				powered()
				if _, err := o.Finish(ctx); err != nil && !errors.Is(err, errPower) {
					t.Fatal(err)
				}
			},
		})
		o.meddling(nil)
		if _, err := o.Finish(ctx); err != nil {
			t.Fatal(err)
		}
		o.audit(t, account, proposals)
		for _, n := range proposals { // what waits is looked at by those who finish
			if _, err := o.Reject(ctx, n, jo, ""); err != nil && !errors.Is(err, approval.ErrDecided) {
				t.Fatal(err)
			}
		}
	})
}
