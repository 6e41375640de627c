package server_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"recoup/internal/engine"
	"recoup/internal/service/access"
	"recoup/internal/service/approval"
	"recoup/internal/service/scope"
	"recoup/reward"
)

// What decides where data goes and what is looked at is in the security log, with who changed
// it; and so is by its id a key that is in force no more.
func TestWhatIsInTheSecurityLog(t *testing.T) {
	eachBureau(t, func(t *testing.T, b *bureau) {
		adaID, ada := b.key("Ada", scope.Admin)
		b.post(ada, "/v1/exemptions", "", `{"source":"core","member":"data.transaction","reason":"sequence numbers"}`).is(http.StatusCreated)
		var hook struct{ ID string }
		b.post(ada, "/v1/webhooks", "", `{"url":"https://hooks.example.com/secret"}`).read(&hook)
		b.call(ada, "PATCH", "/v1/webhooks/"+hook.ID, "application/json", `{"paused":true}`).status200()
		b.call(ada, "POST", "/v1/webhooks/"+hook.ID+"/secret", "application/json", `{}`)
		b.call(ada, "DELETE", "/v1/webhooks/"+hook.ID, "", "")
		oldID, old := b.key("Olga", scope.Read)
		if _, err := b.keys.Revoke(t.Context(), oldID); err != nil {
			t.Fatal(err)
		}
		b.clock.pass(access.Staleness + 1)
		b.call(old, "GET", "/v1/programs", "", "").fails(http.StatusUnauthorized, "unauthenticated")
		log, err := b.log.Before(t.Context(), 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		var found []string
		for _, e := range log {
			found = append(found, fmt.Sprint(e.What, " by ", e.Principal, " ", e.Detail))
		}
		for _, want := range []string{
			"exemption changed by " + adaID + " data.transaction of core is exempt: sequence numbers",
			"endpoint changed by " + adaID + " added " + hook.ID + " https://hooks.example.com (waits for a second person)",
			"endpoint changed by " + adaID + " changed " + hook.ID + " https://hooks.example.com (waits for a second person)",
			"endpoint changed by " + adaID + " removed " + hook.ID,
			"sign in refused by " + oldID + " no valid API key",
		} {
			if !slices.Contains(found, want) {
				t.Errorf("%q is not among %q", want, found)
			}
		}
	})
}

// A proposal under whose id the log has something else says so, and not that a key was used
// twice, which nobody did.
func TestAProposalWhoseIDIsTaken(t *testing.T) {
	eachBureau(t, func(t *testing.T, b *bureau) {
		_, ada := b.key("Ada", scope.Admin)
		_, bob := b.key("Bob", scope.Admin)
		b.call(ada, "POST", "/v1/events", one, purchase(1, "acct", 100)).status200()
		var refused struct{ Proposal int64 }
		b.post(ada, "/v1/accounts/acct/adjustments", "key-00001", `{"amount":9000,"currency":"USD","reason":"x"}`).fails(http.StatusConflict, "approval_needed").read(&refused)
		p, err := b.book.Get(t.Context(), refused.Proposal)
		if err != nil {
			t.Fatal(err)
		}
		_, err = b.group.Apply(t.Context(), []reward.Event{{
			Source: engine.ConsoleSource, ID: p.Adjustment, Account: "acct", Time: p.Proposed, Type: reward.AdjustmentPosted, Fact: "other",
			Amount: 1, HasAmount: true, Currency: "USD", Reason: "x", Actor: "Eve",
		}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		b.post(bob, fmt.Sprintf("/v1/proposals/%d/approval", refused.Proposal), "", "").fails(http.StatusConflict, "id_reused")
		if p, err := b.book.Get(t.Context(), refused.Proposal); err != nil || p.State != approval.Open {
			t.Errorf("%+v, %v", p, err)
		}
	})
}
