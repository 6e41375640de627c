package e2e_test

import (
	"path/filepath"
	"testing"

	"recoup/e2e/browser"
)

// A console without data says of each page what would fill it.
func TestConsoleWithoutData(t *testing.T) {
	t.Parallel()
	s := serveAs(t, "--dev", "--db", filepath.Join(t.TempDir(), "data"))
	s.figures(t)
	p := s.page(t, browser.Options{Phone: true})
	for _, page := range []shown{
		{path: "", says: []string{"There are no accounts yet. The first event of an account makes it", "never been verified", "Nothing: there is nothing to review, to approve or to repair."}},
		{path: "risk", says: []string{"There are no accounts yet.", "No figure is at or over its threshold.", "No refund that names its purchase has posted yet."}},
		{path: "accounts", says: []string{"There are no accounts. The first event of an account makes it: send one to /v1/events"}},
		{path: "search?q=", says: []string{"Enter the id of an account, a transaction, a refund or a chargeback above."}},
		{path: "reviews", says: []string{"Nothing is open", "appears here by itself"}},
		{path: "adjustments", says: []string{"Nothing waits. An adjustment above the set amount appears here", "Nobody has decided about any yet."}},
		{path: "programs", says: []string{"everyday USD version 1, from the beginning none 0"}},
		{path: "dead-webhooks", says: []string{"Every webhook could be mapped."}},
		{path: "deliveries", says: []string{"Nobody is told of anything. recoup webhooks add URL adds an endpoint.", "No delivery was given up."}},
		{path: "exemptions", says: []string{"Nothing is exempt: every text of every event is looked at.", "There are none."}},
		{path: "checks", says: []string{"The ledger was never verified. recoup verify --db …", "There is no checkpoint. recoup checkpoint --db …"}},
		{path: "debts?currency=USD", says: []string{"There are no accounts in this currency"}, status: 404},
	} {
		if page.status != 0 {
			p.Expect(page.status)
		}
		p.Open("/console/" + page.path)
		for _, text := range page.says {
			p.See(text)
		}
		p.Axe()
		p.Fits()
	}
	p.Open("/console/program/draft?id=everyday")
	p.Click("Preview")
	p.See("There are no purchases in this program yet, so there is nothing to compare on.")
}
