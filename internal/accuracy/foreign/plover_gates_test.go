package foreign

import (
	"testing"

	"recoup/internal/issuer"
)

// TestPloverGates are the sound designs' own points: a night that is not booked, a month
// booked anew, a voucher that a return takes off the next.
func TestPloverGates(t *testing.T) {
	p := ploverStart(t, ploverBencina, "2026-03-01")
	p.buy("fuel", "FUEL", 500000)
	p.redeem(1, false)
	p.on("2026-03-02").want(20000, 20000)
	p.refund("fuel", 250000)
	p.want(20000, 20000)
	p.redeem(12501, false)
	p.redeem(12500, true)
	p.on("2026-03-03").want(0, 12500)
	p.on("2026-09-05").buy("d", "", 1000) // the night without a midnight
	p.on("2026-09-08").want(10, 12510)

	p = ploverStart(t, ploverTrappa, "2026-03-01")
	p.buy("a", "", 700000)
	p.on("2026-05-01").want(12000, 12000)
	p.redeem(12000, true)
	p.refund("a", 200000)
	p.want(-5000, 7000)
	if rows := p.e.Postings("c"); len(rows) != 3 || rows[1].Amount != -12000 || rows[2].Amount != 7000 {
		t.Error(rows)
	}

	p = ploverStart(t, ploverApteek, "2026-03-01")
	p.buy("a", "PHARMACY", 300000)
	p.want(2200, 2200)
	p.redeem(100, false)
	p.on("2026-05-02").want(0, 2200)
	p.refund("a", 100)
	p.want(-1002, 1198)
	p.on("2027-01-01").buy("b", "", 1000000)
	p.on("2028-01-01").want(98, 3198)
}

// TestPloverAnswers are those of the port.
func TestPloverAnswers(t *testing.T) {
	for _, d := range ploverDesigns {
		e := d.New()
		if _, err := e.Balance("nobody"); err == nil {
			t.Error(d.Name, "knows nobody")
		}
		p := ploverStart(t, d, "2026-01-01")
		p.redeem(0, false)
		p.redeem(-5, false)
		p.refund("late", 1000000) // charged meanwhile, as far as the design can
		p.on("2026-03-01").buy("late", "HOME", 1000000)
		if p.on("2026-06-01").want(0, 0); p.check().Redeemable != 0 {
			t.Error(d.Name)
		}
		p.must(p.e.CloseStatement("c"))
		var _ issuer.Payer = p.e.(*ploverDesk)
	}
}
