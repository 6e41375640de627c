package durable

import (
	"context"
	"fmt"

	"recoup/internal/store/record"
	"recoup/reward"
)

// Refresh learns of versions that other processes put. Where there are none it
// costs one look at a record.
func (p *Programs) Refresh(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refresh(ctx)
}

func (p *Programs) refresh(ctx context.Context) error {
	before := p.known.Load()
	err := p.records.Read(ctx, func(r record.Reader) error {
		all, _, err := programSummary.Get(ctx, r, summaryKey)
		if err != nil || all.Versions == before.Versions {
			return err
		}
		after, err := p.load(ctx, r, all, before)
		if err != nil {
			return err
		}
		p.known.Store(after)
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading the programs: %w", err)
	}
	return nil
}

// load reads all versions. Those that were known before stay the ones they are,
// since accounts point to them.
func (p *Programs) load(ctx context.Context, r record.Reader, all programsRecord, before *catalogue) (*catalogue, error) {
	c := &catalogue{programsRecord: all, versions: make(map[string][]ProgramVersion)}
	var found int64
	err := programVersions.Each(ctx, r, record.Span{}, func(_ string, v *programRecord) (bool, error) {
		found++
		earlier := c.versions[v.Program]
		if v.Version != int64(len(earlier)+1) {
			return false, fmt.Errorf("program %s: expected version %d, found %d: versions must not be removed; restore the database from a backup", v.Program, len(earlier)+1, v.Version)
		}
		if known := before.versions[v.Program]; v.Version <= int64(len(known)) {
			c.versions[v.Program] = append(earlier, known[v.Version-1])
			return true, nil
		}
		terms, err := p.read(v.Program, []byte(v.Document))
		if err != nil {
			return false, fmt.Errorf("program %s, version %d: %w; was it put by a later version of recoup?", v.Program, v.Version, err)
		}
		terms.Version, terms.From = int32(v.Version), reward.Cycle(v.From)
		if len(earlier) > 0 {
			terms.Earlier = inForceBefore(earlier, terms.From)
		}
		c.versions[v.Program] = append(earlier, ProgramVersion{Terms: terms, Document: []byte(v.Document), Created: reward.Instant(v.Created), Actor: v.Actor, Proposal: v.Proposal})
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	if found != all.Versions {
		return nil, fmt.Errorf("expected %d versions of programs, found %d: versions must not be removed; restore the database from a backup", all.Versions, found)
	}
	if _, there := c.versions[c.Default]; c.Default != "" && !there {
		return nil, fmt.Errorf("the default program is %s, which is not there: restore the database from a backup", c.Default)
	}
	return c, nil
}

// StoredVersion is a version of a program as a database has it.
type StoredVersion struct {
	Program  string
	Version  int64
	From     reward.Cycle
	Document []byte
	Created  reward.Instant
	Proposal string
}

// ReadVersions returns the versions of all programs, for who checks them.
func ReadVersions(ctx context.Context, r record.Reader) (list []StoredVersion, err error) {
	err = programVersions.Each(ctx, r, record.Span{}, func(_ string, v *programRecord) (bool, error) {
		list = append(list, StoredVersion{v.Program, v.Version, reward.Cycle(v.From), []byte(v.Document), reward.Instant(v.Created), v.Proposal})
		return true, nil
	})
	return list, err
}
