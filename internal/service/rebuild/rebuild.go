package rebuild

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"recoup/internal/engine"
	"recoup/internal/service/approval"
	"recoup/internal/store"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// Options say what to rebuild.
type Options struct {
	From Source
	To   *durable.Database // the new database, with nothing in it
	// Parse reads a program as a database keeps it.
	Parse func(document []byte) (*reward.Program, error)
	// Most is how many differences are listed; all are counted. 0 stands for 100.
	Most int
	// Applied is told how many events have been applied, as they are; may be nil.
	Applied func(events int64)
}

// Report is what came of it.
type Report struct {
	Accounts, Events int64
	// Count is how many accounts differ; Differences are the first of them.
	Count       int64
	Differences []Difference
	Totals      []Total  // by currency
	Changes     []Change // of outcomes, the most frequent first
	// Dropped are events of the older log that this program refuses without a trace.
	Dropped int64
	Carried map[string]int64 // rows, by table
	Took    time.Duration
}

// batch is how many events are applied in one commit, of each lane of the new database,
// and mostBatch how many are in memory for that.
const batch, mostBatch = 1000, 16_000

// Run rebuilds a database. After an error the new one is to be thrown away.
func Run(ctx context.Context, o Options) (*Report, error) {
	started := time.Now()
	if err := ExpectEmpty(ctx, o.To); err != nil {
		return nil, err
	}
	r := &run{options: o, totals: make(map[string]*Total), changes: make(map[Change]int64)}
	r.report.Carried = make(map[string]int64)
	if err := r.carry(ctx, "programs", programTables); err != nil {
		return nil, err
	}
	known, err := durable.OpenPrograms(ctx, o.To, o.Parse, time.Now)
	if err != nil {
		return nil, err
	}
	if _, ok := known.Default(); !ok {
		return nil, fmt.Errorf("the older database has no program: it is none that `recoup serve` has used")
	}
	r.store = durable.Over(o.To, durable.Options{Programs: known, Now: func() reward.Instant { return reward.At(time.Now()) }})
	r.batch = min(batch*r.store.Lanes(), mostBatch)
	if err := o.From.log(ctx, func(p *past) error { return r.add(ctx, p) }); err != nil {
		return nil, fmt.Errorf("reading the older log of events: %w", err)
	}
	if err := r.flush(ctx); err != nil {
		return nil, err
	}
	r.endAccount()
	if err := r.compare(ctx); err != nil {
		return nil, err
	}
	// The endpoints of webhooks come last, or they would be told of all that is past.
	for _, c := range carried {
		if err := r.carry(ctx, c.name, c.tables); err != nil {
			return nil, err
		}
	}
	if err := approval.New(approval.Options{Records: o.To, Now: time.Now, Accounts: r.store}).CloseOlder(ctx); err != nil {
		return nil, err
	}
	if r.report.Carried["refused"], err = r.carryRefused(ctx); err != nil {
		return nil, err
	}
	r.finish()
	r.report.Took = time.Since(started)
	return &r.report, nil
}

// run is one rebuilding at work.
type run struct {
	options Options
	store   *durable.Store
	report  Report
	totals  map[string]*Total
	changes map[Change]int64

	// The batch at hand, and by its events what became of them.
	batch   int
	pasts   []*past
	results []reward.Result
	posted  [][]int64 // of what each event caused: kind and amount in turn

	account Difference   // the account at hand, with what is known of it so far
	ended   []Difference // accounts whose last events are in the batch, or before
}

// share is what of a batch is in one lane of the new database. As a store it is that
// database, of which it sees what is recorded.
type share struct {
	*run
	places   []int // in the batch
	received []reward.Instant
}

var _ store.Store = (*share)(nil)

// Update implements store.Store.
func (s *share) Update(ctx context.Context, events []reward.Event, apply func(store.Unit)) error {
	return s.store.UpdateReceived(ctx, events, s.received, func(u store.Unit) {
		for _, i := range s.places {
			s.posted[i] = s.posted[i][:0]
		}
		apply(witness{u, s})
	})
}

// EachAccount implements store.Store.
func (s *share) EachAccount(ctx context.Context, f func(string) error) error {
	return s.store.EachAccount(ctx, f)
}

// witness sees what is recorded in a unit of work.
type witness struct {
	store.Unit
	share *share
}

func (w witness) Record(i int, _ string, r reward.Result, postings []reward.Posting) {
	at := w.share.places[i]
	for j := range postings {
		w.share.posted[at] = append(w.share.posted[at], int64(postings[j].Kind), postings[j].Amount)
	}
	w.Unit.Record(i, w.share.pasts[at].principal, r, postings)
}

// carry carries over what is known under a name, and counts the records of its first
// table.
func (r *run) carry(ctx context.Context, name string, tables []string) error {
	for i, table := range tables {
		n, err := carry(ctx, r.options.From, r.options.To, table)
		if err != nil {
			return err
		}
		if i == 0 {
			r.report.Carried[name] = n
		}
	}
	return nil
}

func (r *run) add(ctx context.Context, p *past) error {
	r.pasts = append(r.pasts, p)
	if len(r.pasts) < r.batch {
		return nil
	}
	return r.flush(ctx)
}

// flush applies the batch at hand, the shares of several lanes side by side.
func (r *run) flush(ctx context.Context) (err error) {
	for len(r.posted) < len(r.pasts) {
		r.posted = append(r.posted, nil)
		r.results = append(r.results, reward.Result{})
	}
	shares := make(map[int]*share)
	for i, p := range r.pasts {
		lane := r.store.LaneOf(p.event.Account)
		if shares[lane] == nil {
			shares[lane] = &share{run: r}
		}
		shares[lane].places = append(shares[lane].places, i)
	}
	group, inGroup := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, s := range shares {
		group.Go(func() error { return s.apply(inGroup) })
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("applying the older log of events: %w", err)
	}
	for i := range r.pasts {
		r.note(i)
	}
	r.report.Events += int64(len(r.pasts))
	if r.options.Applied != nil {
		r.options.Applied(r.report.Events)
	}
	clear(r.pasts)
	r.pasts = r.pasts[:0]
	return r.compare(ctx)
}

// apply applies the share, some of it at a time.
func (s *share) apply(ctx context.Context) error {
	en, all := engine.New(s), s.places
	for s.places = range slices.Chunk(all, batch) {
		var events []reward.Event
		s.received = s.received[:0]
		for _, i := range s.places {
			events, s.received = append(events, s.pasts[i].event), append(s.received, s.pasts[i].received)
		}
		results, err := en.Apply(ctx, events, nil)
		if err != nil {
			return err
		}
		for n, i := range s.places {
			s.results[i] = results[n]
		}
	}
	return nil
}

// note compares an event of the batch with what became of it before.
func (r *run) note(i int) {
	p, result := r.pasts[i], r.results[i]
	if id := p.event.Account; r.account.Account != id {
		r.endAccount()
		r.account = Difference{Account: id}
	}
	for _, posting := range p.postings {
		r.account.Old.add(posting.Kind, posting.Amount)
	}
	for j := 0; j < len(r.posted[i]); j += 2 {
		r.account.New.add(reward.Kind(r.posted[i][j]).String(), r.posted[i][j+1])
	}
	if result.LeavesNoTrace() {
		r.report.Dropped++
	}
	if result.Outcome != p.outcome || result.Code != p.code {
		r.account.Outcomes++
		r.changes[Change{Type: p.event.Type.String(), Old: outcomeText(p.outcome, p.code), New: outcomeText(result.Outcome, result.Code)}]++
	}
}

func (r *run) endAccount() {
	if r.account.Account != "" {
		r.ended = append(r.ended, r.account)
	}
}

// compare compares the accounts that have ended with what they were.
func (r *run) compare(ctx context.Context) error {
	ids := make([]string, len(r.ended))
	for i := range r.ended {
		ids[i] = r.ended[i].Account
	}
	list, err := r.store.Standings(ctx, ids)
	if err != nil {
		return err
	}
	for i := range r.ended {
		a := &r.ended[i]
		if len(list) > 0 && list[0].Account == a.Account {
			a.Currency, a.Available = list[0].Currency, list[0].Balance-list[0].Held-list[0].Reserved
			list = list[1:]
		}
		r.report.Accounts++
		t := r.totals[a.Currency]
		if t == nil {
			t = &Total{Currency: a.Currency}
			r.totals[a.Currency] = t
		}
		t.Accounts++
		t.Old.addAll(&a.Old)
		t.New.addAll(&a.New)
		if a.Old != a.New || a.Outcomes > 0 {
			if r.report.Count++; len(r.report.Differences) < cmp.Or(r.options.Most, 100) {
				r.report.Differences = append(r.report.Differences, *a)
			}
		}
	}
	r.ended = r.ended[:0]
	return nil
}

func (r *run) finish() {
	for _, t := range r.totals {
		r.report.Totals = append(r.report.Totals, *t)
	}
	slices.SortFunc(r.report.Totals, func(x, y Total) int { return cmp.Compare(x.Currency, y.Currency) })
	for c, n := range r.changes {
		c.Events = n
		r.report.Changes = append(r.report.Changes, c)
	}
	slices.SortFunc(r.report.Changes, func(x, y Change) int {
		return cmp.Or(cmp.Compare(y.Events, x.Events), cmp.Compare(x.Type, y.Type), cmp.Compare(x.Old, y.Old), cmp.Compare(x.New, y.New))
	})
}
