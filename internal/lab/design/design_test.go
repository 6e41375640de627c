package design_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"recoup/internal/issuer"
	"recoup/internal/kit/labtest"
	"recoup/internal/lab/design"
)

func TestDesignsAreNamedApart(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range design.Others() {
		if seen[d.Name] {
			t.Errorf("two designs are called %q", d.Name)
		}
		seen[d.Name] = true
		if d.Title == "" || d.Source == "" {
			t.Errorf("%s: title %q, source %q: expected both", d.Name, d.Title, d.Source)
		}
	}
}

// A clone goes on as its original would have, and neither notices the other.
// Each lets the others go first in turn, and the history before the cloning has
// several lengths, so that no shared piece of memory can pass unnoticed.
func TestClone(t *testing.T) {
	before := []step{
		open("2026-01-05"),
		grocery("t1", 700_00), other("t2", 100_00), refund("r1", 100_00, "t1"), refund("r2", 10_00, "t9"),
		chargeback("c1", 0, "t2"), redeemAll("d1"),
		on("2026-02-02"), redeemAll("d2"), grocery("t3", 800_00), refund("r3", 50_00, "t1"), refund("r4", 20_00, "t3"),
	}
	apart := []step{
		refund("r7", 780_00, "t3"), refund("r8", 50_00, "t1"), refund("r9", 15_00, "t9"),
		grocery("t4", 50_00), other("t5", 1_00), redeemAll("d9"),
	}
	sameMonth := []step{
		grocery("t9", 300_00), refund("r2", 10_00, "t9"), refund("r10", 30_00, "t3"), refund("r3", 50_00, "t1"), unlinked("r5", 5_00, "m1"),
		other("t6", 70_00), refund("r9", 5_00, "t6"), redeemAll("d1"),
	}
	later := []step{
		on("2026-03-15"), redeemAll("d3"), refund("r6", 280_00, "t9"), on("2026-04-15"), redeemAll("d4"),
	}
	for _, d := range design.Others() {
		for more := range 8 {
			before := slices.Clone(before)
			for i := range more {
				before = append(before, other(fmt.Sprint("u", i), 30_00), refund(fmt.Sprint("v", i), 1_00, "t1"))
			}
			t.Run(fmt.Sprintf("%s/%d more purchases", d.Name, more), func(t *testing.T) {
				undisturbed := d.New(labtest.Everyday())
				trace(t, undisturbed, slices.Concat(before, sameMonth, later)...)
				want := seen(t, undisturbed)

				original := d.New(labtest.Everyday())
				trace(t, original, before...)
				first := original.(design.Cloner).Clone()
				second := first.(design.Cloner).Clone()
				disturbing := second.(design.Cloner).Clone()
				trace(t, first, sameMonth...)
				trace(t, disturbing, apart...)
				trace(t, first, later...)
				trace(t, original, slices.Concat(sameMonth, later)...)
				trace(t, disturbing, on("2026-08-01"))
				trace(t, second, slices.Concat(sameMonth, later)...)
				for name, i := range map[string]issuer.Issuer{"original": original, "first clone": first, "second clone": second} {
					if got := seen(t, i); got != want {
						t.Errorf("the %s ends with %s, want %s", name, got, want)
					}
				}
			})
		}
	}
}

// redeemAll asks for all that can be redeemed, and for nothing where that is
// nothing.
func redeemAll(id string) step {
	return func(i issuer.Issuer) error {
		b, err := i.Balance(acct)
		if err != nil || b.Redeemable == 0 {
			return err
		}
		_, err = i.Redeem(issuer.Redemption{Account: acct, Redemption: id, Amount: b.Redeemable})
		return err
	}
}

// seen is all that the port shows of the account.
func seen(t *testing.T, i issuer.Issuer) string {
	t.Helper()
	b, err := i.Balance(acct)
	if err != nil {
		t.Fatal(err)
	}
	paidOut, err := issuer.PaidOut(i, acct)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%+v and %d paid out", b, paidOut)
}

// noWayBack checks that the issuer has no path for a lost dispute or a bounced
// refund, a withdrawn clearing or an announced refund.
func noWayBack() step {
	return func(i issuer.Issuer) error {
		switch i.(type) {
		case issuer.Undoer, issuer.Withdrawer, issuer.Announcer:
			return fmt.Errorf("%T has a path that the paper knows nothing of", i)
		}
		return nil
	}
}

// The attack search makes hundreds of thousands of issuers and plays some ten
// moves on each.
func BenchmarkTenMoves(b *testing.B) {
	days := make([]time.Time, 3)
	for i := range days {
		days[i] = time.Date(2026, time.Month(i+1), 5, 0, 0, 0, 0, time.UTC)
	}
	program := labtest.Everyday()
	for _, name := range []string{"A", "B", "C", "D", "F", instant, statement} {
		b.Run(name, func(b *testing.B) {
			d := labtest.Design(b, name)
			b.ReportAllocs()
			for b.Loop() {
				i := d.New(program)
				i.SetClock(days[0])
				i.Open(acct)
				for m, day := range days {
					i.SetClock(day)
					i.Settle(issuer.Settlement{Account: acct, Transaction: ids[m], Amount: 100_00, Category: "GROCERY"})
					i.Redeem(issuer.Redemption{Account: acct, Redemption: ids[m], Amount: 5_00})
					i.Refund(issuer.Refund{Account: acct, Refund: ids[m], Transaction: ids[m], Amount: 100_00})
				}
				i.Balance(acct)
			}
		})
	}
}

var ids = []string{"a", "b", "c"}

func BenchmarkClone(b *testing.B) {
	for _, name := range []string{"C", "D", statement} {
		b.Run(name, func(b *testing.B) {
			i := labtest.Design(b, name).New(labtest.Everyday())
			trace(b, i, open("2026-01-05"), grocery("t1", 100_00), grocery("t2", 100_00), refund("r1", 50_00, "t1"), on("2026-02-02"), paid("d1", 1_00))
			b.ReportAllocs()
			for b.Loop() {
				i.(design.Cloner).Clone()
			}
		})
	}
}
