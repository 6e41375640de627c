package design

// instantClawback is issuer C (paper, case III-A): rewards at settlement,
// clawback at the refund, and a balance that may stay negative for ever.
type instantClawback struct{}

func (instantClawback) posted(b *bank, a *account, i int) { b.grant(a, i) }

func (instantClawback) reversed(b *bank, a *account, i int) { b.clawBack(a, i) }

func (instantClawback) closing(*bank, *account) {}

// statementClawback is the issuers D and E (paper, case III-A), which differ in
// nothing that the paper tells: rewards on net purchases at the statement close,
// clawback of earlier ones at the same time, a balance that may stay negative
// for ever.
type statementClawback struct{}

func (statementClawback) posted(_ *bank, a *account, i int) { a.wait(i) }

func (statementClawback) reversed(_ *bank, a *account, i int) {
	if a.purchases[i].granted {
		a.wait(i)
	}
}

func (statementClawback) closing(b *bank, a *account) { b.catchUp(a) }

// batchedClawback is issuer F (paper, case III-B; flaw V3(b)): rewards can be
// redeemed from settlement on.
type batchedClawback struct{}

func (batchedClawback) posted(b *bank, a *account, i int) { b.grant(a, i) }

// The flaw: until the close the reward of a refunded purchase can be redeemed.
func (batchedClawback) reversed(_ *bank, a *account, i int) { a.wait(i) }

func (batchedClawback) closing(b *bank, a *account) { b.catchUp(a) }

// flooredClawback is the form V3(a) of the paper's taxonomy, which it met at no
// issuer: the clawback is right and immediate.
type flooredClawback struct{}

func (flooredClawback) posted(b *bank, a *account, i int) { b.grant(a, i) }

// The flaw: a debt that the clawback leaves is forgiven.
func (flooredClawback) reversed(b *bank, a *account, i int) {
	b.post(a, i, ClawedBack, -min(b.release(a, i), a.balance))
}

func (flooredClawback) closing(*bank, *account) {}
