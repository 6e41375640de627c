package play

import (
	"strings"

	"recoup/internal/console/locale"
	"recoup/internal/lab/design"
	"recoup/internal/scenario"
)

// did says what a design made of a move, from what it changed.
func (t *Table) did(c *Cell, kind scenario.Kind) string {
	change := &c.Change
	switch c.Answer {
	case scenario.Accepted:
		return t.locale.Sprintf("paid %s", t.reward(change.Redeemed))
	case scenario.Denied:
		return t.locale.Say("refused")
	}
	var parts []string
	add := func(format locale.Text, minor int64) {
		parts = append(parts, t.locale.Sprintf(string(format), t.reward(minor)))
	}
	net := change.NetReward()
	if net > 0 {
		add("granted %s", net)
	}
	if net < 0 {
		add("took back %s", -net)
	}
	if change.Redeemed > 0 {
		add("paid out %s", change.Redeemed)
	}
	if net == 0 && change.Redeemed == 0 {
		switch {
		case change.Redeemable < 0:
			add("put %s on hold", -change.Redeemable)
		case change.Redeemable > 0:
			add("released %s", change.Redeemable)
		case kind == scenario.Refund || kind == scenario.Chargeback:
			parts = append(parts, t.locale.Say("changed nothing"))
		}
	}
	return strings.Join(parts, ", ")
}

// ending is what came of a run at one design: a sentence that begins with its name, and has
// an amount or a number of days after that, if any.
type ending struct {
	format locale.Text
	amount int64 // minor units
	days   int
	owed   int64 // by the cardholder, minor units
}

// verdict says what came of the run at both designs, from the table alone and
// from where things put off will end.
func (t *Table) verdict(s *stage) (string, error) {
	if len(t.Rows) == 1 {
		return t.locale.Say("Nothing has happened yet."), nil
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
		return t.locale.Sprintf("%s; so it is at %s.", t.ended(t.Left, left), t.Right.Title()), nil
	}
	return t.locale.Sprintf("%s; %s.", t.ended(t.Left, left), t.ended(t.Right, right)), nil
}

// ended says what came of the run at a design.
func (t *Table) ended(at Choice, e ending) string {
	values := []any{at.Title()}
	switch {
	case e.amount > 0:
		values = append(values, t.reward(e.amount))
	case e.days > 0:
		values = append(values, e.days)
	}
	text := t.locale.Sprintf(string(e.format), values...)
	if e.owed > 0 {
		return t.locale.Sprintf("%s and is owed %s", text, t.reward(e.owed))
	}
	return text
}

// ending finds what came of the run at one design.
func (t *Table) ending(s *stage, d design.Design, cell func(*Row) *Cell) (ending, error) {
	e, err := t.outcome(s, d, cell)
	e.owed = max(0, -cell(&t.Rows[len(t.Rows)-1]).Balance)
	return e, err
}

func (t *Table) outcome(s *stage, d design.Design, cell func(*Row) *Cell) (ending, error) {
	last := cell(&t.Rows[len(t.Rows)-1])
	if last.Leakage > 0 {
		later, err := s.twoClosesLater(d)
		if err != nil {
			return ending{}, err
		}
		return leaking(last, later.Leakage), nil
	}
	if !t.returned() {
		return ending{format: "%s has given no more than its terms promise"}, nil
	}
	first, back := t.leak(cell)
	switch {
	case first > 0:
		days := daysBetween(t.Rows[first].At, t.Rows[back].At)
		return ending{format: tookBackLater(days, t.held(cell, first, back)), days: days}, nil
	case t.tookBack(cell):
		return ending{format: "%s took the reward back on the same day"}, nil
	}
	return ending{format: "%s gave no reward for what went back"}, nil
}

// tookBackLater says that a design took a reward back some days after it should have, and
// perhaps had it on hold until then.
func tookBackLater(days int, held bool) locale.Text {
	switch {
	case days == 0 && held:
		return "%s held the reward from the refund on and took it back on the same day"
	case days == 0:
		return "%s took the reward back on the same day"
	case held:
		return "%s held the reward from the refund on and took the reward back {2:a day|%d days} later"
	}
	return "%s took the reward back {2:a day|%d days} later"
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
func leaking(now *Cell, rest int64) ending {
	switch {
	case rest <= 0 && now.Out() == 0:
		return ending{format: "%s holds %s and takes it back when the statement closes", amount: now.Leakage}
	case rest <= 0:
		return ending{format: "%s has %s out for goods that went back, until the statement closes", amount: now.Leakage}
	case now.Redeemed >= rest:
		return ending{format: "%s paid %s for goods that went back and does not take it back", amount: rest}
	}
	return ending{format: "%s leaves %s standing for goods that went back and does not take it back", amount: rest}
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
