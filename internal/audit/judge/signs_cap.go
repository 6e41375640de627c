package judge

import (
	"fmt"

	"recoup/internal/flaw"
	"recoup/reward"
)

// capSigns looks at each cap of each cycle: whether rewards exceed it or were cut
// short of it (G12), and whether room that a refund freed reached the purchases
// that the cap had cut (G11). The latter is a flaw only where the program promises
// it: under clawback_method rerate. Refunds that name no purchase leave it open
// whose room they free.
func (j *Judge) capSigns() {
	if j.guess.any {
		return
	}
	for k := range j.buckets {
		b := &j.buckets[k]
		if !b.capped() || b.blurred || b.filledAt == 0 && b.cuts == 0 {
			continue
		}
		at := b.cycle.End() - 1
		kept := b.granted - b.taken
		switch {
		case kept > b.cap+1:
			if s := j.shown(flaw.G12, at, kept-b.cap); s != nil {
				j.exampleOfBucket(s, int32(k), fmt.Sprintf("no more than the cap of %s in %s", j.money(b.cap), b.cycle), fmt.Sprintf("%s was kept", j.money(kept)))
			}
		case b.wrong:
			if s := j.shorted(flaw.G12, j.purchases[b.wrongAt].at, b.wrongBy); s != nil {
				j.exampleOfPurchase(s, b.wrongAt, fmt.Sprintf("the cap of %s leaves room in %s", j.money(b.cap), b.cycle),
					fmt.Sprintf("the reward was cut by %s, as if the cycle before counted", j.money(b.wrongBy)))
			}
		default:
			j.could(flaw.G12, at)
		}
		j.freedRoom(int32(k))
	}
}

// freedRoom looks whether freed cap room was given to what the cap had cut.
func (j *Judge) freedRoom(k int32) {
	b := &j.buckets[k]
	if j.program.In(b.cycle).Method != reward.Rerate || b.freed == 0 || cycleEnd(b.freed)+closeWithin > j.options.End {
		return
	}
	// A row that nothing explains may have used the room: of an account that has all
	// that it is due nothing is missing.
	missing := min(b.promised(b.net)-(b.granted-b.taken), j.account.Figures.ShortPaid)
	if missing <= b.n {
		j.could(flaw.G11, b.freed)
		return
	}
	if s := j.shown(flaw.G11, b.freed, missing); s != nil {
		j.exampleOfBucket(s, k, fmt.Sprintf("what was kept in %s earns %s", b.cycle, j.money(b.promised(b.net))),
			fmt.Sprintf("%s is left of its rewards: the room that refunds freed was not used", j.money(b.granted-b.taken)))
	}
}

// exampleOfBucket spells out the latest purchases of a bucket.
func (j *Judge) exampleOfBucket(s *Sign, k int32, expected, found string) {
	var rows []int32
	for i := len(j.purchases) - 1; i >= 0 && len(rows) < 4*mostExamples; i-- {
		p := &j.purchases[i]
		if p.bucket != k {
			continue
		}
		rows = append(rows, p.row)
		if p.granted {
			rows = append(rows, p.grantRow)
		}
		if p.first != none {
			rows = append(rows, j.refunds[p.first].row)
		}
	}
	s.Example = &Example{Account: j.account.ID, Expected: expected, Found: found, Amount: s.Amount, Steps: j.steps(rows)}
}
