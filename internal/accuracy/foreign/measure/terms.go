package measure

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"recoup/internal/accuracy/foreign"
	"recoup/internal/accuracy/foreign/people"
	"recoup/internal/audit/judge"
	"recoup/program"
	"recoup/reward"
)

// The terms that designs publish, as program files; each is named after its design.
// What such a file cannot say is in a comment in it.
//
//go:embed programs
var programs embed.FS

// fileOf is the name of a design's program file.
func fileOf(design string) string {
	slug := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, design)
	return "programs/" + slug + ".yaml"
}

// Published is a design's terms in the language of program files, nil where nobody has
// written them down.
func Published(d *foreign.Design) (*reward.Program, error) {
	name := fileOf(d.Name)
	text, err := programs.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return program.Parse(name, text)
}

// roundingOf is how a design rounds, the zero value where that is not known. Terms do not say it.
func roundingOf(d *foreign.Design) (r judge.Rounding, err error) {
	text, err := programs.ReadFile("programs/rounding.txt")
	if err != nil {
		return r, err
	}
	for line := range strings.Lines(string(text)) {
		if name, says, _ := strings.Cut(strings.TrimSpace(line), ": "); name == d.Name {
			mode, of, _ := strings.Cut(says, " ")
			return judge.Rounding{Mode: mode, Statement: of == "statement"}, nil
		}
	}
	return r, nil
}

// entitled is what the reward engine grants an account on a history without returns,
// by the program: the second opinion on what the design promises.
func entitled(p *reward.Program, alone *people.History) (int64, error) {
	account, purchases := alone.Accounts[0], slices.Clone(alone.Moves)
	// A program by its own clock hears of things in order: what is late to the design is
	// told at its time here.
	slices.SortStableFunc(purchases, func(a, b people.Move) int { return cmp.Compare(a.When().UnixNano(), b.When().UnixNano()) })
	a := reward.NewAccount(account, p)
	var journal []reward.Posting
	apply := func(e reward.Event) error {
		e.Source, e.ID, e.Account, e.Currency = "foreign", fmt.Sprint(len(journal), e.Transaction, e.Type), account, p.Currency
		result, posted := a.Apply(&e, journal)
		journal = posted
		if result.Outcome != reward.Applied {
			return fmt.Errorf("%s of %s: %v", e.Type, e.Transaction, result)
		}
		return nil
	}
	if err := apply(reward.Event{Type: reward.AccountOpened, Time: reward.At(alone.Opened[account])}); err != nil {
		return 0, err
	}
	for i := range purchases {
		m := &purchases[i]
		if m.Kind != people.Buy {
			continue
		}
		mcc, _ := reward.ParseMCC(m.MCC)
		if err := apply(reward.Event{
			Type: reward.TransactionSettled, Time: reward.At(m.When()), Transaction: m.ID, Amount: m.Amount, HasAmount: true,
			Merchant: m.Merchant, MCC: mcc, Category: m.Category,
		}); err != nil {
			return 0, err
		}
	}
	return a.State().NetReward, nil
}
