package e2e_test

import (
	"testing"

	"recoup/e2e/browser"
)

// What one person proposes another one approves, above the set amount, and the
// account's page names both. Mia's account is new: its balance is what is adjusted.
func consoleAdjustments(t *testing.T, s *service) {
	oscar, anna := s.page(t, browser.Options{}), s.page(t, browser.Options{Dark: true})
	be(oscar, "operator", "/console/account?id=mia")
	be(anna, "approver", "/console/adjustments")
	const row = "table.proposals tr:has(a[href='/console/account?id=mia'])"

	propose := func(p *browser.Page, direction, amount, reason string) {
		t.Helper()
		p.Open("/console/account?id=mia")
		p.Click("Adjust the balance")
		p.Check(direction, true)
		p.Fill("Amount", amount)
		p.Fill("Reason", reason)
		p.Click("Adjust the balance")
	}

	// An amount that cannot be read is said to be so, and nothing else is lost.
	oscar.Expect(422)
	propose(oscar, "give", "forty", "the card came three weeks late")
	oscar.See("Expected an amount such as 12.50")
	oscar.Axe()
	oscar.Fill("Amount", "40.00")
	oscar.Click("Adjust the balance")
	oscar.See("The adjustment waits for another person, who has to approve it.")
	oscar.Within(row).See("+$40.00")
	oscar.Within(row).See("Yours: another person has to approve it.")
	if buttons := oscar.Within(row).Texts("button"); len(buttons) != 1 || buttons[0] != "Withdraw" {
		t.Errorf("who proposed it may %q, want to withdraw it alone", buttons)
	}
	if buttons := oscar.Within("table.proposals").Texts("button"); len(buttons) != 1 {
		t.Errorf("an operator may %q: those of others are an approver's to decide", buttons)
	}
	oscar.Open("/console/account?id=mia")
	oscar.See("$0.00 balance")

	anna.Reload()
	anna.Within(row).See("the card came three weeks late")
	anna.Within(row).See("Oscar (operator)")
	anna.Within(row).Click("Approve")
	anna.See("The adjustment is approved and posted.")
	anna.Open("/console/account?id=mia")
	anna.See("$40.00 balance")
	anna.See("+$40.00")
	anna.See("Oscar (operator)")
	anna.See("Anna (approver)")
	anna.See("the card came three weeks late")
	anna.Axe()

	// An approver's own waits for somebody else too.
	propose(anna, "take", "30.00", "one week of it was our holiday")
	anna.See("The adjustment waits for another person, who has to approve it.")
	anna.Within(row).See("Yours: another person has to approve it.")
	anna.Within(row).Click("Withdraw")
	anna.See("The adjustment is withdrawn. Nothing was posted.")
	anna.Within("section[aria-labelledby=decided]").See("−$30.00")

	// What is rejected is not posted, and who proposed it reads why.
	propose(oscar, "give", "25.01", "and for the trouble")
	oscar.See("The adjustment waits for another person, who has to approve it.")
	anna.Reload()
	anna.Within(row).Fill("Note", "that was in the first one")
	anna.Within(row).Click("Reject")
	anna.See("The adjustment is rejected. Nothing was posted.")
	oscar.Reload()
	oscar.Within("section[aria-labelledby=decided]").See("that was in the first one")

	// A small one needs nobody else.
	propose(oscar, "give", "25.00", "a voucher instead")
	oscar.See("The adjustment is posted.")
	oscar.See("$65.00 balance")
	oscar.See("a voucher instead")
}
