package audit

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"

	"recoup/internal/audit/intake"
	"recoup/reward"
)

// partVersion is the version of the file format of parts. A file of another
// version is refused.
const partVersion = 5

// mostPart is how large a part's file may be. A tally is a few hundred kB at
// most, however many accounts it is of.
const mostPart = 256 << 20

// Part is the outcome of an audit of one shard of the accounts, before it is
// merged with those of the others.
type Part struct {
	header header
	tally  Tally
}

// header says what a part is of. Parts that are merged have to agree in all of it
// but the shard.
type header struct {
	Version int `json:"recoup_audit_part"`
	// Shard is one of Of, counted from one.
	Shard int `json:"shard"`
	Of    int `json:"of"`
	// Program is the fingerprint of the published terms.
	Program string `json:"program_fingerprint"`
	// Options are the options that the outcome depends on.
	Options outcomeOptions `json:"options"`
	// First and Last are the times of the earliest and the latest row of all
	// shards, in nanoseconds since the Unix epoch.
	First reward.Instant `json:"first"`
	Last  reward.Instant `json:"last"`
	// Checksum is of all rows, whatever their order and shard; empty where there is
	// one shard only.
	Checksum string `json:"rows_checksum,omitempty"`
	// Input is what was read, all shards of it.
	Input intake.Input `json:"input"`
}

// outcomeOptions are the options that change figures.
type outcomeOptions struct {
	ReturnDays int `json:"return_days"`
	// Key tells apart the keys of pseudonyms; it is empty without them.
	Key string `json:"pseudonym_key_mark,omitempty"`
}

// partFile is a part as it is written.
type partFile struct {
	header `json:",inline"`
	Terms  terms `json:"terms"`
	Sums   sums  `json:"sums"`
}

// Write writes the part as JSON.
func (p *Part) Write(w io.Writer) error {
	file := partFile{p.header, p.tally.terms, p.tally.sums}
	if err := json.MarshalWrite(w, &file, json.Deterministic(true)); err != nil {
		return fmt.Errorf("audit: writing a part: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// ReadPart reads what Write wrote. The name is for errors.
func ReadPart(name string, r io.Reader) (*Part, error) {
	data, err := io.ReadAll(io.LimitReader(r, mostPart+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("audit: %s: %w", name, err)
	case len(data) > mostPart:
		return nil, fmt.Errorf("audit: %s: longer than %d bytes: this is no part of an audit", name, mostPart)
	}
	var version struct {
		Version int `json:"recoup_audit_part"`
	}
	switch err := json.Unmarshal(data, &version); {
	case err != nil:
		return nil, fmt.Errorf("audit: %s: expected a part as 'recoup audit --shard' writes it: %w", name, err)
	case version.Version != partVersion:
		return nil, fmt.Errorf("audit: %s: part of version %d: expected version %d, of this version of recoup", name, version.Version, partVersion)
	}
	file := partFile{Sums: newSums()}
	if err := json.Unmarshal(data, &file, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("audit: %s: expected a part as 'recoup audit --shard' writes it: %w", name, err)
	}
	if err := file.check(); err != nil {
		return nil, fmt.Errorf("audit: %s: %w", name, err)
	}
	return &Part{file.header, Tally{file.Terms, file.Sums}}, nil
}

// check refuses what no part can be.
func (f *partFile) check() error {
	if f.Of < 1 || f.Shard < 1 || f.Shard > f.Of {
		return fmt.Errorf("shard %d of %d: expected one from 1 to their number", f.Shard, f.Of)
	}
	for code, sums := range f.Sums.Flaws {
		if sums == nil || sums.Shorts < 0 || sums.Shown < sums.Shorts || sums.CouldShort < sums.Shorts || sums.Could-sums.CouldShort < sums.Shown-sums.Shorts {
			return fmt.Errorf("flaw %s: expected counts of signs", code)
		}
	}
	for i := range f.Sums.Refunds.Kinds {
		if k := &f.Sums.Refunds.Kinds[i]; slices.Min(k.Outcomes[:]) < 0 || k.Floored < 0 || k.Untaken < 0 || k.Never < 0 {
			return errors.New("refunds by outcome: expected counts, found one below zero")
		}
	}
	if d := f.Sums.Debts; d.Forgotten < 0 || d.Kept < 0 {
		return errors.New("debts: expected counts, found one below zero")
	}
	if f.Sums.Refunds.Waited == nil {
		f.Sums.Refunds.Waited = map[int]int64{}
	}
	for c, m := range f.Sums.Months {
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
	parts = slices.SortedFunc(slices.Values(parts), func(a, b *Part) int { return cmp.Compare(a.header.Shard, b.header.Shard) })
	first := &parts[0].header
	all := Tally{parts[0].tally.terms, newSums()}
	for i, p := range parts {
		if err := first.agrees(&p.header); err != nil {
			return nil, err
		}
		switch is, want := p.header.Shard, i+1; {
		case is < want:
			return nil, fmt.Errorf("audit: shard %d of %d is there twice", is, first.Of)
		case is > want:
			return nil, fmt.Errorf("audit: shard %d of %d is missing", want, first.Of)
		}
		if err := all.Merge(&p.tally); err != nil {
			return nil, err
		}
	}
	if len(parts) < first.Of {
		return nil, fmt.Errorf("audit: shard %d of %d is missing", len(parts)+1, first.Of)
	}
	if all.sums.Overflow {
		return nil, errors.New("audit: the amounts add up to more than 64 bits hold: are they in minor units?")
	}
	r := all.Report()
	r.Input = first.Input
	if r.Input.Rows > 0 {
		r.From, r.To = first.First.Time(), first.Last.Time()
	}
	r.LeakagePerYear = perYear(r.Figures.Leakage, first.First, first.Last)
	return r, r.sensible()
}

// agrees says in what parts that cannot be merged differ.
func (h *header) agrees(o *header) error {
	differ := func(what string) error {
		return fmt.Errorf("audit: shards %d and %d differ in %s: expected parts of one audit", h.Shard, o.Shard, what)
	}
	switch {
	case h.Of != o.Of:
		return differ("the number of shards")
	case h.Program != o.Program:
		return differ("the program")
	case h.Options != o.Options:
		return differ("the options")
	case h.First != o.First || h.Last != o.Last || h.Checksum != o.Checksum || !sameInput(&h.Input, &o.Input):
		return differ("the exports that were read")
	}
	return nil
}

// sameInput reports whether the same files were read; they may lie in different
// folders.
func sameInput(a, b *intake.Input) bool {
	return a.Rows == b.Rows && a.Bad == b.Bad && slices.EqualFunc(a.Files, b.Files, func(x, y intake.File) bool {
		x.Name, y.Name = filepath.Base(x.Name), filepath.Base(y.Name)
		return x == y
	})
}

// tenThousandths is part of whole, rounded down; zero of nothing.
func tenThousandths(part, whole int64) int64 {
	if whole <= 0 {
		return 0
	}
	p := times(part, 10_000)
	return p.Div(p, times(whole, 1)).Int64()
}

// perYear is what an amount of that time comes to in 365 days, at most what 64 bits hold.
func perYear(amount int64, from, to reward.Instant) int64 {
	days := max(1, int64((to-from)/day))
	year := times(amount, 365)
	if year.Div(year, times(days, 1)); year.IsInt64() {
		return year.Int64()
	}
	return math.MaxInt64
}

// mostAstray is the share, in per mille, of references between the files that may lead
// nowhere: the purchases of the time before the exports.
const mostAstray = 250

// sensible refuses exports that no verdict can be about: without purchases, or with
// reward rows and refunds that name purchases which are not there.
func (r *Report) sensible() error {
	f := &r.Figures
	others := int64(0)
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
	case r.Accounts.Strange >= leastCould && 1000*r.Accounts.Strange > mostAstray*r.Accounts.All:
		return fmt.Errorf("audit: %d of %d accounts have refunds, rewards or redemptions and no purchase: expected all purchases of the period, under the same ids of accounts", r.Accounts.Strange, r.Accounts.All)
	case f.Refunds == 0 && !r.Verdict.Found:
		return fmt.Errorf("audit: no refund was read beside %d purchases, and nothing else leaks: expected the refunds and chargebacks that the verdict is about", f.Purchases)
	}
	for _, refs := range [...]struct {
		what          string
		naming, stray int64
	}{{"reward rows", f.RewardsNaming, f.RewardsAstray}, {"refunds", f.RefundsNaming, f.RefundsAstray}} {
		if refs.stray >= leastCould && 1000*refs.stray > mostAstray*refs.naming {
			return fmt.Errorf("audit: %d of the %d %s that name a purchase name one that is not in the exports: expected all purchases of the period, under the same ids", refs.stray, refs.naming, refs.what)
		}
	}
	return nil
}

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
