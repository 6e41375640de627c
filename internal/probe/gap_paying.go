package probe

import (
	"time"

	"recoup/internal/issuer"
	"recoup/internal/scenario"
)

// paying is a program that pays out whatever can be redeemed as soon as a
// statement has closed, as some targets do of their own accord.
type paying struct {
	issuer.Issuer
	accounts []string
	paid     map[string]int64
	month    time.Time
}

// Open implements issuer.Issuer.
func (p *paying) Open(account string) error {
	p.accounts = append(p.accounts, account)
	return p.Issuer.Open(account)
}

// SetClock implements issuer.Issuer.
func (p *paying) SetClock(now time.Time) error {
	if err := p.Issuer.SetClock(now); err != nil {
		return err
	}
	month := scenario.FirstOfMonth(now, 0)
	if month.Equal(p.month) {
		return nil
	}
	p.month = month
	for _, account := range p.accounts {
		if err := p.pay(account); err != nil {
			return err
		}
	}
	return nil
}

func (p *paying) pay(account string) error {
	b, err := p.Balance(account)
	if err != nil || b.Redeemable == 0 {
		return err
	}
	ok, err := p.Redeem(issuer.Redemption{Account: account, Redemption: "paid-" + scenario.FirstOfMonth(p.month, 0).Format(time.DateOnly), Amount: b.Redeemable})
	if ok {
		p.paid[account] += b.Redeemable
	}
	return err
}

// PaidOut implements issuer.Payer.
func (p *paying) PaidOut(account string) (int64, error) { return p.paid[account], nil }
