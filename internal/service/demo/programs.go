package demo

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"time"

	"recoup/internal/store/durable"
	"recoup/program"
	"recoup/reward"
)

// The programs; the first is the default.
const (
	everyday = "everyday"
	travel   = "travel"
	nippon   = "nippon"

	welcome = "welcome" // a bonus for signing up
	quarter = "quarter" // 5 % for who has activated it
	coffee  = "coffee"  // stamps
	miles   = "miles"   // a status, and miles that expire
)

//go:embed programs
var programFiles embed.FS

// publication is a version of a program that somebody published.
type publication struct {
	program string
	version int
	at      time.Time
	from    reward.Cycle // in force; zero for a first version
}

// publications lists what was published, in order. The everyday program was
// changed four months ago, and will be changed again next month.
func publications(c calendar) []publication {
	before := c.month(history+1, 15)
	return []publication{
		{everyday, 1, before, 0},
		{travel, 1, before, 0},
		{nippon, 1, before, 0},
		{welcome, 1, before, 0},
		{quarter, 1, before, 0},
		{coffee, 1, before, 0},
		{miles, 1, before, 0},
		{everyday, 2, c.month(5, 18), c.cycle(4)},
		{everyday, 3, c.days(3), c.cycle(-1)},
	}
}

// document returns the file of a version.
func (p *publication) document() ([]byte, error) {
	return programFiles.ReadFile(fmt.Sprintf("programs/%s-%d.yaml", p.program, p.version))
}

// firstTerms returns the terms of the first version of a program.
func firstTerms(id string) (*reward.Program, error) {
	p := publication{program: id, version: 1}
	document, err := p.document()
	if err != nil {
		return nil, err
	}
	return parse(document)
}

func parse(document []byte) (*reward.Program, error) {
	return program.Parse("sample program", document)
}

// ErrNotEmpty says that the database has programs already, and with them perhaps accounts,
// which sample data must not be mixed with.
var ErrNotEmpty = errors.New("the sample data needs an empty database, and this one has programs already")

// publish puts all versions into a database, each as if it were the time that it
// was published at.
func publish(ctx context.Context, d *durable.Database, c calendar) (*durable.Programs, error) {
	clock := c.now
	programs, err := durable.OpenPrograms(ctx, d, parse, func() time.Time { return clock })
	if err != nil {
		return nil, err
	}
	if len(programs.List()) > 0 {
		return nil, ErrNotEmpty
	}
	for _, p := range publications(c) {
		document, err := p.document()
		if err != nil {
			return nil, err
		}
		var from reward.Instant
		if p.from != 0 {
			from = p.from.Start()
		}
		clock = p.at
		if _, _, err := programs.Put(ctx, p.program, document, from, maria.Name); err != nil {
			return nil, fmt.Errorf("version %d of program %s: %w", p.version, p.program, err)
		}
	}
	return programs, nil
}
