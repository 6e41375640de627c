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
	more := min(p.again, p.retained()-p.keeps(p.Amount-p.left()))
	s := Sign{Flaw: flaw.G4, At: p.grantAt, Amount: more, Shown: more > 1}
	if s.Shown {
		s.At = j.rows[p.againRow].At
	}
	j.sign(s, about{purchase: p, rows: []int32{p.againRow}}, func() (string, string) {
		return fmt.Sprintf("one grant of %s", j.money(p.original)), fmt.Sprintf("%s was granted once more", j.money(p.again))
	})
}

// othersSigns look at what is left of rewards since a refund of something else changed what is
// owed for them: whether cap room that it freed was given to a purchase that the cap had cut
// (G11), which is a flaw only where the program promises it, under clawback_method rerate;
// whether the level of a step or tier stays that it brings down; and whether bonuses of a
// period do although the spend that earned them came back. Of an account that has all that it
// is due nothing is missing.
func (j *Judge) othersSigns() {
	if j.leavesOpen() {
		return
	}
	f := &j.account.Figures
	for _, p := range j.arrived {
		of, left := about{purchase: p}, p.retained()
		if p.freed != 0 && j.program.In(p.cycle).Method == reward.Rerate {
			j.leftSign(flaw.G11, p.freed, of, p.owed, left, min(p.owed-left, f.ShortPaid))
		}
		if len(j.program.Layers) > 0 && len(p.refunds) == 0 && p.granted {
			j.leftSign(flaw.LevelKept, p.lowered, of, p.owed, left, min(left-p.owed, f.Leakage))
		}
	}
	if b := &j.bonus; !j.unnamed { // else which spend came back is a guess
		j.leftSign(flaw.SpendBonusKept, b.fell, about{}, b.owed, b.got, min(b.got-b.owed, f.Leakage))
	}
}

// leftSign notes whether what is left of a reward is still off what is owed, which a refund
// changed then.
func (j *Judge) leftSign(code flaw.Code, since reward.Instant, of about, owed, left, off int64) {
	if since == 0 || !j.settled(since) {
		return
	}
	j.sign(Sign{Flaw: code, At: since, Amount: off, Shown: off > rounding}, of, func() (string, string) {
		return fmt.Sprintf("what was kept earns %s since the refund of something else", j.money(owed)), fmt.Sprintf("%s is left", j.money(left))
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
	last := j.came[len(j.came)-1]
	j.sign(Sign{Flaw: flaw.G13, At: j.account.Last, Amount: f.Debt, Shown: f.Debt > 0}, about{refund: last}, func() (string, string) {
		return "nothing is owed by somebody who does not come back", fmt.Sprintf("%s is owed since %s", j.money(f.Debt), date(j.account.Last))
	})
}
