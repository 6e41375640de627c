package shards_test

import (
	"fmt"
	"slices"
	"testing"

	"recoup/internal/engine"
	"recoup/internal/kit/pgtest"
	"recoup/internal/service/verify"
	"recoup/internal/store/durable"
	"recoup/internal/store/outbox"
	"recoup/internal/store/record"
	"recoup/internal/store/shards"
	"recoup/reward"
)

func TestAShardIsSplitWhileItWorks(t *testing.T) {
	w := newWorld(t, 2)
	db := w.open()
	s := w.store(db, everyday())
	// Records of every kind that belong to accounts: what was refused, what is to be sent
	// or fetched, what is to end and what is sealed.
	ok(t, db.Change(t.Context(), func(tx record.Tx) error {
		if err := outbox.Feeds.Put(tx, outbox.FeedName, &outbox.Feed{Since: 1, Keep: 1}); err != nil {
			return err
		}
		return outbox.Endpoints.Put(tx, "e1", &outbox.Endpoint{ID: "e1", URL: "https://localhost/"})
	}))
	var events []reward.Event
	for i := range 60 {
		counts, refused := purchase(fmt.Sprintf("kept-%d", i), 1), purchase(fmt.Sprintf("kept-%d", i), 2)
		refused.Currency = "EUR"
		announced := reward.Event{
			Source: counts.Source, ID: "e3", Account: counts.Account, Time: counts.Time, Type: reward.RefundPending,
			Fact: "f1", Transaction: counts.Transaction, Amount: 100, HasAmount: true, Currency: counts.Currency,
		}
		events = append(events, counts, refused, announced)
	}
	_, err := engine.New(s).Apply(t.Context(), events, nil)
	ok(t, err)
	for _, lane := range db.Lanes() {
		_, err := verify.Seal(t.Context(), lane, 1<<20)
		ok(t, err)
	}
	before := recordsOf(t, db, s)

	l := newLoad(t, s, "a", 8)
	l.more(t, 500)
	to := shards.Place{URL: pgtest.Shared(t).NewDatabase(t), Schema: "third"}
	rest := shards.Place{URL: w.url, Schema: "second_half"}
	moved := w.patiently(func(m *shards.Mover) (shards.Moved, error) { return m.Split(t.Context(), 1, 2, to, rest) })
	l.more(t, 500)
	l.end()
	t.Logf("%+v; nobody waited longer than %v", moved, l.longest)
	f := w.read()
	if len(f.Shards) != 3 || f.Shards[1].Buckets.String() != "2048-3071" || f.Shards[2].Buckets.String() != "3072-4095" {
		t.Errorf("the file is %s", f.Text())
	}
	fresh := w.open()
	if after := recordsOf(t, fresh, w.store(fresh, everyday())); !slices.Equal(after, before) {
		t.Errorf("records of accounts were\n%v\nand are\n%v", before, after)
	}
	for i := range 60 {
		for _, id := range []string{"e1", "e3"} {
			l.acknowledged[durable.Identity{Account: fmt.Sprintf("kept-%d", i), Source: "core", ID: id}] = true
		}
	}
	l.check(t, fresh)
}

// recordsOf lists what there is beside the accounts that are called kept, with whether each
// lies in the lane of its account.
func recordsOf(t *testing.T, db *durable.Database, s *durable.Store) (list []string) {
	t.Helper()
	reviewed, err := reviews(t.Context(), s, 7)
	ok(t, err)
	list = append(list, reviewed...)
	recorded, err := verify.ReadRecorded(t.Context(), db)
	ok(t, err)
	list = append(list, fmt.Sprintf("%d events are sealed", recorded.Sealed))
	for place, lane := range db.Lanes() {
		ok(t, lane.Read(t.Context(), func(r record.Reader) error {
			return outbox.Deliveries.Each(t.Context(), r, record.Span{}, func(_ string, d *outbox.Delivery) (bool, error) {
				if db.LaneOf(d.Account) != place {
					t.Errorf("a delivery of account %s is in lane %d", d.Account, place)
				}
				if d.Account[0] == 'k' {
					list = append(list, d.Account+" "+d.Type+" "+string(d.Body))
				}
				return true, nil
			})
		}))
		type of struct {
			Account string `json:"account"`
		}
		for _, table := range []string{"endings", string(outbox.FeedInbox)} {
			ok(t, lane.Read(t.Context(), func(r record.Reader) error {
				return record.Table[of](table).Each(t.Context(), r, record.Span{}, func(key string, v *of) (bool, error) {
					if db.LaneOf(v.Account) != place {
						t.Errorf("a record of %s of account %s is in lane %d", table, v.Account, place)
					}
					if v.Account[0] == 'k' {
						list = append(list, fmt.Sprintf("%s %q", table, key))
					}
					return true, nil
				})
			}))
		}
	}
	slices.Sort(list)
	return list
}
