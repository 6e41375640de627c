package foreign

import (
	"reflect"
	"testing"
)

func TestIndigoLantern(t *testing.T) {
	s := indigoTell(t, indigoLantern)
	s.buy("a", "CONVENIENCE", 10000)
	s.buy("b", "HOME", 10000)
	s.is(0)
	s.on("2026-01-02")
	s.is(200)
	s.redeem(201, false)
	s.redeem(200, true)
	s.back("", 4000) // placed where it takes most
	s.is(-60)
	s.back("a", 20000) // above the price, so the nameless one must be of the other
	s.is(-170)
	s.charge("a")
	s.is(-170)
	s.back("late", 1000) // its purchase does not clear, and is then taken to be another
	s.is(-170)
	s.on("2026-03-02")
	s.is(-175)
	if rows := s.e.Postings("a"); rows[len(rows)-2].At.Format("2006-01-02") != "2026-02-01" {
		t.Fatal(rows)
	}
}

func TestIndigoAtrium(t *testing.T) {
	s := indigoTell(t, indigoAtrium)
	s.buy("food", "GROCERY", 10000)
	s.back("food", 10000)
	s.is(0)
	s.buy("lamp", "HOME", 20000)
	s.is(1000)
	s.back("lamp", 5000)
	s.back("", 15000)
	s.is(800)
	s.redeem(800, true)
	s.buy("radio", "ELECTRONICS", 20000)
	s.charge("radio") // disputes reach the partner
	s.is(0)
}

func TestIndigoParapet(t *testing.T) {
	s := indigoTell(t, indigoParapet)
	s.on("2026-03-10")
	s.buy("camera", "ELECTRONICS", 50000)
	s.buy("lens", "ELECTRONICS", 10000)
	s.on("2026-03-15")
	s.backAt("", "m-ELECTRONICS", 10000) // on the same statement it counts
	s.on("2026-03-20")
	s.is(2000)
	s.redeem(2000, true)
	s.on("2026-03-25")
	s.backAt("", "m-ELECTRONICS", 50000)
	s.on("2026-08-01")
	s.is(0)
	s.back("camera", 40000) // with its name it counts, however late
	s.is(-1600)
}

func TestIndigoSaltbox(t *testing.T) {
	s := indigoTell(t, indigoSaltbox)
	s.buy("coats", "CLOTHES", 60000)
	s.redeem(900, true)
	s.back("coats", 40000)
	s.is(0)
	s.buy("shoes", "CLOTHES", 10000)
	s.is(150)
	s.back("shoes", 10000) // whole: reversed
	s.is(0)
	s.buy("boots", "CLOTHES", 100000)
	s.on("2026-04-02")
	if n, err := s.e.(*indigoDesk).PaidOut("a"); n != 1500 || err != nil {
		t.Fatal(n, err)
	}
	s.back("boots", 90000) // after the payout there is nothing to take
	s.is(0)
	s.buy("hat", "CLOTHES", 10000)
	s.charge("boots") // the rest: the screen has written the debt off
	s.is(0)
}

func TestIndigoGable(t *testing.T) {
	s := indigoTell(t, indigoGable)
	s.on("2026-03-01")
	for _, id := range []string{"1", "2", "3", "4", "5"} {
		s.buy(id, "FASHION", 40000)
	}
	s.buy("coat", "FASHION", 60000)
	s.buy("sofa", "HOME", 40000)
	s.on("2026-03-05")
	s.back("coat", 60000) // large, and other categories: at once
	s.back("sofa", 40000)
	s.is(4000)
	for _, id := range []string{"1", "2", "3", "4", "5"} {
		s.back(id, 40000)
	}
	s.on("2026-03-06")
	s.redeem(4000, true)
	s.on("2026-03-27")
	s.is(-4000)
	s.on("2027-03-27")
	s.is(-4000)
}

func TestIndigoDormer(t *testing.T) {
	s := indigoTell(t, indigoDormer)
	s.on("2026-03-10")
	s.buy("vouchers", "DINING", 40000)
	s.on("2026-04-10")
	s.buy("dinner", "DINING", 80000)
	s.is(4000)
	s.back("vouchers", 40000)
	s.is(4000) // promised: 2000
	s.buy("lunch", "DINING", 40000)
	s.back("dinner", 80000) // in its own month: no more than the room that is there
	s.is(2000)
}

func TestIndigoMansard(t *testing.T) {
	s := indigoTell(t, indigoMansard)
	s.on("2026-11-20")
	s.buy("room", "HOME", 1000000)
	s.buy("desk", "HOME", 1000000)
	s.is(20000)
	s.on("2026-11-25")
	s.back("desk", 50000) // not in a campaign: right
	s.is(19500)
	s.on("2026-12-05")
	s.back("desk", 950000) // whole: right
	s.is(10000)
	s.back("room", 50000)
	s.is(28500) // promised: 9500
}

// A message that comes twice makes no row more, in any of the programs.
func TestIndigoTwice(t *testing.T) {
	for _, d := range indigoDesigns {
		_, once := indigoRandom(t, d, 7, false, false)
		if _, twice := indigoRandom(t, d, 7, false, true); !reflect.DeepEqual(once, twice) {
			t.Errorf("%s: rows differ", d.Name)
		}
	}
}
