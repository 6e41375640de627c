package verify

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"sync"
)

// Difference is one thing that is not as it should be.
type Difference struct {
	// Account is "" where it is about the database as a whole.
	Account string `json:"account"`
	// Event is the sequence of the event that it is about, 0 where it is about
	// none.
	Event int64 `json:"event"`
	// What is wrong, such as "outcome", "sequence" or "transaction t1".
	What     string `json:"what"`
	Expected string `json:"expected"`
	Found    string `json:"found"`
}

// String says it in one line.
func (d Difference) String() string {
	at := "database"
	if d.Account != "" {
		at = "account " + strconv.Quote(d.Account)
	}
	if d.Event != 0 {
		at += ", event " + strconv.FormatInt(d.Event, 10)
	}
	return fmt.Sprintf("%s: %s: expected %s, found %s", at, d.What, d.Expected, d.Found)
}

// differences collects what workers find: all of it is counted, but only so much
// is kept of each account and in all, what comes first by account and event.
type differences struct {
	perAccount, most int

	mu    sync.Mutex
	list  []Difference
	count int64
}

// add adds what was found about one account, which is count differences of which
// the first are listed.
func (d *differences) add(list []Difference, count int64) {
	if count == 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.count += count
	if d.list = append(d.list, list...); len(d.list) > 2*d.most {
		d.list = d.sorted()
	}
}

// sorted returns what is kept, by account and event.
func (d *differences) sorted() []Difference {
	slices.SortStableFunc(d.list, func(x, y Difference) int {
		return cmp.Or(cmp.Compare(x.Account, y.Account), cmp.Compare(x.Event, y.Event))
	})
	d.list = slices.Clip(d.list[:min(len(d.list), d.most)])
	return d.list
}

// excerptLength is how much of a long text a difference repeats, in bytes.
const excerptLength = 60

// contrast returns expected and found, of long texts a part around the first
// place where they differ.
func contrast(expected, found []byte) (e, f string) {
	at := 0
	for at < len(expected) && at < len(found) && expected[at] == found[at] {
		at++
	}
	return excerpt(expected, at), excerpt(found, at)
}

func excerpt(b []byte, at int) string {
	if len(b) == 0 {
		return "nothing"
	}
	if len(b) <= excerptLength {
		return printable(b)
	}
	from := max(0, at-excerptLength/3)
	to := min(len(b), from+excerptLength)
	text := printable(b[from:to])
	if from > 0 {
		text = "…" + text
	}
	if to < len(b) {
		text += "…"
	}
	return text
}

// printable returns text as it is and other bytes in hexadecimal.
func printable(b []byte) string {
	if bytes.ContainsFunc(b, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\uFFFD' }) {
		return fmt.Sprintf("%x", b)
	}
	return string(b)
}
