package verify_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	lsm "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"recoup/internal/store/pebble/pebbletest"
)

// Of each index of a folder a key is taken away, and one is put that leads nowhere: a part
// that is not found is as good as gone for who looks for it, and a key too many shows what
// never was.
func TestEachIndexOfAFolderIsChecked(t *testing.T) {
	indexes := []struct{ name, begins string }{
		{"accounts by when their cycle is to be closed", "d"}, {"parts by their ids", "n"}, {"the review list", "r"},
		{"statements by their cycles", "s"}, {"parts by when they settled", "hgolden\x00\x01\x04"},
		{"the reviews of an account", "hgolden\x00\x01\x05"},
	}
	files := vfs.NewMem()
	db := pebbletest.OpenOn(t, files, "ledger")
	s := serve(t, db)
	s.apply(eventful("golden"))
	checkpoint(t, db)
	expectOnly(t, checkStored(t, db))
	close(t, db)
	// Nothing of the account is in a bucket that ranks: such a key leads nowhere in any case.
	t.Run("the parts of a bucket", func(t *testing.T) {
		copied := vfs.NewMem()
		if _, err := vfs.Clone(files, copied, "ledger", "ledger"); err != nil {
			t.Fatal(err)
		}
		inTree(t, copied, func(tree *lsm.DB) {
			if err := tree.Set([]byte("hgolden\x00\x01\x03\x01\x80\x00\x00\x00\x00\x00\x00\x07t1"), nil, lsm.Sync); err != nil {
				t.Fatal(err)
			}
		})
		expectOnly(t, checkStored(t, pebbletest.OpenOn(t, copied, "ledger")), `account "golden": files and indexes: expected what was written, and nothing else, found index of the parts of a bucket: key `)
	})
	t.Run("the numbers that are given out", func(t *testing.T) {
		copied := vfs.NewMem()
		if _, err := vfs.Clone(files, copied, "ledger", "ledger"); err != nil {
			t.Fatal(err)
		}
		inTree(t, copied, func(tree *lsm.DB) {
			if err := tree.Set([]byte("m"), []byte{10}, lsm.Sync); err != nil {
				t.Fatal(err)
			}
		})
		expectOnly(t, checkStored(t, pebbletest.OpenOn(t, copied, "ledger")), `database: files and indexes: expected what was written, and nothing else, found numbers of events are given out from 6 on, and there is an event with number 9`)
	})
	for _, index := range indexes {
		for _, how := range []string{"is missing", "leads to what is not there"} {
			t.Run(index.name+" "+how, func(t *testing.T) {
				copied := vfs.NewMem()
				if _, err := vfs.Clone(files, copied, "ledger", "ledger"); err != nil {
					t.Fatal(err)
				}
				inTree(t, copied, func(tree *lsm.DB) {
					at, value := firstKey(t, tree, index.begins)
					var err error
					if how == "is missing" {
						err = tree.Delete(at, lsm.Sync)
					} else {
						err = tree.Set(bytes.Replace(at, []byte("golden"), []byte("golder"), 1), value, lsm.Sync)
					}
					if err != nil {
						t.Fatal(err)
					}
				})
				db := pebbletest.OpenOn(t, copied, "ledger")
				said := fmt.Sprint(checkStored(t, db).Differences)
				if !strings.Contains(said, "index of "+index.name+": key ") || !strings.Contains(said, how) {
					t.Errorf("said is %s", said)
				}
			})
		}
	}
}

// firstKey is the first key that begins with something.
func firstKey(t *testing.T, tree *lsm.DB, begins string) (key, value []byte) {
	t.Helper()
	it, err := tree.NewIter(&lsm.IterOptions{LowerBound: []byte(begins)})
	if err != nil {
		t.Fatal(err)
	}
	defer it.Close()
	if !it.First() || !bytes.HasPrefix(it.Key(), []byte(begins)) {
		t.Fatalf("no key begins with %q", begins)
	}
	return bytes.Clone(it.Key()), bytes.Clone(it.Value())
}
