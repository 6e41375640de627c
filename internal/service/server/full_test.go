package server_test

import (
	"fmt"
	"testing"

	"recoup/internal/service/access"
	"recoup/internal/service/approval"
	"recoup/internal/service/scope"
	"recoup/internal/store/pebble/pebbletest"
)

// Who has as many proposals wait as may is refused one more, until one was decided.
func TestProposalsThatWaitAreBounded(t *testing.T) {
	b := openBureau(t, pebbletest.Open(t), everyday)
	_, ada := b.key("Ada", scope.Admin)
	_, kim := b.key("Kim", access.Approver.Scopes())
	b.call(ada, "POST", "/v1/events", one, purchase(1, "acct", 100)).status200()
	propose := func(key string, n int) *answer {
		return b.post(key, "/v1/accounts/acct/adjustments", fmt.Sprintf("key-%05d", n), `{"amount":5000,"currency":"USD","reason":"goodwill"}`)
	}
	for n := range approval.MaxOpenOf {
		propose(ada, n).fails(409, "approval_needed")
	}
	propose(ada, 1000).fails(409, "proposals_full")
	propose(ada, 7).fails(409, "approval_needed") // which waits already
	b.post(kim, "/v1/proposals/1/approval", "", "").is(200)
	propose(ada, 1000).fails(409, "approval_needed")
	propose(ada, 1001).fails(409, "proposals_full")
}
