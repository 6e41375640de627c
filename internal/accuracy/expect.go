package accuracy

import (
	"slices"
	"strings"

	"recoup/internal/flaw"
	"recoup/internal/lab/design"
	"recoup/internal/probe"
	"recoup/reward"
)

// Designs are those that are tried: all that the lab has.
func Designs() []design.Design {
	list := design.All()
	for _, v := range design.Variants() {
		list = append(list, v.Design)
	}
	return list
}

// Truth is the class and the flaws of a design in a setting's exports. It is the lab's,
// but that who ignores refunds which name no purchase, where none names any, never
// takes a reward back: V1.
func (s *Setting) Truth(subject string) design.Truth {
	truth, _ := design.TruthOf(subject, s.Program)
	if s.ignoresAll(truth) {
		truth.Class = flaw.V1
	}
	return truth
}

// leastAbove is in how many accounts a gap has to show to be one.
const leastAbove = 3

func (s *Setting) ignoresAll(t design.Truth) bool {
	return !s.Export.RefundLinks && slices.Contains(t.Flaws, flaw.UnlinkedIgnored)
}

// Truth is the class and the flaws of the export's design, as its files show them. A
// design that is robust by the paper's classes may leak besides: it has a gap through
// which refunds take nothing. Where of what refunds put at stake more stayed out, as the lab
// counts, than rounding and mistakes leave, the program in the files is in none of the
// classes: three in ten thousand or, where refunds name no purchase, two in a thousand of
// several accounts. There every bank of the lab has such a gap: a refund of more than is
// left of any one purchase is of none to it.
func (x *Exported) Truth(s *Setting) design.Truth {
	truth, f := s.Truth(x.Figures.Design), &x.Figures
	least, accounts := int64(3), int64(1)
	if !s.Export.RefundLinks {
		least, accounts = 20, leastAbove
	}
	if truth.Class == flaw.Robust && x.Leaks(s) && f.AccountsAbove >= accounts && 10_000*f.Leakage >= least*(f.ClawedBack+f.Leakage) {
		truth.Class = flaw.Other
	}
	return truth
}

// Leaks reports whether something stayed out, however little, through a gap that the
// export's design has.
func (x *Exported) Leaks(s *Setting) bool {
	gap := !s.Export.RefundLinks || x.Figures.Design == "Chargebacks ignored" ||
		slices.ContainsFunc(s.Truth(x.Figures.Design).Flaws, func(c flaw.Code) bool {
			return slices.Contains([]flaw.Code{flaw.G2, flaw.G3, flaw.G4, flaw.UnlinkedIgnored}, c)
		})
	return gap && x.Figures.Leakage > 0
}

// expect fills in the truth, as far as the tool can see it.
func (t *Trial) expect(s *Setting) {
	p := s.Program
	switch t.Tool {
	case Audit:
		t.Truth = s.Truth(t.Design)
		t.Truth.Flaws = slices.DeleteFunc(slices.Clone(t.Truth.Flaws), func(c flaw.Code) bool { return !inExports(c, p) })
		if t.open = openInExports(t.Design, p); s.ignoresAll(t.Truth) {
			t.open = append(t.open, t.Truth.Flaws...) // what V1 leaves to be seen of them
		}
	case Probe:
		truth, _ := design.TruthOf(t.Design, p)
		t.Truth = probe.Visible(t.Design, truth)
		t.Truth.Flaws = slices.DeleteFunc(t.Truth.Flaws, func(c flaw.Code) bool { return c == flaw.G11 && !capped(p) })
	}
}

// inExports tells whether exports under a program can show a flaw that a design has.
// A state (G7) is in no file, and customers of the lab redeem what they are shown and
// nothing else, so that G8 has no occasion. Cap room has to be promised again after a
// refund (clawback_method rerate) to be lost.
func inExports(code flaw.Code, p *reward.Program) bool {
	switch code {
	case flaw.G7, flaw.G8:
		return false
	case flaw.G11:
		return capped(p) && p.Method == reward.Rerate
	}
	return true
}

// openInExports are the flaws of which exports may be read either way.
//
// Of the current rate, a clawback of too much is the same clawback as the one at the
// wrong rate. Who returns goods later than the maturity leaves a debt all the same, and
// where debts are forgotten nobody leaves any. Where rewards come at the close, the
// lab's customers have redeemed all of them by the time that a clawback waits, so that
// the window (G10) is there and hardly anybody climbs through it.
func openInExports(design string, p *reward.Program) (open []flaw.Code) {
	switch design {
	case "Current rate":
		open = append(open, flaw.OverClawed)
	case "V3(a)", "Debt written off":
		open = append(open, flaw.G13)
	case "D", "E", "Literal (statement)":
		open = append(open, flaw.G10)
	}
	if design == "Recoup (mature)" || strings.HasPrefix(design, "Recoup") && p.MaturityDays > 0 {
		open = append(open, flaw.G13)
	}
	return open
}

func capped(p *reward.Program) bool {
	return slices.ContainsFunc(p.Rules, func(r reward.Rule) bool { return r.Cap != reward.NoCap })
}
