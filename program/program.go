// Package program reads program files: the published terms of a reward program
// as YAML (and JSON, which is YAML), strictly. Every error names the file, the
// line and the member. The format is described in everyday.yaml, by example.
//
// The package also knows what those terms are written in: the currencies of ISO
// 4217 with their minor units, amounts as people write them, and which merchant
// category codes make up a category.
package program

import (
	_ "embed"
	"fmt"
	"io"
	"os"
	"slices"

	"recoup/internal/kit/yamltree"
	"recoup/reward"
)

// Limits on what a program may say.
const (
	MaxSize      = yamltree.MaxSize // bytes of the file: 1 MiB
	MaxText      = yamltree.MaxText // bytes of an id, a category or a merchant
	MaxList      = yamltree.MaxList // values of a list, as many as there are codes
	MaxRules     = 1000             // of a layer, and bonuses of a program
	MaxLayers    = 16
	MaxSteps     = 100
	MaxTimes     = 1_000_000_000 // that a bonus is paid, and purchases that count
	MaxDays      = 3660          // of every period, ten years
	MaxMovable   = 1000          // unlinked refunds that may move at a time
	MaxGraceDays = 27            // a hold has to end within the shortest month
)

// Error says what is wrong in a program file and where. Parse and Load return
// no other kind, except where the file cannot be read at all.
type Error = yamltree.Error

var form = yamltree.Form{Name: "program"}

// Load reads the program file at path. See Parse.
func Load(path string) (*reward.Program, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading the program: %w", err)
	}
	defer file.Close()
	// One byte beyond the limit tells Parse that there is more.
	data, err := io.ReadAll(io.LimitReader(file, MaxSize+1))
	if err != nil {
		return nil, fmt.Errorf("reading the program: %w", err)
	}
	return Parse(path, data)
}

// Parse reads a program file; name is what errors call it. What the file leaves
// out has the value it has in everyday.yaml; id, currency and rules must be
// there. An error is an *Error.
func Parse(name string, data []byte) (*reward.Program, error) {
	root, err := form.Parse(name, data)
	if err != nil {
		return nil, err
	}
	p := &reward.Program{
		Version:    1,
		Timing:     reward.Timing{Grant: reward.GrantAtSettlement, Clawback: reward.ClawbackAtRefund},
		Method:     reward.Proportional,
		Refunds:    reward.RefundTerms{PendingDays: 30, MatchDays: 10, ParkDays: 30, WindowDays: 400, FirmDays: 180, Movable: 32},
		Categories: builtIn.of,
	}
	d := newDraft(p)
	err = root.Mapping(
		yamltree.Required("id", "the program's id", yamltree.Text(&p.ID, "text")),
		yamltree.Required("currency", "an ISO 4217 code such as USD", readCurrency(&p.Currency)),
		yamltree.Optional("timing", readTiming(&p.Timing)),
		yamltree.Optional("clawback_method", yamltree.Choice(&p.Method,
			yamltree.Word("proportional", reward.Proportional),
			yamltree.Word("rerate", reward.Rerate))),
		yamltree.Optional("zone", d.readZone),
		yamltree.Optional("cycle", d.readCycle),
		yamltree.Optional("reward", d.readUnit),
		yamltree.Optional("maturity_days", days(&p.MaturityDays)),
		yamltree.Optional("expires", d.readExpiry),
		yamltree.Optional("refunds", readRefunds(&p.Refunds)),
		yamltree.Optional("redemption", readRedemption(&p.Redemption)),
		yamltree.Optional("categories", readCategories(&p.Categories)),
		yamltree.Optional("rules", d.readRules),
		yamltree.Optional("layers", d.readLayers),
		yamltree.Optional("bonuses", d.readBonuses),
		yamltree.Optional("tiers", d.readTiers),
	)
	if err == nil {
		err = d.finish(root)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

//go:embed everyday.yaml
var everyday []byte

// Everyday returns the example program: 5 % on groceries up to $50 a month, 1 %
// on everything else.
func Everyday() *reward.Program {
	p, err := Parse("everyday.yaml", everyday)
	if err != nil {
		panic(err) // the file is part of the binary and tested with it
	}
	return p
}

// EverydayDocument returns the file that Everyday is read from.
func EverydayDocument() []byte { return slices.Clone(everyday) }

func days(dst *int) yamltree.Reader { return yamltree.Whole(dst, "days", MaxDays) }

// minorUnits reads an amount of the program's currency.
func minorUnits(dst *int64) yamltree.Reader {
	return yamltree.Whole(dst, "minor units", reward.MaxAmount)
}

func readCurrency(dst *string) yamltree.Reader {
	return func(n yamltree.Node) error {
		const want = "an ISO 4217 code in use, such as USD"
		code, err := n.Scalar(want)
		if err != nil {
			return err
		}
		if _, known := MinorUnits(code); !known {
			return n.Expected(want)
		}
		*dst = code
		return nil
	}
}

func readTiming(t *reward.Timing) yamltree.Reader {
	return func(n yamltree.Node) error {
		return n.Mapping(
			yamltree.Optional("grant", yamltree.Choice(&t.Grant,
				yamltree.Word("settlement", reward.GrantAtSettlement),
				yamltree.Word("statement", reward.GrantAtStatement))),
			yamltree.Optional("clawback", yamltree.Choice(&t.Clawback,
				yamltree.Word("refund", reward.ClawbackAtRefund),
				yamltree.Word("statement", reward.ClawbackAtStatement))),
		)
	}
}

func readRefunds(r *reward.RefundTerms) yamltree.Reader {
	return func(n yamltree.Node) error {
		return n.Mapping(
			yamltree.Optional("pending_days", days(&r.PendingDays)),
			yamltree.Optional("match_days", days(&r.MatchDays)),
			yamltree.Optional("park_days", days(&r.ParkDays)),
			yamltree.Optional("window_days", days(&r.WindowDays)),
			yamltree.Optional("firm_days", days(&r.FirmDays)),
			yamltree.Optional("movable", yamltree.Between(&r.Movable, "refunds", 1, MaxMovable)),
		)
	}
}

func readRedemption(r *reward.RedemptionTerms) yamltree.Reader {
	return func(n yamltree.Node) error {
		return n.Mapping(
			yamltree.Optional("minimum_balance", minorUnits(&r.MinimumBalance)),
			yamltree.Optional("grace_days", yamltree.Whole(&r.GraceDays, "days", MaxGraceDays)),
			yamltree.Optional("after_closing", yamltree.Either(&r.AfterClosing, "false", "true")),
		)
	}
}
