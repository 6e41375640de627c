package design

import (
	"fmt"
	"strings"
	"unicode"

	"recoup/internal/issuer"
	"recoup/reward"
)

// All returns other people's designs and then the configurations of
// Recoup. "Recoup" is the program exactly as it is given; the others are what
// their names say whatever the program says of timing, method and maturity.
func All() []Design {
	atOnce := reward.Timing{Grant: reward.GrantAtSettlement, Clawback: reward.ClawbackAtRefund}
	atStatement := reward.Timing{Grant: reward.GrantAtStatement, Clawback: reward.ClawbackAtStatement}
	return append(Others(),
		configured("Recoup (instant)", "rewards at settlement, proportional clawback at the refund", atOnce, reward.Proportional, 0),
		configured("Recoup (statement)", "rewards and proportional clawback at statement close", atStatement, reward.Proportional, 0),
		configured("Recoup (rerate)", "rewards at settlement, each month rerated at the refund", atOnce, reward.Rerate, 0),
		configured("Recoup (mature)", "as instant, and rewards cannot be redeemed for 30 days", atOnce, reward.Proportional, 30),
		Design{Name: RecoupName, Title: "the program as it is given", Source: RecoupName, New: NewRecoup},
	)
}

func configured(name, title string, timing reward.Timing, method reward.ClawbackMethod, maturityDays int) Design {
	return Design{
		Name: name, Title: title, Source: RecoupName,
		New: func(program *reward.Program) issuer.Issuer {
			i := NewRecoup(inEveryVersion(program, func(p *reward.Program) {
				p.Timing, p.Method, p.MaturityDays = timing, method, maturityDays
			}))
			if method == reward.Proportional && program.Method == reward.Rerate && !IsPlain(program) {
				return unsaid{i} // a share of the original reward is not what such terms promise
			}
			return i
		},
	}
}

// inEveryVersion returns a copy of a program with something changed in each of its
// versions.
func inEveryVersion(p *reward.Program, change func(*reward.Program)) *reward.Program {
	c := *p
	change(&c)
	if c.Earlier != nil {
		c.Earlier = inEveryVersion(c.Earlier, change)
	}
	return &c
}

// RecoupName is what Recoup is called among designs; its configurations add
// theirs in parentheses.
const RecoupName = "Recoup"

// IsRecoup reports whether a design of that name is Recoup, in whatever configuration.
func IsRecoup(design string) bool {
	rest, ours := strings.CutPrefix(design, RecoupName)
	return ours && (rest == "" || strings.HasPrefix(rest, " ("))
}

// Find returns the one of All, Variants and Vendors with that name. Case,
// spaces and punctuation do not matter: "v3a" is V3(a), "recoup-mature" Recoup
// (mature).
func Find(name string) (Design, error) {
	designs := All()
	for _, v := range append(Variants(), Vendors()...) {
		designs = append(designs, v.Design)
	}
	names := make([]string, len(designs))
	for i, d := range designs {
		if essence(d.Name) == essence(name) {
			return d, nil
		}
		names[i] = d.Name
	}
	return Design{}, fmt.Errorf("design %q: expected one of %s", name, strings.Join(names, ", "))
}

// essence keeps of a name its letters and digits, in lower case.
func essence(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}
