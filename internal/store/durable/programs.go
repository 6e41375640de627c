package durable

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"recoup/internal/store/record"
	"recoup/reward"
)

// Programs are the programs of a database, in all their versions. A version does
// not change once it is there, and takes effect with a billing cycle. Safe for
// concurrent use; reading takes no lock and asks no database.
//
// Each version is a record, and records are only ever added. One more says how many
// there are, and which is the default program: the first that was ever put.
type Programs struct {
	records record.Store
	parse   func(document []byte) (*reward.Program, error)
	now     func() time.Time

	mu    sync.Mutex // held by who reads or adds records
	known atomic.Pointer[catalogue]
}

// The tables: versions lie under record.Key of their program and version, the summary
// under summaryKey.
const (
	programVersions record.Table[programRecord]  = "programs"
	programSummary  record.Table[programsRecord] = "programs_summary"

	summaryKey = "all"
)

// programRecord is a version as it is kept.
type programRecord struct {
	Program  string `json:"program"`
	Version  int64  `json:"version"`
	From     int64  `json:"from_cycle"`
	Document string `json:"document"`
	Created  int64  `json:"created_at"`
	Actor    string `json:"actor"`
	Proposal string `json:"proposal,omitzero"`
}

func (r *programRecord) key() string { return record.Key(r.Program, r.Version) }

// programsRecord says what versions there are, so that asking whether there is a new one
// costs the same however many there are.
type programsRecord struct {
	Versions int64  `json:"versions"`
	Default  string `json:"default"`
}

// catalogue is what is known of the programs. It is never changed, only replaced.
type catalogue struct {
	programsRecord
	versions map[string][]ProgramVersion
}

// ProgramVersion is one version of a program.
type ProgramVersion struct {
	// Terms are the terms, with the versions that are in force before them. Terms.ID and
	// Terms.Version name the version.
	Terms    *reward.Program
	Document []byte // as it was put; not to be changed
	Created  reward.Instant
	Actor    string // who put it
	Proposal string // that two people agreed to it under; "" where it was put without
}

// Effective returns since when the version is in force, a start of a billing
// cycle; ok is false for a first version, which is from the beginning of time.
func (v *ProgramVersion) Effective() (at reward.Instant, ok bool) {
	if v.Terms.Earlier == nil {
		return 0, false
	}
	return v.Terms.CycleStart(v.Terms.From), true
}

// ProgramNotice is what a new version needs before it takes effect, so that every process
// knows of it before the first event of its first cycle. Events may be dated
// ahead of their receipt, but by less than this.
const ProgramNotice = time.Hour

// The codes of a ProgramError.
const (
	ProgramInvalid   = "program_invalid"     // the document is not a program
	ProgramMisnamed  = "program_id_mismatch" // the document is of another program
	CurrencyChanged  = "currency_changed"    // versions differ in currency
	EffectiveInvalid = "effective_invalid"   // no time from which a version can be in force
	ProgramConflict  = "program_conflict"    // somebody else put a version meanwhile
)

// ProgramError is why a version was not put. Code is one of those above.
type ProgramError struct {
	Code string
	Err  error // says what was expected
}

// Error says what was expected.
func (e *ProgramError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong.
func (e *ProgramError) Unwrap() error { return e.Err }

func refuseProgram(code, format string, args ...any) error {
	return &ProgramError{code, fmt.Errorf(format, args...)}
}

// OpenPrograms reads the programs of a database. A stored program that parse refuses is
// an error.
func OpenPrograms(ctx context.Context, records record.Store, parse func(document []byte) (*reward.Program, error), now func() time.Time) (*Programs, error) {
	p := &Programs{records: records, parse: parse, now: now}
	p.known.Store(&catalogue{})
	if err := p.Refresh(ctx); err != nil {
		return nil, err
	}
	return p, nil
}

// Default returns the latest version of the default program, which accounts
// belong to that name none. There is one once any program was put.
func (p *Programs) Default() (*reward.Program, bool) { return p.Get(p.known.Load().Default) }

// Get returns the latest version of a program, which may not be in force yet. It
// leads to the versions before it.
func (p *Programs) Get(id string) (*reward.Program, bool) {
	versions := p.known.Load().versions[id]
	if len(versions) == 0 {
		return nil, false
	}
	return versions[len(versions)-1].Terms, true
}

// Version returns one version of a program; they count from one.
func (p *Programs) Version(id string, n int32) (ProgramVersion, bool) {
	versions := p.known.Load().versions[id]
	if n < 1 || int(n) > len(versions) {
		return ProgramVersion{}, false
	}
	return versions[n-1], true
}

// Versions returns all versions of a program, the first first; none if there is
// no such program.
func (p *Programs) Versions(id string) []ProgramVersion {
	return slices.Clone(p.known.Load().versions[id])
}

// List returns the latest version of each program, by id.
func (p *Programs) List() []ProgramVersion {
	c := p.known.Load()
	var list []ProgramVersion
	for _, id := range slices.Sorted(maps.Keys(c.versions)) {
		versions := c.versions[id]
		list = append(list, versions[len(versions)-1])
	}
	return list
}

// Put adds a version to a program, or a program. The first version is in force
// from the beginning of time, and effective must be zero; a later one is from
// effective on, zero standing for as soon as can be: the start of a billing cycle
// that is ProgramNotice away or more, and after the version before takes effect. Until
// ProgramNotice before a version takes effect it can be replaced by another from the very
// same cycle: by the terms before it, which withdraws it. A replaced version stays listed,
// and no account ever was under it.
//
// The document of the latest version again adds nothing: added is false and the
// version is the one that is there. What is wrong with the version is a
// *ProgramError; any other error is the database's.
func (p *Programs) Put(ctx context.Context, id string, document []byte, effective reward.Instant, actor string) (v ProgramVersion, added bool, err error) {
	return p.PutApproved(ctx, id, document, effective, actor, "")
}

// Check says what Put would, and puts nothing.
func (p *Programs) Check(ctx context.Context, id string, document []byte, effective reward.Instant) (added bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, added, err = p.check(ctx, id, document, effective)
	return added, err
}

// PutApproved is Put of what was proposed under an id, and approved: the version says so.
func (p *Programs) PutApproved(ctx context.Context, id string, document []byte, effective reward.Instant, actor, proposal string) (v ProgramVersion, added bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	terms, added, err := p.check(ctx, id, document, effective)
	if err != nil {
		return v, false, err
	}
	if !added {
		versions := p.known.Load().versions[id]
		return versions[len(versions)-1], false, nil
	}
	if err := p.insert(ctx, terms, document, actor, proposal); err != nil {
		return v, false, err
	}
	if err := p.refresh(ctx); err != nil {
		return v, false, err
	}
	v, _ = p.Version(id, terms.Version)
	return v, true, nil
}

// check returns the terms that would be put; added is false if they are those of the
// latest version.
func (p *Programs) check(ctx context.Context, id string, document []byte, effective reward.Instant) (terms *reward.Program, added bool, err error) {
	terms, err = p.read(id, document)
	if err != nil {
		return nil, false, err
	}
	if err := p.refresh(ctx); err != nil {
		return nil, false, err
	}
	versions := p.known.Load().versions[id]
	if n := len(versions); n > 0 && bytes.Equal(versions[n-1].Document, document) {
		return nil, false, nil
	}
	if err := p.named(terms); err != nil {
		return nil, false, err
	}
	terms.Version = int32(len(versions) + 1)
	terms.From, err = p.place(id, versions, terms, effective)
	return terms, err == nil, err
}

// named refuses terms whose unit of rewards has other decimals in another program: its
// name stands for it wherever amounts are shown or added up.
func (p *Programs) named(terms *reward.Program) error {
	for id, versions := range p.known.Load().versions {
		other := versions[len(versions)-1].Terms.Reward
		if other.Name != "" && other.Name == terms.Reward.Name && other.Decimals != terms.Reward.Decimals {
			return refuseProgram(CurrencyChanged, "rewards in %s have %d decimals in program %q, found %d: expected as many, or another unit", other.Name, other.Decimals, id, terms.Reward.Decimals)
		}
	}
	return nil
}

// read parses a document that should be of the program.
func (p *Programs) read(id string, document []byte) (*reward.Program, error) {
	terms, err := p.parse(document)
	switch {
	case err != nil:
		return nil, &ProgramError{ProgramInvalid, err}
	case terms.ID == "" || terms.ID != id:
		return nil, refuseProgram(ProgramMisnamed, "the document is of program %q, expected one of %q", terms.ID, id)
	}
	return terms, nil
}

// place returns the cycle from which terms can follow the versions that there are.
func (p *Programs) place(id string, versions []ProgramVersion, terms *reward.Program, effective reward.Instant) (reward.Cycle, error) {
	if len(versions) == 0 {
		if effective != 0 {
			return 0, refuseProgram(EffectiveInvalid, "the first version of program %q is in force from the beginning of time: leave out from when", id)
		}
		return 0, nil
	}
	latest := versions[len(versions)-1].Terms
	if terms.Currency != latest.Currency {
		return 0, refuseProgram(CurrencyChanged, "program %q is in %s, found %s: amounts on its accounts cannot change currency; make it another program",
			id, latest.Currency, terms.Currency)
	}
	announced := latest.CycleAt(reward.At(p.now().Add(ProgramNotice))-1) + 1
	soonest := max(announced, latest.From)
	cycle := max(announced, latest.From+1)
	if effective != 0 {
		cycle = latest.CycleAt(effective)
	}
	switch {
	case effective != 0 && latest.CycleStart(cycle) != effective:
		return 0, refuseProgram(EffectiveInvalid, "a version takes effect with a billing cycle: expected the start of one, such as %v, not %v",
			latest.CycleStart(max(cycle+1, soonest)), effective)
	case cycle < soonest:
		return 0, refuseProgram(EffectiveInvalid, "a version of program %q can be in force from %v at the soonest, not from %v: it must be announced %v before, and not be in force before version %d",
			id, latest.CycleStart(soonest), effective, ProgramNotice, latest.Version)
	case latest.CycleStart(cycle) > reward.LatestInstant:
		return 0, refuseProgram(EffectiveInvalid, "a version must be in force before %v", reward.LatestInstant)
	}
	if err := terms.Follows(inForceBefore(versions, cycle), cycle); err != nil {
		return 0, refuseProgram(EffectiveInvalid, "program %q: %v", id, err)
	}
	return cycle, nil
}

// inForceBefore returns the version that is in force until a cycle begins. One that the
// cycle replaces is none: it never was.
func inForceBefore(versions []ProgramVersion, c reward.Cycle) *reward.Program {
	for i := len(versions) - 1; i > 0; i-- {
		if versions[i].Terms.From < c {
			return versions[i].Terms
		}
	}
	return versions[0].Terms
}

// Replaced reports whether a version was replaced, or withdrawn, before it came into force:
// the version after it is in force from the same cycle.
func Replaced(versions []ProgramVersion, i int) bool {
	return i > 0 && i+1 < len(versions) && versions[i+1].Terms.From == versions[i].Terms.From
}

// insert adds a version, which is the default program's where there is none. Of several
// processes one is first.
func (p *Programs) insert(ctx context.Context, terms *reward.Program, document []byte, actor, proposal string) error {
	added := programRecord{
		Program: terms.ID, Version: int64(terms.Version), From: int64(terms.From), Document: string(document),
		Created: int64(reward.At(p.now())), Actor: actor, Proposal: proposal,
	}
	err := p.records.Change(ctx, func(tx record.Tx) error {
		_, there, err := programVersions.Get(ctx, tx, added.key())
		if err != nil {
			return err
		}
		if there {
			return refuseProgram(ProgramConflict, "version %d of program %q was put by somebody else meanwhile: look at it and, if yours is still wanted, put yours again",
				terms.Version, terms.ID)
		}
		all, _, err := programSummary.Get(ctx, tx, summaryKey)
		if err != nil {
			return err
		}
		if all.Default == "" {
			all.Default = terms.ID
		}
		all.Versions++
		if err := programVersions.Put(tx, added.key(), &added); err != nil {
			return err
		}
		return programSummary.Put(tx, summaryKey, &all)
	})
	if err != nil && !errors.As(err, new(*ProgramError)) {
		return fmt.Errorf("storing program %s: %w", terms.ID, err)
	}
	return err
}
