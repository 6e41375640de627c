package webhook_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"recoup/internal/service/webhook"
	"recoup/internal/store/outbox"
	"recoup/internal/store/pebble/pebbletest"
	"recoup/internal/store/record"
)

// tells puts a notice of an account into the inbox of a lane, as a unit of work does.
func tells(t *testing.T, lane record.Store, feed outbox.Feed, now time.Time, account string, sequence int64) {
	t.Helper()
	audience := outbox.Audience{Feed: feed}
	list, err := audience.Write(nil, outbox.Notice{
		Event: sequence, Sequence: sequence, Account: account, Type: outbox.RewardPosted, Created: now.UnixNano(), Body: fmt.Appendf(nil, "[%q,%d]", account, sequence),
	})
	if err == nil {
		err = lane.Change(t.Context(), func(tx record.Tx) error {
			for _, r := range list {
				tx.Put(r.Table, r.Key, r.Value)
			}
			return nil
		})
	}
	if err != nil {
		t.Fatal(err)
	}
}

func bodies(list []webhook.Fetched) (all []string) {
	for i := range list {
		all = append(all, string(list[i].Body))
	}
	return all
}

// Who has a place from before a shard was split goes on without missing anything, and is
// told nothing twice; a lane that the place knows nothing of is read from its beginning.
func TestTheFeedGoesOnAfterASplit(t *testing.T) {
	clock := newClock()
	home, old, half := pebbletest.Open(t), pebbletest.Open(t), pebbletest.Open(t)
	lanes := []webhook.Lane{{Name: "0", Store: old}}
	f := webhook.NewFeed(home, func() []webhook.Lane { return lanes }, clock.now)
	collect := func() {
		t.Helper()
		if err := f.Collect(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	read := func(after webhook.Place, limit int) ([]string, webhook.Place) {
		t.Helper()
		list, next, err := f.Read(t.Context(), after, limit)
		if err != nil {
			t.Fatal(err)
		}
		return bodies(list), next
	}
	if _, _, err := f.Read(t.Context(), webhook.Place{}, 1); !errors.Is(err, webhook.ErrNoFeed) {
		t.Fatalf("without a feed: %v", err)
	}
	if err := f.Keep(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
	end, err := f.End(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	feed := outbox.Feed{Since: end.Since, Keep: int64(time.Hour)}
	for n := range int64(3) {
		tells(t, old, feed, clock.now(), "lower", n+1)
		tells(t, old, feed, clock.now(), "upper", n+1)
	}
	collect()
	before, place := read(webhook.Place{}, 4)
	// What a mover copies, and what it leaves.
	for _, half := range []struct {
		from, to record.Store
		account  string
	}{{old, half, "upper"}} {
		err := half.from.Change(t.Context(), func(from record.Tx) error {
			return half.to.Change(t.Context(), func(to record.Tx) error {
				at, _, err := outbox.FeedState.Get(t.Context(), from, outbox.FeedName)
				if err != nil {
					return err
				}
				if err := outbox.FeedState.Put(to, outbox.FeedName, &at); err != nil {
					return err
				}
				return outbox.FeedRows.Each(t.Context(), from, record.Span{}, func(key string, one *outbox.Told) (bool, error) {
					if one.Account != half.account {
						return true, nil
					}
					outbox.FeedRows.Delete(from, key)
					return true, outbox.FeedRows.Put(to, key, one)
				})
			})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	lanes = append(lanes, webhook.Lane{Name: "7", Store: half})
	early, _ := read(place, 10) // before the half has collected anything
	tells(t, half, feed, clock.now(), "upper", 4)
	tells(t, old, feed, clock.now(), "lower", 4)
	collect()
	after, next := read(place, 10)
	slices.Sort(after)
	slices.Sort(early)
	all := append(before, after...)
	slices.Sort(all)
	if want := []string{
		`["lower",1]`, `["lower",2]`, `["lower",3]`, `["lower",4]`, `["upper",1]`, `["upper",2]`, `["upper",3]`, `["upper",4]`,
	}; !slices.Equal(all, want) || len(early) != 2 {
		t.Errorf("read is %v, then %v, and at once %v", before, after, early)
	}
	if more, _ := read(next, 10); len(more) != 0 {
		t.Errorf("at the end there is %v", more)
	}
	if next.Lanes["7"] == 0 || next.Lanes["0"] == 0 {
		t.Errorf("the place is %v", next)
	}
	fresh := webhook.Lane{Name: "9", Store: pebbletest.Open(t)}
	tells(t, fresh, feed, clock.now(), "new", 1)
	lanes = append(lanes, fresh)
	collect()
	if more, _ := read(next, 10); !slices.Equal(more, []string{`["new",1]`}) {
		t.Errorf("of a lane that was added there is %v", more)
	}
}

// A page that is full ends between any two notices, and nothing is left behind.
func TestCollectingManyNotices(t *testing.T) {
	databases(t, func(t *testing.T, d *database) {
		f := webhook.NewFeed(d, func() []webhook.Lane { return []webhook.Lane{{Name: "0", Store: d}} }, d.now)
		if err := f.Keep(t.Context(), time.Hour); err != nil {
			t.Fatal(err)
		}
		place, err := f.End(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		audience := outbox.Audience{Feed: outbox.Feed{Since: place.Since, Keep: int64(time.Hour)}}
		const accounts, each = 50, 50
		err = d.Change(t.Context(), func(tx record.Tx) error {
			for n := range int64(accounts * each) {
				list, err := audience.Write(nil, outbox.Notice{
					Event: n, Sequence: n / accounts, Account: fmt.Sprint("a", n%accounts), Type: outbox.RewardPosted, Created: d.now().UnixNano(), Body: fmt.Append(nil, n),
				})
				if err != nil {
					return err
				}
				tx.Put(list[0].Table, list[0].Key, list[0].Value)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Collect(t.Context()); err != nil {
			t.Fatal(err)
		}
		last := make(map[string]int)
		total := 0
		for {
			list, next, err := f.Read(t.Context(), place, 300)
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range list {
				var number int
				if _, err := fmt.Sscan(string(n.Body), &number); err != nil || number < last[n.Account] {
					t.Fatalf("of %s %d comes after %d: %v", n.Account, number, last[n.Account], err)
				}
				last[n.Account] = number
				total++
			}
			if place = next; len(list) == 0 {
				break
			}
		}
		if total != accounts*each {
			t.Errorf("%d are read", total)
		}
		d.advance(2 * time.Hour)
		if err := f.Collect(t.Context()); err != nil {
			t.Fatal(err)
		}
		if list, _, err := f.Read(t.Context(), webhook.Place{}, 300); err != nil || len(list) != 0 {
			t.Errorf("after all were kept long enough there are %d: %v", len(list), err)
		}
		if _, _, err := f.Read(t.Context(), webhook.Place{Since: place.Since, Lanes: map[string]int64{"0": 1}}, 1); !errors.Is(err, webhook.ErrGone) {
			t.Errorf("before what is kept: %v", err)
		}
	})
}
