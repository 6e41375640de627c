package play

import (
	"strings"

	"recoup/internal/lab/design"
	"recoup/internal/scenario"
	"recoup/program"
)

func money(minor int64) string { return program.FormatAmount(minor, Currency) }

// did says what a design made of a move, from what it changed.
func did(c *Cell, kind scenario.Kind, money func(int64) string) string {
	change := &c.Change
	switch c.Answer {
	case scenario.Accepted:
		return "paid " + money(change.Redeemed)
	case scenario.Denied:
		return "refused"
	}
	var parts []string
	net := change.NetReward()
	if net > 0 {
		parts = append(parts, "granted "+money(net))
	}
	if net < 0 {
		parts = append(parts, "took back "+money(-net))
	}
	if change.Redeemed > 0 {
		parts = append(parts, "paid out "+money(change.Redeemed))
	}
	if net == 0 && change.Redeemed == 0 {
		switch {
		case change.Redeemable < 0:
			parts = append(parts, "put "+money(-change.Redeemable)+" on hold")
		case change.Redeemable > 0:
			parts = append(parts, "released "+money(change.Redeemable))
		case kind == scenario.Refund || kind == scenario.Chargeback:
			parts = append(parts, "changed nothing")
		}
	}
	return strings.Join(parts, ", ")
}

// verdict says what came of the run at both designs, from the table alone and
// from where things put off will end.
func (t *Table) verdict(s *stage) (string, error) {
	if len(t.Rows) == 1 {
		return "Nothing has happened yet.", nil
	}
	left, err := t.ending(s, s.left, func(r *Row) *Cell { return &r.Left })
	if err != nil {
		return "", err
	}
	right, err := t.ending(s, s.right, func(r *Row) *Cell { return &r.Right })
	if err != nil {
		return "", err
	}
	if left == right {
		return t.Left.Name + " " + left + "; so it is at " + t.Right.Name + ".", nil
	}
	return t.Left.Name + " " + left + "; " + t.Right.Name + " " + right + ".", nil
}

// ending says what came of the run at one design, as the rest of a sentence that
// begins with its name.
func (t *Table) ending(s *stage, d design.Design, cell func(*Row) *Cell) (string, error) {
	last := cell(&t.Rows[len(t.Rows)-1])
	words, err := t.outcome(s, d, cell)
	if err != nil {
		return "", err
	}
	if last.Balance < 0 {
		words += " and is owed " + t.Run.Program.Reward(-last.Balance)
	}
	return words, nil
}

func (t *Table) outcome(s *stage, d design.Design, cell func(*Row) *Cell) (string, error) {
	last := cell(&t.Rows[len(t.Rows)-1])
	if last.Leakage > 0 {
		later, err := s.twoClosesLater(d)
		if err != nil {
			return "", err
		}
		return leaking(last, later.Leakage, t.Run.Program.Reward), nil
	}
	if !t.returned() {
		return "has given no more than its terms promise", nil
	}
	first, back := t.leak(cell)
	switch {
	case first > 0:
		words := "took the reward back " + daysLater(daysBetween(t.Rows[first].At, t.Rows[back].At))
		if t.held(cell, first, back) {
			words = "held the reward from the refund on and " + words
		}
		return words, nil
	case t.tookBack(cell):
		return "took the reward back on the same day", nil
	}
	return "gave no reward for what went back", nil
}

// held says whether nothing above the entitlement was out in some rows.
func (t *Table) held(cell func(*Row) *Cell, first, end int) bool {
	for i := first; i < end; i++ {
		if cell(&t.Rows[i]).Out() > 0 {
			return false
		}
	}
	return true
}

// leaking is said of a design that stands above the entitlement by some leakage,
// and in the end by the rest, in minor units.
func leaking(now *Cell, rest int64, money func(int64) string) string {
	switch {
	case rest <= 0 && now.Out() == 0:
		return "holds " + money(now.Leakage) + " and takes it back when the statement closes"
	case rest <= 0:
		return "has " + money(now.Leakage) + " out for goods that went back, until the statement closes"
	case now.Redeemed >= rest:
		return "paid " + money(rest) + " for goods that went back and does not take it back"
	}
	return "leaves " + money(rest) + " standing for goods that went back and does not take it back"
}

// returned says whether a purchase that earned something went back.
func (t *Table) returned() bool {
	for i := range t.Rows {
		if t.Rows[i].Promised < 0 {
			return true
		}
	}
	return false
}

// tookBack says whether a design ever took anything back.
func (t *Table) tookBack(cell func(*Row) *Cell) bool {
	for i := range t.Rows {
		if cell(&t.Rows[i]).Change.NetReward() < 0 {
			return true
		}
	}
	return false
}

// leak finds the last stretch of rows in which a design stood above the
// entitlement: its first row, and the row behind it. There may be none: zeros.
func (t *Table) leak(cell func(*Row) *Cell) (first, back int) {
	for i := range t.Rows {
		above := cell(&t.Rows[i]).Leakage > 0
		before := i > 0 && cell(&t.Rows[i-1]).Leakage > 0
		switch {
		case above && !before:
			first = i
		case before && !above:
			back = i
		}
	}
	return first, back
}

// daysLater says when something came.
func daysLater(n int) string {
	switch n {
	case 0:
		return "on the same day"
	case 1:
		return "a day later"
	}
	return program.FormatCount(int64(n)) + " days later"
}
