package durable

import (
	"context"
	"sync/atomic"

	"recoup/internal/store/record"
	"recoup/reward"
)

// A page asks many things of one account, one after the other. Each for itself begins a
// transaction, reads the account and what it leads to, and ends it; of a server, what costs
// is how often it is asked. At one sitting all of it is of one snapshot, so nothing is read
// twice, and nothing on the page is of another moment than the rest.

// mostSittings bounds how many sittings there are at a time. Each keeps a connection for as
// long as it lasts, and who sits may need another for what a snapshot does not have: of
// those that a driver has some must be left.
const mostSittings = 4

// sitting is one snapshot that is read from several times, one after the other.
type sitting struct {
	db     *Database
	reader *remembering
	// taken: somebody reads from it now, or could not, after which it is of no use. Others
	// read as ever.
	taken atomic.Bool
}

type sittingKey struct{}

// Sitting runs f with a context with which all that is read of the store, and of the records
// of its database, is as one snapshot has it. It is for who only reads. Where accounts are in
// several lanes, or there are sittings enough, f reads as ever.
func (s *Store) Sitting(ctx context.Context, f func(ctx context.Context) error) error {
	db, l := s.db, s.db.now.Load()
	if len(l.lanes) > 1 || db.Store != record.Store(l.lanes[0]) {
		return f(ctx)
	}
	defer db.sittings.Add(-1)
	if db.sittings.Add(1) > mostSittings {
		return f(ctx)
	}
	return l.lanes[0].View(ctx, func(r Reader) error {
		return f(context.WithValue(ctx, sittingKey{}, &sitting{db: db, reader: remember(r)}))
	})
}

// seated runs read on the snapshot that a context has of the database; is: it has one that
// can be read.
func (db *Database) seated(ctx context.Context, read func(Reader) error) (is bool, err error) {
	s, sits := ctx.Value(sittingKey{}).(*sitting)
	if !sits || s.db != db || !s.taken.CompareAndSwap(false, true) {
		return false, nil
	}
	if err = read(s.reader); err == nil {
		s.taken.Store(false)
	}
	return true, err
}

// remembering reads from a snapshot what it has not read before. What it returned is not
// to be changed.
type remembering struct {
	Reader
	rows    map[string]*AccountRow // nil: there is no such account
	working map[string][]Part      // of accounts that were opened
	parts   map[PartKey]*Part      // nil: there is no such part
	found   map[question][]Part
}

// question is a Query that is not of ids.
type question struct {
	account  string
	kind     reward.PartKind
	working  bool
	bucket   int64
	settled  bool
	from, to reward.Instant
	page     bool
	after    string
	limit    int
}

func remember(r Reader) *remembering {
	return &remembering{r, make(map[string]*AccountRow), make(map[string][]Part), make(map[PartKey]*Part), make(map[question][]Part)}
}

// Account implements Reader.
func (m *remembering) Account(ctx context.Context, id string) (row AccountRow, ok bool, err error) {
	known, asked := m.rows[id]
	if !asked {
		row, ok, err = m.Reader.Account(ctx, id)
		if err != nil {
			return row, ok, err
		}
		if ok {
			known = &row
		}
		m.rows[id] = known
	}
	if known == nil {
		return row, false, nil
	}
	return *known, true, nil
}

// Opened implements Reader.
func (m *remembering) Opened(ctx context.Context, accounts []string, others []PartKey) (rows []AccountRow, parts []Part, err error) {
	var closed []string
	for _, id := range accounts {
		if _, opened := m.working[id]; !opened {
			closed = append(closed, id)
		}
	}
	var unknown []PartKey
	for _, k := range others {
		if _, asked := m.parts[k]; !asked {
			unknown = append(unknown, k)
		}
	}
	if len(closed)+len(unknown) > 0 {
		read, found, err := m.Reader.Opened(ctx, closed, unknown)
		if err != nil {
			return nil, nil, err
		}
		m.note(closed, read, unknown, found)
	}
	for _, id := range accounts {
		if row := m.rows[id]; row != nil {
			rows = append(rows, *row)
		}
		parts = append(parts, m.working[id]...)
	}
	for _, k := range others {
		if p := m.parts[k]; p != nil {
			parts = append(parts, *p)
		}
	}
	return rows, parts, nil
}

// note keeps what accounts were opened with, and other parts.
func (m *remembering) note(accounts []string, rows []AccountRow, others []PartKey, parts []Part) {
	for _, id := range accounts {
		m.rows[id], m.working[id] = nil, nil
	}
	for i := range rows {
		m.rows[rows[i].Account] = &rows[i]
	}
	for _, k := range others {
		m.parts[k] = nil
	}
	for i := range parts {
		p := &parts[i]
		m.parts[keyOf(p)] = p
	}
	opened := make(map[string]bool, len(accounts))
	for _, id := range accounts {
		opened[id] = true
	}
	seen := make(map[PartKey]bool)
	for i := range parts { // some may have come twice
		if p := &parts[i]; p.Working && opened[p.Account] && !seen[keyOf(p)] {
			seen[keyOf(p)] = true
			m.working[p.Account] = append(m.working[p.Account], *p)
		}
	}
}

// Find implements Reader.
func (m *remembering) Find(ctx context.Context, q Query) (list []Part, err error) {
	if q.IDs != nil {
		return m.named(ctx, q)
	}
	asked := question{q.Account, q.Kind, q.Working, q.Bucket, q.Settled, q.From, q.To, q.Page, q.After, q.Limit}
	if list, known := m.found[asked]; known {
		return list, nil
	}
	if list, err = m.Reader.Find(ctx, q); err != nil {
		return nil, err
	}
	m.found[asked] = list // most of what a span has is not asked for again by its id
	return list, nil
}

// named is Find of ids.
func (m *remembering) named(ctx context.Context, q Query) (list []Part, err error) {
	unknown := Query{Account: q.Account, Kind: q.Kind}
	for _, id := range q.IDs {
		if _, asked := m.parts[PartKey{q.Account, q.Kind, id}]; !asked {
			unknown.IDs = append(unknown.IDs, id)
		}
	}
	if len(unknown.IDs) > 0 {
		read, err := m.Reader.Find(ctx, unknown)
		if err != nil {
			return nil, err
		}
		for _, id := range unknown.IDs {
			m.parts[PartKey{q.Account, q.Kind, id}] = nil
		}
		for i := range read {
			m.parts[keyOf(&read[i])] = &read[i]
		}
	}
	for _, id := range q.IDs {
		if p := m.parts[PartKey{q.Account, q.Kind, id}]; p != nil {
			list = append(list, *p)
		}
	}
	return list, nil
}
