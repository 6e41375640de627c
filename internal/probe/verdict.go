package probe

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"recoup/internal/flaw"
	"recoup/internal/lab/gaps"
)

// class is what the money says: the class of the paper that the examination saw or that
// plain returns show by their age, V3(a) where only what was redeemed before stays, V2 where
// that was redeemed long before, and Other where anything else is left on what was returned.
// Without a clock no class can be told.
func (r *run) class() flaw.Class {
	if !r.stage.canWait() {
		return ""
	}
	examined := r.examinedClass()
	if b := r.result.Behaviour; b != nil && examined == b.Class {
		if b.Class != flaw.V3b && b.Class != flaw.Robust && b.Evidence.NetReward <= roundingLeaves {
			switch { // what is left is rounding
			case b.RewardTiming == "Instant" && b.Float > 0:
				examined = flaw.V3b // later than within a cycle, but the window is the same
			case b.RefundAdjustment != "Late":
				examined = flaw.Robust
			}
		}
	}
	plain := r.plainClass()
	if b := r.result.Behaviour; examined == flaw.Other && b.Float == 0 && plain == "" && len(ofAxis(r.cases, ByAge)) > 0 {
		examined = flaw.Robust // it is taken back later than was waited for, as the sweep saw, and could not be redeemed meanwhile
	}
	switch {
	case plain == flaw.V1 || plain == flaw.V2 || plain == flaw.V3a:
		return plain
	case plain == "" && (examined == flaw.V1 || examined == flaw.V2 || examined == flaw.V3b), examined == flaw.V3a:
		return examined
	case r.result.found(flaw.CodeOf(flaw.V3a)):
		return flaw.V3a
	case r.result.found(flaw.CodeOf(flaw.V2)):
		return flaw.V2
	case examined == flaw.Other, slices.ContainsFunc(r.result.Sweep.Finds, func(f Find) bool { return !f.Short }), r.result.rowLeaks(), r.result.searchLeaks():
		return flaw.Other
	case r.result.Window != nil:
		return flaw.V3b
	case examined == flaw.Robust, r.result.Sweep.Played > r.result.Sweep.Unplayed:
		return flaw.Robust
	}
	return ""
}

// roundingLeaves is what is no reward left but a fraction of a minor unit or two.
const roundingLeaves = 2

// found reports whether the sweep found a flaw.
func (r *Result) found(code flaw.Code) bool {
	return slices.ContainsFunc(r.Sweep.Finds, func(f Find) bool { return f.Flaw == code })
}

// guesses reports whether a row is about the placing of refunds that do not say what they
// are of: what is lost there is no flaw of the program's clawback.
func (g *Gap) guesses() bool { return strings.HasPrefix(g.Row, "M") }

// rowLeaks reports whether a scenario of a gap leaves reward on what was returned, also
// beside the account that never bought it, or lets redemptions make money.
func (r *Result) rowLeaks() bool {
	return slices.ContainsFunc(r.Own(), func(g Gap) bool {
		return !g.guesses() && slices.ContainsFunc(g.Cases, func(c GapCase) bool {
			return c.Outcome == Fail && c.ExplainedBy == "" && c.Defect == gaps.Leaks && (c.Beside || g.Row == string(flaw.G8))
		})
	})
}

// searchLeaks reports whether a search found something.
func (r *Result) searchLeaks() bool { return r.Search != nil && len(r.Search.Finds) > 0 }

// Found reports whether something is wrong with the target: it leaks, or takes from its
// customers what is theirs. Exposure (what a walk-away takes, G13, or a float, G10), cap
// room that the paper's clawback does not give back (G11) and guesses about refunds that
// name no purchase (M) are told and are no failure.
func (r *Result) Found() bool {
	return r.Class != "" && r.Class != flaw.Robust || r.Sweep != nil && len(r.Sweep.Finds) > 0 || r.rowLeaks() || r.searchLeaks()
}

// exposes reports whether a row's loss is no leak by itself: a walk-away's, which whoever
// stays repays, or one by guesses about refunds that name no purchase.
func exposes(row string) bool { return row == string(flaw.G13) || strings.HasPrefix(row, "M") }

// Kind says in words what a loss is.
func (l *Loss) Kind() string {
	switch {
	case !l.Exposure:
		return "leak"
	case l.Flaw == string(flaw.G13):
		return "exposure: owed by whoever never comes back"
	case strings.HasPrefix(l.Flaw, "M"):
		return "exposure: rests on the placing of refunds"
	}
	return "exposure"
}

// Leak is the worst of the losses, by which one account can take most in a year, exposure
// and guesses aside; nil if there is none.
func (r *Result) Leak() *Loss {
	i := slices.IndexFunc(r.Losses, func(l Loss) bool { return !l.Exposure })
	if i < 0 {
		return nil
	}
	return &r.Losses[i]
}

// Verdict says in one sentence what was found.
func (r *Result) Verdict() string {
	var parts []string
	switch r.Class {
	case "":
		parts = append(parts, "The class could not be told")
	case flaw.Robust:
		parts = append(parts, "Robust: none of the paper's classes")
	case flaw.Other:
		parts = append(parts, "Other: none of the paper's classes, and it leaks")
		if l := r.Leak(); l != nil {
			parts[0] = fmt.Sprintf("Other: leaks %s %s, %s", r.Money(l.Year), l.often(), l.Title)
		}
	default:
		title := ""
		if f, ok := flaw.Find(flaw.CodeOf(r.Class)); ok {
			title = f.Title
		}
		parts = append(parts, fmt.Sprintf("%s: %s", r.Class, title))
		if l := r.Leak(); l != nil {
			parts = append(parts, fmt.Sprintf("%s %s", r.Money(l.Year), l.often()))
		}
	}
	if s := r.Sweep; s != nil {
		leaks := 0
		for _, a := range s.Axes {
			leaks += a.Leaks
		}
		switch {
		case leaks == 0:
			parts = append(parts, fmt.Sprintf("not one of %d ways to return purchases pays", s.Played))
		default:
			parts = append(parts, fmt.Sprintf("%d of %d ways to return purchases pay", leaks, s.Played))
		}
	}
	if r.searchLeaks() {
		most := slices.MaxFunc(r.Search.Finds, func(a, b Counterexample) int { return cmp.Compare(a.Leak, b.Leak) })
		parts = append(parts, fmt.Sprintf("a search found a history that leaves %s", r.Money(most.Leak)))
	}
	if s := r.Sweep; s != nil && s.Idle > 0 {
		parts = append(parts, s.idleInWords())
	}
	if len(r.Gaps) > 0 {
		parts = append(parts, r.gapsInWords())
	}
	if r.ClockInDoubt {
		parts = append(parts, "its clock may be ignored: it does not say what it shows, and nothing that this run saw depends on the time")
	}
	return strings.Join(parts, "; ") + "."
}

// often says what a loss is counted by.
func (l *Loss) often() string {
	if l.Once {
		return "at least once an account"
	}
	return "an account and year"
}

func (r *Result) gapsInWords() string {
	failing, own := r.Failing(), len(r.Own())
	switch text := fmt.Sprintf("%d of %d gaps fail", len(failing), len(r.Gaps)); {
	case len(failing) == 0:
		return "no gap fails"
	case own == 0:
		return text + ", none of them for a reason of its own"
	case own < len(failing):
		return text + fmt.Sprintf(", %d of them for a reason of their own", own)
	default:
		return text
	}
}
