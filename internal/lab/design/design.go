// Package design keeps reward programs of many designs behind one port, so that
// the same course of events can be played against each: the issuers A to F that
// the paper met, the flaw V3(a) that it describes, its own algorithms taken
// literally (section 6), and Recoup. The issuers are those of section 5, one file a
// case.
//
// Where the paper says nothing of a design, the design gets the benefit of the
// doubt: what the lab finds in it is then the flaw that the paper found, and not
// one that the lab put there.
package design

import (
	"recoup/internal/issuer"
	"recoup/reward"
)

// Design is one way to run a reward program.
type Design struct {
	// Name is short and unique, as scenario files and tables write it.
	Name string
	// Title says in a few words what the design does.
	Title string
	// Source is where the design comes from.
	Source string
	// New opens an issuer of this design that has no accounts yet. Of the program
	// it takes what is published to cardholders: currency, rules with their rates
	// and caps, categories. When to grant and how to claw back is the design's own.
	// An issuer is not safe for concurrent use. One whose design cannot say the program's
	// terms opens no account: the error is issuer.ErrUnsupported.
	New func(*reward.Program) issuer.Issuer
}

// Cloner is an issuer that can be copied, accounts, clock and all. The copy and
// the original do not affect each other from then on.
type Cloner interface {
	Clone() issuer.Issuer
}

// Others returns other people's designs in the order of the paper.
func Others() []Design {
	return []Design{
		modelled("A", "instant rewards, never adjusted", "Case I, section 5.1", refundInsensitive{}),
		modelled("B", "rewards at statement close, redeemed at once; later refunds ignored", "Case II, section 5.2", cycleScoped{}),
		modelled("C", "instant rewards, immediate clawback, indefinite negative balance", "Case III-A, section 5.3.1", instantClawback{}),
		modelled("D", "rewards and clawback at statement close, indefinite negative balance", "Case III-A, section 5.3.1", statementClawback{}),
		modelled("E", "rewards and clawback at statement close, indefinite negative balance", "Case III-A, section 5.3.1", statementClawback{}),
		modelled("F", "instant rewards, clawback at statement close, indefinite negative balance", "Case III-B, section 5.3.2", batchedClawback{}),
		modelled("V3(a)", "instant rewards, immediate clawback, debts forgiven", "Taxonomy, section 4.3", flooredClawback{}),
		literal("Literal (instant)", "Algorithms 1 to 4 as printed, live handlers for settlements and refunds", EventDriven),
		literal("Literal (statement)", "Algorithms 1 to 4 as printed, no live handlers", BatchCycle),
		literal("Literal (hybrid)", "Algorithms 1 to 4 as printed, a live handler for settlements only", Hybrid),
	}
}

func modelled(name, title, source string, p policy) Design {
	return Design{
		Name: name, Title: title, Source: source,
		New: plainly(func(program *reward.Program) issuer.Issuer { return newBank(program, p) }),
	}
}

// literal takes the grace period and the minimum balance from the program too:
// they are parameters of the paper's algorithms 3 and 4.
func literal(name, title string, architecture Architecture) Design {
	return Design{
		Name: name, Title: title, Source: "Algorithms 1 to 4, section 6",
		New: plainly(func(program *reward.Program) issuer.Issuer {
			return NewLiteral(program, LiteralOptions{
				Architecture:   architecture,
				GraceDays:      program.Redemption.GraceDays,
				MinimumBalance: program.Redemption.MinimumBalance,
			})
		}),
	}
}
