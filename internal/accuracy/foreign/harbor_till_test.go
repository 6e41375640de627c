package foreign

import (
	"fmt"
	"testing"
	"time"

	"recoup/internal/issuer"
)

// harborTill drives one account of one design.
type harborTill struct {
	t *testing.T
	e Engine
}

func harborOpenTill(t *testing.T, d Design) harborTill {
	t.Helper()
	till := harborTill{t, d.New()}
	till.at("2026-01-05 12:00")
	if err := till.e.Open("a"); err != nil {
		t.Fatal(err)
	}
	return till
}

func (h harborTill) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h harborTill) at(s string) {
	h.t.Helper()
	now, err := time.Parse("2006-01-02 15:04", s)
	h.must(err)
	h.must(h.e.SetClock(now))
}

func (h harborTill) buy(id string, amount int64) {
	h.t.Helper()
	h.must(h.e.Settle(issuer.Settlement{Account: "a", Transaction: id, Amount: amount, Merchant: "m"}))
}

func (h harborTill) back(id, tx string, amount int64) {
	h.t.Helper()
	h.must(h.e.Refund(issuer.Refund{Account: "a", Refund: id, Transaction: tx, Amount: amount, Merchant: "m"}))
}

func (h harborTill) redeem(amount int64, want bool) {
	h.t.Helper()
	got, err := h.e.Redeem(issuer.Redemption{Account: "a", Redemption: fmt.Sprint(amount, h.balance()), Amount: amount})
	h.must(err)
	if got != want {
		h.t.Errorf("redemption of %d accepted: %v", amount, got)
	}
}

func (h harborTill) balance() int64 {
	b, err := h.e.Balance("a")
	h.must(err)
	if b.Redeemable < 0 {
		h.t.Errorf("redeemable is %d", b.Redeemable)
	}
	return b.Balance
}

func (h harborTill) want(balance int64) {
	h.t.Helper()
	if got := h.balance(); got != balance {
		h.t.Errorf("balance is %d, want %d; rows %v", got, balance, h.e.Postings("a"))
	}
}
