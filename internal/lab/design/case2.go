package design

// cycleScoped is issuer B (paper, case II; flaw V2): a statement close computes
// the rewards on its own cycle's purchases, net of what was reversed until then,
// and pays them out as a statement credit.
type cycleScoped struct{}

func (cycleScoped) posted(_ *bank, a *account, i int) { a.wait(i) }

// The flaw: a reversal counts if it comes before the close of the purchase's own
// cycle, where grant sees it, and never after.
func (cycleScoped) reversed(*bank, *account, int) {}

func (cycleScoped) closing(b *bank, a *account) {
	b.catchUp(a)
	a.paidOut += a.balance
	b.postOf(a, "", StatementPay, -a.balance)
}
