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
		same: place.Draw(t, "same"), later: place.Draw(t, "later"), cutOff: yes("cut off"), floored: yes("floored"), late: yes("late"), window: yes("window"),
		plain: codes("plain"), beside: codes("beside"), costs: codes("costs"), granted: count("granted"), stake: count("stake"),
		told: count("told"), untakenAmount: count("untaken amount"), apart: yes("apart"), unearned: count("unearned"), rewardRows: count("reward rows"),
		unexplained: count("unexplained"), unexplainedAccounts: count("accounts"),
		unexplainedNamed: count("unexplained where named"),
		linkedStake:      count("linked stake"), linkedLeft: count("linked left"), certain: count("certain"),
		unfit: yes("unfit"), owed: count("owed"),
	}
	e.linked = rapid.Int64Range(0, e.told).Draw(t, "linked")
	e.linkedUntaken = rapid.Int64Range(0, e.linked).Draw(t, "linked untaken")
	e.untaken = rapid.Int64Range(0, e.told).Draw(t, "untaken")
	e.unearnedRows = rapid.Int64Range(0, e.rewardRows).Draw(t, "unearned rows")
	return e
}

// No verdict contradicts the figures that it follows from, whatever they are.
func TestNoVerdictContradictsItsFigures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := anyEvidence(t)
		d := e.decide()
		flawed := d.class != flaw.Robust && d.class != ""
		switch {
		case (e.leaks() || len(e.plain)+len(e.beside) > 0) && !flawed:
			t.Fatalf("it leaks, and the class is %q", d.class)
		case (flawed || e.leaks() || len(e.costs) > 0) != d.found:
			t.Fatalf("class %q, leaks %t, costs %v, and found is %t", d.class, e.leaks(), e.costs, d.found)
		case d.found != (d.exit() == 1):
			t.Fatalf("found %t, exit code %d", d.found, d.exit())
		case (e.same == ignores || e.later == ignores) && !flawed:
			t.Fatalf("refunds take nothing, and the class is %q", d.class)
		case d.class == flaw.Robust && (e.same != adjusts || e.later != adjusts):
			t.Fatal("robust, and of one place nobody knows")
		case d.integrity == flaw.Satisfied && (e.leaks() || len(e.costs) > 0):
			t.Fatalf("Reward Integrity holds in class %q, and it leaks", d.class)
		case flawed && !(e.leaks() || e.floored || e.late || e.window || e.cutOff || len(e.plain)+len(e.beside) > 0 || e.same >= mixed || e.later >= mixed):
			t.Fatalf("class %q of nothing", d.class)
		}
	})
}

// What is above rounding where nothing is guessed is a leak, of however few accounts and
// however little; where something is, some accounts are needed.
func TestALeakThatIsNoGuess(t *testing.T) {
	e := evidence{same: adjusts, later: adjusts, granted: 5_000_000, unexplained: 374, unexplainedAccounts: 1}
	if d := e.decide(); d.class != flaw.Robust || d.exit() != 0 {
		t.Errorf("one account with a guess in it: class %q, exit code %d", d.class, d.exit())
	}
	e.unexplainedNamed = 374
	if d := e.decide(); d.class != flaw.Other || d.exit() != 1 {
		t.Errorf("one account without a guess: class %q, exit code %d", d.class, d.exit())
	}
}

// What refunds that name their purchase do not take is no guess either: four thousandths of what
// they had at stake is a leak, however few of them it is.
func TestWhatFewRefundsLeaveIsALeak(t *testing.T) {
	e := evidence{
		same: adjusts, later: adjusts, granted: 880_078, told: 1_704, untaken: 87, stake: 332_382, untakenAmount: 61_297,
		linked: 1_643, linkedUntaken: 86, linkedStake: 301_394, linkedLeft: 59_600, certain: 61_501,
	}
	if d := e.decide(); d.class != flaw.Other || d.exit() != 1 {
		t.Errorf("86 refunds of 1,643 leave a fifth of what all have at stake: class %q, exit code %d", d.class, d.exit())
	}
	e.untaken, e.linkedUntaken = 4, 4
	if d := e.decide(); d.class != flaw.Robust || d.exit() != 0 {
		t.Errorf("4 refunds are odd rows: class %q, exit code %d", d.class, d.exit())
	}
	e.untaken, e.linkedUntaken, e.certain = 87, 86, 0
	if d := e.decide(); d.class != flaw.Robust || d.exit() != 0 {
		t.Errorf("86 refunds whose clawbacks came otherwise: class %q, exit code %d", d.class, d.exit())
	}
	e.untakenAmount, e.linkedLeft, e.certain = 2_000, 1_000, 1_000
	if d := e.decide(); d.class != flaw.Robust || d.exit() != 0 {
		t.Errorf("86 refunds leave a third of a per cent: class %q, exit code %d", d.class, d.exit())
	}
}

// Where hardly any refund names its purchase, a few that took nothing may be of another
// purchase than they are taken for; a fiftieth of what all had at stake is more than that.
func TestWhatFewRefundsOfNoNameLeaveIsALeak(t *testing.T) {
	e := evidence{
		same: adjusts, later: adjusts, granted: 1_562_241, told: 1_332, untaken: 19, stake: 134_873, untakenAmount: 12_541,
		linked: 43, linkedStake: 4_300, certain: 15_537, unexplained: 330, unexplainedAccounts: 1,
	}
	if d := e.decide(); d.class != flaw.Other || d.exit() != 1 {
		t.Errorf("19 refunds leave 9 of a hundred that all have at stake: class %q, exit code %d", d.class, d.exit())
	}
	certain := e.certain
	if e.certain = 2_600; e.decide().class != flaw.Robust {
		t.Errorf("where all but 2,600 of it may be of another purchase: class %q", e.decide().class)
	}
	if e.certain, e.untaken = certain, 4; e.decide().class != flaw.Robust {
		t.Errorf("4 refunds are odd rows: class %q", e.decide().class)
	}
}
