package verify_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"pgregory.net/rapid"

	"recoup/internal/engine"
	"recoup/internal/service/verify"
	"recoup/internal/store/durable"
	"recoup/internal/store/erasure"
	"recoup/internal/store/pebble"
	"recoup/internal/store/pebble/pebbletest"
	"recoup/internal/store/record"
	"recoup/ledger"
	"recoup/program"
	"recoup/reward"
)

// entry is what became of an event, without what is personal in it.
type entry struct {
	id, outcome, postings string
}

// entries are what became of the events of an account.
func entries(t rapid.TB, db durable.Driver, account string) (list []entry) {
	t.Helper()
	err := db.View(context.Background(), func(r durable.Reader) error {
		return r.EventsOf(context.Background(), account, account, func(e *durable.EventRow) error {
			postings, err := ledger.ParsePostings(e.Postings, "", nil)
			for i := range postings {
				postings[i].Reason = ""
			}
			list = append(list, entry{e.ID, fmt.Sprint(e.Outcome, e.Code, e.Number, e.Before, e.Received), fmt.Sprintf("%+v", postings)})
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// naming are terms that name a merchant.
const naming = `{id: naming, currency: USD, clawback_method: rerate, rules: [
	{id: fuel, match: {merchant: [fuel]}, rate: 5%, cap: {reward: 2000, per: cycle}}, {id: rest, rate: 1%}]}`

// serveNaming is a service under those terms.
func serveNaming(t rapid.TB, db durable.Driver) (*durable.Store, *durable.Programs) {
	t.Helper()
	parse := func(document []byte) (*reward.Program, error) { return program.Parse("stored", document) }
	programs, err := durable.OpenPrograms(context.Background(), db, parse, time.Now)
	if err == nil {
		_, _, err = programs.Put(context.Background(), "naming", []byte(naming), 0, "test")
	}
	if err != nil {
		t.Fatal(err)
	}
	now := reward.At(time.Date(2028, 1, 1, 0, 0, 0, 0, time.UTC))
	return durable.New(db, durable.Options{Programs: programs, Now: func() reward.Instant { return now }}), programs
}

// drawHistory draws what happens to an account: purchases at a few merchants, and all that
// compares merchants or has texts.
func drawHistory(t *rapid.T, account string) (events []reward.Event) {
	at := reward.At(time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC))
	merchant := rapid.SampledFrom([]string{"", "fuel", "bakery", "café \"2\"", "forgotten:x fuel"})
	for i := range rapid.IntRange(1, 25).Draw(t, "events") {
		at += reward.Instant(rapid.IntRange(0, 20*24).Draw(t, "hours")) * reward.Instant(time.Hour)
		e := reward.Event{Source: "core", ID: fmt.Sprint("e", i), Account: account, Time: at, Currency: "USD", HasAmount: true, Amount: int64(rapid.IntRange(1, 9).Draw(t, "amount")) * 1000}
		one := fmt.Sprint("t", rapid.IntRange(0, 8).Draw(t, "purchase"))
		switch rapid.IntRange(0, 9).Draw(t, "type") {
		case 0, 1, 2, 3:
			e.Type, e.Transaction, e.Merchant = reward.TransactionSettled, one, merchant.Draw(t, "merchant")
		case 4:
			e.Type, e.Transaction, e.Merchant = reward.TransactionAuthorized, one, merchant.Draw(t, "merchant")
		case 5, 6:
			e.Type, e.Fact, e.Merchant = reward.RefundPosted, fmt.Sprint("r", i), merchant.Draw(t, "merchant")
		case 7:
			e.Type, e.Fact, e.Transaction = reward.RefundPosted, fmt.Sprint("r", i), one
		case 8:
			e.Type, e.Fact, e.Method = reward.RedemptionRequested, fmt.Sprint("d", i), "to "+account
		case 9:
			e.Type, e.Fact, e.Reason, e.Actor = reward.AdjustmentPosted, fmt.Sprint("j", i), "for "+account, "Oscar"
		}
		events = append(events, e)
	}
	return events
}

// signed is a checkpoint with its leaves.
type signed struct {
	*verify.Checkpoint
	leaves []byte
}

func sign(t rapid.TB, db durable.Driver) (c signed) {
	t.Helper()
	var leaves bytes.Buffer
	w := verify.NewLeafWriter(&leaves)
	var err error
	if c.Checkpoint, err = verify.TakeCheckpoint(context.Background(), db, w.Write); err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	c.leaves = leaves.Bytes()
	return c
}

// expectSound checks a database against a checkpoint.
func expectSound(t rapid.TB, db durable.Driver, programs verify.Programs, c signed) {
	t.Helper()
	leaves, err := verify.NewLeafReader(bytes.NewReader(c.leaves))
	if err != nil {
		t.Fatal(err)
	}
	report, err := verify.Run(context.Background(), db, verify.Options{Programs: programs, Checkpoint: c.Checkpoint, Leaves: leaves})
	if err != nil || report.Count > 0 {
		t.Fatalf("%v: %v", report.Differences, err)
	}
}

// Whatever has happened to an account: once it is forgotten its outcomes and postings are
// what they were, and a checkpoint from before holds.
func TestForgettingChangesNoFigure(t *testing.T) {
	ctx := context.Background()
	rapid.Check(t, func(t *rapid.T) {
		db, err := pebble.Open(ctx, "ledger", pebble.Options{Create: true, FS: vfs.NewMem(), Cache: 1 << 20, MemTable: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		store, programs := serveNaming(t, db)
		hers, his := drawHistory(t, "alice"), drawHistory(t, "bob")
		if _, err := engine.New(store).Apply(ctx, slices.Concat(hers, his), nil); err != nil {
			t.Fatal(err)
		}
		before, bobs, c := entries(t, db, "alice"), entries(t, db, "bob"), sign(t, db)
		if len(before) == 0 {
			t.Skip("nothing of her left a trace")
		}

		done, err := store.Forget(ctx, "alice", true)
		if err != nil {
			t.Fatal(err)
		}
		if after := entries(t, db, done.Pseudonym); !slices.Equal(after, before) {
			t.Errorf("what became of her events was\n%v\nand is\n%v", before, after)
		}
		if left := entries(t, db, "alice"); len(left) > 0 {
			t.Errorf("under her name there is still %v", left)
		}
		if after := entries(t, db, "bob"); !slices.Equal(after, bobs) {
			t.Errorf("what became of another's events was\n%v\nand is\n%v", bobs, after)
		}
		expectSound(t, db, programs, c)

		// Who sends something under her name makes another account.
		if _, err := engine.New(store).Apply(ctx, drawHistory(t, "alice"), nil); err != nil {
			t.Fatal(err)
		}
		expectSound(t, db, programs, c)
		expectSound(t, db, programs, sign(t, db))
	})
}

// Whoever kills the process in the middle finds the account as it was, or forgotten.
func TestAKillLeavesAnAccountAsItWasOrForgotten(t *testing.T) {
	ctx := context.Background()
	files := vfs.NewCrashableMem()
	// In a table that is never full, no log is used again, which this file system does not
	// do while it is cloned.
	db, err := pebble.Open(ctx, "ledger", pebble.Options{Create: true, FS: files, Cache: 1 << 20, MemTable: 16 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := serve(t, db)
	s.spend(6, 600)
	c := sign(t, db)
	random := rand.New(rand.NewPCG(1, 2))
	var clones []*vfs.MemFS
	var ended atomic.Bool
	var cloning sync.WaitGroup
	cloning.Go(func() {
		for last := false; !last; {
			last = ended.Load()
			clones = append(clones, files.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: random.IntN(101), RNG: random}))
		}
	})
	done, err := s.store.Forget(ctx, "acct-1", true)
	if err == nil {
		err = s.store.Purge(ctx, "acct-1", done.Numbers)
	}
	ended.Store(true)
	cloning.Wait()
	if err != nil {
		t.Fatal(err)
	}
	step := max(1, len(clones)/20)
	forgotten := 0
	for i := 0; i < len(clones); i += step {
		crashed := pebbletest.OpenOn(t, clones[i], "ledger")
		before, after := entries(t, crashed, "acct-1"), entries(t, crashed, done.Pseudonym)
		if (len(before) == 0) == (len(after) == 0) {
			t.Errorf("after a kill there are %d events under the name, and %d under the other", len(before), len(after))
		}
		if len(after) > 0 {
			forgotten++
		}
		expectSound(t, crashed, storedPrograms(t, crashed), c)
	}
	t.Logf("of %d states that a kill could leave, %d were looked at; in %d of them the account was forgotten", len(clones), (len(clones)+step-1)/step, forgotten)
}

// A process that has an account at hand, or its chain, does not take for it one that was
// made under its name after it was forgotten.
func TestNobodyGoesOnWithAnAccountThatIsForgotten(t *testing.T) {
	onEveryDatabase(t, func(t *testing.T, v vault) {
		ctx := t.Context()
		db := v.open(t)
		defer db.Close()
		s := serve(t, db)
		other := durable.New(db, durable.Options{Programs: storedPrograms(t, db), Now: func() reward.Instant { return 1 }})
		purchase := func(id string, amount int64) []reward.Event {
			return []reward.Event{{Source: "core", ID: id, Account: "alice", Time: reward.At(time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC)), Type: reward.TransactionSettled, Transaction: id, Amount: amount, HasAmount: true, Currency: "USD"}}
		}
		sealer := verify.NewSealer(db.(verify.Lane))
		s.apply(purchase("t1", 10_000))
		if _, err := sealer.Seal(ctx, 100); err != nil {
			t.Fatal(err)
		}
		s.apply(purchase("t2", 10_000)) // of which the sealer's chain is to go on
		if _, err := other.Forget(ctx, "alice", true); err != nil {
			t.Fatal(err)
		}
		if _, err := engine.New(other).Apply(ctx, slices.Concat(purchase("t3", 3_000), purchase("t4", 3_000)), nil); err != nil {
			t.Fatal(err)
		}
		for range 3 { // what was passed by is found on the next rounds
			if _, err := sealer.Seal(ctx, 100); err != nil {
				t.Fatal(err)
			}
		}
		s.apply(purchase("t5", 3_000))
		expectSound(t, db, storedPrograms(t, db), sign(t, db))
		if got := entries(t, db, "alice"); len(got) != 3 {
			t.Errorf("under her name there are %v", got)
		}
	})
}

// What the ledger cannot do without, or somebody waits for, keeps an account from being
// forgotten.
func TestWhatIsOpenKeepsAnAccount(t *testing.T) {
	onEveryDatabase(t, func(t *testing.T, v vault) {
		ctx := t.Context()
		db := v.open(t)
		defer db.Close()
		s := serve(t, db)
		s.apply(eventful("golden"))
		var open *durable.UnsettledError
		if _, err := s.store.Forget(ctx, "golden", false); !errors.As(err, &open) || len(open.Open) != 3 {
			t.Errorf("of an account that is open, with a balance and a review: %v", err)
		}
		if _, err := s.store.Forget(ctx, "nobody", true); !errors.Is(err, durable.ErrNoAccount) {
			t.Errorf("of nobody: %v", err)
		}
		if err := db.Change(ctx, func(tx record.Tx) error {
			tx.Delete(erasure.Table, record.Key("golden"))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.store.Forget(ctx, "golden", true); !errors.Is(err, durable.ErrNoErasureKey) {
			t.Errorf("without a key: %v", err)
		}
		if got := entries(t, db, "golden"); len(got) != 9 {
			t.Errorf("it was refused, and there are %v", got)
		}
	})
}
