package measure

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strconv"

	"recoup/internal/accuracy/foreign"
	"recoup/internal/accuracy/foreign/people"
	"recoup/internal/audit"
	"recoup/reward"
)

// Figures hold what the auditor reckons of each account against the truth.
type Figures struct {
	// Leakage is the auditor's, of all accounts.
	Leakage int64 `json:"leakage"`
	// Of so many accounts all of whose refunds name their purchase, Exact have the
	// leakage that they really have, to the minor unit, and Near within one for each of
	// their purchases, which is what rounding can be. Where a refund names none, nobody who
	// reads the exports can know which purchase it was of.
	Named int `json:"named"`
	Exact int `json:"exact"`
	Near  int `json:"near"`
}

// audited has the auditor look at the exports of a course. A program is what it is given
// as the published terms.
func audited(ctx context.Context, d *foreign.Design, p *reward.Program, c *course, t *Truth) (*Said, error) {
	dir, err := os.MkdirTemp("", "recoup-foreign-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	files, err := c.export(dir, d.Currency)
	if err != nil {
		return nil, err
	}
	rounding, err := roundingOf(d)
	if err != nil {
		return nil, err
	}
	var accounts bytes.Buffer
	said := &Said{Tool: Audit, Given: true}
	err = guarded(func() error {
		r, err := audit.Run(ctx, audit.Options{
			Program: p, Rounding: rounding, TempDir: dir, Accounts: &accounts,
			Transactions: []string{files["transactions"]}, Refunds: []string{files["refunds"]},
			Rewards: []string{files["rewards"]}, Redemptions: []string{files["redemptions"]},
		})
		if err != nil {
			return err
		}
		said.Class, said.Words, said.Leak, said.InQuestion = r.Verdict.Class, r.Verdict.Summary, r.Figures.Leakage, r.Figures.Leakage-r.LeastLeakage()
		said.Exit = r.Verdict.Exit
		for i := range r.Findings {
			if f := &r.Findings[i]; f.Standing == audit.Found {
				said.Findings = append(said.Findings, string(f.Code))
			}
		}
		said.Figures, err = figuresOf(&accounts, c, t)
		return err
	})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		said.Exit, said.Words = exitOf(err), err.Error()
	}
	return said, nil
}

// figuresOf reads the auditor's file of accounts beside the truth.
func figuresOf(file *bytes.Buffer, c *course, t *Truth) (*Figures, error) {
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) == 0 {
		return nil, fmt.Errorf("the auditor's file of accounts: %d rows, %w", len(rows), err)
	}
	account, leakage := slices.Index(rows[0], "account"), slices.Index(rows[0], "leakage")
	if account < 0 || leakage < 0 {
		return nil, fmt.Errorf("the auditor's file of accounts has the columns %q: expected account and leakage", rows[0])
	}
	unnamed, purchases := make(map[string]bool), make(map[string]int64)
	for i := range c.history.Moves {
		switch m := &c.history.Moves[i]; {
		case m.Kind == people.Buy && !m.Again:
			purchases[m.Account]++
		case m.TakesBack() && m.Told == "":
			unnamed[m.Account] = true
		}
	}
	f := &Figures{}
	for _, row := range rows[1:] {
		leak, err := strconv.ParseInt(row[leakage], 10, 64)
		if err != nil {
			return nil, err
		}
		f.Leakage += leak
		if unnamed[row[account]] {
			continue
		}
		f.Named++
		switch apart := leak - t.leaks[row[account]]; {
		case apart == 0:
			f.Exact++
		case max(apart, -apart) <= purchases[row[account]]:
			f.Near++
		}
	}
	return f, nil
}
