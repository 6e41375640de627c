package console_test

import (
	"fmt"
	"strings"
	"testing"

	"recoup/internal/service/access"
	"recoup/reward"
)

// An account's page has the oldest of its reviews, and leads to all of them if it has more.
func TestAnAccountLeadsToItsReviews(t *testing.T) {
	o := openOffice(t)
	for i := range 12 {
		o.deliver(reward.Event{Account: "many", Type: reward.RefundPosted, Fact: fmt.Sprint("lost", i), Amount: 1_000, Merchant: "shop", Time: daysAgo(20 - i)})
	}
	o.deliver(reward.Event{Account: "one", Type: reward.RefundPosted, Fact: "lost", Amount: 1_000, Merchant: "shop", Time: daysAgo(20)})
	o.refresh()
	vera := o.signIn("Vera", access.Viewer)
	const all = `<a href="/console/reviews?account=many">All reviews of this account</a>`
	many := vera.page("/console/account?id=many")
	mustSay(t, said(many), "lost9", "All reviews of this account")
	if n := strings.Count(many, ">unmatched</a>"); n != 10 || !strings.Contains(many, all) {
		t.Errorf("twelve reviews are not shown as ten and a link to all:\n%s", said(many))
	}
	if one := said(vera.page("/console/account?id=one")); strings.Contains(one, "All reviews of this account") {
		t.Errorf("one review is told to be some of them:\n%s", one)
	}
}
