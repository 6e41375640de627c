package foreign

import (
	"testing"
	"time"
)

func TestTundraMapleLeaks(t *testing.T) {
	for _, late := range []bool{true, false} {
		p := newTundraPlay(t, tundraMaple, tundraDay(2026, 1, 8))
		p.to(tundraDay(2026, 1, 10))
		p.buy("a", 1000_00, "GROCERY", time.Time{})
		p.to(tundraDay(2026, 2, 7))
		p.wants("redeemable", p.balance().Redeemable, 20_00)
		p.redeem(20_00)
		when, want := tundraDay(2026, 3, 1), int64(-20_00)
		if late {
			when, want = tundraDay(2026, 3, 10), 0
		}
		p.to(when)
		p.back("a", 1000_00, when)
		p.to(tundraDay(2026, 9, 1))
		p.wants("balance", p.balance().Balance, want)
	}
}

func TestTundraWislaLeaks(t *testing.T) {
	p := newTundraPlay(t, tundraWisla, tundraDay(2026, 5, 2))
	p.to(tundraDay(2026, 5, 20))
	p.buy("a", 4000_00, "FUEL", time.Time{})
	p.to(tundraDay(2026, 6, 5))
	p.back("a", 4000_00, time.Time{})
	p.wants("balance", p.balance().Balance, 0)
	p.buy("b", 1000_00, "FUEL", time.Time{})
	p.to(tundraDay(2026, 7, 2))
	p.wants("all", p.net(), 1200+300)
	p.wants("balance", p.balance().Balance, 100)
}

func TestTundraHarbourLeaks(t *testing.T) {
	p := newTundraPlay(t, tundraHarbour, tundraDay(2026, 3, 1))
	p.to(tundraDay(2026, 3, 14))
	p.buy("a", 4000_00, "TRAVEL", time.Time{})
	p.to(tundraDay(2026, 3, 16))
	p.back("a", 4000_00, time.Time{})
	if !p.redeem(12_000) {
		t.Error("not redeemed after the refund")
	}
	p.wants("before the close", p.balance().Balance, 0)
	p.to(tundraDay(2026, 4, 12))
	p.wants("after", p.balance().Balance, -12_000)
	p.buy("b", 1000_00, "TRAVEL", time.Time{})
	p.wants("debt is repaid first", p.balance().Redeemable, 0)
}

func TestTundraFjordLeaks(t *testing.T) {
	p := newTundraPlay(t, tundraFjord, tundraDay(2026, 3, 1))
	p.to(tundraDay(2026, 3, 7)) // a Saturday
	p.buy("a", 10_000_00, "ONLINE", time.Time{})
	p.redeem(500_00)
	p.to(tundraDay(2026, 3, 10))
	p.back("a", 10_000_00, time.Time{})
	p.wants("net", p.net(), 400_00)
}

func TestTundraAlpinaLeaks(t *testing.T) {
	p := newTundraPlay(t, tundraAlpina, tundraDay(2026, 1, 1))
	p.to(tundraDay(2026, 2, 10))
	p.buy("feb", 1500_00, "ONLINE", time.Time{})
	p.to(tundraDay(2026, 4, 10))
	p.buy("apr", 1500_00, "ONLINE", time.Time{})
	p.to(tundraDay(2026, 5, 10))
	p.back("feb", 1500_00, time.Time{})
	p.wants("net", p.net(), 67_50)
	p.buy("may", 1500_00, "ONLINE", time.Time{})
	p.wants("net, of which 120 extra", p.net(), 2*67_50)
}
