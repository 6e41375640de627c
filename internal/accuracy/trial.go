package accuracy

import (
	"slices"

	"recoup/internal/flaw"
	"recoup/internal/lab/design"
)

// Tool is what is measured.
type Tool string

// The tools.
const (
	Audit Tool = "audit"
	Probe Tool = "probe"
)

// Answer is what a tool says of one flaw.
type Answer string

// The answers. What a tool does not speak of is CannotTell.
const (
	Yes Answer = "found"
	// Sometimes: the auditor's "occasional".
	Sometimes  Answer = "occasional"
	No         Answer = "not found"
	CannotTell Answer = "not enough to tell"
)

// Trial is what one tool said of one design in one setting.
type Trial struct {
	Tool    Tool
	Design  string
	Seed    uint64
	Setting string // in words
	Truth   design.Truth
	Class   flaw.Class // empty: not enough to tell
	answers map[flaw.Code]seen
	open    []flaw.Code // flaws that count for neither side
	failure string      // why nothing was said, if nothing was
}

// seen is an answer with what it rests on, in words.
type seen struct {
	answer Answer
	by     string
}

// newTrial is a trial without answers. The design is one that the lab has.
func newTrial(tool Tool, d design.Design, s *Setting) *Trial {
	t := &Trial{Tool: tool, Design: d.Name, Seed: s.Seed, Setting: s.words(tool), answers: make(map[flaw.Code]seen)}
	t.expect(s)
	return t
}

func (t *Trial) answer(code flaw.Code, a Answer, by string) { t.answers[code] = seen{a, by} }

// of is what was said of a flaw.
func (t *Trial) of(code flaw.Code) seen {
	if s, ok := t.answers[code]; ok {
		return s
	}
	return seen{answer: CannotTell}
}

// has tells whether the design has a flaw that the tool can see.
func (t *Trial) has(code flaw.Code) bool {
	return code == flaw.CodeOf(t.Truth.Class) || slices.Contains(t.Truth.Flaws, code)
}
