package audit

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"

	"recoup/internal/audit/judge"
	"recoup/internal/intake"
	"recoup/reward"
)

// partVersion is the version of the file format of parts. A file of another version is refused.
const partVersion = 13

// mostPart is how large a part's file may be. A tally is a few hundred kB at
// most, however many accounts it is of.
const mostPart = 256 << 20

// Part is the outcome of an audit of one shard of the accounts, before it is
// merged with those of the others.
type Part struct {
	header `json:",inline"`
	Tally  Tally `json:",embed"`
}

// header says what a part is of. Parts that are merged have to agree in all of it but the shard.
type header struct {
	Version  int            `json:"recoup_audit_part"`
	Shard    int            `json:"shard"` // from 1 to Of
	Of       int            `json:"of"`
	Program  string         `json:"program_fingerprint"`
	Options  outcomeOptions `json:"options"`
	First    reward.Instant `json:"first"` // row of all shards
	Last     reward.Instant `json:"last"`
	Checksum string         `json:"rows_checksum,omitempty"` // of the rows of all shards; empty where there is one only
	// Adjustments is what they were read as; empty where it was not said and none takes something.
	Adjustments string       `json:"adjustments,omitempty"`
	Input       intake.Input `json:"input"` // of all shards
}

// outcomeOptions are the options that change figures, and what tells keys of pseudonyms apart.
type outcomeOptions struct {
	ReturnDays int            `json:"return_days"`
	Key        string         `json:"pseudonym_key_mark,omitempty"`
	Rounding   judge.Rounding `json:"rounding,omitzero"`
}

// Write writes the part as JSON.
func (p *Part) Write(w io.Writer) error {
	if err := json.MarshalWrite(w, p, json.Deterministic(true)); err != nil {
		return fmt.Errorf("audit: writing a part: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// ReadPart reads what Write wrote. The name is for errors.
func ReadPart(name string, r io.Reader) (*Part, error) {
	var p Part
	data, err := io.ReadAll(io.LimitReader(r, mostPart))
	if err == nil {
		err = p.read(data)
	}
	if err != nil {
		return nil, fmt.Errorf("audit: %s: %w", name, err)
	}
	return &p, nil
}

func (p *Part) read(data []byte) error {
	err := json.Unmarshal(data, &p.header)
	if err == nil && p.Version != partVersion {
		return fmt.Errorf("part of version %d: expected version %d, of this version of recoup", p.Version, partVersion)
	}
	if err == nil {
		err = json.Unmarshal(data, p, json.RejectUnknownMembers(true))
	}
	if err != nil {
		return fmt.Errorf("expected a part as 'recoup audit --shard' writes it: %w", err)
	}
	return p.check()
}

// check refuses what no part can be.
func (p *Part) check() error {
	s := &p.Tally.Sums
	if p.Of < 1 || p.Shard < 1 || p.Shard > p.Of {
		return fmt.Errorf("shard %d of %d: expected one from 1 to their number", p.Shard, p.Of)
	}
	for code, f := range s.Flaws {
		if f == nil || f.Shorts < 0 || f.Shown < f.Shorts || f.CouldShort < f.Shorts || f.Could-f.CouldShort < f.Shown-f.Shorts {
			return fmt.Errorf("flaw %s: expected counts of signs", code)
		}
	}
	for i := range s.Refunds.Kinds {
		if k := &s.Refunds.Kinds[i]; min(k.Netted, k.AtOnce, k.WithinCycle, k.AtClose, k.Late, k.Partly, k.Never, k.TooEarly, k.Floored, k.Untaken, k.NeverTaken) < 0 {
			return errors.New("refunds by outcome: expected counts, found one below zero")
		}
	}
	if min(s.Debts.Forgotten, s.Debts.Kept) < 0 {
		return errors.New("debts: expected counts, found one below zero")
	}
	for c, m := range s.Months {
		if m == nil || m.Month != c.String() {
			return fmt.Errorf("month %d: expected the sums of %v", c, c)
		}
	}
	return nil
}

// Merge puts the parts of all shards together, in any order, and reports on the
// whole. It is an error if a shard is missing or there twice, and if the parts are
// of different programs, options or exports.
func Merge(parts ...*Part) (*Report, error) {
	if len(parts) == 0 {
		return nil, errors.New("audit: nothing to merge: expected the parts of all shards")
	}
	parts = slices.SortedFunc(slices.Values(parts), func(a, b *Part) int { return cmp.Compare(a.Shard, b.Shard) })
	first := parts[0]
	all := Tally{first.Tally.Terms, newSums()}
	read := first
	for _, p := range parts {
		if read.Adjustments == "" {
			read = p
		}
		if p.Adjustments != "" && p.Adjustments != read.Adjustments {
			return nil, fmt.Errorf("audit: shards %d and %d took adjustments for different things, %s and %s: audit all shards with --adjustments, which says what they are",
				read.Shard, p.Shard, read.Adjustments, p.Adjustments)
		}
		if what := first.differs(&p.header); what != "" {
			return nil, fmt.Errorf("audit: shards %d and %d differ in %s: expected parts of one audit", first.Shard, p.Shard, what)
		}
		if err := all.Merge(&p.Tally); err != nil {
			return nil, err
		}
	}
	for i := range max(first.Of, len(parts)) {
		if i == len(parts) || parts[i].Shard > i+1 {
			return nil, fmt.Errorf("audit: shard %d of %d is missing", i+1, first.Of)
		}
		if parts[i].Shard < i+1 {
			return nil, fmt.Errorf("audit: shard %d of %d is there twice", parts[i].Shard, first.Of)
		}
	}
	if all.Sums.Overflow {
		return nil, errors.New("audit: the amounts add up to more than 64 bits hold: are they in minor units?")
	}
	r := all.Report()
	r.Input, r.Adjustments, r.Rounding = first.Input, read.Adjustments, first.Options.Rounding.String()
	if r.Input.Rows > 0 {
		r.From, r.To = first.First.Time(), first.Last.Time()
	}
	r.LeakagePerYear = ratio(365, r.Figures.Leakage, max(1, int64((first.Last-first.First)/reward.Day)))
	return r, r.sensible()
}

// differs says in what the headers of parts that cannot be merged differ.
func (h *header) differs(o *header) string {
	switch {
	case h.Of != o.Of:
		return "the number of shards"
	case h.Program != o.Program:
		return "the program"
	case h.Options != o.Options:
		return "the options"
	case h.First != o.First || h.Last != o.Last || h.Checksum != o.Checksum || !slices.EqualFunc(h.Input.Files, o.Input.Files, sameFile):
		return "the exports that were read"
	}
	return ""
}

// sameFile reports whether the same was read; it may lie in another folder.
func sameFile(a, b intake.File) bool {
	a.Name, b.Name = filepath.Base(a.Name), filepath.Base(b.Name)
	return a == b
}

// mostAstray is the share, in per mille, of references between the files that may lead
// nowhere: the purchases of the time before the exports.
const mostAstray = 250

// sensible refuses exports that no verdict can be about: without purchases or rewards, or
// with many accounts, reward rows or refunds whose purchases are not there.
func (r *Report) sensible() error {
	f, accounts, others := &r.Figures, &r.Accounts, int64(0)
	astray := func(stray, all int64) bool { return stray >= leastCould && 1000*stray > mostAstray*all }
	const absent = "audit: %d of the %d %s that name a purchase name one that is not in the exports: expected all purchases of the period, under the same ids"
	for i := range r.Input.Files {
		others += r.Input.Files[i].OtherCurrency
	}
	switch {
	case f.Purchases == 0 && others > 0:
		return fmt.Errorf("audit: no purchase was read, and %d rows are in another currency than the program's: expected purchases in %s", others, r.Currency)
	case f.Purchases == 0:
		return errors.New("audit: no purchase was read: expected the purchases that the rewards are of")
	case f.Granted == 0 && f.TakenBack == 0:
		return fmt.Errorf("audit: no reward was read beside %d purchases: expected the rewards that the program granted", f.Purchases)
	case astray(accounts.Strange, accounts.All):
		return fmt.Errorf("audit: %d of %d accounts have refunds, rewards or redemptions and no purchase: expected all purchases of the period, under the same ids of accounts", accounts.Strange, accounts.All)
	case astray(f.RewardsAstray, f.RewardsNaming):
		return fmt.Errorf(absent, f.RewardsAstray, f.RewardsNaming, "reward rows")
	case astray(f.RefundsAstray, f.RefundsNaming):
		return fmt.Errorf(absent, f.RefundsAstray, f.RefundsNaming, "refunds")
	}
	return nil
}

// ratio is part of whole in so many parts of it, rounded down and at most what 64 bits
// hold; zero of nothing.
func ratio(scale, part, whole int64) int64 {
	if whole <= 0 {
		return 0
	}
	if r := times(part, scale); r.Div(r, big.NewInt(whole)).IsInt64() {
		return r.Int64()
	}
	return math.MaxInt64
}

func permille(part, whole int64) int64 { return ratio(1000, part, whole) }

// MergeFiles puts the parts in files together, as Merge does.
func MergeFiles(names []string) (*Report, error) {
	parts := make([]*Part, len(names))
	for i, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		parts[i], err = ReadPart(name, f)
		f.Close()
		if err != nil {
			return nil, err
		}
	}
	return Merge(parts...)
}
