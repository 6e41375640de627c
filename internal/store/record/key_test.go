package record_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"recoup/internal/store/record"
)

// shape says of each part of some tuples whether it is a string.
type shape []bool

var shapes = rapid.SliceOfN(rapid.Bool(), 1, 4)

// text draws strings of the bytes that have a meaning in keys, and their neighbours.
func text(t *rapid.T, label string) string {
	return string(rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 2, 'a', 0xfe, 0xff}), 0, 4).Draw(t, label))
}

// part draws one part; the numbers are likely to be neighbours, or at the ends.
func part(t *rapid.T, isString bool) any {
	if isString {
		return text(t, "text")
	}
	return rapid.OneOf(
		rapid.SampledFrom([]int64{-1 << 63, -1<<63 + 1, -256, -1, 0, 1, 255, 1<<63 - 2, 1<<63 - 1}), rapid.Int64(),
	).Draw(t, "number")
}

// tuple draws a tuple of a shape.
func (s shape) tuple(t *rapid.T) (parts []any) {
	for _, isString := range s {
		parts = append(parts, part(t, isString))
	}
	return parts
}

// compare compares tuples of one shape, or the beginnings of such, by their parts. One
// that another begins with comes first.
func compare(a, b []any) int {
	return slices.CompareFunc(a, b, func(a, b any) int {
		if a, is := a.(string); is {
			return strings.Compare(a, b.(string))
		}
		return cmp.Compare(a.(int64), b.(int64))
	})
}

func TestKeysAreInTheOrderOfTheirParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := shape(shapes.Draw(t, "shape"))
		a, b := s.tuple(t), s.tuple(t)
		a, b = a[:rapid.IntRange(0, len(a)).Draw(t, "length")], b[:rapid.IntRange(0, len(b)).Draw(t, "length")]
		copy(b, a[:min(len(a), len(b), rapid.IntRange(0, len(s)).Draw(t, "alike"))])
		if got, want := strings.Compare(record.Key(a...), record.Key(b...)), compare(a, b); got != want {
			t.Fatalf("the keys %x and %x of %q and %q compare as %d, want %d", record.Key(a...), record.Key(b...), a, b, got, want)
		}
	})
}

func TestUnderHasWhatBeginsWithTheParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := shape(shapes.Draw(t, "shape"))
		whole := s.tuple(t)
		first := slices.Clone(s.tuple(t)[:rapid.IntRange(0, len(s)).Draw(t, "length")])
		copy(first, whole[:rapid.IntRange(0, len(first)).Draw(t, "alike")])
		want := compare(whole[:len(first)], first) == 0
		if got := within(record.Under(first...), record.Key(whole...)); got != want {
			t.Fatalf("under %q is %q: %v, want %v (%+v)", first, whole, got, want, record.Under(first...))
		}
	})
}

// Whatever bytes a string has, it is a part by itself: nothing in it can be taken for the
// end of it, nor for what comes after.
func TestWhatIsUnderAString(t *testing.T) {
	for _, tt := range []struct {
		under, text string
		want        bool
	}{
		{"a", "a", true},
		{"a", "ab", false},
		{"a", "a\x00", false},
		{"a", "a\x00\x01", false},
		{"a\x00", "a\x00", true},
		{"a\x00", "a", false},
		{"\xff", "\xff", true},
		{"\xff", "\xff\xff", false},
		{"", "", true},
		{"", "\x00", false},
		{"", "a", false},
	} {
		for _, rest := range []any{int64(-1 << 63), int64(1<<63 - 1), "", "\x00", "\xff\xff"} {
			if got := within(record.Under(tt.under), record.Key(tt.text, rest)); got != tt.want {
				t.Errorf("under %q is (%q, %q): %v, want %v", tt.under, tt.text, rest, got, tt.want)
			}
		}
	}
}

func TestUnderTheHighestNumbersThereIsNoBound(t *testing.T) {
	const most = int64(1<<63 - 1)
	if s := record.Under(most, most); s.Before != "" || !within(s, record.Key(most, most, "\xff")) || within(s, record.Key(most, most-1, "\xff")) {
		t.Errorf("under the highest numbers are %+v", s)
	}
}

func TestWhatCannotBePartOfAKey(t *testing.T) {
	for _, part := range []any{1, int32(1), uint64(1), []byte("a"), nil, 1.5, true} {
		func() {
			defer func() {
				if problem, _ := recover().(string); !strings.Contains(problem, "cannot be part of a key") {
					t.Errorf("a %T is part of a key: %v", part, problem)
				}
			}()
			record.Key("a", part)
		}()
	}
}

// FuzzKey: whatever the strings, keys are in their order, and each is under the first.
func FuzzKey(f *testing.F) {
	f.Add("a", "b", "a", "c")
	f.Add("a\x00", "", "a", "\x00\xff")
	f.Add("\xff", "\x00\x01", "\xff\xff", "")
	f.Fuzz(func(t *testing.T, a1, a2, b1, b2 string) {
		a, b := record.Key(a1, a2), record.Key(b1, b2)
		if got, want := strings.Compare(a, b), compare([]any{a1, a2}, []any{b1, b2}); got != want {
			t.Errorf("the keys %x and %x compare as %d, want %d", a, b, got, want)
		}
		if within(record.Under(a1), b) != (a1 == b1) {
			t.Errorf("under %q is %q: %v", a1, b1, a1 != b1)
		}
	})
}
