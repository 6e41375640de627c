package demo

import (
	"context"
	"fmt"
	"time"

	"recoup/internal/service/approval"
	"recoup/reward"
)

// The people who work with the accounts.
var (
	lucia = approval.Person{ID: "demo-lucia", Name: "Lucia"}
	maria = approval.Person{ID: "demo-maria", Name: "Maria"}
	tomas = approval.Person{ID: "demo-tomas", Name: "Tomas"}
)

// decision is an adjustment that somebody proposed and, unless it still waits,
// what Tomas thought of it a day later.
type decision struct {
	account, id string
	amount      int64
	reason      string
	proposer    approval.Person
	at          time.Time
	state       approval.State
	note        string // of a rejection
}

// decisions are about accounts without a story of their own, whose balances must
// stay as their texts say.
func decisions(c calendar) []decision {
	w := &crowds[0]
	return []decision{
		{w.member(3), "goodwill-0107", 75_00, "waited three weeks for a new card", lucia, c.days(26), approval.Approved, ""},
		{w.member(17), "goodwill-0112", 400_00, "says that a promotion of 20 % was announced", lucia, c.days(19), approval.Rejected, "there was no such promotion"},
		{w.member(213), "write-off-0031", 19_20, "debt of five months, the cardholder cannot be reached", maria, c.days(12), approval.Approved, ""},
		{w.member(8), "goodwill-0119", 60_00, "charged twice at the same shop, complaint 4471", lucia, c.days(4), approval.Open, ""},
		{w.member(211), "write-off-0033", 9_00, "debt of eight months, the cardholder cannot be reached", maria, c.days(2), approval.Open, ""},
		{crowds[2].member(4), "correction-0012", -3_500, "campaign credited twice", maria, c.ago(5 * time.Hour), approval.Open, ""},
	}
}

// deskWork is the chores of proposing adjustments and deciding about them.
func deskWork(c calendar, book *approval.Book) (list []chore) {
	for _, d := range decisions(c) {
		var number int64
		list = append(list, chore{d.at, func(ctx context.Context) error {
			kept, _, _, err := book.Propose(ctx, approval.Proposal{
				Account: d.account, Adjustment: d.id, Amount: d.amount, Reason: d.reason, Proposer: d.proposer,
			}, approval.Limits{})
			number = kept.Number
			return d.failed(err)
		}})
		switch d.state {
		case approval.Approved:
			list = append(list, chore{d.at.Add(24 * time.Hour), func(ctx context.Context) error {
				_, _, err := book.Approve(ctx, number, tomas)
				return d.failed(err)
			}})
		case approval.Rejected:
			list = append(list, chore{d.at.Add(24 * time.Hour), func(ctx context.Context) error {
				_, err := book.Reject(ctx, number, tomas, d.note)
				return d.failed(err)
			}})
		}
	}
	return list
}

func (d *decision) failed(err error) error {
	if err != nil {
		return fmt.Errorf("adjustment %s: %w", d.id, err)
	}
	return nil
}

// applyOne applies one event at once.
func (l *loader) applyOne(ctx context.Context, e reward.Event) (reward.Result, error) {
	results, err := l.engine.Apply(ctx, []reward.Event{e}, nil)
	if err != nil {
		return reward.Result{}, err
	}
	l.summary.Events++
	l.summary.Outcomes[results[0]]++
	return results[0], nil
}
