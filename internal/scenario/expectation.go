package scenario

import (
	"fmt"
	"slices"
	"strings"

	"recoup/program"
)

// Recoup is the design that expectations without a name speak of.
const Recoup = "Recoup"

// Quantity is something that can be read off an account, in minor units.
type Quantity uint8

// The quantities.
const (
	Balance Quantity = iota + 1
	Redeemable
	Redeemed
	NetReward
	Entitlement
	Leak
)

var quantityNames = [...]string{
	Balance: "balance", Redeemable: "redeemable", Redeemed: "redeemed",
	NetReward: "net_reward", Entitlement: "entitlement", Leak: "leak",
}

// String returns the quantity's name in files.
func (q Quantity) String() string { return nameOf(quantityNames[:], int(q)) }

// Answer is what an issuer says to a request that it may refuse.
type Answer uint8

// The answers. Accepted and Denied answer a redemption, Closed and Refused the
// wish to close the account.
const (
	NoAnswer Answer = iota
	Accepted
	Denied
	Closed
	Refused
)

var answerNames = [...]string{NoAnswer: "", Accepted: "accepted", Denied: "denied", Closed: "closed", Refused: "refused"}

// String returns the answer's name in files, "" for NoAnswer.
func (a Answer) String() string { return nameOf(answerNames[:], int(a)) }

// answers says whether the move can be answered so.
func (a Answer) answers(k Kind) bool {
	switch a {
	case Accepted, Denied:
		return k == Redeem
	case Closed, Refused:
		return k == CloseAccount
	}
	return false
}

// nameOf indexes a table of names; values outside it have no name.
func nameOf(names []string, i int) string {
	if i < 0 || i >= len(names) {
		return "unknown"
	}
	return names[i]
}

// Expectation is one thing that must hold at one design after a step: an
// answer, a review, or else the amount of a quantity.
type Expectation struct {
	Line   int // in the file, from one
	Design string
	Answer Answer
	// Review names a refund, chargeback or purchase that must be on the list of
	// what somebody has to look into.
	Review string
	// Bonus names a bonus, whose amount is what it has paid in all periods.
	Bonus    string
	Quantity Quantity
	Amount   int64 // minor units
}

// what names what has the amount, as files do.
func (e *Expectation) what() string {
	if e.Bonus != "" {
		return "bonus " + e.Bonus
	}
	return e.Quantity.String()
}

// Mismatch is an expectation that did not come true.
type Mismatch struct {
	Scenario *Scenario
	Expectation
	// GotAmount is what the quantity was, in minor units; GotAnswer what the
	// issuer said, NoAnswer where it could not be asked.
	GotAmount int64
	GotAnswer Answer
	// GotReviews is what was on the list.
	GotReviews []string
}

// String names file and line, what was expected and what came.
func (m Mismatch) String() string {
	want, got := m.Answer.String(), m.GotAnswer.String()
	switch {
	case m.Review != "":
		want, got = m.Review+" under review", "nothing"
		if len(m.GotReviews) > 0 {
			got = strings.Join(m.GotReviews, ", ")
		}
	case m.Answer == NoAnswer:
		unit := m.Scenario.Program.Units().Reward
		want = m.what() + " " + program.Format(m.Amount, unit)
		got = program.Format(m.GotAmount, unit)
	case m.GotAnswer == NoAnswer:
		got = "no answer: there is no such path"
	}
	return fmt.Sprintf("%s:%d: at %s: expected %s, got %s", m.Scenario.File, m.Line, m.Design, want, got)
}

// Check compares a transcript with what its scenario expects of the design, in
// the order of the file. A design that the scenario does not mention has nothing
// to fail.
func Check(t *Transcript, design string) []Mismatch {
	var found []Mismatch
	for i := range t.Lines {
		line := &t.Lines[i]
		for _, e := range line.Step.Expect {
			if e.Design != design {
				continue
			}
			got := Mismatch{Scenario: t.Scenario, Expectation: e, GotAnswer: line.Answer, GotReviews: line.Reviews}
			holds := e.Answer == line.Answer
			switch {
			case e.Review != "":
				holds = slices.Contains(line.Reviews, e.Review)
			case e.Bonus != "":
				got.GotAmount = line.Bonuses[e.Bonus]
				holds = got.GotAmount == e.Amount
			case e.Answer == NoAnswer:
				got.GotAmount = line.Amount(e.Quantity)
				holds = got.GotAmount == e.Amount
			}
			if !holds {
				found = append(found, got)
			}
		}
	}
	return found
}
