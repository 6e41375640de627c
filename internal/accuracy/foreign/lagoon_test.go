package foreign

import (
	"reflect"
	"testing"
)

// lagoonPlay plays a history to its end, step by step or only as facts need it, each fact
// so many times, and checks what holds of every engine at every moment.
func lagoonPlay(t *testing.T, d Design, facts []lagoonFact, times int, daily bool) lagoonRun {
	r := lagoonNewRun(t, d)
	for day, i := 0, 0; day <= 900; day++ {
		due := i < len(facts) && facts[i].day == day
		if daily || due || day == 900 {
			r.day(day)
		}
		for ; i < len(facts) && facts[i].day == day; i++ {
			for range times {
				r.deliver(facts[i])
			}
		}
		if b, err := r.e.Balance("a"); err != nil || b.Redeemable < 0 || b.Redeemable > max(0, b.Balance) {
			t.Fatalf("%s: day %d: %+v, %v", d.Name, day, b, err)
		}
	}
	return r
}

func TestLagoonAsIfNeverBought(t *testing.T) {
	for _, d := range lagoonDesigns[:3] {
		for seed := range int64(8) {
			facts := lagoonHistory(seed, false)
			got, want := lagoonPlay(t, d, facts, 2, false).worth(), lagoonPlay(t, d, lagoonNeverBought(facts), 1, false).worth()
			if got != want || want == 0 {
				t.Errorf("%s, seed %d: %d, had the returned part never been bought %d", d.Name, seed, got, want)
			}
			facts = lagoonHistory(seed, true)
			got, want = lagoonPlay(t, d, facts, 1, false).worth(), lagoonPlay(t, d, lagoonNeverBought(facts), 1, false).worth()
			if got > want || got < 0 {
				t.Errorf("%s, seed %d: nameless returns: %d, had the returned part never been bought %d", d.Name, seed, got, want)
			}
		}
	}
}

func TestLagoonEveryEngine(t *testing.T) {
	for _, d := range lagoonDesigns {
		facts := lagoonHistory(42, true)
		once := lagoonPlay(t, d, facts, 1, false).e.Postings("a")
		if !reflect.DeepEqual(once, lagoonPlay(t, d, facts, 2, false).e.Postings("a")) {
			t.Errorf("%s: a fact delivered twice has two effects", d.Name)
		}
		if !reflect.DeepEqual(once, lagoonPlay(t, d, facts, 1, true).e.Postings("a")) {
			t.Errorf("%s: a clock that jumps books otherwise than one that goes day by day", d.Name)
		}
		for i, p := range once {
			if p.Amount == 0 || i > 0 && p.At.Before(once[i-1].At) {
				t.Errorf("%s: entry %d: %+v", d.Name, i, p)
			}
		}
	}
}

// Without what its Leak text says, a flawed engine is a sound one: nothing else leaks.
func TestLagoonNothingElseLeaks(t *testing.T) {
	warsaw := lagoonZone("Europe/Warsaw")
	for _, c := range []struct {
		design Design
		keep   func(f, of lagoonFact) bool // is it played? of is what a return is of
		under  bool                        // it may take more than what was earned
	}{
		{lagoonWarehouse, func(f, of lagoonFact) bool { return f.of == "" || f.day-of.at < lagoonWarehouseDays }, false},
		{lagoonLots, func(f, _ lagoonFact) bool { return f.kind != "redeem" }, false},
		{lagoonHolds, func(lagoonFact, lagoonFact) bool { return true }, false},
		{lagoonCounters, func(f, of lagoonFact) bool {
			return f.of == "" || lagoonDay(f.day).In(warsaw).Format("01.06") == lagoonDay(of.at).In(warsaw).Format("01.06")
		}, true},
		{lagoonProcessor, func(lagoonFact, lagoonFact) bool { return true }, false}, // no two amounts are the same
	} {
		for seed := range int64(8) {
			facts, bought := lagoonHistory(seed, false), map[string]lagoonFact{}
			for _, f := range facts {
				bought[f.id] = f
			}
			kept := facts[:0:0]
			for _, f := range facts {
				if c.keep(f, bought[f.of]) {
					kept = append(kept, f)
				}
			}
			got, want := lagoonPlay(t, c.design, kept, 1, false).worth(), lagoonPlay(t, c.design, lagoonNeverBought(kept), 1, false).worth()
			if want == 0 || got > want || got < want && !c.under {
				t.Errorf("%s, seed %d: %d, had the returned part never been bought %d", c.design.Name, seed, got, want)
			}
			all := lagoonPlay(t, c.design, facts, 1, false).worth() - lagoonPlay(t, c.design, lagoonNeverBought(facts), 1, false).worth()
			t.Logf("%s, seed %d: %d of %d kept too much in all", c.design.Name, seed, all, want)
		}
	}
}
