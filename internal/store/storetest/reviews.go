package storetest

import (
	"context"
	"fmt"
	"testing"

	"recoup/internal/store"
	"recoup/reward"
)

// reviewsAttributes: withdrawals of attributes that were never set are on the review list
// of the account as it is kept, of which each unit of work says so anew.
func reviewsAttributes(t *testing.T, s *subject) {
	tell := func(id string, kind reward.Type, fact string, want reward.Result) {
		t.Helper()
		e := reward.Event{Source: "core", ID: id, Account: "acct", Time: january, Type: kind, Fact: fact}
		switch kind {
		case reward.AttributeSet:
			e.Category, e.Method = "plan", "gold"
		case reward.AttributeDismissed:
			e.Reason, e.Actor = "it will not come", "operator"
		}
		if got := s.deliver(t, e)[0].Result; got != want {
			t.Fatalf("%s of %s: %v, want %v", kind, fact, got, want)
		}
	}
	open := func(want ...string) {
		t.Helper()
		var got []string
		look := []reward.Event{{Source: "storetest", ID: "look", Account: "acct", Time: january, Type: reward.CycleClosed}}
		err := s.Update(context.Background(), look, func(u store.Unit) {
			got = nil
			for _, v := range u.Account(0).Reviews() {
				got = append(got, v.Kind.String()+" "+v.Fact)
				if v.Since != january {
					t.Errorf("%s is open since %v, want %v", v.Fact, v.Since, january)
				}
			}
		})
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("open are %v (%v), want %v", got, err, want)
		}
	}
	parked := reward.Result{Outcome: reward.Parked, Code: reward.AttributeUnknown}
	tell("e1", reward.AttributeWithdrawn, "x1", parked)
	tell("e2", reward.AttributeWithdrawn, "x2", parked)
	open("attribute_unknown x1", "attribute_unknown x2")
	tell("e3", reward.AttributeSet, "x1", reward.Result{Outcome: reward.Ignored, Code: reward.AlreadyReversed})
	open("attribute_unknown x2")
	tell("e4", reward.AttributeDismissed, "x1", reward.Result{Outcome: reward.Ignored, Code: reward.AlreadyFinal})
	tell("e5", reward.AttributeDismissed, "x2", reward.Result{Outcome: reward.Applied})
	tell("e6", reward.AttributeDismissed, "x2", reward.Result{Outcome: reward.Duplicate})
	tell("e7", reward.AttributeDismissed, "x3", reward.Result{Outcome: reward.Rejected, Code: reward.AttributeUnknown})
	open()
}
