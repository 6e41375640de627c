package approval_test

import (
	"testing"

	"recoup/internal/service/approval"
	"recoup/reward"
)

// An id is of one account's event: the same on another counts besides, and only the request
// that had it count can take that back.
func TestWhatIsDoneAloneIsOfOneEvent(t *testing.T) {
	eachDatabase(t, func(t *testing.T, o *office) {
		admit := func(p *approval.Proposal) bool {
			t.Helper()
			may, err := o.Admit(t.Context(), p, limit(2000))
			if err != nil {
				t.Fatal(err)
			}
			return may
		}
		on := func(account string) *approval.Proposal {
			return &approval.Proposal{Account: account, Adjustment: "chosen", Action: reward.AdjustmentPosted, About: "chosen", Amount: 2000, Currency: "USD", Reason: "x", Proposer: oscar}
		}
		var first *approval.Proposal
		for n, account := range []string{"a", "b", "c", "d", "e"} {
			p := on(account)
			if may := admit(p); may != (n < approval.PersonDay) {
				t.Errorf("on account %d: %t", n, may)
			}
			if n == 0 {
				first = p
			}
		}
		again := on("a")
		if !admit(again) {
			t.Error("the same again counts twice")
		}
		release := func(p *approval.Proposal, room bool) {
			t.Helper()
			if err := o.Release(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			next := on("f")
			if may := admit(next); may != room {
				t.Errorf("another may be done: %t, want %t", may, room)
			}
			if err := o.Release(t.Context(), next); err != nil {
				t.Fatal(err)
			}
		}
		release(again, false)
		release(on("a"), false)
		release(first, true)
		release(first, true)
		if !admit(on("g")) || admit(on("h")) {
			t.Error("what was taken back twice makes room twice")
		}
		other := on("b")
		other.Amount = 1
		if may, err := o.Admit(t.Context(), other, limit(2000)); err == nil {
			t.Errorf("something else under one identity: %t", may)
		}
	})
}
