package shards

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"recoup/internal/store/durable"
	"recoup/internal/store/postgres"
	"recoup/internal/store/record"
)

// Options say how a ledger is opened; zero is the default.
type Options struct {
	// Migrate brings all schemas up to date.
	Migrate bool
	// Pooler: see postgres.Options.
	Pooler bool
	// Log is told of moves that others have begun or left unfinished.
	Log *slog.Logger
	// Warn: see postgres.Options.
	Warn func(string)
}

// How many connections a process has to a server at most, for its shards there: those to
// write on are dealt out evenly, at least one for each shard, and so are those to read on,
// at least two, as who reads may read another thing meanwhile. Most are not used at the
// same time, and what is not used is closed. Where there are more than many shards, they
// have the connections to read on together: that takes longer for each (see postgres.Server;
// measured: ten times as long for one account), and there is room for hundreds.
const (
	writing  = 32
	reading  = 64
	many     = 32
	together = 16
	idle     = time.Minute
)

// homePatience is how long home has to say where the shards are.
const homePatience = 2 * time.Second

// sideBySide is how many schemas are opened at the same time.
const sideBySide = 8

// ledger is one that is open.
type ledger struct {
	id      string
	home    *postgres.DB
	options Options
	db      *durable.Database

	again   sync.Mutex // held by who deals anew
	dealing sync.Mutex // what follows changes
	servers map[string]*server
	lanes   []*lane // in the order of the database's
	stop    context.CancelFunc
	watched sync.WaitGroup
	lost    atomic.Int64 // since when home cannot be reached, in nanoseconds since 1970; 0: it can
}

// server is one on which there are shards.
type server struct {
	reading          *postgres.Server // nil: each shard has its own
	writers, readers int              // for each shard
}

// identity is what the schema of a shard has to say that it is.
func (l *ledger) identity(s *Shard) postgres.Identity {
	return postgres.Identity{Ledger: l.id, Shard: s.Number, Epoch: s.Epoch}
}

// Open opens the ledger of a file of shards; name is what the file is called. It is
// refused unless file, home and all schemas agree.
func Open(ctx context.Context, name string, f *File, o Options) (db *durable.Database, err error) {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	l := &ledger{options: o, servers: make(map[string]*server)}
	defer func() {
		if err != nil {
			l.close()
			err = fmt.Errorf("%s: %w", name, err)
		}
	}()
	if err := l.openHome(ctx, f); err != nil {
		return nil, err
	}
	placed, err := placed(ctx, l.home)
	if err != nil {
		return nil, fmt.Errorf("home: %w", err)
	}
	if err := f.agree(placed); err != nil {
		return nil, err
	}
	if err := l.connect(ctx, f); err != nil {
		return nil, err
	}
	group, inGroup := errgroup.WithContext(ctx)
	group.SetLimit(sideBySide)
	l.lanes = make([]*lane, len(f.Shards))
	for i := range f.Shards {
		l.lanes[i] = l.newLane(f.Shards[i].Number)
		group.Go(func() error {
			s, err := l.open(inGroup, f.Shards[i])
			if err == nil {
				l.lanes[i].now.Store(s)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	of, err := deal(f.Shards)
	if err != nil {
		return nil, err
	}
	l.db = durable.Several(&home{l.home, l}, l.drivers(), l.laneOf(of), l.origin())
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	l.stop = stop
	l.watched.Go(func() { l.watch(watching) })
	return l.db, nil
}

// openHome opens home, and learns which ledger it is of.
func (l *ledger) openHome(ctx context.Context, f *File) error {
	kept, is, err := postgres.Peek(ctx, f.Home.URL, f.Home.Schema)
	if err != nil {
		return fmt.Errorf("home, %s: %w", f.Home, err)
	}
	if !is {
		return fmt.Errorf("home, %s, is no part of a ledger; recoup shards init makes one", f.Home)
	}
	if kept.Shard != postgres.Home {
		return fmt.Errorf("home, %s, is shard %d of a ledger and no home", f.Home, kept.Shard)
	}
	l.id = kept.Ledger
	l.home, err = postgres.Open(ctx, f.Home.URL, postgres.Options{
		Schema: f.Home.Schema, Identity: &kept.Identity, Migrate: l.options.Migrate, Pooler: l.options.Pooler, Warn: l.options.Warn, Writers: 2, Readers: 4,
	})
	if err != nil {
		return fmt.Errorf("home, %s: %w", f.Home, err)
	}
	return nil
}

// agree refuses a file that is not what home says.
func (f *File) agree(placed []Shard) error {
	if len(placed) == 0 {
		return errors.New("home has no shards: recoup shards init has not finished; run it again")
	}
	for i := range placed {
		if f.find(placed[i].Number) == nil {
			return fmt.Errorf("shard %d is missing; the ledger has it in %s", placed[i].Number, placed[i].Place)
		}
	}
	for i := range placed {
		p, s := &placed[i], f.find(placed[i].Number)
		switch {
		case s.Epoch < p.Epoch:
			return fmt.Errorf("shard %d is at epoch %d, newer than the file's %d: it has moved to %s; take the file that recoup shards move or split wrote, or run that command again, which writes it", s.Number, p.Epoch, s.Epoch, p.Place)
		case s.Epoch > p.Epoch:
			return fmt.Errorf("shard %d is at epoch %d, older than the file's %d: was home restored from a backup?", s.Number, p.Epoch, s.Epoch)
		case !s.same(p.Place):
			return fmt.Errorf("shard %d is in %s, not in %s as the file says", s.Number, p.Place, s.Place)
		case !slices.Equal(s.Buckets, p.Buckets):
			return fmt.Errorf("shard %d has buckets %s, not %s as the file says", s.Number, p.Buckets, s.Buckets)
		}
	}
	for i := range f.Shards {
		if n := f.Shards[i].Number; !slices.ContainsFunc(placed, func(p Shard) bool { return p.Number == n }) {
			return fmt.Errorf("the ledger has no shard %d", n)
		}
	}
	return nil
}

// find returns a shard, nil if there is none of that number.
func (f *File) find(number int64) *Shard {
	at := slices.IndexFunc(f.Shards, func(s Shard) bool { return s.Number == number })
	if at < 0 {
		return nil
	}
	return &f.Shards[at]
}

// connect makes the connections that the shards of each server have together.
func (l *ledger) connect(ctx context.Context, f *File) error {
	count := make(map[string]int)
	for i := range f.Shards {
		count[f.Shards[i].server()]++
	}
	for i := range f.Shards {
		if _, err := l.serverOf(ctx, f.Shards[i].Place, count[f.Shards[i].server()]); err != nil {
			return err
		}
	}
	return nil
}

// serverOf returns the server of a place, connected to if it is a new one.
func (l *ledger) serverOf(ctx context.Context, p Place, shards int) (*server, error) {
	name := p.server()
	if s := l.servers[name]; s != nil {
		return s, nil
	}
	s := &server{writers: max(1, min(4, writing/shards)), readers: max(2, min(4, reading/shards))}
	if shards > many {
		r, err := postgres.Connect(ctx, p.URL, together, postgres.Options{Warn: l.options.Warn})
		if err != nil {
			return nil, fmt.Errorf("the server %s: %w", hidden(p.URL), err)
		}
		s.reading = r
	}
	l.servers[name] = s
	return s, nil
}

// open opens a shard at its place.
func (l *ledger) open(ctx context.Context, s Shard) (*seat, error) {
	l.dealing.Lock()
	on, err := l.serverOf(ctx, s.Place, 1)
	l.dealing.Unlock()
	if err != nil {
		return nil, err
	}
	id := l.identity(&s)
	d, err := postgres.Open(ctx, s.URL, postgres.Options{
		Schema: s.Schema, Identity: &id, Shard: s.Number, Stride: Stride, Migrate: l.options.Migrate, Pooler: l.options.Pooler, Warn: l.options.Warn,
		Writers: on.writers, Readers: on.readers, Reading: on.reading, Idle: idle,
	})
	if err != nil {
		return nil, fmt.Errorf("shard %d, %s: %w", s.Number, s.Place, err)
	}
	kept, is, err := d.Kept(ctx)
	if err == nil {
		err = s.expect(kept, is, id)
	}
	if err != nil {
		_ = d.Close()
		return nil, err
	}
	return &seat{Shard: s, db: d}, nil
}

// expect refuses a schema that is not the shard's.
func (s *Shard) expect(kept postgres.Kept, is bool, want postgres.Identity) error {
	switch {
	case !is:
		return fmt.Errorf("shard %d: %s is no part of a ledger", s.Number, s.Place)
	case kept.Ledger != want.Ledger:
		return fmt.Errorf("shard %d: %s belongs to another ledger", s.Number, s.Place)
	case kept.Shard == postgres.Home:
		return fmt.Errorf("shard %d: %s is the home of the ledger", s.Number, s.Place)
	case kept.Shard != want.Shard:
		return fmt.Errorf("shard %d: %s is shard %d", s.Number, s.Place, kept.Shard)
	case kept.Epoch > want.Epoch:
		return fmt.Errorf("shard %d: %s is of epoch %d, newer than the file's %d: it has moved; take the file that recoup shards move wrote", s.Number, s.Place, kept.Epoch, want.Epoch)
	case kept.Epoch < want.Epoch:
		return fmt.Errorf("shard %d: %s is of epoch %d, older than the file's %d", s.Number, s.Place, kept.Epoch, want.Epoch)
	}
	return nil
}

func (l *ledger) newLane(number int64) *lane {
	log := func(format string, arguments ...any) { l.options.Log.Warn(fmt.Sprintf(format, arguments...)) }
	return &lane{ledger: l, number: number, following: make(chan struct{}, 1), log: log}
}

// close closes what belongs to no lane; and the lanes where opening has failed.
func (l *ledger) close() {
	if l.stop != nil {
		l.stop()
	}
	l.watched.Wait()
	for _, one := range l.lanes {
		if s := one.now.Load(); s != nil {
			s.abandon()
		}
	}
	for _, s := range l.servers {
		if s.reading != nil {
			s.reading.Close()
		}
	}
	if l.home != nil {
		_ = l.home.Close()
	}
}

// home is the records at home, closed with the ledger.
type home struct {
	record.Store
	ledger *ledger
}

// Lost is since when home cannot be reached, zero if it can.
func (h *home) Lost() time.Time {
	if n := h.ledger.lost.Load(); n != 0 {
		return time.Unix(0, n)
	}
	return time.Time{}
}

// Close closes all that the ledger has open.
func (h *home) Close() error {
	h.ledger.close()
	return nil
}
