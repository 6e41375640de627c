package truth

import (
	"embed"
	"fmt"
	"time"

	"recoup/program"
	"recoup/reward"
)

// Setting is a program with the timing that it runs under.
type Setting struct {
	Program string
	Timing  reward.Timing
	terms   *reward.Program
}

// Methods are the ways to claw back that are compared.
var Methods = []reward.ClawbackMethod{reward.Proportional, reward.Rerate}

// methodName is a method's in program files.
func methodName(m reward.ClawbackMethod) string {
	if m == reward.Rerate {
		return "rerate"
	}
	return "proportional"
}

// Words say when the setting grants and claws back.
func (s *Setting) Words() string {
	grant, clawback := "settlement", "refund"
	if s.Timing.Grant == reward.GrantAtStatement {
		grant = "statement"
	}
	if s.Timing.Clawback == reward.ClawbackAtStatement {
		clawback = "statement"
	}
	return fmt.Sprintf("grant at %s, clawback at %s", grant, clawback)
}

// Under returns the setting's program under a method, all of its versions.
func (s *Setting) Under(m reward.ClawbackMethod) *reward.Program {
	return retimed(s.terms, s.Timing, m)
}

func retimed(p *reward.Program, t reward.Timing, m reward.ClawbackMethod) *reward.Program {
	if p == nil {
		return nil
	}
	q := *p
	q.Timing, q.Method, q.Earlier = t, m, retimed(p.Earlier, t, m)
	return &q
}

// Settings are those that accounts are dealt to in turn: three programs, each granting
// and clawing back at once or at statements.
func Settings() (list []Setting) {
	for _, p := range []*reward.Program{program.Everyday(), embedded("several"), rotating()} {
		for _, grant := range []reward.GrantTiming{reward.GrantAtSettlement, reward.GrantAtStatement} {
			for _, clawback := range []reward.ClawbackTiming{reward.ClawbackAtRefund, reward.ClawbackAtStatement} {
				list = append(list, Setting{p.ID, reward.Timing{Grant: grant, Clawback: clawback}, p})
			}
		}
	}
	return list
}

//go:embed programs/*.yaml
var programFiles embed.FS

func embedded(name string) *reward.Program {
	file := "programs/" + name + ".yaml"
	text, err := programFiles.ReadFile(file)
	if err != nil {
		panic(err)
	}
	p, err := program.Parse(file, text)
	if err != nil {
		panic(err)
	}
	return p
}

// rotating is the program whose bonus category changes with the second month of the
// histories, and back with the third.
func rotating() *reward.Program {
	first := embedded("rotating")
	second, third := *embedded("rotating-2"), *first
	second.Version, second.From, second.Earlier = 2, monthOf(start)+1, first
	third.Version, third.From, third.Earlier = 3, monthOf(start)+2, &second
	return &third
}

// start is when the histories begin, days how long purchases go on, and window how
// long after a purchase networks deliver its refund at the latest, well within the
// programs' refunds.window_days.
var start = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

const (
	day    = 24 * time.Hour
	days   = 110
	window = 380 * day
)
