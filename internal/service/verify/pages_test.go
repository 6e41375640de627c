package verify_test

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"recoup/internal/service/verify"
	"recoup/internal/store/durable"
	"recoup/internal/store/pebble"
	"recoup/internal/store/pebble/pebbletest"
	"recoup/program"
	"recoup/reward"
)

// page is how much is overwritten at a time.
const page = 4 << 10

// Pages of all files that a folder is made of are overwritten, each in a copy of its own, as
// the folder was when its process was killed. Either it is refused, or the check finds
// something; a checkpoint is needed for the log of the tree, of which a part that cannot be
// read is taken for its end.
func TestNoPageOfAFolderIsOverwrittenUnseen(t *testing.T) {
	files := vfs.NewCrashableMem()
	db := pebbletest.OpenOn(t, files, "ledger")
	s := serve(t, db)
	s.spend(60, 2_500)
	s.apply(eventful("golden"))
	close(t, db)
	larger, err := pebble.Open(t.Context(), "ledger", pebble.Options{FS: files})
	if err != nil {
		t.Fatal(err)
	}
	defer larger.Close()
	serve(t, larger).spend(70, 1_500)
	log := latest(t, files, ".log")
	upTo := len(read(t, files, filepath.Join("ledger", log))) // the seals come after that
	c, leaves := checkpoint(t, larger)
	whole := files.CrashClone(vfs.CrashCloneCfg{})

	names, err := whole.List("ledger")
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	overwritten, seen := map[string]int{}, map[string]int{}
	slices.Sort(names)
	for _, name := range names {
		kind := filepath.Ext(name)
		switch {
		case name == log, kind == ".sst":
		case name == latest(t, whole, "MANIFEST"):
			kind = "MANIFEST"
		default:
			continue // the tree does not read it any more, or can do without it
		}
		before := read(t, whole, filepath.Join("ledger", name))
		pages := (len(before) + page - 1) / page
		if name == log {
			pages = upTo / page
		}
		for _, at := range random.Perm(pages)[:min(pages, 8)] {
			after := bytes.Clone(before)
			for i := at * page; i < min(len(after), (at+1)*page); i++ {
				after[i] = byte(random.Uint32())
			}
			copied := vfs.NewMem()
			if _, err := vfs.Clone(whole, copied, "ledger", "ledger"); err != nil {
				t.Fatal(err)
			}
			write(t, copied, filepath.Join("ledger", name), after)
			overwritten[kind]++
			if found := whatIsFound(t, copied, c, leaves); found != "" {
				seen[kind]++
			} else {
				t.Errorf("page %d of %d of %s was overwritten, and nothing is found", at, pages, name)
			}
		}
	}
	t.Logf("of the pages overwritten, %v, these were found: %v", overwritten, seen)
	if found := whatIsFound(t, whole, c, leaves); found != "" {
		t.Errorf("nothing was overwritten, and found is: %s", found)
	}
}

// whatIsFound opens and checks a folder and says what is wrong; "" is nothing.
func whatIsFound(t *testing.T, files vfs.FS, c *verify.Checkpoint, leaves []byte) string {
	t.Helper()
	ctx := context.Background()
	db, err := pebble.Open(ctx, "ledger", pebble.Options{FS: files, Cache: 1 << 20, MemTable: 1 << 20})
	if err != nil {
		return err.Error()
	}
	defer db.Close()
	parse := func(document []byte) (*reward.Program, error) { return program.Parse("stored", document) }
	programs, err := durable.OpenPrograms(ctx, db, parse, nil)
	if err != nil {
		return err.Error()
	}
	report, err := verify.Run(ctx, db, verify.Options{Programs: programs, Checkpoint: c, Leaves: reader(t, leaves), Workers: 2})
	switch {
	case err != nil:
		return err.Error()
	case report.Count > 0:
		return report.Differences[0].String()
	}
	return ""
}

// latest is the newest file of a kind.
func latest(t *testing.T, files vfs.FS, kind string) (newest string) {
	t.Helper()
	names, err := files.List("ledger")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasPrefix(name, kind) || strings.HasSuffix(name, kind) {
			newest = max(newest, name)
		}
	}
	return newest
}

func read(t *testing.T, files vfs.FS, name string) []byte {
	t.Helper()
	f, err := files.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	content, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func write(t *testing.T, files vfs.FS, name string, content []byte) {
	t.Helper()
	f, err := files.Create(name, vfs.WriteCategoryUnspecified)
	if err == nil {
		_, err = f.Write(content)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}
