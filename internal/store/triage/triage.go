// Package triage keeps what people who work the review list say of what is on it and is
// nothing to the rules: who looks at it, until when it is put off, what somebody noted,
// that it is to be looked at once more, and how it was resolved. So is which filters
// somebody goes back to. Decisions themselves are events of the log; nothing here changes
// a balance, and whatever is here may be lost without one being wrong.
package triage

import (
	"context"
	"fmt"
	"slices"
	"time"
	"unicode"
	"unicode/utf8"

	"recoup/event"
	"recoup/internal/store/durable"
	"recoup/internal/store/record"
	"recoup/reward"
)

// The tables, all at home: work and notes under the part that they are of, notes with
// their number besides; resolved ones under their number, and under their account and
// number; filters under who saved them and their name.
const (
	works      record.Table[Work]     = "review_work"
	notes      record.Table[Note]     = "review_notes"
	resolved   record.Table[Resolved] = "review_resolved"
	resolvedOf record.Table[int64]    = "review_resolved_of"
	saved      record.Table[Saved]    = "review_filters"
)

// Tables are all of them, for who carries a database over.
var Tables = []string{string(works), string(notes), string(resolved), string(resolvedOf), string(saved)}

// Bounds of what is kept.
const (
	// MaxWorks is how much may be assigned, put off or opened again at a time.
	MaxWorks = 5_000
	// MaxNotes is how many notes one part may have.
	MaxNotes = 200
	// MaxResolved is how many resolved ones are kept, the latest.
	MaxResolved = 100_000
	// MaxSaved is how many filters somebody may save.
	MaxSaved = 30
	// MaxQuery is how long one may be, in bytes.
	MaxQuery = 1024
	// MaxSnooze is how long something may be put off.
	MaxSnooze = 365 * 24 * time.Hour
)

// Person is somebody, as the console knows people.
type Person struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Work is what is said of one part that is or was on the review list.
type Work struct {
	Account  string          `json:"account"`
	Kind     reward.PartKind `json:"kind"`
	ID       string          `json:"id"`
	Assignee Person          `json:"assignee,omitzero"`
	Until    int64           `json:"until,omitzero"`    // put off until then, in nanoseconds since 1970
	Reopened int64           `json:"reopened,omitzero"` // since when somebody wants it looked at once more
	Notes    int64           `json:"notes,omitzero"`    // how many there are
}

// Part is what the work is about.
func (w *Work) Part() durable.PartKey {
	return durable.PartKey{Account: w.Account, Kind: w.Kind, ID: w.ID}
}

// Snoozed reports whether it is put off at a moment.
func (w *Work) Snoozed(now reward.Instant) bool { return w.Until > int64(now) }

// Note is something that somebody did or wrote about a part.
type Note struct {
	At   reward.Instant `json:"at"`
	By   Person         `json:"by"`
	What What           `json:"what"`
	Text string         `json:"text,omitzero"` // what was written, the reason, or to whom it was given
}

// What says what somebody did.
type What string

// What there is.
const (
	Noted    What = "noted"
	Assigned What = "assigned"
	Freed    What = "freed"
	Snoozed  What = "snoozed"
	Woken    What = "woken"
	Reopened What = "reopened"
	Settled  What = "settled" // what was opened again stays as it was
	Decided  What = "decided"
)

// Resolved is how a review was resolved.
type Resolved struct {
	Number  int64           `json:"number"` // counts from one
	At      reward.Instant  `json:"at"`
	Account string          `json:"account"`
	Kind    reward.PartKind `json:"kind"`
	ID      string          `json:"id"`
	Reviews []string        `json:"reviews,omitzero"` // the kinds of what was open about it
	How     string          `json:"how"`              // the type of the event, or "settled"
	Event   string          `json:"event,omitzero"`   // its id
	Reason  string          `json:"reason"`
	By      Person          `json:"by"`
	Gives   int64           `json:"gives,omitzero"` // of the balance, in minor units of Unit
	Takes   int64           `json:"takes,omitzero"`
	Unit    string          `json:"unit,omitzero"`
}

// Part is what was resolved.
func (r *Resolved) Part() durable.PartKey {
	return durable.PartKey{Account: r.Account, Kind: r.Kind, ID: r.ID}
}

// Saved is a filter that somebody goes back to.
type Saved struct {
	Name  string `json:"name"`
	Query string `json:"query"`
}

// InvalidError says what is wrong with what somebody asked for.
type InvalidError struct {
	Member  string
	Problem string // as fmt.Sprintf writes it
	Values  []any
}

// invalid returns an *InvalidError.
func invalid(member, problem string, values ...any) error {
	return &InvalidError{member, problem, values}
}

// Error implements error.
func (e *InvalidError) Error() string { return e.Member + ": " + fmt.Sprintf(e.Problem, e.Values...) }

// Book is all of that of a database. It may be used by several goroutines, and by several
// processes at once.
type Book struct {
	home record.Store
	now  func() time.Time
}

// New returns the book of a database, from its home.
func New(home record.Store, now func() time.Time) *Book { return &Book{home, now} }

// key is that of a part.
func key(p durable.PartKey) string { return record.Key(p.Account, int64(p.Kind), p.ID) }

// Of returns what is said of parts, those of which nothing is left out.
func (b *Book) Of(ctx context.Context, parts []durable.PartKey) (map[durable.PartKey]Work, error) {
	found := make(map[durable.PartKey]Work)
	err := b.home.Read(ctx, func(r record.Reader) error {
		clear(found)
		for _, p := range parts {
			w, ok, err := works.Get(ctx, r, key(p))
			if err != nil {
				return err
			}
			if ok {
				found[p] = w
			}
		}
		return nil
	})
	return found, failed("reading who looks at reviews", err)
}

// All returns all work there is, by account.
func (b *Book) All(ctx context.Context) (list []Work, err error) {
	err = b.home.Read(ctx, func(r record.Reader) error {
		list, err = works.List(ctx, r, record.Span{}, MaxWorks)
		return err
	})
	return list, failed("reading who looks at reviews", err)
}

// Notes returns what was done and written about a part, the oldest first.
func (b *Book) Notes(ctx context.Context, part durable.PartKey) (list []Note, err error) {
	err = b.home.Read(ctx, func(r record.Reader) error {
		list, err = notes.List(ctx, r, record.Under(part.Account, int64(part.Kind), part.ID), MaxNotes)
		return err
	})
	return list, failed("reading notes of a review", err)
}

// Note keeps what somebody wrote about a part.
func (b *Book) Note(ctx context.Context, part durable.PartKey, by Person, text string) error {
	if err := checkText("note", text); err != nil {
		return err
	}
	return b.change(ctx, part, Note{By: by, What: Noted, Text: text}, func(*Work) {})
}

// Assign has somebody look at a part, or with no name nobody.
func (b *Book) Assign(ctx context.Context, part durable.PartKey, by, to Person) error {
	if to.Name == "" {
		return b.change(ctx, part, Note{By: by, What: Freed}, func(w *Work) { w.Assignee = Person{} })
	}
	if err := checkText("assignee", to.Name); err != nil {
		return err
	}
	return b.change(ctx, part, Note{By: by, What: Assigned, Text: to.Name}, func(w *Work) { w.Assignee = to })
}

// Snooze puts a part off until a moment, or with zero takes it back.
func (b *Book) Snooze(ctx context.Context, part durable.PartKey, by Person, until reward.Instant) error {
	if until == 0 {
		return b.change(ctx, part, Note{By: by, What: Woken}, func(w *Work) { w.Until = 0 })
	}
	now := reward.At(b.now())
	if until <= now || until > now+reward.Instant(MaxSnooze) {
		return invalid("until", "expected a day from tomorrow on, and at most a year ahead")
	}
	return b.change(ctx, part, Note{By: by, What: Snoozed, Text: until.String()[:len("2006-01-02")]}, func(w *Work) { w.Until = int64(until) })
}

// Reopen has a part looked at once more that was resolved.
func (b *Book) Reopen(ctx context.Context, part durable.PartKey, by Person, reason string) error {
	if err := checkText("reason", reason); err != nil {
		return err
	}
	now := int64(reward.At(b.now()))
	return b.change(ctx, part, Note{By: by, What: Reopened, Text: reason}, func(w *Work) { w.Reopened = now })
}

// Resolve keeps how a part was resolved. Nobody looks at it any more then, and it is
// neither put off nor opened again.
func (b *Book) Resolve(ctx context.Context, r Resolved) error {
	what := Decided
	if r.How == string(Settled) {
		what = Settled
	}
	if r.Event != "" {
		done, err := b.has(ctx, &r)
		if err != nil || done {
			return err
		}
	}
	return b.changeWith(ctx, r.Part(), Note{By: r.By, What: what, Text: r.Reason}, func(w *Work) { w.Assignee, w.Until, w.Reopened = Person{}, 0, 0 }, func(tx record.Tx, at reward.Instant) error {
		last, err := resolved.List(ctx, tx, record.Span{Reversed: true}, 1)
		if err != nil {
			return err
		}
		r.Number, r.At = 1, at
		if len(last) > 0 {
			r.Number = last[0].Number + 1
		}
		if gone := r.Number - MaxResolved; gone > 0 {
			old, there, err := resolved.Get(ctx, tx, record.Key(gone))
			if err != nil {
				return err
			}
			if there {
				resolved.Delete(tx, record.Key(gone))
				resolvedOf.Delete(tx, record.Key(old.Account, gone))
			}
		}
		if err := resolvedOf.Put(tx, record.Key(r.Account, r.Number), &r.Number); err != nil {
			return err
		}
		return resolved.Put(tx, record.Key(r.Number), &r)
	})
}

// Drop forgets who looks at parts and until when they are put off, since nothing about them
// is open any more. Their notes stay.
func (b *Book) Drop(ctx context.Context, parts []durable.PartKey) error {
	if len(parts) == 0 {
		return nil
	}
	return failed("forgetting who looks at reviews", b.home.Change(ctx, func(tx record.Tx) error {
		for _, p := range parts {
			works.Delete(tx, key(p))
		}
		return nil
	}))
}

// mostSame is how many of an account's latest are looked through for one that is kept
// already.
const mostSame = 50

// has reports whether a resolution is kept already: a form may be sent twice.
func (b *Book) has(ctx context.Context, r *Resolved) (is bool, err error) {
	list, _, err := b.Resolutions(ctx, Asked{Account: r.Account}, mostSame)
	return slices.ContainsFunc(list, func(was Resolved) bool { return was.Event == r.Event && was.Part() == r.Part() }), err
}

// change changes what is said of a part and keeps who did it.
func (b *Book) change(ctx context.Context, part durable.PartKey, n Note, f func(*Work)) error {
	return b.changeWith(ctx, part, n, f, nil)
}

func (b *Book) changeWith(ctx context.Context, part durable.PartKey, n Note, f func(*Work), more func(record.Tx, reward.Instant) error) error {
	at := reward.At(b.now())
	err := b.home.Change(ctx, func(tx record.Tx) error {
		w, there, err := works.Get(ctx, tx, key(part))
		if err != nil {
			return err
		}
		if !there {
			w = Work{Account: part.Account, Kind: part.Kind, ID: part.ID}
			if w.Notes, err = notes.Count(ctx, tx, record.Under(part.Account, int64(part.Kind), part.ID)); err != nil {
				return err
			}
		}
		f(&w)
		if w.Notes >= MaxNotes && n.What == Noted {
			return invalid("note", "there are %d, which is as many as one review may have", w.Notes)
		}
		n.At = at
		if w.Notes < MaxNotes {
			w.Notes++
			if err := notes.Put(tx, record.Key(part.Account, int64(part.Kind), part.ID, w.Notes), &n); err != nil {
				return err
			}
		}
		if more != nil {
			if err := more(tx, at); err != nil {
				return err
			}
		}
		if w.Assignee == (Person{}) && w.Until == 0 && w.Reopened == 0 {
			works.Delete(tx, key(part)) // its notes stay
			return nil
		}
		if !there {
			n, err := works.Count(ctx, tx, record.Span{})
			if err != nil {
				return err
			}
			if n >= MaxWorks {
				return invalid("review", "%d are assigned, put off or opened again, which is as many as may be", n)
			}
		}
		return works.Put(tx, key(part), &w)
	})
	return failed("keeping who looks at a review", err)
}

func failed(what string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

func checkText(member, text string) error {
	for _, r := range text {
		if unicode.IsControl(r) {
			return invalid(member, "expected text on one line")
		}
	}
	if text == "" || len(text) > event.MaxText || !utf8.ValidString(text) {
		return invalid(member, "expected a text of 1 to %d bytes", event.MaxText)
	}
	if _, is := event.CardNumber(&reward.Event{Type: reward.AdjustmentPosted, Reason: text}, nil); is {
		return invalid(member, "it looks like the number of a payment card, which must not be kept here")
	}
	return nil
}
