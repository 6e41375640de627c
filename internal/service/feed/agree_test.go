package feed_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"pgregory.net/rapid"

	"recoup/internal/engine"
	"recoup/internal/kit/casebook"
	"recoup/internal/service/feed"
	"recoup/internal/store/durable"
	"recoup/internal/store/pebble"
	"recoup/internal/traffic"
	"recoup/reward"
)

// TestTheFeedAddsUpToTheAccount: at any moment of any history, whatever the terms, what the
// entries of a feed say is pending, available, reserved and taken back is what an account
// has that never was in a database and got the same events. Pages of whatever length are the
// list as a whole, each entry once.
func TestTheFeedAddsUpToTheAccount(t *testing.T) {
	courses := casebook.OfTerms(t, "../../../testdata")
	kinds := make(map[string]int)
	states := make(map[feed.State]int)
	rapid.Check(t, func(t *rapid.T) {
		p := *rapid.SampledFrom(courses).Draw(t, "terms of").Program
		if p.Earlier == nil { // times of several versions have to agree
			p.Timing = rapid.SampledFrom([]reward.Timing{{}, {Grant: reward.GrantAtStatement}, {Clawback: reward.ClawbackAtStatement}}).Draw(t, "timing")
			p.MaturityDays = rapid.SampledFrom([]int{0, 3, 30}).Draw(t, "maturity")
		}
		if p.Earlier == nil && p.ExpiryMonths == 0 {
			p.ExpiryMonths = rapid.SampledFrom([]int{0, 1, 3}).Draw(t, "expires after months")
		}
		checkFeed(t, &p, history(t, &p), kinds, states)
	})
	for _, kind := range feed.Kinds() {
		if kinds[kind.(string)] == 0 {
			t.Errorf("no history had a %s", kind)
		}
	}
	for _, state := range feed.States() {
		if states[state.(feed.State)] == 0 {
			t.Errorf("no history had an entry that is %s", state)
		}
	}
}

// history draws what happens on a few accounts: made-up traffic, and between it payouts of
// every kind, corrections and refunds that are announced.
func history(t *rapid.T, p *reward.Program) (events []reward.Event) {
	bought := slices.Collect(traffic.Generate(traffic.Options{
		Accounts: 2, Events: rapid.IntRange(10, 120).Draw(t, "events"), Seed: rapid.Uint64().Draw(t, "seed"), Program: p,
		Days: 120, ReturnShare: 400, OverRefunds: 100, Receipts: 200, Duplicates: 50, Disorder: 100,
	}))
	unit := p.RewardUnit()
	var open []reward.Event
	for i, e := range bought {
		events = append(events, e)
		own := reward.Event{Source: "test", ID: fmt.Sprint("own", i), Account: e.Account, Time: e.Time, Fact: fmt.Sprint("f", i), HasAmount: true, Currency: unit}
		own.Amount = rapid.SampledFrom([]int64{1, 40, 900}).Draw(t, "amount")
		switch rapid.IntRange(0, 12).Draw(t, "own") {
		case 0:
			own.Type = reward.RedemptionRequested
			open = append(open, own)
		case 1, 2:
			own.Type = reward.RedemptionAuthorized
			open = append(open, own)
		case 3:
			own.Type, own.Reason, own.Actor = reward.AdjustmentPosted, "goodwill", "clerk"
			own.Amount -= 50
		case 4, 5:
			if e.Type != reward.TransactionSettled {
				continue
			}
			own.Type, own.Transaction, own.Amount, own.Currency = reward.RefundPending, e.Transaction, e.Amount, p.Currency
		case 6, 7:
			if len(open) == 0 {
				continue
			}
			own.Account, own.Fact, own.HasAmount, own.Amount, own.Currency = open[0].Account, open[0].Fact, false, 0, ""
			own.Type = rapid.SampledFrom([]reward.Type{reward.RedemptionCaptured, reward.RedemptionCaptured, reward.RedemptionReleased, reward.RedemptionReversed, reward.RedemptionReversed}).Draw(t, "end")
			open = open[1:]
		case 8: // again, so that there are two authorisations of one purchase
			if e.Type != reward.TransactionAuthorized {
				continue
			}
			again := e
			again.ID = own.ID
			own = again
		default:
			continue
		}
		events = append(events, own)
	}
	return events
}

// twin is an account of its own, with its journal.
type twin struct {
	*reward.Account
	journal []reward.Posting
}

func checkFeed(t *rapid.T, p *reward.Program, events []reward.Event, kinds map[string]int, states map[feed.State]int) {
	ctx := context.Background()
	d, err := pebble.Open(ctx, "ledger", pebble.Options{Create: true, FS: vfs.NewMem(), Cache: 1 << 20, MemTable: 1 << 20})
	noError(t, err)
	defer d.Close()
	parse := func([]byte) (*reward.Program, error) { return p, nil }
	programs, err := durable.OpenPrograms(ctx, d, parse, time.Now)
	noError(t, err)
	_, _, err = programs.Put(ctx, p.ID, []byte("as the test has it"), 0, "test")
	noError(t, err)
	now := events[0].Time
	store := durable.New(d, durable.Options{Programs: programs, Now: func() reward.Instant { return now }})
	apply := engine.New(store)
	part := rapid.IntRange(5, len(events)).Draw(t, "look after")
	var told []reward.Event
	for chunk := range slices.Chunk(events, part) {
		_, err := apply.Apply(ctx, chunk, nil)
		noError(t, err)
		told = append(told, chunk...)
		for _, e := range chunk {
			now = max(now, e.Time)
		}
		now += reward.Instant(rapid.Int64Range(0, int64(40*reward.Day)).Draw(t, "later"))
		twins := make(map[string]*twin)
		seen := make(map[string]bool)
		for i := range told {
			e := &told[i]
			if id := e.Account + "\x00" + e.Source + "\x00" + e.ID; seen[id] {
				continue // a redelivery, which the log knows again
			} else {
				seen[id] = true
			}
			if twins[e.Account] == nil {
				twins[e.Account] = &twin{Account: reward.NewAccount(e.Account, p)}
			}
			_, twins[e.Account].journal = twins[e.Account].Apply(e, twins[e.Account].journal)
		}
		for id, a := range twins {
			if _, there, err := store.Account(ctx, id); err != nil || !there {
				noError(t, err)
				continue // all of it was bad input
			}
			a.journal = a.AsOf(now, a.journal)
			compareFeed(t, store, id, a, kinds, states)
		}
		now = slices.MaxFunc(told, func(x, y reward.Event) int { return int((x.Time - y.Time) / reward.Day) }).Time
	}
}

func compareFeed(t *rapid.T, store *durable.Store, id string, a *twin, kinds map[string]int, states map[feed.State]int) {
	ctx := context.Background()
	whole, ok, err := store.Feed(ctx, id, durable.FeedPlace{}, 1_000_000)
	noError(t, err)
	if !ok || whole.Next != (durable.FeedPlace{}) {
		t.Fatalf("the feed of %s is there: %v, and goes on at %v", id, ok, whole.Next)
	}
	var sum feed.Sums
	taken := make(map[string]int64)
	names := make(map[string]bool)
	for i := range whole.Lines {
		e := feed.EntryOf(&whole.Lines[i])
		kinds[e.Kind()]++
		states[e.State]++
		sum.Pending += e.Pending
		sum.Available += e.Available
		sum.Reserved += e.Reserved
		if e.Pending < 0 || e.Reserved < 0 || e.TakenBack < 0 || e.Purchase != nil && e.Available < 0 {
			t.Fatalf("%s of %s is %+v", e.Name, id, e.Sums)
		}
		if names[e.Name] {
			t.Fatalf("%s of %s is there twice", e.Name, id)
		}
		names[e.Name] = true
		if e.Purchase != nil {
			taken[e.ID] = e.TakenBack
		}
		for _, tag := range feed.Languages() {
			told := feed.Telling{Language: feed.LanguageFor(tag.(string)), Units: whole.Units, Zone: time.UTC}
			if why := told.Why(&e); why == "" || strings.Contains(why, "%") {
				t.Fatalf("%s in %s says %q", e.Name, tag, why)
			}
		}
	}
	s := a.Balances()
	if sum.Pending != s.Held || sum.Available != s.Available || sum.Reserved != s.Reserved || sum.Pending+sum.Available+sum.Reserved != s.Balance {
		t.Fatalf("the feed of %s adds up to %+v, and the account is %+v", id, sum, s)
	}
	if whole.Balance != s.Balance || whole.Held != s.Held || whole.Available != s.Available || whole.Reserved != s.Reserved {
		t.Fatalf("the feed of %s says %+v, and the account is %+v", id, whole, s)
	}
	if a.Program().Layers == nil {
		if want := takenBack(a.journal); !maps.Equal(want, positive(taken)) {
			t.Fatalf("the feed of %s says was taken back\n%v, the journal\n%v", id, positive(taken), want)
		}
	}
	var paged []string
	length := rapid.IntRange(1, 7).Draw(t, "page")
	for place := (durable.FeedPlace{}); ; {
		page, _, err := store.Feed(ctx, id, place, length)
		noError(t, err)
		for i := range page.Lines {
			e := feed.EntryOf(&page.Lines[i])
			paged = append(paged, e.Name)
		}
		if place = page.Next; place == (durable.FeedPlace{}) {
			break
		}
	}
	var all []string
	for i := range whole.Lines {
		e := feed.EntryOf(&whole.Lines[i])
		all = append(all, e.Name)
	}
	if !slices.Equal(paged, all) {
		t.Fatalf("by pages of %d the feed of %s is\n%q, at once\n%q", length, id, paged, all)
	}
}

// takenBack is what a journal took back of what it granted, by purchase.
func takenBack(journal []reward.Posting) map[string]int64 {
	granted, kept := make(map[string]int64), make(map[string]int64)
	for _, p := range journal {
		if p.Transaction == "" {
			continue
		}
		if p.Kind == reward.Grant {
			granted[p.Transaction] += p.Amount
		}
		kept[p.Transaction] += p.Amount
	}
	for id := range granted {
		granted[id] -= kept[id]
	}
	return positive(granted)
}

// positive leaves out what is not above zero.
func positive(all map[string]int64) map[string]int64 {
	list := maps.Clone(all)
	maps.DeleteFunc(list, func(_ string, n int64) bool { return n <= 0 })
	return list
}

func noError(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
