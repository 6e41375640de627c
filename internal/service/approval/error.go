package approval

import (
	"errors"
	"fmt"

	"recoup/reward"
)

// What may be wrong with a decision, or with a proposal as a whole.
var (
	// ErrUnknown: there is no proposal of that number.
	ErrUnknown = errors.New("there is no such proposal")
	// ErrAccountUnknown: a mistyped account must not come to be.
	ErrAccountUnknown = errors.New("there is no such account")
	// ErrSamePerson: it takes somebody else to approve what one proposed.
	ErrSamePerson = errors.New("who proposed an adjustment cannot approve it: it takes another person")
	// ErrDecided: somebody decided already; the proposal says who.
	ErrDecided = errors.New("the proposal was decided already")
	// ErrReused: the adjustment's id stands for another one.
	ErrReused = errors.New("an adjustment with that id is there already, and is another one")
	// ErrUnlogged: a row is in the lists, and the log does not have it so. Nothing comes of
	// it.
	ErrUnlogged = errors.New("the log does not say that anybody proposed this: nothing comes of it; recoup verify names what else is not as it was")
	// ErrNothingNew: the latest version of the program is the same, word for word.
	ErrNothingNew = errors.New("this is the latest version of the program already")
)

// InvalidError says what is wrong with a member of a proposal.
type InvalidError struct {
	Member  string // account, adjustment, amount, currency, reason, note, proposer, approver
	Problem string // what was expected, as fmt.Sprintf writes it
	Values  []any
}

// invalid returns an *InvalidError.
func invalid(member, problem string, values ...any) error {
	return &InvalidError{member, problem, values}
}

// Error renders the error as "member: problem".
func (e *InvalidError) Error() string { return e.Member + ": " + fmt.Sprintf(e.Problem, e.Values...) }

// FullError says that as many proposals wait as may: of one person, or of all.
type FullError struct {
	Proposer string // what they are called; "" where it is all that wait
	Waiting  int
}

// Error says how many wait, and what to do.
func (e *FullError) Error() string {
	whose := ""
	if e.Proposer != "" {
		whose = " by " + e.Proposer
	}
	return fmt.Sprintf("%d proposals%s wait for a decision, as many as may: have some approved or rejected first, or withdraw some", e.Waiting, whose)
}

// RefusedError says that the rules refused the adjustment, which was not posted.
// A proposal that was to be approved is closed if the log has it so.
type RefusedError struct{ Result reward.Result }

// Error says what the rules answered.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("the adjustment was not posted: %v %v", e.Result.Outcome, e.Result.Code)
}
