package foreign

import (
	"fmt"
	"testing"

	"recoup/internal/issuer"
)

func TestLaterDesignsAreComplete(t *testing.T) {
	names, classes := map[string]bool{}, map[string]int{}
	for _, d := range laterDesigns {
		if names[d.Name] || d.Source == "" || d.Published == "" || d.How == "" || d.Currency == "" || d.New == nil || (d.Leak == "") != (d.Class == "robust") {
			t.Errorf("%s: a member is missing or twice", d.Name)
		}
		names[d.Name] = true
		classes[d.Class]++
	}
	want := map[string]int{"robust": 6, "V1": 1, "V2": 1, "V3(a)": 1, "V3(b)": 1, "other": 4}
	for c, n := range want {
		if classes[c] != n {
			t.Errorf("%d of class %s, want %d", classes[c], c, n)
		}
	}
}

func TestLaterCapped(t *testing.T) {
	p := laterStart(t, laterDesignCapped, "2026-03-05")
	p.buy("t1", 500_00, "GROCERY")
	p.has(25_00, 25_00, 0)
	p.buy("t2", 500_00, "GROCERY") // 100 at 5%, 400 at 1%
	p.has(34_00, 34_00, 0)
	p.redeem(34_00)
	p.on("2026-05-09")
	p.back("t1", 200_00) // takes 1% only
	p.has(-2_00, 0, 34_00)
	p.back("t1", 250_00) // 200 at 1%, 50 at 5%
	p.has(-6_50, 0, 34_00)
	p.back("t1", 70_00) // 50 are left
	p.has(-9_00, 0, 34_00)
	p.back("t2", 500_00)
	p.has(-34_00, 0, 34_00)
	p.buy("t3", 600_00, "GROCERY") // earns in May what it should
	p.has(-4_00, 0, 34_00)
	u := p.e.(issuer.Undoer)
	p.ok(u.ReverseRefund("a", "r4"))
	p.has(21_00, 21_00, 34_00)
	p.ok(u.ReverseRefund("a", "r4"))
	p.has(21_00, 21_00, 34_00)
	p.ok(u.ReverseRefund("a", "r1")) // r2 and r3 still claim 320 of 500
	p.has(26_80, 26_80, 34_00)       // March: 680, 30.00 and 0.80; May: 30.00
	p.ok(p.e.(issuer.Withdrawer).Withdraw("a", "t3"))
	p.has(-3_20, 0, 34_00)
	if u.ReverseRefund("a", "none") == nil || p.e.(issuer.Withdrawer).Withdraw("a", "none") == nil {
		t.Error("no error")
	}
}

func TestLaterHighWater(t *testing.T) {
	p := laterStart(t, laterDesignHighWater, "2026-01-10")
	p.buy("t1", 1000_00, "OTHER")
	p.has(0, 0, 0)
	p.on("2026-02-10")
	p.has(15_00, 15_00, 0)
	p.back("t1", 400_00)
	p.has(15_00, 9_00, 0)
	if p.redeem(9_01) || p.redeem(4_99) || !p.redeem(9_00) {
		t.Error("redeem")
	}
	p.back("t1", 600_00)
	p.has(6_00, 0, 9_00)
	p.on("2026-03-10")
	p.buy("t2", 1000_00, "OTHER") // back where it was: earns nothing anew
	p.on("2026-06-10")
	p.has(6_00, 6_00, 9_00)
	p.buy("t3", 1000_00, "OTHER")
	p.on("2026-07-10")
	p.has(21_00, 21_00, 9_00)
}

func TestLaterReserve(t *testing.T) {
	p := laterStart(t, laterDesignReserve, "2026-01-10")
	p.buy("t1", 1000_00, "TRAVEL")
	p.has(24_00, 24_00, 0)
	p.redeem(24_00)
	p.back("t1", 150_00)
	p.has(0, 0, 24_00)
	p.back("t1", 150_00) // 21.00 are earned
	p.has(-3_00, 0, 24_00)
	p.on("2026-03-20")
	p.has(-3_00, 0, 24_00)
	p.buy("t2", 1000_00, "OTHER")
	p.has(5_00, 5_00, 24_00)
	p.back("t1", 700_00)
	p.has(-16_00, 0, 24_00)
	p.on("2026-05-20")
	p.has(-14_00, 0, 24_00)
	p.back("t2", 1000_00)
	p.has(-24_00, 0, 24_00)
}

func TestLaterEarmark(t *testing.T) {
	p := laterStart(t, laterDesignEarmark, "2026-01-10")
	p.buy("t1", 1000_00, "DINING")
	p.buy("t2", 1000_00, "FUEL")
	p.back("t2", 300_00)
	p.back("t2", 700_00)
	p.has(0, 0, 0)
	p.on("2026-01-22")
	p.has(40_00, 40_00, 0)
	p.back("t1", 500_00)
	p.has(40_00, 20_00, 0)
	if p.redeem(20_01) || !p.redeem(20_00) {
		t.Error("redeem")
	}
	p.back("t1", 500_00)
	p.has(20_00, 0, 20_00)
	p.buy("t3", 1000_00, "DINING")
	p.on("2026-05-22")
	p.has(20_00, 20_00, 20_00)
}

func TestLaterWholeDollar(t *testing.T) {
	p := laterStart(t, laterDesignWholeDollar, "2026-01-10")
	p.buy("t1", 999_99, "ONLINE")
	p.has(1998, 0, 0)
	p.on("2026-02-10")
	p.has(1998, 1500, 0)
	if p.redeem(600) || p.redeem(2000) || !p.redeem(1500) {
		t.Error("redeem")
	}
	p.back("t1", 99)
	p.has(498, 0, 1500)
	p.back("t1", 1)
	p.has(496, 0, 1500)
	p.back("t1", 999_00)
	p.has(-1500, 0, 1500)
	p.buy("t2", 2100_00, "OTHER")
	p.has(600, 0, 1500)
	p.on("2026-03-20")
	p.has(600, 500, 1500)
}

func TestLaterAnniversary(t *testing.T) {
	p := laterStart(t, laterDesignAnniversary, "2026-01-10")
	p.buy("t1", 12_000_00, "OTHER")
	p.buy("t2", 1_000_00, "OTHER")
	p.back("t2", 400_00)
	p.back("t2", 600_00)
	p.has(0, 0, 0)
	if p.redeem(1) {
		t.Error("redeem")
	}
	p.on("2027-01-11")
	p.has(0, 0, 70_00)
	p.back("t1", 8_000_00) // 4,000: 20.00
	p.has(-50_00, 0, 70_00)
	p.back("t1", 1_000_01) // below 3,000
	p.has(-70_00, 0, 70_00)
	p.buy("t3", 12_000_00, "OTHER")
	p.on("2028-01-11")
	p.has(0, 0, 70_00)
	p.buy("t4", 10_000_00, "OTHER")
	p.on("2031-01-11")
	p.has(0, 0, 120_00)
}

func TestLaterStampCard(t *testing.T) {
	p := laterStart(t, laterDesignStampCard, "2026-01-10")
	for i := range 5 {
		p.has(0, 0, 0)
		p.buy(fmt.Sprint("t", i), 25_00, "OTHER")
	}
	p.buy("small", 24_99, "OTHER")
	p.has(10_00, 10_00, 0)
	p.redeem(10_00)
	for i := range 5 {
		p.back(fmt.Sprint("t", i), 25_00)
	}
	p.has(0, 0, 10_00) // ten dollars ahead, net purchases 24.99
}

func TestLaterBookYear(t *testing.T) {
	p := laterStart(t, laterDesignBookYear, "2026-01-05")
	p.buy("t1", 2000_00, "OTHER")
	p.redeem(40_00)
	p.on("2026-11-05")
	p.back("t1", 500_00)
	p.back("t1", 1500_00)
	p.has(-40_00, 0, 40_00)
	p.on("2026-12-20")
	p.buy("t2", 4000_00, "OTHER")
	p.has(40_00, 40_00, 40_00)
	p.redeem(40_00)
	p.on("2027-01-05")
	p.back("t2", 4000_00)
	p.has(0, 0, 80_00) // eighty dollars, nothing kept
}

func TestLaterLotFloor(t *testing.T) {
	p := laterStart(t, laterDesignLotFloor, "2026-01-10")
	p.buy("t1", 1000_00, "DINING")
	p.buy("t2", 1000_00, "OTHER")
	p.back("t2", 100_00)
	p.has(43_50, 43_50, 0)
	p.redeem(30_00)
	p.back("t1", 400_00)
	p.back("t1", 600_00)
	p.has(13_50, 13_50, 30_00) // thirty dollars ahead; what lies on t2 is not touched
	p.back("t2", 900_00)
	p.has(0, 0, 30_00)
	p.buy("t3", 1000_00, "OTHER")
	p.redeem(5_00)
	p.on("2027-02-01")
	p.has(0, 0, 35_00)
	p.back("t3", 1000_00)
	p.has(0, 0, 35_00)
}

func TestLaterDailySweep(t *testing.T) {
	p := laterStart(t, laterDesignDailySweep, "2026-01-02")
	p.buy("t1", 1000_00, "TRAVEL")
	p.has(30_00, 30_00, 0)
	p.on("2026-01-03")
	p.has(0, 0, 30_00)
	p.back("t1", 400_00)
	p.back("t1", 600_00)
	p.has(0, 0, 30_00)
	p.on("2026-01-04")
	p.buy("t2", 1000_00, "TRAVEL")
	p.on("2026-03-05")
	p.has(-30_00, 0, 60_00) // thirty ahead, as long as the card stays unused
	p.buy("t3", 2000_00, "OTHER")
	p.redeem(10_00)
	p.has(0, 0, 70_00)
}

func TestLaterTodaysRate(t *testing.T) {
	p := laterStart(t, laterDesignTodaysRate, "2026-03-25")
	p.buy("t1", 1000_00, "GROCERY")
	p.buy("t2", 1000_00, "GROCERY")
	p.buy("t3", 1000_00, "FUEL")
	p.redeem(110_00)
	p.back("t2", 333_33)
	p.back("t2", 666_67)
	p.has(-50_00, 0, 110_00)
	p.on("2026-04-02")
	p.back("t3", 1000_00)
	p.has(-60_00, 0, 110_00)
	p.back("t1", 1000_00)
	p.has(-70_00, 0, 110_00) // forty ahead: 110 paid, 70 owed, nothing kept
}

func TestLaterStatusTier(t *testing.T) {
	p := laterStart(t, laterDesignStatusTier, "2026-01-10")
	p.buy("t1", 2500_00, "OTHER")
	p.redeem(25_00)
	p.back("t1", 1000_00)
	p.back("t1", 1500_00)
	p.has(-25_00, 0, 25_00)
	p.buy("t2", 2000_00, "OTHER")
	p.has(35_00, 35_00, 25_00) // 60.00 for 2,000.00 kept, where 20.00 are due
	p.on("2027-01-10")
	p.back("t2", 1000_00)
	p.has(5_00, 5_00, 25_00)
	p.buy("t3", 1000_00, "OTHER")
	p.has(15_00, 15_00, 25_00)
}

func TestLaterRedeemRebate(t *testing.T) {
	p := laterStart(t, laterDesignRedeemRebate, "2026-01-10")
	p.buy("t1", 5000_00, "GROCERY")
	p.back("t1", 1)
	p.has(99_99, 99_99, 0)
	p.buy("t0", 50, "GROCERY")
	p.redeem(100_00)
	p.has(10_00, 10_00, 100_00)
	p.on("2026-04-10")
	p.back("t0", 50)
	p.back("t1", 2500_00)
	p.back("t1", 2500_00)
	p.has(-90_00, 0, 100_00) // ten dollars ahead
	p.buy("t2", 70_000_00, "GROCERY")
	p.redeem(1310_00)
	p.has(90_00, 90_00, 1410_00) // a hundred dollars put back in the year, no more
}

func TestLaterPreAuth(t *testing.T) {
	p := laterStart(t, laterDesignPreAuth, "2026-01-10")
	z := p.e.(issuer.Authorizer)
	tap := func(id string, amount int64) {
		t.Helper()
		p.ok(z.Authorize(issuer.Settlement{Account: "a", Transaction: id, Amount: amount, Category: "FUEL", MCC: "5541"}))
	}
	tap("t1", 125_00)
	tap("t1", 125_00)
	p.has(5_00, 5_00, 0)
	p.ok(z.Cancel("a", "t1"))
	p.has(0, 0, 0)
	tap("t2", 125_00)
	p.on("2026-01-18")
	p.has(0, 0, 0)
	tap("t3", 125_00)
	p.redeem(5_00)
	p.buy("t3", 10_00, "FUEL")
	p.has(0, 0, 5_00) // 4.60 ahead
	p.ok(z.Cancel("a", "t3"))
	p.on("2026-03-01")
	p.has(0, 0, 5_00)
	p.back("t3", 4_00)
	p.back("t3", 6_00)
	p.has(-5_00, 0, 5_00)
	p.buy("t4", 1000_00, "OTHER")
	p.has(15_00, 15_00, 5_00)
}
