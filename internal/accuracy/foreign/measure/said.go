package measure

import (
	"errors"
	"fmt"

	"recoup/internal/flaw"
)

// Tool is what is measured.
type Tool string

// The tools.
const (
	Audit Tool = "audit"
	Probe Tool = "probe"
)

// Said is what a tool said of a design.
type Said struct {
	Tool Tool `json:"tool"`
	// Given: the terms were given, and did not have to be found out.
	Given bool       `json:"given"`
	Class flaw.Class `json:"class"` // empty: not told
	// Leak is the money that the tool says: the auditor's leakage of all accounts, of which
	// InQuestion is what rests on a guess or on terms that do not fit; the prober's largest leak in one round, and
	// Exposed the largest of what is owed or guessed.
	Leak       int64    `json:"leak"`
	InQuestion int64    `json:"in_question,omitzero"`
	Exposed    int64    `json:"exposed,omitzero"`
	Exit       int      `json:"exit_code"`
	Words      string   `json:"words"` // the verdict, or why there is none
	Findings   []string `json:"findings,omitempty"`
	Figures    *Figures `json:"figures,omitzero"`
}

// panicked is a defect in a tool.
type panicked struct{ what any }

func (p panicked) Error() string { return fmt.Sprintf("panic: %v", p.what) }

// guarded turns a tool's panic into an error: one design that a tool cannot bear is a row
// of the table and not the end of it.
func guarded(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicked{p}
		}
	}()
	return do()
}

// exitOf is the exit code that the command would end with.
func exitOf(err error) int {
	if errors.As(err, new(panicked)) {
		return 3
	}
	return 2
}

// Right says whether a tool told the class that a design has. The auditor's exit code has
// to say the same; the prober's says that any gap was found, and a sound design may have
// one, such as that whoever leaves owes something.
func (s *Said) Right(class string) bool {
	return string(s.Class) == class && (s.Tool == Probe || (s.Exit == 0) == (s.Class == flaw.Robust))
}
