package spill_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"recoup/internal/audit/spill"
	"recoup/internal/intake/history"
)

func TestShardsTogetherAreTheWhole(t *testing.T) {
	rows := table(5, 3_000, 20_000)
	whole := open(t, spill.Options{})
	if err := send(whole, rows, 1000); err != nil {
		t.Fatal(err)
	}
	first, last := whole.Span()
	const of = 3
	union := map[string][]history.Row{}
	for shard := range of {
		s := open(t, spill.Options{Dir: t.TempDir(), Memory: 1 << 16, Shard: shard, Of: of})
		if err := send(s, rows, 1000); err != nil {
			t.Fatal(err)
		}
		if a, b := s.Span(); a != first || b != last {
			t.Errorf("shard %d spans %v to %v, want %v to %v", shard, a, b, first, last)
		}
		got := histories(t, s, 2)
		for account := range got {
			if spill.ShardOf(account, of) != shard || union[account] != nil {
				t.Errorf("account %s came from shard %d", account, shard)
			}
		}
		if all := len(byAccount(rows)); len(got) < all/of*9/10 {
			t.Errorf("shard %d has %d of %d accounts", shard, len(got), all)
		}
		maps.Copy(union, got)
	}
	expect(t, union, histories(t, whole, 2))
}

// TestShardsNeverChange has values worked out by other code, for machines of
// different versions share an audit.
func TestShardsNeverChange(t *testing.T) {
	for _, test := range []struct {
		account     string
		of2, of1000 int
	}{
		{"", 1, 936},
		{"a", 1, 510},
		{"acct-1", 0, 207},
		{"acct-2", 0, 441},
		{"DE89370400440532013000", 0, 433},
		{"3f2c8a1e-77b0-4e5d-9a41-0d2c1b7e6f58", 0, 479},
		{"Zoë", 0, 248},
	} {
		if a, b := spill.ShardOf(test.account, 2), spill.ShardOf(test.account, 1000); a != test.of2 || b != test.of1000 {
			t.Errorf("account %q is in shard %d of 2 and %d of 1000, want %d and %d", test.account, a, b, test.of2, test.of1000)
		}
	}
}

func TestShardIsWithinItsNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		account, n := rapid.String().Draw(t, "account"), rapid.IntRange(-2, 1<<20).Draw(t, "n")
		if shard := spill.ShardOf(account, n); shard < 0 || shard >= max(n, 1) {
			t.Fatalf("shard %d of %d", shard, n)
		}
	})
}

// TestShardsAndStretchesAreApart: a shard's accounts fill all stretches evenly.
func TestShardsAndStretchesAreApart(t *testing.T) {
	var filled [256]int
	const of = 16
	for i := 0; i < 256*of*100; i++ {
		if account := fmt.Sprint("account-", i); spill.ShardOf(account, of) == 7 {
			filled[spill.Stretch(account)]++
		}
	}
	if least, most := slices.Min(filled[:]), slices.Max(filled[:]); least < 50 || most > 150 {
		t.Errorf("stretches have between %d and %d accounts of about 100", least, most)
	}
}
