package judge

import "recoup/internal/flaw"

// mostExamples is how many examples of a flaw an account gives.
const mostExamples = 5

// words say what the terms ask for and what the rows say.
type words func() (expected, found string)

// signs looks for the flaws that single refunds, redemptions and purchases show by an amount
// or a time. Those by which some kind of refund takes nothing are told from the refunds of
// all accounts, and have no signs.
func (j *Judge) signs() {
	j.account.Tell = j.tell
	for _, rf := range j.came {
		j.amountSigns(rf)
		j.lateSign(rf)
		j.lostDispute(rf)
	}
	for _, p := range j.arrived {
		j.grantedTwice(p)
	}
	j.othersSigns()
	for _, row := range j.debt.offs {
		r := &j.rows[row]
		j.sign(Sign{Flaw: flaw.CodeOf(flaw.V3a), At: r.At, Amount: r.Amount, Shown: true}, about{rows: []int32{row}}, func() (string, string) {
			return "the debt is kept until rewards repay it", j.money(r.Amount) + " was credited for no purchase, which lifted the debt to just zero"
		})
	}
	j.redemptions()
	j.walkAway()
}

// leavesOpen reports whether there are refunds that can be read in more ways than one.
func (j *Judge) leavesOpen() bool {
	return j.has(func(rf *refund) bool { return !rf.Linked || rf.Over })
}

// sign notes an opportunity for a flaw to show and, if it showed, what it cost, with an
// example unless the account gave enough.
func (j *Judge) sign(s Sign, of about, say words) {
	if !s.Shown {
		s.Amount = 0
		j.account.Signs = append(j.account.Signs, s)
		return
	}
	n := 0
	for i := range j.account.Signs {
		if o := &j.account.Signs[i]; o.Flaw == s.Flaw && o.Example != nil {
			n++
		}
	}
	if n < mostExamples {
		expected, found := say()
		s.Example = j.story(of, expected, found, s.Amount)
	}
	j.account.Signs = append(j.account.Signs, s)
}
