package verify_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	lsm "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"recoup/internal/store/pebble"
	"recoup/internal/store/pebble/pebbletest"
)

// place is a key of the tree of pebble, as docs/storage.md describes it, that is of
// one account.
type place struct {
	account string
	key     []byte
	kind    string
}

// placeOf says what a key is of. Those that only say where something else is have a test of
// their own.
func placeOf(key, value []byte) (p place, ok bool) {
	p.key = bytes.Clone(key)
	switch key[0] {
	case 'e':
		p.kind, p.account = "event", string(value[1:1+value[0]])
	case 'a', 'h':
		account, rest, _ := bytes.Cut(key[1:], []byte{0, 1})
		p.account = string(account)
		p.kind = map[byte]string{0: "row", 1: "working part", 2: "resting part", 6: "statement", 7: "identity"}[rest[0]]
	}
	return p, p.kind != ""
}

// damages are what becomes of what is under a key; nil: it is gone.
var damages = []struct {
	how string
	of  func(value []byte) []byte
}{
	{"gone", func([]byte) []byte { return nil }},
	{"with another first byte", func(value []byte) []byte { return flipped(value, 0) }},
	{"with another last byte", func(value []byte) []byte { return flipped(value, -1) }},
	{"cut off in the middle", func(value []byte) []byte { return value[:len(value)/2] }},
	{"with nothing in it any more", func([]byte) []byte { return []byte{} }},
}

// means reports whether the damage changes anything that is read. Of an event without
// postings the last byte says that there are none.
func means(kind, how string, value []byte) bool {
	return how != "with another last byte" || kind != "event" || value[len(value)-1] == ']'
}

// Each key of an account is damaged in each way, each time in another account, and
// each time that account and no other is named.
func TestDamageInTheTreeIsNamed(t *testing.T) {
	files := vfs.NewMem()
	db := pebbletest.OpenOn(t, files, "ledger")
	s := serve(t, db)
	s.apply(eventful("first"))
	s.advance()
	checkpoint(t, db)
	close(t, db)
	cases := 0
	inTree(t, files, func(tree *lsm.DB) {
		for range places(t, tree)["first"] {
			cases += len(damages)
		}
	})

	files = vfs.NewMem()
	db = pebbletest.OpenOn(t, files, "ledger")
	s = serve(t, db)
	for i := range cases {
		s.apply(eventful(fmt.Sprintf("case %04d", i)))
	}
	s.spend(20, 500)
	s.advance()
	checkpoint(t, db)
	close(t, db)
	tampered := make(map[string]string)
	inTree(t, files, func(tree *lsm.DB) {
		of := places(t, tree)
		n := 0
		for i := range of["case 0000"] {
			for _, damage := range damages {
				account := fmt.Sprintf("case %04d", n)
				at := of[account][i]
				value, closer, err := tree.Get(at.key)
				if err != nil {
					t.Fatal(err)
				}
				if after := damage.of(bytes.Clone(value)); after == nil {
					err = tree.Delete(at.key, lsm.Sync)
				} else {
					err = tree.Set(at.key, after, lsm.Sync)
				}
				if means(at.kind, damage.how, value) {
					tampered[account] = fmt.Sprintf("%s %q, %s", at.kind, at.key, damage.how)
				}
				closer.Close()
				if err != nil {
					t.Fatal(err)
				}
				n++
			}
		}
	})

	db = pebbletest.OpenOn(t, files, "ledger")
	report := checkStored(t, db)
	found := byAccount(report)
	for account, what := range tampered {
		if found[account] == "" {
			t.Errorf("%s (%s): nothing is said", account, what)
		}
	}
	for account, said := range found {
		// Of an event that cannot be read nobody knows whose it is.
		ofNobody := account == "" && strings.Count(said, "database: log: expected events that can be read") == strings.Count(said, "\n")
		if !strings.HasPrefix(account, "case ") && !ofNobody {
			t.Errorf("nobody touched %s:\n%s", account, said)
		}
	}
}

// silence is the log of the library, which would be that of the tests otherwise.
type silence struct{}

func (silence) Infof(string, ...any)              {}
func (silence) Errorf(string, ...any)             {}
func (silence) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// inTree opens the tree of a closed database.
func inTree(t *testing.T, files vfs.FS, f func(*lsm.DB)) {
	t.Helper()
	tree, err := lsm.Open("ledger", &lsm.Options{FS: files, Comparer: pebble.Order(), FormatMajorVersion: lsm.FormatTableFormatV6, Logger: silence{}})
	if err != nil {
		t.Fatal(err)
	}
	f(tree)
	if err := tree.Close(); err != nil {
		t.Fatal(err)
	}
}

// places are those of each account, in the order of their keys.
func places(t *testing.T, tree *lsm.DB) map[string][]place {
	t.Helper()
	of := make(map[string][]place)
	it, err := tree.NewIter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer it.Close()
	for ok := it.First(); ok; ok = it.Next() {
		value, err := it.ValueAndErr()
		if err != nil {
			t.Fatal(err)
		}
		if p, ok := placeOf(it.Key(), value); ok {
			of[p.account] = append(of[p.account], p)
		}
	}
	return of
}
