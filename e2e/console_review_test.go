package e2e_test

import (
	"testing"

	"recoup/e2e/browser"
)

// Reviews are resolved end to end: found in the list, looked at, decided, gone from
// the list, and on the page of the account with who decided and why.
func consoleReviews(t *testing.T, s *service) {
	t.Run("a refund is linked", func(t *testing.T) {
		p := s.page(t, browser.Options{})
		be(p, "operator", "/console/account?id=hugo")
		p.See("$7.20 balance")

		p.Click("Reviews")
		p.Fill("Account", "hugo")
		p.Click("Show")
		p.Within("table.reviews").Click("waits for transaction")
		p.See("names purchase hugo-lost-purchase, which has not posted")
		p.See("covers the amount")
		decide := p.Within("section[aria-labelledby=decide]")

		// Without a reason nothing happens, and it is said what is missing.
		p.Expect(422)
		p.See("Takes $4.50.")
		decide.Check("It belongs to another purchase", true)
		decide.Fill("by its id", "hugo-groceries")
		decide.Fill("Why", "choose, or write below")
		decide.Click("Decide")
		p.See("Nothing was changed: a field is to be corrected")
		p.Axe()
		decide.Fill("Or in your words", "of the groceries, says the shop")
		decide.Click("Decide")
		p.See("The refund is linked.")

		p.Open("/console/account?id=hugo")
		p.See("$2.70 balance") // $45.00 of $120.00 are left, of which 6 % are
		p.See("−$4.50")
		p.See("Refund linked by hand")
		p.See("Decided by Oscar (operator): of the groceries, says the shop")
		p.DoNotSee("To look into")
		p.Axe()
		p.Open("/console/reviews?account=hugo")
		p.See("Nothing that is open passes the filter.")
	})
	t.Run("a match is confirmed", func(t *testing.T) {
		p := s.page(t, browser.Options{NoScript: true, Phone: true})
		be(p, "approver", "/console/account?id=farid")
		p.Within("section[aria-labelledby=open]").Click("matched without link")
		decide := p.Within("section[aria-labelledby=decide]")
		decide.Check("The match is right", true)
		decide.Fill("Or in your words", "it was the <i>larger</i> camera")
		decide.Click("Decide")
		p.See("It is dismissed, and leaves the list.")
		p.Open("/console/account?id=farid")
		p.See("$13.50 balance") // as before
		p.See("Review of a refund dismissed")
		p.See("Decided by Anna (approver): it was the <i>larger</i> camera")
		p.DoNotSee("To look into")
		p.Fits()
	})
	t.Run("a viewer decides nothing", func(t *testing.T) {
		p := s.page(t, browser.Options{})
		be(p, "viewer", "/console/review?account=ines&kind=transaction&id=ines-speaker")
		p.See("To link or dismiss it takes the role operator.")
		if forms := p.Texts("main form"); len(forms) > 0 {
			t.Errorf("there is something to send: %q", forms)
		}
	})
}
