package foreign

import (
	"fmt"
	"testing"
	"time"

	"recoup/internal/issuer"
)

func (p *laterPlay) unnamed(amount int64, merchant, category string) {
	p.Helper()
	p.refunds++
	p.ok(p.e.Refund(issuer.Refund{Account: "a", Refund: fmt.Sprint("r", p.refunds), Amount: amount, Merchant: merchant, Category: category}))
}

// What a credit without a purchase takes back is what the purchases it is put to have earned.
func TestLaterUnnamed(t *testing.T) {
	p := laterStart(t, laterDesignCapped, "2026-01-10")
	p.buy("t1", 100_00, "GROCERY")
	p.buy("t2", 100_00, "OTHER")
	p.unnamed(60_00, "m-GROCERY", "")
	p.has(3_00, 3_00, 0)
	p.unnamed(60_00, "m-elsewhere", "GROCERY") // 40 of t1, 20 of t2
	p.has(80, 80, 0)
	p.unnamed(100_00, "", "") // 80 of t2, 20 of what comes
	p.has(0, 0, 0)
	p.buy("t3", 100_00, "GROCERY")
	p.has(4_00, 4_00, 0)
	u := p.e.(issuer.Undoer)
	p.ok(u.ReverseRefund("a", "r3"))
	p.has(5_80, 5_80, 0)
	p.unnamed(80_00, "m-OTHER", "") // t2 can be found again
	p.has(5_00, 5_00, 0)
	p.unnamed(500_00, "", "")
	p.has(0, 0, 0)
	p.ok(u.ReverseRefund("a", "r5"))
	p.buy("t4", 100_00, "OTHER")
	p.has(6_00, 6_00, 0)

	p = laterStart(t, laterDesignHighWater, "2026-01-10")
	p.unnamed(100_00, "m-1", "OTHER")
	p.buy("t1", 1100_00, "OTHER")
	p.on("2026-02-10")
	p.has(15_00, 15_00, 0)
	p.unnamed(600_00, "m-1", "")
	p.has(15_00, 6_00, 0)

	// the newest first, and no purchase below nothing
	p = laterStart(t, laterDesignStatusTier, "2026-01-10")
	for i := range 5 {
		p.buy(fmt.Sprint("t", i), 100_00, "DINING")
	}
	p.back("t4", 100_00)
	p.unnamed(150_00, "m-DINING", "DINING")
	p.has(2_50, 2_50, 0)
	p.back("t3", 100_00)
	p.back("t2", 50_00)
	p.has(2_00, 2_00, 0)
}

// All of it in parts of a cent takes all of it back, wherever the design is exact.
func TestLaterParts(t *testing.T) {
	for _, d := range laterDesigns {
		if d.Class == "V1" || d.Name == laterDesignHighWater.Name {
			continue
		}
		p := laterStart(t, d, "2026-01-10")
		p.buy("t", 12_34, "GROCERY")
		for range 1234 {
			p.back("t", 1)
		}
		p.on("2027-01-20")
		swept, _ := issuer.PaidOut(p.e, "a")
		if v, _ := p.e.Balance("a"); v.Balance+swept != 0 {
			t.Errorf("%s: %d is left", d.Name, v.Balance+swept)
		}
	}
}

// Tens of thousands of calls, half of them on one account, take no longer than is fair.
func TestLaterKeepsUp(t *testing.T) {
	for _, d := range laterDesigns {
		start := time.Now()
		e := d.New()
		now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		e.SetClock(now)
		for i := range 100 {
			e.Open(fmt.Sprint("a", i))
		}
		for i := range 12_000 {
			account := "a0"
			if i%2 == 0 {
				account = fmt.Sprint("a", i%100)
			}
			e.Settle(issuer.Settlement{Account: account, Transaction: fmt.Sprint("t", i), Amount: 100_00, Merchant: fmt.Sprint("m-", i%50), Category: "OTHER"})
			if i%3 == 0 {
				e.Refund(issuer.Refund{Account: account, Refund: fmt.Sprint("r", i), Amount: 70_00, Merchant: fmt.Sprint("m-", i%50)})
			} else {
				e.Refund(issuer.Refund{Account: account, Refund: fmt.Sprint("r", i), Transaction: fmt.Sprint("t", i/2), Amount: 70_00})
			}
			if i%20 == 0 {
				now = now.Add(3 * time.Hour)
				e.SetClock(now)
			}
			e.Redeem(issuer.Redemption{Account: account, Redemption: fmt.Sprint("x", i), Amount: 5_00})
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s: %v", d.Name, took)
		} else if testing.Verbose() {
			t.Log(d.Name, took)
		}
	}
}
