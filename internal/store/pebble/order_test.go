package pebble

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"recoup/internal/store/durable"
	"recoup/reward"
)

// anyKey draws keys that are put together as the package does, cut off and lengthened as
// the bounds of spans are, and bytes that are no keys at all.
func anyKey() *rapid.Generator[key] {
	text := rapid.SampledFrom([]string{"", "a", "b", "a\x00", "a\x00\x01", "\xff", "ab"})
	return rapid.Custom(func(t *rapid.T) key {
		var k key
		account, id := text.Draw(t, "account"), text.Draw(t, "id")
		n := rapid.Int64Range(-2, 2).Draw(t, "number")
		part := durable.PartKey{Account: account, Kind: reward.TransactionPart, ID: id}
		switch rapid.IntRange(0, 9).Draw(t, "form") {
		case 0:
			k = k.event(n)
		case 1:
			k = k.account(account, rapid.ByteRange(headTag, identityTag+1).Draw(t, "tag"))
		case 2:
			k = k.part(part, rapid.SampledFrom([]byte{workingTag, restingTag}).Draw(t, "tag"))
		case 3:
			k = k.settled(part, reward.Instant(n))
		case 4:
			k = k.bucket(part, n)
		case 5:
			k = k.identity(durable.Identity{Account: account, Source: "s", ID: id})
		case 6:
			k = k.name(n, part)
		case 7:
			k = k.record("table", id)
		default:
			k = key(rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 2, 4, 'a', 'h', 'e', 255}), 1, 8).Draw(t, "bytes"))
		}
		switch rapid.IntRange(0, 4).Draw(t, "bound") {
		case 0:
			k = k[:rapid.IntRange(1, len(k)).Draw(t, "cut")]
		case 1:
			k = k.byte(0)
		case 2:
			if after := k.after(); after != nil {
				k = after
			}
		}
		return k
	})
}

// TestOrder has the comparer keep what the library asks of one.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyKey().Draw(t, "a"), anyKey().Draw(t, "b")
		if order.Compare(a, b) > 0 {
			a, b = b, a
		}
		m, n := split(a), split(b)
		if split(a[:m]) != m || split(b[:n]) != n {
			t.Fatalf("the beginning of %q or of %q is no key by itself", a, b)
		}
		switch prefixes := bytes.Compare(a[:m], b[:n]); {
		case prefixes > 0:
			t.Fatalf("%q is before %q, and %q after %q", a, b, a[:m], b[:n])
		case prefixes == 0 && order.ComparePointSuffixes(a[m:], b[n:]) != order.Compare(a, b):
			t.Fatalf("the rests of %q and %q are in another order", a, b)
		}
		next := order.ImmediateSuccessor(nil, a[:m])
		if split(next) != len(next) || order.Compare(a, next) >= 0 {
			t.Fatalf("what comes after all of %q is %q", a[:m], next)
		}
		if n == len(b) && m < len(a) && bytes.Compare(b[:n], a[:m]) > 0 && order.Compare(b, next) < 0 {
			t.Fatalf("%q lies between %q and %q", b, a[:m], next)
		}
	})
}

// TestFilters: of what is looked up one by one a file's filter is told the whole key, of
// what is gone through only where it begins.
func TestFilters(t *testing.T) {
	part := durable.PartKey{Account: "acct-1", Kind: reward.TransactionPart, ID: "t1"}
	for _, whole := range []key{
		key{}.account("acct-1", headTag), key{}.part(part, restingTag),
		key{}.identity(durable.Identity{Account: "acct-1", Source: "core", ID: "e1"}), key{}.record("keys", "k1"),
	} {
		if split(whole) != len(whole) {
			t.Errorf("the filter is told only %q of %q", whole[:split(whole)], whole)
		}
	}
	for from, cut := range map[string]key{
		"e":                   key{}.event(7),
		"n":                   key{}.name(1, part),
		"aacct-1\x00\x01\x01": key{}.part(part, workingTag),
		"hacct-1\x00\x01\x04": key{}.settled(part, 12),
	} {
		if got := string(cut[:split(cut)]); got != from {
			t.Errorf("the filter is told %q of %q, want %q", got, cut, from)
		}
	}
}
