package design

// refundInsensitive is issuer A (paper, case I; flaw V1): rewards are granted at
// settlement and can be redeemed at once.
type refundInsensitive struct{}

func (refundInsensitive) posted(b *bank, a *account, i int) { b.grant(a, i) }

// The flaw: nobody listens.
func (refundInsensitive) reversed(*bank, *account, int) {}

func (refundInsensitive) closing(*bank, *account) {}
