package foreign

import (
	"slices"

	"recoup/internal/issuer"
)

func (d *quarryDesk) known(account string) error {
	if d.files[account] == nil {
		return errQuarryAccount
	}
	return nil
}

// CloseStatement has nothing to do: books close by the clock.
func (d *quarryDesk) CloseStatement(account string) error { return d.known(account) }

// Redeem pays what the book lets out. The same request twice is paid once.
func (d *quarryDesk) Redeem(r issuer.Redemption) (bool, error) {
	f := d.files[r.Account]
	if f == nil {
		return false, errQuarryAccount
	}
	if amount, twice := f.redeemed[r.Redemption]; twice {
		return amount == r.Amount, nil
	}
	if r.Amount <= 0 || r.Amount > f.book.redeemable() {
		return false, nil
	}
	f.redeemed[r.Redemption] = r.Amount
	f.balance -= r.Amount
	f.book.redeem(r.Amount)
	return true, nil
}

// Balance is what the cardholder sees.
func (d *quarryDesk) Balance(account string) (issuer.Balance, error) {
	f := d.files[account]
	if f == nil {
		return issuer.Balance{}, errQuarryAccount
	}
	return issuer.Balance{Balance: f.balance, Redeemable: max(0, f.book.redeemable())}, nil
}

// Postings are the account's rows.
func (d *quarryDesk) Postings(account string) []Posting {
	if f := d.files[account]; f != nil {
		return slices.Clone(f.rows)
	}
	return nil
}

// PaidOut is what the book paid without being asked.
func (p quarryPayer) PaidOut(account string) (int64, error) {
	f := p.files[account]
	if f == nil {
		return 0, errQuarryAccount
	}
	return f.paid, nil
}
