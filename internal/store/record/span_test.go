package record_test

import (
	"testing"

	"pgregory.net/rapid"

	"recoup/internal/store/record"
)

// within reports whether a span has a key, as a database is to read it.
func within(s record.Span, key string) bool {
	return key >= s.From && (s.Before == "" || key < s.Before)
}

// span draws a span as they come to be: all, or what is under some parts or after or
// until some key.
func span(t *rapid.T) record.Span {
	return rapid.SampledFrom([]record.Span{
		{}, record.Under("a"), record.Under("\xff"), record.Under(int64(1<<63 - 1)),
		{From: text(t, "from")}, {Before: text(t, "before")}, {From: text(t, "from"), Before: text(t, "before")},
	}).Draw(t, "span")
}

// TestSpansAreCut: after a key, until one, and both in any order is what is in the span
// and on the right side of the keys.
func TestSpansAreCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := span(t)
		key := text(t, "key")
		in, reversed := within(s, key), false
		for range rapid.IntRange(1, 3).Draw(t, "cuts") {
			at := text(t, "cut")
			switch rapid.IntRange(0, 2).Draw(t, "way") {
			case 0:
				s, in = s.After(at), in && key > at
			case 1:
				s, in = s.Until(at), in && key < at
			case 2:
				s, reversed = s.Reverse(), !reversed
			}
		}
		if got := within(s, key); got != in || s.Reversed != reversed {
			t.Fatalf("%+v has %q: %v, want %v, reversed %v", s, key, got, in, reversed)
		}
	})
}

// Whoever goes on after each page sees every key once, and none twice, in either direction.
func TestPagesJoin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfDistinct(rapid.Custom(func(t *rapid.T) string { return text(t, "key") }), rapid.ID[string]).Draw(t, "keys")
		shelf := make(shelf)
		table := record.Table[int]("t")
		for i, key := range keys {
			if err := table.Put(shelf, key, &i); err != nil {
				t.Fatal(err)
			}
		}
		all := span(t)
		if rapid.Bool().Draw(t, "reversed") {
			all = all.Reverse()
		}
		want, got := shelf.keys(t, all, 1000), []string(nil)
		for rest, limit := all, rapid.IntRange(1, 3).Draw(t, "page"); ; {
			page := shelf.keys(t, rest, limit)
			got = append(got, page...)
			if len(page) < limit {
				break
			}
			if last := page[len(page)-1]; all.Reversed {
				rest = rest.Until(last)
			} else {
				rest = rest.After(last)
			}
		}
		if len(got) != len(want) {
			t.Fatalf("in pages there are %q, want %q", got, want)
		}
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("in pages there are %q, want %q", got, want)
			}
		}
	})
}
