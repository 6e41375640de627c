package design_test

import (
	"fmt"
	"testing"
	"time"

	"recoup/internal/issuer"
	"recoup/internal/kit/labtest"
	"recoup/internal/lab/design"
	"recoup/internal/traffic"
	"recoup/reward"
)

// journalled are all designs, variants, and the literal algorithms without their
// third tier.
func journalled() []design.Design {
	designs := design.All()
	for _, v := range design.Variants() {
		designs = append(designs, v.Design)
	}
	return append(designs, design.Design{Name: "Literal without recovery", New: func(p *reward.Program) issuer.Issuer {
		return design.NewLiteral(p, design.LiteralOptions{WithoutRecovery: true})
	}})
}

// An account's postings are its balance and what has left it, at any time, and a
// statement close posts at the end of its cycle, whenever it is run.
func TestPostingsAddUp(t *testing.T) {
	for _, d := range journalled() {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(3) {
				auditPostings(t, d, seed)
			}
		})
	}
}

func auditPostings(t *testing.T, d design.Design, seed uint64) {
	i := d.New(labtest.Everyday())
	posted, paidOut, redeemed := map[string]int64{}, map[string]int64{}, map[string]int64{}
	bought := map[string]bool{}
	var now time.Time
	postings := 0
	i.(design.Journaler).Journal(func(p design.Posting) {
		postings++
		posted[p.Account] += p.Amount
		if p.Kind == design.StatementPay {
			paidOut[p.Account] -= p.Amount
		}
		if at := p.At.Time(); p.Amount == 0 || at.After(now) {
			t.Errorf("%+v: expected an amount, and no later time than %s", p, now)
		}
		if p.Close != (p.At == reward.CycleAt(p.At).Start()) || !p.Close && !p.At.Time().Equal(now) {
			t.Errorf("%+v at %s: expected the clock, or the end of a cycle at a close", p, now)
		}
		ofNone := p.Kind == design.StatementPay || p.Kind == design.WrittenOff
		if ofNone == bought[p.Transaction] {
			t.Errorf("%+v: expected a purchase that was made, or none for a payout or write-off", p)
		}
	})
	n := 0
	for e := range traffic.Generate(traffic.Options{
		Accounts: 6, Events: 1200, Days: 300, Seed: seed, Program: labtest.Everyday(), Disorder: 30, Duplicates: 50, OverRefunds: 100, ReturnShare: 300,
	}) {
		if at := e.Time.Time(); at.After(now) {
			now = at
			if err := i.SetClock(now); err != nil {
				t.Fatal(err)
			}
		}
		if _, known := redeemed[e.Account]; !known {
			redeemed[e.Account] = 0
			if err := i.Open(e.Account); err != nil {
				t.Fatal(err)
			}
		}
		if e.Type == reward.TransactionSettled {
			bought[e.Transaction] = true
		}
		if err := send(i, &e); err != nil {
			t.Fatal(err)
		}
		n++
		for account, out := range redeemed {
			b, err := i.Balance(account)
			if err != nil {
				t.Fatal(err)
			}
			if posted[account]-out != b.Balance {
				t.Fatalf("event %d: account %s: postings %d, redeemed %d, balance %d", n, account, posted[account], out, b.Balance)
			}
			if out, err := issuer.PaidOut(i, account); err != nil || out != paidOut[account] {
				t.Fatalf("event %d: account %s: paid out %d, %v; by the postings %d", n, account, out, err, paidOut[account])
			}
			if account == e.Account && n%7 == 0 && b.Redeemable > 0 {
				paid, err := i.Redeem(issuer.Redemption{Account: account, Redemption: fmt.Sprint("d", n), Amount: b.Redeemable})
				if err != nil || !paid {
					t.Fatalf("redeeming %d of %d: %t, %v", b.Redeemable, b.Balance, paid, err)
				}
				redeemed[account] += b.Redeemable
			}
		}
	}
	if postings < 300 {
		t.Fatalf("only %d postings", postings)
	}
}

// send delivers the events that every issuer has a move for, and undos where it
// has.
func send(i issuer.Issuer, e *reward.Event) error {
	switch e.Type {
	case reward.TransactionSettled:
		return i.Settle(issuer.Settlement{Account: e.Account, Transaction: e.Transaction, Amount: e.Amount, Merchant: e.Merchant, MCC: e.MCC.String(), Category: e.Category})
	case reward.RefundPosted:
		return i.Refund(issuer.Refund{Account: e.Account, Refund: e.Fact, Transaction: e.Transaction, Amount: e.Amount, Merchant: e.Merchant, MCC: e.MCC.String(), Category: e.Category})
	case reward.ChargebackPosted:
		return i.Chargeback(issuer.Chargeback{Account: e.Account, Chargeback: e.Fact, Transaction: e.Transaction, Amount: e.Amount})
	}
	if u, ok := i.(issuer.Undoer); ok && e.Type == reward.RefundReversed {
		return u.ReverseRefund(e.Account, e.Fact)
	}
	return nil
}

// Statements of several months are closed when somebody asks, and each close is
// dated as if it had run on time.
func TestPostingsOfLateClosesAreDatedAtTheClose(t *testing.T) {
	for name, want := range map[string]string{
		"B":                   "2026-02-01 grant t1 500, 2026-02-01 payout  -500, 2026-03-01 grant t2 100, 2026-03-01 payout  -100",
		"D":                   "2026-02-01 grant t1 500, 2026-03-01 clawback t1 -500, 2026-03-01 grant t2 100",
		"Literal (statement)": "2026-02-01 grant t1 500, 2026-03-01 clawback t1 -500, 2026-03-01 grant t2 100",
		"Recoup (statement)":  "2026-02-01 grant t1 500, 2026-06-01 clawback t1 -500, 2026-06-01 grant t2 100", // one close for all that are over
		"Late clawback":       "2026-02-01 grant t1 500, 2026-03-01 grant t2 100, 2026-04-01 clawback t1 -500",
	} {
		t.Run(name, func(t *testing.T) {
			d, err := design.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			i, got := d.New(labtest.Everyday()), ""
			i.(design.Journaler).Journal(func(p design.Posting) {
				if got != "" {
					got += ", "
				}
				got += fmt.Sprintf("%s %s %s %d", p.At.Time().Format(time.DateOnly), p.Kind, p.Transaction, p.Amount)
				if !p.Close {
					t.Errorf("%+v: expected a posting of a close", p)
				}
			})
			trace(t, i, open("2026-01-10"), grocery("t1", 100_00), on("2026-02-10"), refund("r1", 100_00, "t1"), other("t2", 100_00), on("2026-06-15"))
			if _, err := i.Balance(acct); err != nil || got != want {
				t.Errorf("postings %s, %v\n    want %s", got, err, want)
			}
		})
	}
}

// What a floor forgives was never taken.
func TestPostingsOfAFloorStopAtZero(t *testing.T) {
	for _, d := range journalled() {
		if d.Name != "V3(a)" && d.Name != "Literal without recovery" {
			continue
		}
		i := d.New(labtest.Everyday())
		var got []int64
		i.(design.Journaler).Journal(func(p design.Posting) { got = append(got, p.Amount) })
		trace(t, i, open("2026-01-10"), grocery("t1", 100_00), other("t2", 100_00), paid("d1", 4_00), refund("r1", 100_00, "t1"), refund("r2", 100_00, "t2"), owns(0))
		if fmt.Sprint(got) != "[500 100 -200]" {
			t.Errorf("%s: postings %v, want 500, 100 and the 200 that were left", d.Name, got)
		}
	}
}
