package judge

import (
	"fmt"

	"recoup/internal/flaw"
	"recoup/reward"
)

// grantedTwice looks whether a purchase was granted twice (G4).
func (j *Judge) grantedTwice(p *purchase) {
	if !p.granted || p.copies < 2 && (p.again == 0 || j.rows[p.againRow].At >= p.grantAt+lateRows) { // much later it is a part
		return
	}
	more := min(p.again, p.retained()-p.keeps(p.amount-p.left()))
	s := Sign{Flaw: flaw.G4, At: p.grantAt, Amount: more, Shown: more > 1}
	if s.Shown {
		s.At = j.rows[p.againRow].At
	}
	j.sign(s, about{purchase: p, rows: []int32{p.againRow}}, func() (string, string) {
		return fmt.Sprintf("one grant of %s", j.money(p.original)), fmt.Sprintf("%s was granted once more", j.money(p.again))
	})
}

// roomUnused looks whether cap room that a refund freed was given to a purchase that the cap
// had cut (G11). It is a flaw only where the program promises it: under clawback_method
// rerate. Of an account that has all that it is due nothing is missing.
func (j *Judge) roomUnused(p *purchase) {
	if p.freed == 0 || j.program.In(p.cycle).Method != reward.Rerate || !j.settled(p.freed) {
		return
	}
	missing := min(p.owed-p.retained(), j.account.Figures.ShortPaid)
	j.sign(Sign{Flaw: flaw.G11, At: p.freed, Amount: missing, Shown: missing > rounding}, about{purchase: p}, func() (string, string) {
		return fmt.Sprintf("what was kept earns %s", j.money(p.owed)),
			fmt.Sprintf("%s is left of its reward: the room that refunds freed was not used", j.money(p.retained()))
	})
}

// levelKept looks whether the level of a step or tier stays that others' refunds bring down.
func (j *Judge) levelKept(p *purchase) {
	if len(j.program.Layers) == 0 || p.lowered == 0 || p.first != none || !p.granted || !j.settled(p.lowered) {
		return
	}
	over := min(p.retained()-p.owed, j.account.Figures.Leakage)
	j.sign(Sign{Flaw: flaw.LevelKept, At: p.lowered, Amount: over, Shown: over > rounding}, about{purchase: p}, func() (string, string) {
		return fmt.Sprintf("it earns %s at the level of what is kept", j.money(p.owed)), fmt.Sprintf("%s is left of its reward", j.money(p.retained()))
	})
}

// bonusKept looks whether bonuses of a period stay although the spend that earned them came
// back.
func (j *Judge) bonusKept() {
	b := &j.bonus
	if b.fell == 0 || !j.settled(b.fell) {
		return
	}
	over := b.got - b.owed
	j.sign(Sign{Flaw: flaw.SpendBonusKept, At: b.fell, Amount: over, Shown: over > rounding}, about{}, func() (string, string) {
		return fmt.Sprintf("bonuses of %s are left", j.money(b.owed)), fmt.Sprintf("%s is left: the spend that earned them was returned", j.money(b.got))
	})
}

// walkAway looks for accounts that were left in debt (G13): redeemed, returned
// everything, and not heard of for 60 days.
func (j *Judge) walkAway() {
	const quiet = 60 * reward.Day
	const leastLeak = 10 // who was left more owes nothing because nothing was taken
	f := &j.account.Figures
	if f.Redeemed <= 0 || f.Refunds == 0 || j.account.Last+quiet > j.options.End || f.Debt == 0 && (f.NetSpend > 0 || f.Leakage > leastLeak) {
		return
	}
	last := &j.refunds[len(j.refunds)-1]
	j.sign(Sign{Flaw: flaw.G13, At: j.account.Last, Amount: f.Debt, Shown: f.Debt > 0}, about{refund: last}, func() (string, string) {
		return "nothing is owed by somebody who does not come back", fmt.Sprintf("%s is owed since %s", j.money(f.Debt), date(j.account.Last))
	})
}
