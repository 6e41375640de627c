package sqlite

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"recoup/store/durable"
)

// filing is the work of writing a sealed layer into the tables: in the order of
// their keys, so that rows which lie on one page are written together, and a
// little with every commit.
//
// What is written is the newest version that is known, so that a table never
// goes back to an older one, whichever process files. A layer that is filed in
// part does no harm: while its rows are in the backlog, they go over the tables.
type filing struct {
	layer  *layer
	sorted chan struct{} // closed when the keys are in order
	next   int           // of the keys, all three lists taken as one

	accounts   []string
	parts      []durable.PartKey
	identities []durable.Identity
}

// newFiling begins to sort the keys of a sealed layer.
func newFiling(l *layer) *filing {
	f := &filing{layer: l, sorted: make(chan struct{})}
	go f.sort()
	return f
}

func (f *filing) sort() {
	defer close(f.sorted)
	for id := range f.layer.accounts {
		f.accounts = append(f.accounts, id)
	}
	slices.Sort(f.accounts)
	for key := range f.layer.parts {
		f.parts = append(f.parts, key)
	}
	slices.SortFunc(f.parts, func(a, b durable.PartKey) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Account, b.Account), cmp.Compare(a.ID, b.ID))
	})
	for id := range f.layer.identities {
		f.identities = append(f.identities, id)
	}
	slices.SortFunc(f.identities, func(a, b durable.Identity) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Source, b.Source), cmp.Compare(a.ID, b.ID))
	})
}

// ready reports whether the keys are sorted.
func (f *filing) ready() bool {
	select {
	case <-f.sorted:
		return true
	default:
		return false
	}
}

func (f *filing) size() int { return len(f.identities) + len(f.parts) + len(f.accounts) }

// write files the keys from one place to another in the open transaction.
func (f *filing) write(c *conn, o *overlay, from, to int) error {
	for i := from; i < to; i++ {
		if err := f.writeOne(c, o, i); err != nil {
			return fmt.Errorf("file the backlog: %w", err)
		}
	}
	return nil
}

func (f *filing) writeOne(c *conn, o *overlay, i int) error {
	if i < len(f.identities) {
		id := f.identities[i]
		return c.query(identityWrite).text(id.Account).text(id.Source).text(id.ID).int(f.layer.identities[id]).run()
	}
	i -= len(f.identities)
	if i < len(f.parts) {
		p := o.part(f.parts[i])
		return c.query(queriesOf[p.Kind].write).text(p.Account).text(p.ID).int(flag(p.Working)).
			optional(p.Bucket).optional(int64(p.Settled)).optional(int64(p.ReviewSince)).blob(p.Data).run()
	}
	a := o.account(f.accounts[i-len(f.parts)])
	return c.query(accountWrite).text(a.Account).text(a.Program).int(a.Version).int(a.Last).optional(int64(a.Due)).blob(a.Head).run()
}

// filer files the backlog through the write connection. Only who holds the
// database's lock uses it.
type filer struct {
	work    *filing // nil: no layer is sealed
	removed int64   // rows of the backlog up to this one are removed
}

// step is what one commit does of the filing; it counts once the commit is made.
type step struct {
	work     *filing
	next     int
	filed    int64
	removed  int64
	finished bool
}

// plan picks up the oldest sealed layer, unless one is at work already.
func (f *filer) plan(b *backlog, st state) {
	b.drop(st.filed)
	if f.work != nil && f.work.layer.last <= st.filed {
		f.work = nil // another process has been faster
	}
	if f.work == nil {
		if layers := b.layersNow(); len(layers) > 1 {
			f.work = newFiling(layers[0])
		}
	}
}

// write files up to a number of keys in the open transaction, removes up to a
// number of rows of the backlog that have been filed, and returns what to do when
// it is committed.
func (f *filer) write(c *conn, b *backlog, st state, keys int, rows int64) (step, error) {
	s := step{filed: st.filed, removed: f.removed}
	if f.work != nil && f.work.ready() {
		o := overlay{backlog: b, layers: b.layersNow(), upTo: math.MaxInt64}
		s.work, s.next = f.work, min(f.work.next+keys, f.work.size())
		if err := f.work.write(c, &o, f.work.next, s.next); err != nil {
			return s, err
		}
		if s.next == f.work.size() {
			s.finished, s.filed = true, f.work.layer.last
			if err := c.query(`UPDATE filing SET filed = ?`).int(s.filed).run(); err != nil {
				return s, fmt.Errorf("note what is filed: %w", err)
			}
		}
	}
	if f.removed < st.filed {
		s.removed = min(f.removed+rows, st.filed)
		if err := c.query(`DELETE FROM backlog WHERE number <= ?`).int(s.removed).run(); err != nil {
			return s, fmt.Errorf("remove what is filed: %w", err)
		}
	}
	return s, nil
}

// committed notes a step whose transaction is committed.
func (f *filer) committed(s step, b *backlog) {
	f.removed = s.removed
	if s.work == nil {
		return
	}
	s.work.next = s.next
	if s.finished {
		f.work = nil
		b.drop(s.filed)
	}
}
