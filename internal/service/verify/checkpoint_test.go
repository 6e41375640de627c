package verify_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"recoup/internal/service/verify"
	"recoup/reward"
)

// checkpoint takes a checkpoint, with its leaves as they are written.
func checkpoint(t testing.TB, db verify.Database) (*verify.Checkpoint, []byte) {
	t.Helper()
	var leaves bytes.Buffer
	w := verify.NewLeafWriter(&leaves)
	c, err := verify.TakeCheckpoint(context.Background(), db, w.Write)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return c, leaves.Bytes()
}

func reader(t testing.TB, leaves []byte) *verify.LeafReader {
	t.Helper()
	r, err := verify.NewLeafReader(bytes.NewReader(leaves))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// against checks a database against a checkpoint.
func against(t *testing.T, db verify.Database, p *reward.Program, c *verify.Checkpoint, leaves []byte) *verify.Report {
	t.Helper()
	return check(t, db, verify.Options{Programs: programs{p}, Checkpoint: c, Leaves: reader(t, leaves)})
}

func TestACheckpointHoldsAsAccountsGoOn(t *testing.T) {
	p, events := spending(300, 12_000)
	db := newMemory(t, p, events[:6_000])
	c, leaves := checkpoint(t, db)
	if c.Accounts != int64(len(db.rows)) || c.Events != int64(len(db.byNumber)) {
		t.Errorf("the checkpoint covers %d events of %d accounts; there are %d of %d", c.Events, c.Accounts, len(db.byNumber), len(db.rows))
	}
	expectOnly(t, against(t, db, p, c, leaves))

	later := newMemory(t, p, events)
	expectOnly(t, against(t, later, p, c, leaves))
	if again, _ := checkpoint(t, later); again.Root == c.Root || again.Events <= c.Events {
		t.Error("a later checkpoint does not cover more")
	}
}

// Whoever changes an event and everything that follows from it, seals included,
// leaves a database that is consistent in itself.
func TestACheckpointFindsWhatIsConsistentInItself(t *testing.T) {
	p, events := purchases("b", 10)
	for _, id := range []string{"a", "c"} {
		_, more := purchases(id, 5)
		events = append(events, more...)
	}
	c, leaves := checkpoint(t, newMemory(t, p, events))

	events[3].Amount = 20_000
	forged := newMemory(t, p, events)
	sealAll(t, forged)
	expectOnly(t, check(t, forged, verify.Options{Programs: programs{p}}))
	expectOnly(t, against(t, forged, p, c, leaves), `account "b", event 10: events 1 to 10: expected as the checkpoint signed them, found changed since`)

	without := newMemory(t, p, events[:15]) // c never was
	expectOnly(t, against(t, without, p, c, leaves), `accounts that the checkpoint signed: expected one of 5 events that is called `,
		`account "b", event 10: events 1 to 10`)
	gone := `accounts that the checkpoint signed: expected one of `
	expectOnly(t, against(t, newMemory(t, p, nil), p, c, leaves), gone, gone, gone)
}

func TestOneAccountAgainstACheckpoint(t *testing.T) {
	p, events := purchases("b", 10)
	_, more := purchases("a", 5)
	events = append(events, more...)
	c, leaves := checkpoint(t, newMemory(t, p, events))
	events[3].Amount = 20_000
	forged := newMemory(t, p, events)
	for account, want := range map[string][]string{"a": nil, "b": {`account "b", event 10: `}} {
		expectOnly(t, check(t, forged, verify.Options{Programs: programs{p}, Account: account, Checkpoint: c, Leaves: reader(t, leaves)}), want...)
	}
}

func TestLeavesOfAnotherCheckpointAreRefused(t *testing.T) {
	p, events := spending(300, 2_000)
	db := newMemory(t, p, events)
	c, _ := checkpoint(t, db)
	_, leaves := checkpoint(t, newMemory(t, p, events[:1_000]))
	for _, account := range []string{"", "acct-1"} {
		_, err := verify.Run(context.Background(), db, verify.Options{Programs: programs{p}, Account: account, Checkpoint: c, Leaves: reader(t, leaves)})
		if err == nil || !strings.Contains(err.Error(), "not that of the checkpoint") {
			t.Errorf("account %q: the error is %v", account, err)
		}
	}
}

func TestNotes(t *testing.T) {
	private, public, err := note.GenerateKey(rand.Reader, "rewards.example.com")
	if err != nil {
		t.Fatal(err)
	}
	c := verify.Checkpoint{Accounts: 3, Root: verify.Hash{1, 2, 3}, Events: 20, At: reward.At(time.Date(2026, 11, 21, 3, 0, 0, 5, time.UTC))}
	signed, err := c.Sign(private + "\n")
	if err != nil {
		t.Fatal(err)
	}
	const body = "rewards.example.com\n3\nAQIDAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\nevents 20\ntime 2026-11-21T03:00:00.000000005Z\n\n— rewards.example.com "
	if !strings.HasPrefix(string(signed), body) {
		t.Errorf("the note is\n%s, want\n%s", signed, body)
	}
	if got, err := verify.OpenCheckpoint(signed, public+"\n"); err != nil || *got != c {
		t.Errorf("the note says %+v: %v", got, err)
	}

	_, other, err := note.GenerateKey(rand.Reader, "rewards.example.com")
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]struct {
		note, key string
		notSigned bool
	}{
		"another key":        {string(signed), other, true},
		"no key":             {string(signed), "key", false},
		"a changed number":   {strings.Replace(string(signed), "events 20", "events 21", 1), public, true},
		"a changed root":     {strings.Replace(string(signed), "AQID", "AQIE", 1), public, true},
		"no signature":       {c.Text() + "\n", public, true},
		"nothing":            {"", public, true},
		"the signing key":    {string(signed), private, false},
		"a truncated note":   {string(signed[:100]), public, true},
		"another signed one": {resigned(t, private, "rewards.example.com\nsomething else\n"), public, false},
		"another form":       {resigned(t, private, strings.Replace(c.Text(), "events 20", "events 020", 1)), public, false},
		"another origin":     {resigned(t, private, strings.Replace(c.Text(), "rewards", "awards", 1)), public, false},
	} {
		if got, err := verify.OpenCheckpoint([]byte(bad.note), bad.key); err == nil || errors.Is(err, verify.ErrNotSigned) != bad.notSigned {
			t.Errorf("%s: it says %+v, and the error is %v", name, got, err)
		}
	}
}

func resigned(t *testing.T, key, text string) string {
	t.Helper()
	signer, err := note.NewSigner(key)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := note.Sign(&note.Note{Text: text}, signer)
	if err != nil {
		t.Fatal(err)
	}
	return string(signed)
}

func TestBadLeavesAreRefused(t *testing.T) {
	write := func(leaves ...verify.Leaf) []byte {
		var b bytes.Buffer
		w := verify.NewLeafWriter(&b)
		for i := range leaves {
			if err := w.Write(&leaves[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	odd := verify.Leaf{Name: verify.Hash{7}, Sequence: 5, Chain: verify.Hash{9}}
	r := reader(t, write(odd))
	if got, err := r.Read(); err != nil || got != odd {
		t.Errorf("read %+v, want %+v: %v", got, odd, err)
	}
	if _, err := r.Read(); err != io.EOF {
		t.Errorf("after the last the error is %v", err)
	}

	whole := write(odd)
	for name, b := range map[string][]byte{
		"nothing":    nil,
		"no gzip":    []byte("recoup leaves 2\n"),
		"cut short":  whole[:len(whole)-12],
		"disorder":   write(verify.Leaf{Name: verify.Hash{2}, Sequence: 1}, verify.Leaf{Name: verify.Hash{1}, Sequence: 1}),
		"twice":      write(verify.Leaf{Name: verify.Hash{2}, Sequence: 1}, verify.Leaf{Name: verify.Hash{2}, Sequence: 2}),
		"no events":  write(verify.Leaf{Name: verify.Hash{2}}),
		"bad header": gzipped(t, "something else\n"),
		"bad hash":   gzipped(t, "recoup leaves 2\n5 AAAA "+verify.Hash{}.String()+"\n"),
		"bad name":   gzipped(t, "recoup leaves 2\n5 "+verify.Hash{}.String()+" a\n"),
		"bad number": gzipped(t, "recoup leaves 2\nfive "+verify.Hash{}.String()+" "+verify.Hash{}.String()+"\n"),
	} {
		r, err := verify.NewLeafReader(bytes.NewReader(b))
		for err == nil {
			_, err = r.Read()
		}
		if err == io.EOF {
			t.Errorf("%s: no error", name)
		}
	}
}

func gzipped(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := fmt.Fprint(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
