package foreign

import (
	"testing"
	"time"
)

func TestCanalVistula(t *testing.T) {
	for _, c := range []struct {
		back string
		net  int64
	}{{"2026-02-25", 0}, {"2026-03-05", 6000}} {
		p := canalStart(t, canalVistulaDesign, "2026-01-01")
		p.on("2026-01-20")
		p.buy("food", "GROCERY", 200_000)
		p.on("2026-02-11")
		p.has(0, 6000) // paid on the tenth
		p.on(c.back)
		p.back("food", 200_000)
		p.on("2026-09-01")
		p.has(c.net-6000, c.net)
	}
}

func TestCanalBosphorus(t *testing.T) {
	p := canalStart(t, canalBosphorusDesign, "2026-01-05")
	p.buy("tv", "ELECTRONICS", 600_000)
	p.redeem(23_000, true)
	p.on("2026-01-12")
	p.back("tv", 600_000)
	p.has(0, 23_000)
	p.buy("next", "GROCERY", 100_000)
	p.redeem(500, true)
	q := canalStart(t, canalBosphorusDesign, "2026-01-05")
	q.buy("tv", "ELECTRONICS", 600_000)
	q.back("tv", 600_000)
	q.has(0, 0) // what is there is taken
}

func TestCanalIpe(t *testing.T) {
	p := canalStart(t, canalIpeDesign, "2026-01-13")
	p.buy("dinner", "DINING", 40_000)
	p.on("2026-01-15")
	p.back("dinner", 40_000)
	p.on("2026-01-20")
	p.redeem(2000, true)
	p.on("2026-08-01")
	p.has(-2000, 0)
	rows := p.e.Postings("a")
	if at := rows[len(rows)-1].At; !at.Equal(time.Date(2026, 2, 12, 3, 0, 0, 0, time.UTC)) {
		t.Fatal("taken back on", at)
	}
}

func TestCanalProtea(t *testing.T) {
	for _, c := range []struct {
		back string
		net  int64
	}{{"2026-02-20", 7500}, {"2026-04-10", 7500 + 135_000}} {
		p := canalStart(t, canalProteaDesign, "2026-01-10")
		p.buy("rent", "RENT", 1_500_000)
		p.on("2026-02-10")
		p.buy("food", "GROCERY", 1_500_000)
		p.has(157_500, 157_500)
		p.redeem(150_000, true)
		p.on(c.back)
		p.back("food", 1_500_000)
		p.has(c.net-150_000, c.net)
	}
}

func TestCanalAltair(t *testing.T) {
	p := canalStart(t, canalAltairDesign, "2026-01-10")
	p.buy("coats", "FASHION", 60_000)
	p.redeem(1, false) // pending
	p.on("2026-02-20")
	p.back("coats", 30_000)
	p.on("2026-02-21")
	p.back("coats", 30_000)
	p.has(1200, 1200)
	p.redeem(1200, true)
	q := canalStart(t, canalAltairDesign, "2026-01-10")
	q.buy("chairs", "HOME", 100_000)
	for range 4 {
		q.back("chairs", 25_000)
	}
	q.has(4500, 4500)
	r := canalStart(t, canalAltairDesign, "2026-01-10")
	r.buy("coats", "FASHION", 60_000)
	r.back("coats", 30_001)
	r.back("coats", 29_999)
	r.has(0, 0)
}
