package shards

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"recoup/internal/store/durable"
	"recoup/internal/store/postgres"
	"recoup/internal/store/record"
)

// Mover moves a shard to another place, or splits it, while it works.
type Mover struct {
	File string // the file of shards, which is written anew
	// Prove checks what a new place has, of some accounts or, for nil, of all, by applying
	// their events again: in general with package verify.
	Prove func(ctx context.Context, home record.Store, at durable.Driver, accounts []string) error
	// Tell is told what is being done.
	Tell func(string)
	// Pooler: see postgres.Options.
	Pooler bool
}

// Moved is what a move came to.
type Moved struct {
	Accounts, Events int64 // that were copied before the shard was stopped
	Rounds           int   // of following
	Last             int   // accounts that changed while the last but one round was made
	Stopped          time.Duration
	// Already: there was nothing to do but to finish what an earlier move has begun.
	Already bool
}

const (
	// stopFor is how long a shard is stopped at most: then it goes on where it was. Nobody
	// takes the move away before that; see tooLong.
	stopFor = 5 * time.Second
	// closingFor is how long commits under way are waited for.
	closingFor = 2 * time.Second
	// soon is how long a round may take that is short enough to be the last.
	soon = 300 * time.Millisecond
	// mostRounds is how many are made in the hope of one that is.
	mostRounds = 8
	attempts   = 6
)

// moving is one move at work.
type moving struct {
	*Mover
	file   *File
	id     string // of the ledger
	home   *postgres.DB
	lock   *postgres.Conn // held as long as this moves the shard
	from   Shard
	to     []*target
	token  string
	old    [2]*postgres.Conn // snapshots take turns
	tables []table
	result Moved
}

// Move moves a shard to a place.
func (m *Mover) Move(ctx context.Context, number int64, to Place) (Moved, error) {
	return m.run(ctx, number, func(from Shard, _ []Shard) ([]*target, error) {
		if from.same(to) {
			return nil, nil
		}
		return []*target{{Shard: Shard{Number: number, Place: to, Epoch: from.Epoch + 1, Buckets: from.Buckets}}}, nil
	})
}

// Split moves the upper half of a shard's buckets to a new shard, and the lower half to a
// new schema beside the old one. The old one is left as it was.
func (m *Mover) Split(ctx context.Context, number, into int64, to, rest Place) (Moved, error) {
	return m.run(ctx, number, func(from Shard, placed []Shard) ([]*target, error) {
		if slices.ContainsFunc(placed, func(s Shard) bool { return s.Number == into && s.same(to) }) {
			return nil, nil
		}
		if into < 0 || into >= Stride {
			return nil, fmt.Errorf("there can be no shard %d: they count from 0 to %d", into, Stride-1)
		}
		if slices.ContainsFunc(placed, func(s Shard) bool { return s.Number == into }) {
			return nil, fmt.Errorf("there is a shard %d already", into)
		}
		lower, upper := from.Buckets.Halves()
		if len(upper) == 0 {
			return nil, fmt.Errorf("shard %d has one bucket, which cannot be split", number)
		}
		return []*target{
			{Shard: Shard{Number: number, Place: rest, Epoch: from.Epoch + 1, Buckets: lower}, part: true},
			{Shard: Shard{Number: into, Place: to, Epoch: 1, Buckets: upper}, part: true},
		}, nil
	})
}

// run moves a shard to the targets that are chosen for it, if it is not there already.
func (m *Mover) run(ctx context.Context, number int64, choose func(from Shard, placed []Shard) ([]*target, error)) (_ Moved, err error) {
	w := &moving{Mover: m, token: rand.Text()}
	if w.Tell == nil {
		w.Tell = func(string) {}
	}
	defer w.disconnect()
	if err := w.open(ctx, number); err != nil {
		return Moved{}, fmt.Errorf("%s: %w", m.File, err)
	}
	if err := w.tidy(ctx); err != nil {
		return Moved{}, fmt.Errorf("finishing what an earlier move of shard %d has left: %w", number, err)
	}
	list, err := placed(ctx, w.home)
	if err != nil {
		return Moved{}, err
	}
	if w.to, err = choose(w.from, list); err != nil {
		return Moved{}, err
	}
	if len(w.to) == 0 {
		w.result.Already = true
		return w.result, nil
	}
	for _, t := range w.to {
		if err := t.check(); err != nil {
			return Moved{}, err
		}
	}
	if err := w.move(ctx); err != nil {
		return w.result, fmt.Errorf("moving shard %d: %w", number, err)
	}
	return w.result, nil
}

// open opens home, and brings the file up to date with it: who was killed may have
// switched and not written it.
func (w *moving) open(ctx context.Context, number int64) (err error) {
	if w.file, err = ReadFile(w.File); err != nil {
		return err
	}
	l := &ledger{options: Options{Pooler: w.Pooler}}
	if err := l.openHome(ctx, w.file); err != nil {
		return err
	}
	w.home, w.id = l.home, l.id
	if w.lock, err = postgres.ConnectTo(ctx, w.file.Home.URL, w.file.Home.Schema); err != nil {
		return err
	}
	alone, err := postgres.HoldMove(ctx, w.lock, number)
	if err != nil {
		return err
	}
	if !alone {
		return fmt.Errorf("shard %d is being moved by somebody else", number)
	}
	if err := w.writeFile(ctx); err != nil {
		return err
	}
	w.from, _, err = placedNow(ctx, w.home, number)
	return err
}

// writeFile has the file say what home says.
func (w *moving) writeFile(ctx context.Context) error {
	list, err := placed(ctx, w.home)
	if err != nil || w.file.agree(list) == nil {
		return err
	}
	w.file.Shards = list
	w.Tell("writing " + w.File)
	return w.file.WriteFile(w.File)
}

// tidy ends moves of the shard that somebody has begun who is not there any more, and
// opens the shard where it is.
func (w *moving) tidy(ctx context.Context) error {
	_, under, err := placedNow(ctx, w.home, w.from.Number)
	if err != nil {
		return err
	}
	if under != nil {
		if err := cancel(ctx, w.home, w.from.Number, under.Token); err != nil {
			return err
		}
		for i := range under.To {
			w.discard(ctx, under.To[i].Place, postgres.Identity{Ledger: w.id, Shard: under.To[i].Shard, Epoch: under.To[i].Epoch}, under.Token)
		}
	}
	list, err := placed(ctx, w.home)
	if err != nil {
		return err
	}
	for i := range list {
		// A split may have left two of them closed.
		if err := w.reopen(ctx, list[i]); err != nil {
			return err
		}
	}
	return nil
}

// reopen opens a shard that is closed and that nobody moves.
func (w *moving) reopen(ctx context.Context, s Shard) error {
	_, under, err := placedNow(ctx, w.home, s.Number)
	if err != nil || under != nil {
		return err
	}
	id := postgres.Identity{Ledger: w.id, Shard: s.Number, Epoch: s.Epoch}
	kept, is, err := postgres.Peek(ctx, s.URL, s.Schema)
	if err == nil {
		err = s.expect(kept, is, id)
	}
	if err != nil || kept.Closed == "" {
		return err
	}
	w.Tell(fmt.Sprintf("opening shard %d, which was left closed", s.Number))
	return postgres.At(ctx, s.URL, s.Schema, func(c *pgx.Conn) error { return setOpen(ctx, c, id.Epoch, kept.Closed) })
}

// setOpen opens a schema that was closed in the name of a move.
func setOpen(ctx context.Context, c *pgx.Conn, epoch int64, closed string) error {
	_, err := c.Exec(ctx, "UPDATE shard SET closed = '' WHERE epoch = $1 AND closed = $2", epoch, closed)
	return err
}

// discard removes a copy that has not become the shard's place. What cannot be removed is
// left: nobody uses it, and who wants its name is told.
func (w *moving) discard(ctx context.Context, p Place, id postgres.Identity, token string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	kept, is, err := postgres.Peek(ctx, p.URL, p.Schema)
	if err == nil && is && kept.Identity == id && kept.Closed == token {
		err = dropSchema(ctx, p)
	}
	if err != nil && !errors.Is(err, postgres.ErrSchema) {
		w.Tell(fmt.Sprintf("what was copied to %s could not be removed: %v", p, err))
	}
}

func (w *moving) disconnect() {
	ctx, cancel := context.WithTimeout(context.Background(), closingFor)
	defer cancel()
	conns := []*postgres.Conn{w.old[0], w.old[1], w.lock}
	for _, t := range w.to {
		conns = append(conns, t.conn)
	}
	for _, c := range conns {
		if c != nil {
			_ = c.Close(ctx)
		}
	}
	if w.home != nil {
		_ = w.home.Close()
	}
}

// move copies, follows and switches; if any of it fails, the shard goes on where it is.
func (w *moving) move(ctx context.Context) (err error) {
	if err := w.announce(ctx); err != nil {
		return err
	}
	switched := false
	defer func() {
		if err != nil && !switched {
			w.giveUp(ctx)
		}
	}()
	for i := range w.old {
		if w.old[i], err = postgres.ConnectTo(ctx, w.from.URL, w.from.Schema); err != nil {
			return err
		}
	}
	err = w.old[0].In(ctx, func() (err error) {
		w.tables, err = readTables(ctx, w.old[0].Conn)
		return err
	})
	if err != nil {
		return err
	}
	for _, t := range w.to {
		if err := t.prepare(ctx, w.id, w.token, w.Pooler); err != nil {
			return err
		}
	}
	at, err := w.copy(ctx)
	if err != nil {
		return err
	}
	for attempt := 1; ; attempt++ {
		if at, err = w.catchUp(ctx, at); err != nil {
			return err
		}
		var last []string
		if last, switched, err = w.stopAndSwitch(ctx, &at); err == nil {
			return w.finish(ctx, last)
		}
		if switched || attempt == attempts || ctx.Err() != nil {
			return err
		}
		w.Tell(fmt.Sprintf("the shard goes on where it was: %v; trying again", err))
	}
}

// announce writes the move down at home, so that who finds the shard closed knows by whom.
func (w *moving) announce(ctx context.Context) error {
	key := record.Key(w.from.Number)
	m := move{Token: w.token, Epoch: w.from.Epoch}
	for _, t := range w.to {
		m.To = append(m.To, *placementOf(&t.Shard))
	}
	return w.home.Change(ctx, func(tx record.Tx) error {
		p, _, err := placements.Get(ctx, tx, key)
		if err != nil {
			return err
		}
		if p.Epoch != w.from.Epoch {
			return fmt.Errorf("it has been moved to %s meanwhile", p.Place)
		}
		return moves.Put(tx, key, &m)
	})
}
