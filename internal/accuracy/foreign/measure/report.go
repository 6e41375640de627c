package measure

import (
	"recoup/internal/accuracy/foreign/people"
	"recoup/internal/flaw"
)

// Row is one design: what it is, what it really leaks, and what the tools said.
type Row struct {
	Design   string `json:"design"`
	Class    string `json:"class"` // as its writer declared it
	Currency string `json:"currency"`
	Truth    Truth  `json:"truth"`
	// Terms is nil where nobody has written the design's terms as a program.
	Terms *Terms `json:"terms,omitzero"`
	// Refused counts facts that the engine did not take, FirstRefused is one.
	Refused      int    `json:"refused"`
	FirstRefused string `json:"first_refused,omitempty"`
	Said         []Said `json:"said"`
}

// Agrees says whether the writer's class and the money say the same. At a sound design
// nobody gains by returning what is named, and who returns what is not has the luck of a
// guess, which costs customers no less than it gains them. At a flawed one somebody gains,
// by what is kept or by what is paid out before it is taken back.
func (r *Row) Agrees() bool {
	t := &r.Truth
	if r.Class == string(flaw.Robust) {
		return t.NamedAccounts == 0 && t.AheadAccounts == 0 && (t.Accounts == 0 || t.Leak <= t.Short)
	}
	return t.Accounts > 0 || t.Named > 0 || t.AheadAccounts > 0
}

// by is what a tool said, nil if it was not asked.
func (r *Row) by(tool Tool, given bool) *Said {
	for i := range r.Said {
		if s := &r.Said[i]; s.Tool == tool && s.Given == given {
			return s
		}
	}
	return nil
}

// Report is what was measured.
type Report struct {
	People    people.Options `json:"people"`
	Accounts  int            `json:"accounts"`
	Purchases int            `json:"purchases"`
	Returns   int            `json:"returns"`
	Tools     []Tool         `json:"tools"`
	Rows      []Row          `json:"rows"`
}

func (r *Report) count(h *people.History) {
	r.Accounts = len(h.Accounts)
	for i := range h.Moves {
		switch m := &h.Moves[i]; {
		case m.Kind == people.Buy && !m.Again:
			r.Purchases++
		case m.TakesBack():
			r.Returns++
		}
	}
}

// Count is how often a tool was right.
type Count struct {
	Designs, Right int
	// Agreed are the designs of which the writer's class and the money say the same, and
	// AgreedRight those of them that the tool was right about.
	Agreed, AgreedRight int
	// Untold is how often it told no class; Accused counts sound designs that were given
	// one, or an exit code that says so, and AccusedAgreed those of them that are sound by
	// the money, too; Cleared flawed ones that were called robust, and Silent those that
	// ended with exit code 0, as if nothing were wrong.
	Untold, Accused, AccusedAgreed, Cleared, Silent int
	// Exact counts designs whose terms can be stated and whose every account with links
	// has the figure that it really has, Stated all of them.
	Exact, Stated int
}

// Count counts the answers of a tool.
func (r *Report) Count(tool Tool, given bool) (c Count) {
	for i := range r.Rows {
		row := &r.Rows[i]
		s := row.by(tool, given)
		if s == nil {
			continue
		}
		c.Designs++
		if row.Agrees() {
			c.Agreed++
			if s.Right(row.Class) {
				c.AgreedRight++
			}
		}
		sound := row.Class == string(flaw.Robust)
		switch {
		case s.Right(row.Class):
			c.Right++
		case s.Class == "":
			c.Untold++
		case sound:
			c.Accused++
			if row.Agrees() {
				c.AccusedAgreed++
			}
		case s.Class == flaw.Robust:
			c.Cleared++
		}
		if !sound && s.Exit == 0 {
			c.Silent++
		}
		if f := s.Figures; f != nil && row.Terms != nil && row.Terms.Exact() {
			c.Stated++
			if f.Exact == f.Named {
				c.Exact++
			}
		}
	}
	return c
}
