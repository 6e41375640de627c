package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"recoup/internal/service/approval"
	"recoup/internal/service/scope"
)

// What was paid out and comes back can be redeemed again, so whoever says that it came back
// may do so up to limits of its own; above them somebody else has to say so, too.
func TestReversalsOfRedemptionsCount(t *testing.T) {
	eachBureau(t, func(t *testing.T, b *bureau) {
		_, payouts := b.key("Payouts", scope.Redeem|scope.Ingest)
		_, ada := b.key("Ada", scope.Admin)
		b.call(ada, "POST", "/v1/events", one, cloudEvent(1, "transaction.settled", "acct", `"transaction":"t1","amount":500000000,"currency":"USD"`)).status200()
		reverse := func(id string) *answer {
			t.Helper()
			return b.post(payouts, "/v1/accounts/acct/redemptions/"+id+"/reversal", "back-"+strings.Repeat("x", 8)+id, "")
		}
		redeem := func(id string, amount int) {
			t.Helper()
			b.post(payouts, "/v1/accounts/acct/redemptions", "pay-00000"+id, fmt.Sprintf(`{"redemption":%q,"amount":%d,"currency":"USD"}`, id, amount)).is(http.StatusCreated)
		}
		for n := range approval.AccountDay + 1 {
			redeem(fmt.Sprint("small-", n), 2500*approval.Reversals)
			if a := reverse(fmt.Sprint("small-", n)); n < approval.AccountDay {
				a.is(http.StatusCreated)
			} else {
				a.fails(http.StatusConflict, "approval_needed")
			}
		}
		redeem("large", 10_000*approval.Reversals)
		a := b.call(payouts, "POST", "/v1/events", one, cloudEvent(2, "redemption.reversed", "acct", `"redemption":"large"`)).status200()
		if got := a.outcome(a.body); got != "rejected approval_needed" {
			t.Errorf("as an event it is %s", got)
		}
		var refused struct{ Proposal int64 }
		reverse("large").fails(http.StatusConflict, "approval_needed").read(&refused)
		before := b.balance(ada, "acct")
		approve := fmt.Sprintf("/v1/proposals/%d/approval", refused.Proposal)
		b.call(ada, "POST", approve, "", "").status200().has("action", `"redemption.reversed"`, "state", `"approved"`)
		if got := b.balance(ada, "acct"); before != "4500000" || got != "4900000" {
			t.Errorf("the balance is %s, and was %s", got, before)
		}
		reverse("large").is(http.StatusOK).has("outcome", `"duplicate"`)
		if found := b.verified(); len(found) > 0 {
			t.Errorf("found %q", found)
		}
	})
}
