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

	"go.yaml.in/yaml/v3"

	"recoup/reward"
)

// Limits on what a program may say.
const (
	MaxRules     = 1000
	MaxDays      = 3660 // of every period, ten years
	MaxGraceDays = 27   // a hold has to end within the shortest month
)

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
	root, err := document(name, data)
	if err != nil {
		return nil, err
	}
	p := &reward.Program{
		Version:    1,
		Timing:     reward.Timing{Grant: reward.GrantAtSettlement, Clawback: reward.ClawbackAtRefund},
		Method:     reward.Proportional,
		Refunds:    reward.RefundTerms{PendingDays: 30, MatchDays: 10, ParkDays: 30, WindowDays: 400, FirmDays: 180},
		Categories: builtIn.of,
	}
	err = root.mapping(
		required("id", "the program's id", text(&p.ID)),
		required("currency", "an ISO 4217 code such as USD", readCurrency(&p.Currency)),
		optional("timing", readTiming(&p.Timing)),
		optional("clawback_method", choice(&p.Method,
			option[reward.ClawbackMethod]{"proportional", reward.Proportional},
			option[reward.ClawbackMethod]{"rerate", reward.Rerate})),
		optional("cycle", only("calendar_month", "the only cycle supported so far")),
		optional("maturity_days", days(&p.MaturityDays)),
		optional("refunds", readRefunds(&p.Refunds)),
		optional("redemption", readRedemption(&p.Redemption)),
		optional("categories", readCategories(&p.Categories)),
		required("rules", "the list of rules", readRules(&p.Rules)),
	)
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

func days(dst *int) func(node) error { return whole(dst, "days", MaxDays) }

// minorUnits reads an amount of the program's currency.
func minorUnits(dst *int64) func(node) error { return whole(dst, "minor units", reward.MaxAmount) }

func readCurrency(dst *string) func(node) error {
	return func(n node) error {
		const want = "an ISO 4217 code in use, such as USD"
		if err := n.require(yaml.ScalarNode, want); err != nil {
			return err
		}
		if _, known := MinorUnits(n.yaml.Value); !known {
			return n.expected(want)
		}
		*dst = n.yaml.Value
		return nil
	}
}

func readTiming(t *reward.Timing) func(node) error {
	return func(n node) error {
		return n.mapping(
			optional("grant", choice(&t.Grant,
				option[reward.GrantTiming]{"settlement", reward.GrantAtSettlement},
				option[reward.GrantTiming]{"statement", reward.GrantAtStatement})),
			optional("clawback", choice(&t.Clawback,
				option[reward.ClawbackTiming]{"refund", reward.ClawbackAtRefund},
				option[reward.ClawbackTiming]{"statement", reward.ClawbackAtStatement})),
		)
	}
}

func readRefunds(r *reward.RefundTerms) func(node) error {
	return func(n node) error {
		return n.mapping(
			optional("pending_days", days(&r.PendingDays)),
			optional("match_days", days(&r.MatchDays)),
			optional("park_days", days(&r.ParkDays)),
			optional("window_days", days(&r.WindowDays)),
			optional("firm_days", days(&r.FirmDays)),
		)
	}
}

func readRedemption(r *reward.RedemptionTerms) func(node) error {
	return func(n node) error {
		return n.mapping(
			optional("minimum_balance", minorUnits(&r.MinimumBalance)),
			optional("grace_days", whole(&r.GraceDays, "days", MaxGraceDays)),
		)
	}
}
