package audit

import (
	"testing"

	"pgregory.net/rapid"

	"recoup/internal/flaw"
)

// anyEvidence draws figures that need not fit together.
func anyEvidence(t *rapid.T) evidence {
	yes := func(name string) bool { return rapid.Bool().Draw(t, name) }
	count := func(name string) int64 { return rapid.Int64Range(0, 2000).Draw(t, name) }
	codes := func(name string) []flaw.Code {
		return rapid.SliceOfN(rapid.SampledFrom([]flaw.Code{flaw.G1, flaw.G2, flaw.G9}), 0, 2).Draw(t, name)
	}
	place := rapid.Custom(func(t *rapid.T) treatment {
		return rapid.SampledFrom([]treatment{untold, adjusts, mixed, ignores}).Draw(t, "treatment")
	})
	e := evidence{
		same: place.Draw(t, "same"), later: place.Draw(t, "later"), cutOff: yes("cut off"), bonusOnce: yes("bonus once"), floored: yes("floored"), late: yes("late"), window: yes("window"),
		plain: codes("plain"), beside: codes("beside"), costs: codes("costs"), granted: count("granted"), stake: count("stake"),
		told: count("told"), untakenAmount: count("untaken amount"), apart: yes("apart"), unearned: count("unearned"),
		certain: count("certain"), left: count("left"), unnamed: yes("unnamed"), unfit: yes("unfit"), nearly: yes("nearly"), off: count("off"), owed: count("owed"),
	}
	e.untaken = rapid.Int64Range(0, e.told).Draw(t, "untaken")
	return e
}

// No verdict contradicts the figures that it follows from, whatever they are.
func TestNoVerdictContradictsItsFigures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := anyEvidence(t)
		d := e.decide()
		flawed := d.Class != flaw.Robust && d.Class != ""
		switch {
		case (e.leaks() || len(e.plain)+len(e.beside) > 0) && !flawed:
			t.Fatalf("it leaks, and the class is %q", d.Class)
		case (flawed || e.leaks() || len(e.costs) > 0) != d.Found:
			t.Fatalf("class %q, leaks %t, costs %v, and found is %t", d.Class, e.leaks(), e.costs, d.Found)
		case d.Found != (d.Exit == 1):
			t.Fatalf("found %t, exit code %d", d.Found, d.Exit)
		case (e.same == ignores || e.later == ignores) && !flawed:
			t.Fatalf("refunds take nothing, and the class is %q", d.Class)
		case d.Class == flaw.Robust && (e.same != adjusts || e.later != adjusts):
			t.Fatal("robust, and of one place nobody knows")
		case d.RewardIntegrity == flaw.Satisfied && (e.leaks() || len(e.costs) > 0):
			t.Fatalf("Reward Integrity holds in class %q, and it leaks", d.Class)
		case flawed && !(e.leaks() || e.floored || e.late || e.window || e.cutOff || len(e.plain)+len(e.beside) > 0 || e.same >= mixed || e.later >= mixed):
			t.Fatalf("class %q of nothing", d.Class)
		}
	})
}

// What is left on no guess is a leak, of however few accounts: three ten-thousandths of what the
// terms take for refunds. As much that rests on which purchase a refund is of is none.
func TestALeakThatIsNoGuess(t *testing.T) {
	e := evidence{same: adjusts, later: adjusts, granted: 1_224_574, owed: 289_000, certain: 642}
	if d := e.decide(); d.Class != flaw.Robust || d.Exit != 0 {
		t.Errorf("with a guess in it: class %q, exit code %d", d.Class, d.Exit)
	}
	e.left = 642
	if d := e.decide(); d.Class != flaw.Other || d.Exit != 1 {
		t.Errorf("without a guess: class %q, exit code %d", d.Class, d.Exit)
	}
	if e.left = 86; e.decide().Class != flaw.Robust {
		t.Errorf("less than three ten-thousandths: class %q", e.decide().Class)
	}
	if e.left = 87; e.decide().Class != flaw.Other {
		t.Errorf("three ten-thousandths: class %q", e.decide().Class)
	}
}

// The money decides, and not how many refunds it is of: three of 1,700 that leave a fortieth are
// a leak, and 87 whose clawbacks came otherwise are none.
func TestTheMoneyDecides(t *testing.T) {
	e := evidence{
		same: adjusts, later: adjusts, granted: 1_184_162, owed: 494_573, told: 1_759, untaken: 3, stake: 422_772, untakenAmount: 12_223,
		certain: 7_649, left: 3_456,
	}
	if d := e.decide(); d.Class != flaw.Other || d.Exit != 1 {
		t.Errorf("3 refunds of 1,759: class %q, exit code %d", d.Class, d.Exit)
	}
	e.untaken, e.untakenAmount, e.certain, e.left = 87, 61_297, 0, 0
	if d := e.decide(); d.Class != flaw.Robust || d.Exit != 0 {
		t.Errorf("87 refunds whose clawbacks came otherwise: class %q, exit code %d", d.Class, d.Exit)
	}
}

// Where hardly any refund names its purchase, a few that took nothing may be of another
// purchase than they are taken for; a fiftieth of what all had at stake is more than that.
func TestWhatFewRefundsOfNoNameLeaveIsALeak(t *testing.T) {
	e := evidence{
		same: adjusts, later: adjusts, granted: 1_562_241, owed: 134_873, told: 1_332, untaken: 19, stake: 134_873, untakenAmount: 12_541,
		unnamed: true, certain: 15_537,
	}
	if d := e.decide(); d.Class != flaw.Other || d.Exit != 1 {
		t.Errorf("19 refunds leave 9 of a hundred that all have at stake: class %q, exit code %d", d.Class, d.Exit)
	}
	if e.certain = 2_600; e.decide().Class != flaw.Robust {
		t.Errorf("where all but 2,600 of it may be of another purchase: class %q", e.decide().Class)
	}
	if e.certain, e.untakenAmount = 13_400, 2_600; e.decide().Class != flaw.Robust {
		t.Errorf("2,600 left by refunds: class %q", e.decide().Class)
	}
	if e.unnamed, e.certain = false, 13_500; e.decide().Class != flaw.Other {
		t.Errorf("a tenth is left whichever purchase each is of: class %q", e.decide().Class)
	}
}

// Terms that do not fit are off by as much after refunds as before; what is left beyond that, and
// is much of what they take, is a leak all the same.
func TestWhatTermsAreOffByIsNoLeak(t *testing.T) {
	e := evidence{same: adjusts, later: adjusts, granted: 517_416, owed: 234_774, certain: 130_148, left: 99_502, unfit: true, off: 155_120}
	if d := e.decide(); d.Class != flaw.Robust || d.Exit != 0 {
		t.Errorf("less than the terms are off by: class %q, exit code %d", d.Class, d.Exit)
	}
	e.certain = e.off + e.owed/2
	if d := e.decide(); d.Class != flaw.Other || d.Exit != 1 {
		t.Errorf("half of what is at stake beyond it: class %q, exit code %d", d.Class, d.Exit)
	}
}

// What single purchases earn is taken back, and a bonus only until it has come: that is some
// refunds, by when they come, and so V2. It is none where nothing is left.
func TestABonusThatIsTakenOnlyUntilItHasCome(t *testing.T) {
	e := evidence{same: adjusts, later: adjusts, bonusOnce: true, granted: 1_000_000, owed: 500_000, stake: 400_000, certain: 15_000, left: 15_000}
	if d := e.decide(); d.Class != flaw.V2 || d.Exit != 1 {
		t.Errorf("class %q, exit code %d", d.Class, d.Exit)
	}
	if e.certain, e.left = 0, 0; e.decide().Class != flaw.Robust {
		t.Errorf("with nothing left: class %q", e.decide().Class)
	}
}

// Terms that are off by next to nothing beside what is left are nearly those of the program:
// what is left beyond that counts from a tenth of what they take.
func TestTermsThatAreNearlyRight(t *testing.T) {
	e := evidence{same: adjusts, later: adjusts, granted: 1_500_000, owed: 939_400, certain: 121_671, left: 80_590, unfit: true, off: 810}
	if d := e.decide(); d.Class != flaw.Robust {
		t.Errorf("terms that do not fit: class %q", d.Class)
	}
	e.nearly = true
	if d := e.decide(); d.Class != flaw.Other || d.Exit != 1 {
		t.Errorf("terms that nearly fit: class %q, exit code %d", d.Class, d.Exit)
	}
}
