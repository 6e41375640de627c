package durable_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"recoup/internal/engine"
	"recoup/internal/store/durable"
	"recoup/program"
	"recoup/reward"
)

// counted is a driver that counts what is asked of it for reading: each is an exchange
// with a server.
type counted struct {
	durable.Driver
	asked atomic.Int64
}

func (d *counted) View(ctx context.Context, f func(durable.Reader) error) error {
	return d.Driver.View(ctx, func(r durable.Reader) error { return f(&countedReader{r, d}) })
}

type countedReader struct {
	durable.Reader
	of *counted
}

func (r *countedReader) Account(ctx context.Context, id string) (durable.AccountRow, bool, error) {
	r.of.asked.Add(1)
	return r.Reader.Account(ctx, id)
}

func (r *countedReader) Opened(ctx context.Context, ids []string, others []durable.PartKey) ([]durable.AccountRow, []durable.Part, error) {
	r.of.asked.Add(1)
	return r.Reader.Opened(ctx, ids, others)
}

func (r *countedReader) Find(ctx context.Context, q durable.Query) ([]durable.Part, error) {
	r.of.asked.Add(1)
	return r.Reader.Find(ctx, q)
}

func (r *countedReader) Reviews(ctx context.Context, account string, after durable.ReviewPlace, limit int) ([]durable.Part, error) {
	r.of.asked.Add(1)
	return r.Reader.Reviews(ctx, account, after, limit)
}

// waiting fills a database with refunds that wait for their purchases, one an account.
func waiting(t testing.TB, s *durable.Store, accounts int) (parts []durable.PartKey) {
	t.Helper()
	january := reward.At(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	events := make([]reward.Event, 0, accounts)
	for i := range accounts {
		e := reward.Event{
			Source: "core", ID: fmt.Sprint("r", i), Account: fmt.Sprintf("acct-%05d", i), Time: january + reward.Instant(i)*1e9, Type: reward.RefundPosted,
			Transaction: fmt.Sprint("unknown-", i), Fact: fmt.Sprint("r", i), Amount: int64(100 + i), HasAmount: true, Currency: "USD",
		}
		events = append(events, e)
		parts = append(parts, durable.PartKey{Account: e.Account, Kind: reward.RefundPart, ID: e.Fact})
	}
	if _, err := engine.New(s).Apply(context.Background(), events, nil); err != nil {
		t.Fatal(err)
	}
	return parts
}

// TestAPageOfReviewsIsOneReading: how many accounts the reviews of a page are of is nothing
// to how often the database is asked.
func TestAPageOfReviewsIsOneReading(t *testing.T) {
	d := &counted{Driver: databases["pebble"](t)}
	s := open(t, d, program.Everyday(), 0)
	parts := waiting(t, s, 200)
	for _, page := range []int{2, 100} {
		d.asked.Store(0)
		list, _, _, err := s.Reviews(context.Background(), durable.ReviewFilter{}, durable.ReviewPlace{}, page)
		if asked := d.asked.Load(); err != nil || len(list) != page || asked > 4 {
			t.Errorf("a page of %d has %d and asks %d times (%v), want 4 times at most", page, len(list), asked, err)
		}
		d.asked.Store(0)
		found, err := s.ReviewsAmong(context.Background(), parts[:page])
		if asked := d.asked.Load(); err != nil || len(found) != page || asked > 2 {
			t.Errorf("%d of %d are open, asked %d times (%v), want twice at most", len(found), page, asked, err)
		}
	}
}

// BenchmarkReviews reads a page of the review list, of as many accounts as it has lines.
func BenchmarkReviews(b *testing.B) {
	for _, name := range []string{"pebble", "postgres"} {
		d := &counted{Driver: databases[name](b)}
		s := open(b, d, program.Everyday(), 0)
		waiting(b, s, 2000)
		for _, filter := range []durable.ReviewFilter{{}, {MinAmount: 1000}} {
			b.Run(fmt.Sprintf("%s/least=%d", name, filter.MinAmount), func(b *testing.B) {
				d.asked.Store(0)
				n := 0
				for b.Loop() {
					if list, _, _, err := s.Reviews(context.Background(), filter, durable.ReviewPlace{}, 50); err != nil || len(list) == 0 && filter.MinAmount == 0 {
						b.Fatal(len(list), err)
					}
					n++
				}
				b.ReportMetric(float64(d.asked.Load())/float64(n), "exchanges/op")
			})
		}
	}
}
