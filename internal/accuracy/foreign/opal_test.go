package foreign

import (
	"testing"
	"time"
)

func TestOpalCrownLeaks(t *testing.T) {
	p := opalStart(t, opalCrownDesign, "2026-03-01")
	p.to("2026-07-10")
	p.buy("all", "GROCERY", 1000000)
	p.to("2026-12-15")
	p.buy("sofa", "OTHER", 400000)
	p.to("2027-01-06")
	p.paid(12500)
	p.to("2027-01-10")
	p.refund("sofa", 400000)
	p.to("2027-12-10")
	p.shows(0, 0)
	p.paid(12500)
}

func TestOpalDinarLeaks(t *testing.T) {
	p := opalStart(t, opalDinarDesign, "2026-03-01")
	p.buy("flight", "TRAVEL", 400000)
	p.redeem(20000, true)
	p.refund("flight", 400000)
	p.shows(0, 0)
	p.buy("dinner", "DINING", 100000)
	p.shows(5000, 5000)
}

func TestOpalIpeLeaks(t *testing.T) {
	p := opalStart(t, opalIpeDesign, "2026-03-12")
	p.buy("sofa", "OTHER", 400000)
	p.to("2026-03-15")
	p.refund("sofa", 400000)
	p.to("2026-03-16")
	p.redeem(1600, true)
	p.shows(0, 0)
	p.to("2026-04-11")
	p.shows(-1600, 0)
	rows := p.engine.Postings("a")
	if at := rows[len(rows)-1].At; !at.Equal(time.Date(2026, 4, 10, 0, 0, 0, 0, opalSaoPaulo)) {
		t.Fatal(at)
	}
}

func TestOpalHarvestLeaks(t *testing.T) {
	p := opalStart(t, opalHarvestDesign, "2026-03-12")
	p.buy("march", "GROCERY", 150000)
	p.shows(7500, 7500)
	p.to("2026-04-12")
	p.buy("april", "GROCERY", 300000)
	p.shows(16500, 16500)
	p.to("2026-05-12")
	p.refund("march", 150000)
	p.shows(15000, 15000)
}

func TestOpalHanbokLeaks(t *testing.T) {
	p := opalStart(t, opalHanbokDesign, "2026-03-11")
	p.buy("w", "GROCERY", 800000)
	p.shows(4000, 4000)
	p.to("2026-03-14")
	p.refund("w", 10000)
	p.shows(23700, 23700)
	p.refund("w", 790000)
	p.shows(0, 0)
}

func TestOpalKelpWelcome(t *testing.T) {
	p := opalStart(t, opalKelpDesign, "2026-03-01")
	p.buy("a", "OTHER", 150000)
	p.shows(16500, 0)
	p.to("2026-04-16")
	p.shows(16500, 16500)
	p.redeem(16500, true)
	p.refund("a", 100)
	p.shows(-15001, 0)
}

func TestOpalHelvetiaPays(t *testing.T) {
	p := opalStart(t, opalHelvetiaDesign, "2026-05-01")
	p.buy("a", "GROCERY", 400000)
	p.to("2026-06-01")
	p.shows(6000, 0)
	p.to("2026-07-22")
	p.paid(6000)
	p.refund("a", 200000)
	p.to("2027-09-01")
	p.shows(-2000, 0)
	p.redeem(1, false)
}

func TestOpalTanukiRows(t *testing.T) {
	p := opalStart(t, opalTanukiDesign, "2026-03-06") // a Friday
	p.buy("a", "ONLINE", 10099)
	p.buy("b", "DINING", 399)
	p.shows(0, 0)
	p.to("2026-03-09")
	p.shows(202, 202)
	p.refund("a", 100)
	p.shows(198, 198)
	want := []int64{202, -202, 198}
	rows := p.engine.Postings("a")
	for i, w := range want {
		if len(rows) != len(want) || rows[i].Amount != w {
			t.Fatal(rows)
		}
	}
	if !rows[0].At.Equal(time.Date(2026, 3, 7, 0, 0, 0, 0, opalTokyo)) {
		t.Fatal(rows[0].At)
	}
}

// TestOpalWaits has a refund wait for its purchase, be taken for a loose one after 30 days,
// and then find its purchase after all.
func TestOpalWaits(t *testing.T) {
	for _, d := range opalDesigns {
		p := opalStart(t, d, "2026-01-06")
		p.buy("x", "TRAVEL", 1000000)
		p.to("2026-02-25")
		before := p.net()
		p.refund("y", 300000)
		p.to("2026-06-01")
		if got := p.net(); got >= before {
			t.Errorf("%s: %d after the wait, %d before", d.Name, got, before)
		}
		p.buy("y", "TRAVEL", 300000)
		p.to("2026-09-01")
		if got := p.net(); got != before {
			t.Errorf("%s: %d in the end, %d before", d.Name, got, before)
		}
	}
}
