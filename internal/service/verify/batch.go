package verify

import (
	"cmp"
	"slices"

	"recoup/internal/store/durable"
)

// batch is what was on a pile, by account.
type batch struct {
	data   []byte
	of     map[string]int // place in accounts
	all    []account
	places []place
	ends   []int
	from   unpiler
	// counted is how many events the log has of the accounts, those too that are not here.
	counted int64
}

// account is what a batch has of an account.
type account struct {
	id     string
	events []place // in order
	done   bool
}

// place is where an event is in a batch.
type place struct {
	account          int
	number, sequence int64
	at               int // after its account
}

// sort sorts what is in data by account.
func (b *batch) sort() error {
	if b.of == nil || len(b.of) > 1<<12 {
		b.of = make(map[string]int)
	}
	clear(b.of)
	b.all, b.places = b.all[:0], b.places[:0]
	u := &b.from
	u.Left, u.Bad = b.data, false
	for len(u.Left) > 0 && !u.Bad {
		name := u.Text()
		at, known := b.of[string(name)]
		if !known {
			at = len(b.all)
			id := string(name)
			b.all = append(b.all, account{id: id})
			b.of[id] = at
		}
		p := place{account: at, at: len(b.data) - len(u.Left)}
		p.number, p.sequence = u.skip()
		b.places = append(b.places, p)
	}
	if u.Bad {
		return errPile
	}
	b.group()
	return nil
}

// group puts the places of each account next to each other, and in order.
func (b *batch) group() {
	b.ends = append(b.ends[:0], make([]int, len(b.all)+1)...)
	for i := range b.places {
		b.ends[b.places[i].account+1]++
	}
	for i := range b.all {
		b.ends[i+1] += b.ends[i]
	}
	sorted := make([]place, len(b.places))
	next := slices.Clone(b.ends)
	for _, p := range b.places {
		sorted[next[p.account]] = p
		next[p.account]++
	}
	order := func(x, y place) int {
		return cmp.Or(cmp.Compare(x.sequence, y.sequence), cmp.Compare(x.number, y.number))
	}
	for i := range b.all {
		own := sorted[b.ends[i]:b.ends[i+1]]
		if !slices.IsSortedFunc(own, order) {
			slices.SortFunc(own, order)
		}
		b.all[i].events = own
	}
}

// alone has the batch be of one account, without events.
func (b *batch) alone(id string) {
	b.of, b.all = map[string]int{id: 0}, []account{{id: id}}
}

// account returns what the batch has of an account, nil for nothing.
func (b *batch) account(id string) *account {
	if at, ok := b.of[id]; ok {
		return &b.all[at]
	}
	return nil
}

// each calls f with the events of an account, in order. What f is given is f's only until
// it returns.
func (b *batch) each(a *account, f func(*durable.EventRow)) {
	var row durable.EventRow
	for i := range a.events {
		b.from.Left = b.data[a.events[i].at:]
		b.from.event(a.id, &row)
		f(&row)
	}
}
