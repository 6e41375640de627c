package triage_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"recoup/internal/kit/pgtest"
	"recoup/internal/store/durable"
	"recoup/internal/store/pebble/pebbletest"
	"recoup/internal/store/postgres"
	"recoup/internal/store/record"
	"recoup/internal/store/triage"
	"recoup/reward"
)

// desk is a book over a database, with a clock that moves a second at a time.
type desk struct {
	*testing.T
	*triage.Book
	db   record.Store
	ctx  context.Context
	time time.Time
}

var (
	oscar = triage.Person{ID: "k1", Name: "Oscar"}
	maria = triage.Person{ID: "k2", Name: "Maria"}
)

// onEach runs a test over every database.
func onEach(t *testing.T, f func(d *desk)) {
	for name, open := range map[string]func(*testing.T) record.Store{
		"pebble": func(t *testing.T) record.Store { return pebbletest.Open(t) },
		"postgres": func(t *testing.T) record.Store {
			s, err := postgres.Open(context.Background(), pgtest.NewSchema(t), postgres.Options{Migrate: true})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := &desk{T: t, db: open(t), ctx: context.Background(), time: time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC)}
			d.Book = triage.New(d.db, func() time.Time { d.time = d.time.Add(time.Second); return d.time })
			f(d)
		})
	}
}

func refund(account, id string) durable.PartKey {
	return durable.PartKey{Account: account, Kind: reward.RefundPart, ID: id}
}

func (d *desk) ok(err error) {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
}

func TestWorkOnAReview(t *testing.T) {
	onEach(t, func(d *desk) {
		r1 := refund("acct", "r1")
		d.ok(d.Assign(d.ctx, r1, maria, oscar))
		d.ok(d.Note(d.ctx, r1, oscar, "the shop calls back"))
		until := reward.At(d.time.Add(48 * time.Hour))
		d.ok(d.Snooze(d.ctx, r1, oscar, until))
		found, err := d.Of(d.ctx, []durable.PartKey{r1, refund("acct", "r2")})
		d.ok(err)
		w := found[r1]
		if len(found) != 1 || w.Assignee != oscar || !w.Snoozed(until-1) || w.Snoozed(until) || w.Notes != 3 {
			t.Errorf("it is %+v", found)
		}
		d.ok(d.Resolve(d.ctx, triage.Resolved{Account: "acct", Kind: reward.RefundPart, ID: "r1", How: "refund.dismissed", Reason: "the receipt says so", By: oscar}))
		if all, err := d.All(d.ctx); err != nil || len(all) != 0 {
			t.Errorf("somebody still looks at it: %+v, %v", all, err)
		}
		d.ok(d.Reopen(d.ctx, r1, maria, "a complaint"))
		if all, err := d.All(d.ctx); err != nil || len(all) != 1 || all[0].Reopened == 0 || all[0].Part() != r1 {
			t.Errorf("opened again: %+v, %v", all, err)
		}
		list, err := d.Notes(d.ctx, r1)
		d.ok(err)
		var did []string
		for _, n := range list {
			did = append(did, fmt.Sprint(n.By.Name, " ", n.What, " ", n.Text))
		}
		if want := []string{"Maria assigned Oscar", "Oscar noted the shop calls back", "Oscar snoozed 2026-06-17", "Oscar decided the receipt says so", "Maria reopened a complaint"}; !slices.Equal(did, want) {
			t.Errorf("it was worked on so: %q, want %q", did, want)
		}
	})
}

func TestWhatCannotBeKept(t *testing.T) {
	onEach(t, func(d *desk) {
		r1 := refund("acct", "r1")
		for what, err := range map[string]error{
			"an empty note":        d.Note(d.ctx, r1, oscar, ""),
			"a long note":          d.Note(d.ctx, r1, oscar, strings.Repeat("x", 257)),
			"a note of two lines":  d.Note(d.ctx, r1, oscar, "a\nb"),
			"the number of a card": d.Note(d.ctx, r1, oscar, "4111 1111 1111 1111"),
			"put off to yesterday": d.Snooze(d.ctx, r1, oscar, reward.At(d.time)-reward.Day),
			"put off for years":    d.Snooze(d.ctx, r1, oscar, reward.At(d.time)+400*reward.Day),
			"no reason":            d.Reopen(d.ctx, r1, oscar, ""),
			"a filter of no name":  d.Save(d.ctx, oscar, triage.Saved{}),
		} {
			if !errors.As(err, new(*triage.InvalidError)) {
				t.Errorf("%s: %v", what, err)
			}
		}
		for i := range triage.MaxNotes {
			d.ok(d.Note(d.ctx, r1, oscar, fmt.Sprint(i)))
		}
		if err := d.Note(d.ctx, r1, oscar, "one more"); !errors.As(err, new(*triage.InvalidError)) {
			t.Errorf("beyond the most notes: %v", err)
		}
		d.ok(d.Assign(d.ctx, r1, oscar, maria)) // which still can be done
	})
}

func TestResolvedOnesAreFound(t *testing.T) {
	onEach(t, func(d *desk) {
		for i := range 7 {
			by := oscar
			if i%3 == 0 {
				by = maria
			}
			d.ok(d.Resolve(d.ctx, triage.Resolved{Account: fmt.Sprint("a", i%2), Kind: reward.RefundPart, ID: fmt.Sprint("r", i), How: "refund.dismissed", Reason: "because", By: by}))
		}
		for _, c := range []struct {
			asked triage.Asked
			want  string
		}{
			{triage.Asked{}, "r6 r5 r4 r3 r2 r1 r0"},
			{triage.Asked{Account: "a1"}, "r5 r3 r1"},
			{triage.Asked{Account: "a"}, ""},
			{triage.Asked{Text: "MARIA"}, "r6 r3 r0"},
			{triage.Asked{Text: "r4"}, "r4"},
			{triage.Asked{Account: "a0", Text: "oscar"}, "r4 r2"},
		} {
			for limit := 1; limit < 9; limit += 3 {
				var found []string
				for a := c.asked; ; {
					list, next, err := d.Resolutions(d.ctx, a, limit)
					d.ok(err)
					for i := range list {
						found = append(found, list[i].ID)
					}
					if a.Before = next; next == 0 {
						break
					}
				}
				if got := strings.Join(found, " "); got != c.want {
					t.Errorf("%+v, %d at a time: %q, want %q", c.asked, limit, got, c.want)
				}
			}
		}
	})
}

func TestFiltersAreSomebodysOwn(t *testing.T) {
	onEach(t, func(d *desk) {
		d.ok(d.Save(d.ctx, oscar, triage.Saved{Name: "large", Query: "amount=100"}))
		d.ok(d.Save(d.ctx, oscar, triage.Saved{Name: "large", Query: "amount=200"}))
		d.ok(d.Save(d.ctx, maria, triage.Saved{Name: "old", Query: "older=30"}))
		if list, err := d.Filters(d.ctx, oscar); err != nil || !slices.Equal(list, []triage.Saved{{Name: "large", Query: "amount=200"}}) {
			t.Errorf("Oscar's are %+v, %v", list, err)
		}
		for i := range triage.MaxSaved - 1 {
			d.ok(d.Save(d.ctx, oscar, triage.Saved{Name: fmt.Sprint(i)}))
		}
		if err := d.Save(d.ctx, oscar, triage.Saved{Name: "one more"}); !errors.As(err, new(*triage.InvalidError)) {
			t.Errorf("beyond the most: %v", err)
		}
		d.ok(d.Unsave(d.ctx, oscar, "large"))
		d.ok(d.Save(d.ctx, oscar, triage.Saved{Name: "one more"}))
	})
}

func TestAnAccountIsForgotten(t *testing.T) {
	onEach(t, func(d *desk) {
		for _, account := range []string{"acct", "acct2"} {
			d.ok(d.Note(d.ctx, refund(account, "r1"), oscar, "x"))
			d.ok(d.Resolve(d.ctx, triage.Resolved{Account: account, Kind: reward.RefundPart, ID: "r1", How: "refund.linked", Reason: "y", By: oscar}))
			d.ok(d.Assign(d.ctx, refund(account, "r1"), oscar, maria))
		}
		d.ok(triage.Forget(d.ctx, d.db, "acct"))
		count := func(account string) (n int) {
			notes, err := d.Notes(d.ctx, refund(account, "r1"))
			d.ok(err)
			list, _, err := d.Resolutions(d.ctx, triage.Asked{Text: "r1"}, 10)
			d.ok(err)
			for i := range list {
				if list[i].Account == account {
					n++
				}
			}
			works, err := d.Of(d.ctx, []durable.PartKey{refund(account, "r1")})
			d.ok(err)
			return n + len(notes) + len(works)
		}
		if gone, kept := count("acct"), count("acct2"); gone != 0 || kept != 5 {
			t.Errorf("%d things are left of the one, %d of the other", gone, kept)
		}
	})
}
