package console

import (
	"cmp"
	"slices"

	"recoup/reward"
)

// statementLines are what one statement is made of.
type statementLines struct {
	Cycle reward.Cycle
	Lines []statementLine
}

// statementLine adds up the postings of a rule, of a bonus, or of what is neither.
type statementLine struct {
	What           string // such as "rule" or "expired"
	ID             string // of the rule or bonus
	Granted, Taken int64  // by what was bought and kept; Taken is without sign
	Other          int64  // paid out, expired or adjusted, with its sign
}

// lineKinds are what lines are of, in the order in which they stand.
var lineKinds = []string{"rule", "bonus", "redeemed", "expired", "adjusted by hand"}

// linesOf makes the lines of those statements all of whose postings were read. What does
// not add up to the statement is none of it, so such a one is left out.
func linesOf(statements []statementRow, past *past) (list []statementLines) {
	by := make(map[reward.Cycle][]statementLine)
	for i := range past.entries {
		p := &past.entries[i].Posting
		by[p.Cycle] = addLine(by[p.Cycle], p, past.terms)
	}
	for i := range statements {
		s := &statements[i].Statement
		lines := by[s.Cycle]
		if sum := sumOf(lines); sum.Granted != s.Granted || sum.Taken != s.ClawedBack || sum.Other != s.Adjusted-s.Redeemed-s.Expired {
			return list // it and those before it
		}
		slices.SortFunc(lines, func(a, b statementLine) int {
			return cmp.Or(cmp.Compare(slices.Index(lineKinds, a.What), slices.Index(lineKinds, b.What)), cmp.Compare(a.ID, b.ID))
		})
		list = append(list, statementLines{s.Cycle, lines})
	}
	return list
}

func addLine(lines []statementLine, p *reward.Posting, terms *reward.Program) []statementLine {
	line := statementLine{Other: p.Amount}
	switch p.Kind {
	case reward.RedemptionPaid, reward.RedemptionReturned:
		line.What = "redeemed"
	case reward.Expiry, reward.ExpiryRestored:
		line.What = "expired"
	case reward.Adjustment:
		line.What = "adjusted by hand"
	default:
		line = statementLine{What: "rule", ID: p.Rule, Granted: max(0, p.Amount), Taken: max(0, -p.Amount)}
		if p.Transaction == "" && isBonus(terms, p.Rule) {
			line.What = "bonus"
		}
	}
	i := slices.IndexFunc(lines, func(l statementLine) bool { return l.What == line.What && l.ID == line.ID })
	if i < 0 {
		return append(lines, line)
	}
	lines[i].Granted += line.Granted
	lines[i].Taken += line.Taken
	lines[i].Other += line.Other
	return lines
}

// isBonus reports whether an id is a bonus's: of no purchase are rules with whole steps as
// well. A version may have had it that is not in force any more.
func isBonus(terms *reward.Program, id string) bool {
	for ; terms != nil; terms = terms.Earlier {
		if slices.ContainsFunc(terms.Bonuses, func(b reward.Bonus) bool { return b.ID == id }) {
			return true
		}
	}
	return false
}

func sumOf(lines []statementLine) (sum statementLine) {
	for _, l := range lines {
		sum.Granted += l.Granted
		sum.Taken += l.Taken
		sum.Other += l.Other
	}
	return sum
}
