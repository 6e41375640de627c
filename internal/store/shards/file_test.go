package shards_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recoup/internal/kit/pgtest"
	"recoup/internal/store/shards"
)

// Accounts stay in their buckets for ever: none of these may ever change.
func TestBuckets(t *testing.T) {
	for account, want := range map[string]int{"": 0xe3b, "a": 0xca9, "acct-1": 0xba3, "customer/42": 0xc11, "é": 0x4a9, "☃": 0x516, strings.Repeat("x", 200): 0xaa2} {
		if got := shards.Bucket(account); got != want {
			t.Errorf("account %q is in bucket %#x, want %#x", account, got, want)
		}
	}
}

// PostgreSQL reckons buckets too.
func TestBucketsInSQL(t *testing.T) {
	w := newWorld(t, 1)
	conn := w.direct("recoup_0")
	for i := range 2000 {
		account := fmt.Sprintf("%d é ☃", i*7919)
		var got int
		ok(t, conn.QueryRow(context.Background(), "SELECT "+shards.BucketInSQL+" FROM (SELECT $1::TEXT AS account) AS k", account).Scan(&got))
		if want := shards.Bucket(account); got != want {
			t.Fatalf("account %q is in bucket %d, and in %d in SQL", account, want, got)
		}
	}
}

func TestHalves(t *testing.T) {
	for text, want := range map[string]string{
		"0-4095": "0-2047 2048-4095", "0-2": "0-1 2", "5": "5 ", "0-9, 20-29, 40": "0-9, 20 21-29, 40", "1, 3, 5, 7": "1, 3 5, 7",
	} {
		r, err := shards.ParseRanges(text)
		ok(t, err)
		lower, upper := r.Halves()
		if got := lower.String() + " " + upper.String(); got != want {
			t.Errorf("the halves of %s are %s, want %s", text, got, want)
		}
	}
}

const twoShards = `home: {url: postgres://h/db, schema: recoup}
shards:
  - {shard: 0, url: postgres://h/db, schema: recoup_0, epoch: 1}
  - {shard: 1, url: postgres://u:secret@h2/db, schema: recoup_0, epoch: 3}
`

func TestAFileOfShards(t *testing.T) {
	f, err := shards.Parse("shards.yaml", []byte(twoShards))
	ok(t, err)
	if f.Shards[0].Buckets.String() != "0-2047" || f.Shards[1].Buckets.String() != "2048-4095" || f.Shards[1].Epoch != 3 {
		t.Errorf("it reads as %+v", f)
	}
	again, err := shards.Parse("shards.yaml", f.Text())
	if err != nil || string(again.Text()) != string(f.Text()) {
		t.Errorf("written and read again: %v\n%s", err, f.Text())
	}
}

func TestABadFileOfShards(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"doubled", "shard: 1,", "shard: 0,", "shards.yaml:4: shards[1]: shard 0 is there twice, first on line 3"},
		{"one place", "u:secret@h2", "h", "shards.yaml:4: shards[1]: shard 1 is where shard 0 is: recoup_0 at postgres://h/db; each has a schema of its own"},
		{"another way to write a place", "u:secret@h2", "other:pw@h:5432", "shards.yaml:4: shards[1]: shard 1 is where shard 0 is"},
		{"home", "schema: recoup_0, epoch: 1", "schema: recoup, epoch: 1", "shards.yaml:3: shards[0]: shard 0 is where home is"},
		{"a bucket twice", "epoch: 1}", `epoch: 1, buckets: 0-2048}`, "shards.yaml:4: shards[1]: shard 1: the buckets are missing"},
		{"a number too large", "shard: 1,", "shard: 4096,", "shards.yaml:4: shards[1].shard: expected a whole number of a shard from 0 to 4095, not 4096"},
		{"no epoch", ", epoch: 3", "", "shards.yaml:4: shards[1].epoch: missing"},
		{"an epoch of nothing", "epoch: 3", "epoch: 0", "shards.yaml:4: shards[1].epoch: expected"},
		{"unknown", "epoch: 3", "epoch: 3, colour: red", "shards.yaml:4: shards[1].colour: unknown member"},
		{"no URL", "postgres://u:secret@h2/db", "h2", "shards.yaml:4: shards[1]: expected a URL such as"},
		{"a search_path", "postgres://u:secret@h2/db", `"postgres://u:secret@h2/db?search_path=x"`, "shards.yaml:4: shards[1]: the URL postgres://u@h2/db?search_path=x has a search_path"},
		{"a folder", twoShards, "", "shards.yaml:1: expected a file of shards, but the file is empty"},
	} {
		_, err := shards.Parse("shards.yaml", []byte(strings.Replace(twoShards, c.old, c.new, 1)))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	with := func(first, second string) string {
		text := strings.Replace(twoShards, "epoch: 1}", "epoch: 1, buckets: "+first+"}", 1)
		return strings.Replace(text, "epoch: 3}", "epoch: 3, buckets: "+second+"}", 1)
	}
	for _, c := range []struct{ first, second, want string }{
		{"0-2047", `"2047-4095"`, "bucket 2047 is in two shards, 0 and 1"},
		{"0-2047", `"2049-4095"`, "bucket 2048 is in no shard"},
		{"0-2047", `"2048-4096"`, `there is no bucket "4096"`},
		{"0-2047", `"4095-2048"`, "4095-2048 does not come after"},
		{"0-2047", "all", `there is no bucket "all"`},
	} {
		if _, err := shards.Parse("shards.yaml", []byte(with(c.first, c.second))); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s and %s: %v", c.first, c.second, err)
		}
	}
}

// Whatever does not agree is refused with one sentence that names it.
func TestALedgerThatDoesNotAgree(t *testing.T) {
	w := newWorld(t, 2)
	other := newWorld(t, 2)
	open := func(text string) error {
		file := filepath.Join(t.TempDir(), "shards.yaml")
		ok(t, os.WriteFile(file, []byte(text), 0o600))
		f, err := shards.ReadFile(file)
		if err != nil {
			return err
		}
		db, err := shards.Open(t.Context(), file, f, shards.Options{})
		if err == nil {
			ok(t, db.Close())
		}
		return err
	}
	text := string(w.read().Text())
	ok(t, open(text))
	lines := strings.SplitAfter(text, "\n")
	shard := func(number int) string { return lines[number+3] }
	for _, c := range []struct{ name, text, want string }{
		{"missing", strings.Replace(text, shard(1), "", 1), "shard 1 is missing; the ledger has it in recoup_1 at "},
		{"renumbered", strings.NewReplacer("shard: 0,", "shard: 1,", "shard: 1,", "shard: 0,").Replace(text), "shard 0 is in recoup_0 at "},
		{"one too many", text + strings.NewReplacer("shard: 1,", "shard: 2,", "recoup_1", "recoup_2").Replace(shard(1)), "shard 0 has buckets 0-2047, not 0-1364 as the file says"},
		{"older than the file", strings.Replace(text, "recoup_1\", epoch: 1", "recoup_1\", epoch: 2", 1), "shard 1 is at epoch 1, older than the file's 2"},
		{"another's home", strings.Replace(text, lines[1], strings.SplitAfter(string(other.read().Text()), "\n")[1], 1), "shard 0 is in recoup_0 at "},
		{"no home", strings.Replace(text, `schema: "recoup"`, `schema: "recuop"`, 1), "there is no schema recuop"},
		{"a shard as home", strings.NewReplacer(`schema: "recoup"`, `schema: "recoup_0"`, `schema: "recoup_0"`, `schema: "recoup"`).Replace(text), "is shard 0 of a ledger and no home"},
	} {
		err := open(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", c.name, err)
		}
	}

	// What the schemas say of themselves.
	conn := w.direct("recoup_1")
	for _, c := range []struct{ change, want string }{
		{"epoch = 2", "is of epoch 2, newer than the file's 1: it has moved; take the file that recoup shards move wrote"},
		{"epoch = 0", "is of epoch 0, older than the file's 1"},
		{"shard = 5", "is shard 5"},
		{"ledger = 'another'", "belongs to another ledger"},
	} {
		w.exec(conn, "UPDATE shard SET "+c.change)
		if err := open(text); err == nil || !strings.Contains(err.Error(), "shard 1: recoup_1 at ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.change, err)
		}
		w.exec(conn, "UPDATE shard SET shard = 1, epoch = 1, ledger = (SELECT ledger FROM recoup.shard)")
	}
	w.exec(conn, "DELETE FROM shard")
	if err := open(text); err == nil || !strings.Contains(err.Error(), "is no part of a ledger") {
		t.Errorf("a schema by itself: %v", err)
	}
}

// A typo makes nothing, and what is there is not taken.
func TestNothingIsMadeByATypo(t *testing.T) {
	w := newWorld(t, 2)
	plan, err := shards.Plan([]string{w.url}, 2, "recoup")
	ok(t, err)
	if err := shards.Create(t.Context(), w.file, plan, false); err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Errorf("made again: %v", err)
	}
	more, err := shards.Plan([]string{w.url}, 3, "recoup")
	ok(t, err)
	if err := shards.Create(t.Context(), w.file+".new", more, false); err == nil || !strings.Contains(err.Error(), "is of a ledger that is there already") {
		t.Errorf("made with another plan: %v", err)
	}
	ok(t, os.Remove(w.file))
	ok(t, shards.Create(t.Context(), w.file, plan, false)) // as if it had been broken off
	w.open()

	url := pgtest.Shared(t).NewDatabase(t)
	f := w.read()
	f.Shards[1].URL = url
	ok(t, f.WriteFile(w.file))
	if _, err := shards.Open(t.Context(), w.file, f, shards.Options{Migrate: true}); err == nil || !strings.Contains(err.Error(), "shard 1 is in recoup_1 at ") {
		t.Errorf("a shard elsewhere: %v", err)
	}
	var schemas int
	other := &world{TB: t, url: url}
	ok(t, other.direct("public").QueryRow(t.Context(), "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'recoup%'").Scan(&schemas))
	if schemas > 0 {
		t.Error("a schema was made")
	}
}
