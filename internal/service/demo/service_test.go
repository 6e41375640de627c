package demo_test

import (
	"context"
	"testing"
	"time"

	"recoup/internal/service/demo"
	"recoup/internal/store/durable"
	"recoup/internal/store/pebble/pebbletest"
	"recoup/program"
	"recoup/reward"
)

// noon is a moment in the middle of a month.
var noon = time.Date(2026, 11, 17, 12, 30, 15, 0, time.UTC)

// service is a database with the sample data, as a service reads it.
type service struct {
	*durable.Store
	driver  durable.Driver
	summary *demo.Summary
}

func open(t testing.TB) durable.Driver {
	t.Helper()
	return pebbletest.Open(t)
}

type loading = func(context.Context, demo.Target) (*demo.Summary, error)

func load(t testing.TB, with loading, now time.Time) *service {
	t.Helper()
	s := &service{driver: open(t)}
	var err error
	s.summary, err = with(context.Background(), demo.Target{Database: durable.One(s.driver), Now: now})
	if err != nil {
		t.Fatal(err)
	}
	s.Store = durable.New(s.driver, durable.Options{Programs: programsOf(t, s.driver), Now: func() reward.Instant { return reward.At(now) }})
	return s
}

func programsOf(t testing.TB, d durable.Driver) *durable.Programs {
	t.Helper()
	parse := func(document []byte) (*reward.Program, error) { return program.Parse("stored", document) }
	p, err := durable.OpenPrograms(context.Background(), d, parse, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func accountOf(t testing.TB, s *service, id string) durable.AccountView {
	t.Helper()
	v, ok, err := s.Account(context.Background(), id)
	if err != nil || !ok {
		t.Fatalf("account %q: there: %v, error: %v", id, ok, err)
	}
	return v
}

func accounts(t testing.TB, s *service) (list []durable.AccountView) {
	t.Helper()
	err := s.EachAccount(context.Background(), func(id string) error {
		list = append(list, accountOf(t, s, id))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func reviews(t testing.TB, s *service, f durable.ReviewFilter) []durable.ReviewView {
	t.Helper()
	list, _, more, err := s.Reviews(context.Background(), f, durable.ReviewPlace{}, 1000)
	if err != nil || more {
		t.Fatalf("reviews: more: %v, error: %v", more, err)
	}
	return list
}

// logged returns what was delivered to an account, in order.
func logged(t testing.TB, s *service, account string) (list []durable.EventRow) {
	t.Helper()
	err := s.driver.View(context.Background(), func(r durable.Reader) error {
		return r.EventsOf(context.Background(), account, account, func(row *durable.EventRow) error {
			list = append(list, *row)
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
