package stripe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recoup/reward"
	"recoup/source"
)

// refunds are those that cannot be told apart, with what has undone each.
type refunds struct {
	key  string
	list []refund
}

type refund struct {
	created    int64
	id, undone string // undone is the transaction that did, "" while it counts
}

// maxRefunds is how many of them are kept, the latest: none is undone after so many more.
const maxRefunds = 100

// book looks up the refunds that are as an event has it.
func (w *webhook) book(account string, e *reward.Event) *refunds {
	r := &refunds{key: fmt.Sprintf("refunds %q %s %d %q %s", account, e.Currency, e.Amount, e.Merchant, e.MCC)}
	for entry := range strings.FieldsSeq(w.notes(r.key)) {
		parts := append(strings.Split(entry, ","), "", "")
		created, _ := strconv.ParseInt(parts[0], 10, 64)
		r.list = append(r.list, refund{created, parts[1], parts[2]})
	}
	return r
}

// add adds a refund, in order of time, unless it is there.
func (r *refunds) add(created int64, id string) {
	if slices.ContainsFunc(r.list, func(x refund) bool { return x.id == id }) {
		return
	}
	r.list = append(r.list, refund{created: created, id: id})
	slices.SortFunc(r.list, func(a, b refund) int {
		if a.created != b.created {
			return int(min(1, max(-1, a.created-b.created)))
		}
		return strings.Compare(a.id, b.id)
	})
	r.list = r.list[max(0, len(r.list)-maxRefunds):]
}

// undo returns the refund that a transaction undoes, the same again when it comes again.
func (r *refunds) undo(by string) (id string, ok bool) {
	at := slices.IndexFunc(r.list, func(x refund) bool { return x.undone == by })
	if at < 0 {
		at = slices.IndexFunc(r.list, func(x refund) bool { return x.undone == "" })
	}
	if at < 0 {
		return "", false
	}
	r.list[at].undone = by
	return r.list[at].id, true
}

// notes is what is kept of them.
func (r *refunds) notes(account string) []source.Note {
	var entries []string
	for _, x := range r.list {
		entries = append(entries, fmt.Sprintf("%d,%s,%s", x.created, x.id, x.undone))
	}
	return []source.Note{{Key: r.key, Value: strings.Join(entries, " "), Account: account}}
}
