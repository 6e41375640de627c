// Package drafts keeps drafts of terms that people work on: nothing in them is in force, and
// nothing is published from here.
package drafts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"recoup/internal/store/record"
	"recoup/program"
)

// Limits on what is kept.
const (
	Most    = 50  // drafts of a program
	MaxName = 100 // bytes of a name
)

// drafts lie under record.Key of their program and number; numbers has the last number of
// each program, so that none is given twice.
const (
	drafts  record.Table[Draft] = "program_drafts"
	numbers record.Table[int64] = "program_draft_numbers"
)

// Tables are all of them, for who carries a database over.
var Tables = []string{string(drafts), string(numbers)}

// Draft is a draft of a program's terms.
type Draft struct {
	Program  string `json:"program"`
	Number   int64  `json:"number"` // counts the drafts of the program from one
	Name     string `json:"name"`
	Document string `json:"document"` // need not be a program yet
	// Revision counts how often it was saved.
	Revision int64  `json:"revision"`
	Begun    int64  `json:"begun_at"` // nanoseconds since 1970
	BegunBy  string `json:"begun_by"`
	Saved    int64  `json:"saved_at"`
	SavedBy  string `json:"saved_by"`
}

// ErrUnknown says that there is no such draft, or not any more.
var ErrUnknown = errors.New("there is no such draft")

// ErrFull says that a program has as many drafts as it may have.
var ErrFull = invalid("the program has %d drafts, which is as many as may be: delete one that nobody needs", Most)

// ConflictError says that somebody else saved a draft meanwhile, which is There.
type ConflictError struct{ There Draft }

// Error implements error.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("%s saved the draft meanwhile", e.There.SavedBy)
}

// InvalidError says what is wrong with a draft that is to be saved.
type InvalidError struct {
	Problem string // as fmt.Sprintf writes it
	Values  []any
}

// invalid returns an *InvalidError.
func invalid(problem string, values ...any) error { return &InvalidError{problem, values} }

// Error implements error.
func (e *InvalidError) Error() string { return fmt.Sprintf(e.Problem, e.Values...) }

// Book is the drafts of a database. It may be used by several goroutines, and by several
// processes at once.
type Book struct {
	home record.Store
	now  func() time.Time
}

// New returns the drafts of a database, at its home.
func New(home record.Store, now func() time.Time) *Book { return &Book{home, now} }

// Save keeps a draft: a new one if its number is zero, else the one of its number, whose
// revision must be the one that there is. Of the draft Program, Number, Name, Document and
// Revision are looked at. The error is an *InvalidError, ErrFull, ErrUnknown, a
// *ConflictError, or one of the database.
func (b *Book) Save(ctx context.Context, d Draft, by string) (Draft, error) {
	if d.Name = strings.TrimSpace(d.Name); d.Name == "" || len(d.Name) > MaxName || !utf8.ValidString(d.Name) || strings.ContainsRune(d.Name, 0) {
		return d, invalid("expected a name of 1 to %d bytes", MaxName)
	}
	if len(d.Document) > program.MaxSize || !utf8.ValidString(d.Document) || strings.ContainsRune(d.Document, 0) {
		return d, invalid("expected UTF-8 text of at most %d bytes", program.MaxSize)
	}
	err := b.home.Change(ctx, func(tx record.Tx) error {
		kept, err := b.place(ctx, tx, d)
		if err != nil {
			return err
		}
		kept.Name, kept.Document = d.Name, d.Document
		kept.Revision++
		kept.Saved, kept.SavedBy = b.now().UnixNano(), by
		if kept.Revision == 1 {
			kept.Begun, kept.BegunBy = kept.Saved, by
		}
		if err := drafts.Put(tx, kept.key(), &kept); err != nil {
			return err
		}
		d = kept
		return nil
	})
	return d, fail("saving a draft", err)
}

// place returns the draft that is to be changed, or a new one.
func (b *Book) place(ctx context.Context, tx record.Tx, d Draft) (Draft, error) {
	if d.Number != 0 {
		there, ok, err := drafts.Get(ctx, tx, d.key())
		switch {
		case err != nil:
			return d, err
		case !ok:
			return d, ErrUnknown
		case there.Revision != d.Revision:
			return d, &ConflictError{there}
		}
		return there, nil
	}
	n, err := drafts.Count(ctx, tx, record.Under(d.Program))
	if err != nil {
		return d, err
	}
	if n >= Most {
		return d, ErrFull
	}
	last, _, err := numbers.Get(ctx, tx, record.Key(d.Program))
	if err != nil {
		return d, err
	}
	last++
	return Draft{Program: d.Program, Number: last}, numbers.Put(tx, record.Key(d.Program), &last)
}

func (d *Draft) key() string { return record.Key(d.Program, d.Number) }

// Get returns a draft, or ErrUnknown.
func (b *Book) Get(ctx context.Context, program string, number int64) (d Draft, err error) {
	err = b.home.Read(ctx, func(r record.Reader) error {
		var ok bool
		d, ok, err = drafts.Get(ctx, r, record.Key(program, number))
		if err == nil && !ok {
			err = ErrUnknown
		}
		return err
	})
	return d, fail("reading a draft", err)
}

// List returns the drafts of a program, the one that was saved last first.
func (b *Book) List(ctx context.Context, program string) (list []Draft, err error) {
	err = b.home.Read(ctx, func(r record.Reader) error {
		list, err = drafts.List(ctx, r, record.Under(program), Most)
		return err
	})
	slices.SortStableFunc(list, func(x, y Draft) int { return int(max(-1, min(1, y.Saved-x.Saved))) })
	return list, fail("reading drafts", err)
}

// Delete deletes a draft. The error is ErrUnknown, or one of the database.
func (b *Book) Delete(ctx context.Context, program string, number int64) error {
	err := b.home.Change(ctx, func(tx record.Tx) error {
		key := record.Key(program, number)
		if _, ok, err := drafts.Get(ctx, tx, key); err != nil || !ok {
			return cmp.Or(err, ErrUnknown)
		}
		drafts.Delete(tx, key)
		return nil
	})
	return fail("deleting a draft", err)
}

// fail says what was being done when the database failed; what a person did wrong is
// returned as it is.
func fail(doing string, err error) error {
	var conflict *ConflictError
	if err == nil || errors.Is(err, ErrUnknown) || errors.Is(err, ErrFull) || errors.As(err, &conflict) {
		return err
	}
	return fmt.Errorf("%s: %w", doing, err)
}
