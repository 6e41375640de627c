package design_test

import (
	"fmt"
	"testing"
	"time"

	"recoup/internal/issuer"
	"recoup/internal/kit/labtest"
	"recoup/internal/lab/design"
	"recoup/reward"
)

func rate(s string) reward.Rate {
	r, err := reward.ParseRate(s)
	if err != nil {
		panic(err)
	}
	return r
}

const acct = "acct-1"

// step is one line of a trace: a move, or something that must hold.
type step func(issuer.Issuer) error

// trace plays steps against an issuer, in order, all in one account.
func trace(t testing.TB, i issuer.Issuer, steps ...step) {
	t.Helper()
	for n, s := range steps {
		if err := s(i); err != nil {
			t.Fatalf("step %d: %v", n+1, err)
		}
	}
}

// open sets the clock and opens the account: the first step of every trace.
func open(day string) step {
	return func(i issuer.Issuer) error {
		if err := on(day)(i); err != nil {
			return err
		}
		return i.Open(acct)
	}
}

func on(day string) step {
	return func(i issuer.Issuer) error {
		at, err := time.Parse(time.DateOnly, day)
		if err != nil {
			return err
		}
		return i.SetClock(at)
	}
}

// grocery is a purchase at 5 %, other one at 1 %; both at merchant m1.
func grocery(id string, amount int64) step { return buy(id, amount, "m1", "GROCERY") }
func other(id string, amount int64) step   { return buy(id, amount, "m1", "") }

func buy(id string, amount int64, merchant, category string) step {
	return func(i issuer.Issuer) error {
		return i.Settle(issuer.Settlement{Account: acct, Transaction: id, Amount: amount, Merchant: merchant, Category: category})
	}
}

func refund(id string, amount int64, of string) step {
	return func(i issuer.Issuer) error {
		return i.Refund(issuer.Refund{Account: acct, Refund: id, Transaction: of, Amount: amount})
	}
}

func unlinked(id string, amount int64, merchant string) step {
	return func(i issuer.Issuer) error {
		return i.Refund(issuer.Refund{Account: acct, Refund: id, Amount: amount, Merchant: merchant})
	}
}

// chargeback takes the amount back, all of the purchase if it is zero.
func chargeback(id string, amount int64, of string) step {
	return func(i issuer.Issuer) error {
		return i.Chargeback(issuer.Chargeback{Account: acct, Chargeback: id, Transaction: of, Amount: amount})
	}
}

func paid(id string, amount int64) step   { return redeem(id, amount, true) }
func denied(id string, amount int64) step { return redeem(id, amount, false) }

func redeem(id string, amount int64, want bool) step {
	return func(i issuer.Issuer) error {
		got, err := i.Redeem(issuer.Redemption{Account: acct, Redemption: id, Amount: amount})
		if err == nil && got != want {
			err = fmt.Errorf("redemption %s of %d: accepted = %t, want %t", id, amount, got, want)
		}
		return err
	}
}

func closing(want bool) step {
	return func(i issuer.Issuer) error {
		got, err := i.(issuer.Closer).CloseAccount(acct)
		if err == nil && got != want {
			err = fmt.Errorf("closing the account: closed = %t, want %t", got, want)
		}
		return err
	}
}

// owns checks the balance where all of it, as far as it is positive, can be
// redeemed; shows where not.
func owns(balance int64) step { return shows(balance, max(0, balance)) }

func shows(balance, redeemable int64) step {
	return func(i issuer.Issuer) error {
		got, err := i.Balance(acct)
		if want := (issuer.Balance{Balance: balance, Redeemable: redeemable}); err == nil && got != want {
			err = fmt.Errorf("balance %+v, want %+v", got, want)
		}
		return err
	}
}

// credited checks what was paid out without being asked for.
func credited(want int64) step {
	return func(i issuer.Issuer) error {
		got, err := i.(issuer.Payer).PaidOut(acct)
		if err == nil && got != want {
			err = fmt.Errorf("paid out %d, want %d", got, want)
		}
		return err
	}
}

// record checks a row of the literal algorithms' records.
func record(id string, want design.Record) step {
	return func(i issuer.Issuer) error {
		got, err := i.(*design.Literal).Record(acct, id)
		if err == nil && got != want {
			err = fmt.Errorf("record of %s is %+v, want %+v", id, got, want)
		}
		return err
	}
}

// course is a trace against one design of the catalogue.
type course struct {
	name, design string
	steps        []step
}

func play(t *testing.T, courses []course) {
	for _, c := range courses {
		t.Run(c.design+"/"+c.name, func(t *testing.T) {
			t.Parallel()
			trace(t, labtest.Design(t, c.design).New(labtest.Everyday()), c.steps...)
		})
	}
}
