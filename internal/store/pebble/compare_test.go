package pebble_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"pgregory.net/rapid"

	"recoup/internal/store/durable"
	"recoup/internal/store/record"
	"recoup/reward"
)

// compare reads everything there is in every way.
func compare(t *rapid.T, reader durable.Reader, m *model, r dice) {
	t.Helper()
	ctx := context.Background()
	expect := func(what string, got, want any, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s is\n%+v, want\n%+v", what, got, want)
		}
	}
	compareRecords(t, reader, m, r)
	ids := slices.Sorted(maps.Keys(m.accounts))
	after, limit := fmt.Sprint("acct-", r.IntN(modelAccounts)), 1+r.IntN(4)
	got, err := reader.Accounts(ctx, after, limit)
	expect("accounts", got, first(those(ids, func(id string) bool { return id > after }), limit), err)

	at := reward.Instant(r.IntN(modelTimes))
	due := those(ids, func(id string) bool { return m.accounts[id].Due != 0 && m.accounts[id].Due <= at })
	slices.SortStableFunc(due, func(a, b string) int { return cmp.Compare(m.accounts[a].Due, m.accounts[b].Due) })
	got, err = reader.Due(ctx, at, limit)
	if len(got) == 0 {
		got = nil
	}
	expect("due", got, first(due, limit), err)

	all := slices.SortedFunc(maps.Values(m.parts), func(a, b durable.Part) int { return cmp.Compare(a.ID, b.ID) })
	for i := range modelAccounts {
		id := fmt.Sprint("acct-", i)
		row, ok, err := reader.Account(ctx, id)
		if _, there := m.accounts[id]; there != ok {
			t.Errorf("%s is there: %v", id, ok)
		}
		expect(id, row, m.accounts[id], err)

		kind, from := 1+reward.PartKind(r.IntN(6)), reward.Instant(r.IntN(3))
		for what, x := range map[string]struct {
			query durable.Query
			want  func(p *durable.Part) bool
		}{
			"ids":     {durable.Query{IDs: []string{"id-3", "id-4"}}, func(p *durable.Part) bool { return p.ID == "id-3" || p.ID == "id-4" }},
			"working": {durable.Query{Working: true}, func(p *durable.Part) bool { return p.Working }},
			"bucket":  {durable.Query{Bucket: 2}, func(p *durable.Part) bool { return p.Bucket == 2 }},
			"settled": {durable.Query{Settled: true, From: from, To: from + 2}, func(p *durable.Part) bool { return p.Settled != 0 && p.Settled >= from && p.Settled < from+2 }},
			"page":    {durable.Query{Page: true, After: "id-1", Limit: limit}, func(p *durable.Part) bool { return p.ID > "id-1" }},
		} {
			x.query.Account, x.query.Kind = id, kind
			want := those(all, func(p durable.Part) bool { return p.Account == id && p.Kind == kind && x.want(&p) })
			if x.query.Page {
				want = first(want, limit)
			}
			got, err := reader.Find(ctx, x.query)
			if !x.query.Page {
				slices.SortFunc(got, func(a, b durable.Part) int { return cmp.Compare(a.ID, b.ID) })
			}
			if len(got) == 0 {
				got = nil
			}
			expect(fmt.Sprintf("%s of kind %d of %s", what, kind, id), got, want, err)
		}
	}

	name := fmt.Sprint("id-", r.IntN(modelIDs))
	var named []durable.PartKey
	for key := range m.parts {
		if key.ID == name && key.Kind <= reward.ChargebackPart {
			named = append(named, key)
		}
	}
	slices.SortFunc(named, func(a, b durable.PartKey) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Kind, b.Kind))
	})
	keys, err := reader.Named(ctx, name, limit)
	if len(keys) == 0 {
		keys = nil
	}
	expect("parts named "+name, keys, first(named, limit), err)

	account := ""
	if r.IntN(2) == 0 {
		account = fmt.Sprint("acct-", r.IntN(modelAccounts))
	}
	place := durable.ReviewPlace{Since: reward.Instant(r.IntN(modelTimes)), Account: "acct-3", Kind: 1 + reward.PartKind(r.IntN(6)), ID: "id-4"}
	reviews := those(all, func(p durable.Part) bool {
		return p.ReviewSince != 0 && (account == "" || p.Account == account) && order(p, place) > 0
	})
	slices.SortFunc(reviews, func(a, b durable.Part) int {
		return order(a, durable.ReviewPlace{Since: b.ReviewSince, Account: b.Account, Kind: b.Kind, ID: b.ID})
	})
	parts, err := reader.Reviews(ctx, account, place, limit)
	if len(parts) == 0 {
		parts = nil
	}
	expect("reviews", parts, first(reviews, limit), err)

	var events, want []durable.EventRow
	err = reader.EventsOf(ctx, "acct-1", "acct-5", func(e *durable.EventRow) error { events = append(events, *e); return nil })
	for i := 1; i <= 5; i++ {
		want = append(want, m.events[fmt.Sprint("acct-", i)]...)
	}
	expect("events", events, want, err)
	for id, list := range m.events {
		for _, e := range list {
			got, ok, err := reader.Event(ctx, durable.Identity{Account: id, Source: "core", ID: e.ID})
			if !ok {
				t.Errorf("event %s of %s is not there", e.ID, id)
			}
			expect("event", got, e, err)
		}
		if _, ok, err := reader.Event(ctx, durable.Identity{Account: id, Source: "core", ID: fmt.Sprint("e", len(list)+1)}); ok || err != nil {
			t.Errorf("%s has an event too many (%v)", id, err)
		}
	}
}

// compareRecords compares a random span of records.
func compareRecords(t *rapid.T, reader durable.Reader, m *model, r dice) {
	span := record.Span{From: fmt.Sprint("r", r.IntN(modelRecords)), Before: fmt.Sprint("r", r.IntN(modelRecords)), Reversed: r.IntN(2) == 0}
	var want []string
	for _, key := range slices.Sorted(maps.Keys(m.records)) {
		if key >= span.From && key < span.Before {
			want = append(want, key+"="+m.records[key])
		}
	}
	if span.Reversed {
		slices.Reverse(want)
	}
	if got := scanned(t, reader, span); !slices.Equal(got, want) {
		t.Errorf("records of %+v are %q, want %q", span, got, want)
	}
}

func order(p durable.Part, at durable.ReviewPlace) int {
	return cmp.Or(cmp.Compare(p.ReviewSince, at.Since), cmp.Compare(p.Account, at.Account), cmp.Compare(p.Kind, at.Kind), cmp.Compare(p.ID, at.ID))
}

func scanned(t *rapid.T, reader durable.Reader, s record.Span) (keys []string) {
	err := reader.Scan(context.Background(), "t", s, func(key string, value []byte) (bool, error) {
		keys = append(keys, key+"="+string(value))
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func those[T any](list []T, want func(T) bool) (found []T) {
	for _, x := range list {
		if want(x) {
			found = append(found, x)
		}
	}
	return found
}

func first[T any](list []T, n int) []T { return list[:min(n, len(list))] }
