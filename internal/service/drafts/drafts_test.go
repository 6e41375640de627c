package drafts_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"recoup/internal/kit/pgtest"
	"recoup/internal/service/drafts"
	"recoup/internal/store/pebble/pebbletest"
	"recoup/internal/store/postgres"
	"recoup/internal/store/record"
	"recoup/program"
)

var databases = map[string]func(*testing.T) record.Store{
	"pebble": func(t *testing.T) record.Store { return pebbletest.Open(t) },
	"PostgreSQL": func(t *testing.T) record.Store {
		d, err := postgres.Open(t.Context(), pgtest.NewSchema(t), postgres.Options{Migrate: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Close() })
		return d
	},
}

func TestDraftsAreKeptWithWhoAndWhen(t *testing.T) {
	for name, open := range databases {
		t.Run(name, func(t *testing.T) {
			ctx, now := t.Context(), time.Unix(1_000_000, 0)
			b := drafts.New(open(t), func() time.Time { now = now.Add(time.Minute); return now })
			save := func(d drafts.Draft, by string) drafts.Draft {
				t.Helper()
				d, err := b.Save(ctx, d, by)
				if err != nil {
					t.Fatal(err)
				}
				return d
			}
			first := save(drafts.Draft{Program: "a", Name: " spring ", Document: "id: a # not a program yet"}, "Ada")
			second := save(drafts.Draft{Program: "a", Name: "summer"}, "Bob")
			other := save(drafts.Draft{Program: "a\x00b", Name: "of another program"}, "Ada")
			if first.Number != 1 || first.Revision != 1 || first.Name != "spring" || first.BegunBy != "Ada" || second.Number != 2 || other.Number != 1 {
				t.Fatalf("saved %+v, %+v and %+v", first, second, other)
			}
			mine := first
			mine.Document = "id: a\n"
			changed := save(mine, "Bob")
			if changed.Revision != 2 || changed.SavedBy != "Bob" || changed.Begun != first.Begun || changed.BegunBy != "Ada" || changed.Saved <= second.Saved {
				t.Errorf("changed to %+v", changed)
			}
			list, err := b.List(ctx, "a")
			if err != nil || len(list) != 2 || list[0] != changed || list[1] != second {
				t.Errorf("the list has %+v, %v", list, err)
			}
			// Who saves what was changed meanwhile is told, and nothing is lost.
			var conflict *drafts.ConflictError
			if _, err := b.Save(ctx, mine, "Ada"); !errors.As(err, &conflict) || conflict.There != changed {
				t.Errorf("saved over what somebody else saved: %v", err)
			}
			if got, err := b.Get(ctx, "a", 1); err != nil || got != changed {
				t.Errorf("draft 1 is %+v, %v", got, err)
			}
			if err := b.Delete(ctx, "a", 2); err != nil {
				t.Fatal(err)
			}
			for _, err := range []error{
				b.Delete(ctx, "a", 2),
				errorOf(b.Get(ctx, "a", 2)),
				errorOf(b.Save(ctx, second, "Bob")),
				errorOf(b.Get(ctx, "none", 1)),
			} {
				if !errors.Is(err, drafts.ErrUnknown) {
					t.Errorf("what is not there: %v", err)
				}
			}
			if third := save(drafts.Draft{Program: "a", Name: "x"}, "Ada"); third.Number != 3 {
				t.Errorf("the number %d is given again", third.Number)
			}
		})
	}
}

func errorOf[T any](_ T, err error) error { return err }

func TestDraftsAreBounded(t *testing.T) {
	b := drafts.New(pebbletest.Open(t), time.Now)
	for what, d := range map[string]drafts.Draft{
		"no name":     {Name: " "},
		"a long name": {Name: strings.Repeat("x", drafts.MaxName+1)},
		"a large one": {Name: "x", Document: strings.Repeat("x", program.MaxSize+1)},
		"no text":     {Name: "x", Document: "\xff"},
	} {
		var invalid *drafts.InvalidError
		if _, err := b.Save(t.Context(), d, "Ada"); !errors.As(err, &invalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for i := range drafts.Most {
		if _, err := b.Save(t.Context(), drafts.Draft{Program: "a", Name: fmt.Sprint(i)}, "Ada"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Save(t.Context(), drafts.Draft{Program: "a", Name: "one more"}, "Ada"); !errors.Is(err, drafts.ErrFull) {
		t.Errorf("one more: %v", err)
	}
	if _, err := b.Save(t.Context(), drafts.Draft{Program: "b", Name: "of another"}, "Ada"); err != nil {
		t.Error(err)
	}
}
