package drivertest

import (
	"context"
	"errors"
	"testing"

	"recoup/internal/store/durable"
	"recoup/internal/store/record"
	"recoup/reward"
)

// replaced: what is kept of an account is replaced whole, by what follows from its log.
func replaced(t *testing.T, s *subject) {
	ctx := context.Background()
	for number, account := range []string{"acct-0", "acct-1", "acct-2"} {
		s.update(t, func(tx durable.Tx) error { return lockAndWrite(tx, everything(account, int64(11+number))) })
	}
	row := fresh("acct-1")
	row.Last, row.Head = 12, []byte("anew")
	row.Due = 5
	other := part("acct-1", reward.RefundPart, "only")
	other.ReviewSince = 7
	failure := errors.New("on second thoughts")
	for _, refuse := range []bool{true, false} {
		err := s.Replace(ctx, "acct-1", func(log []durable.EventRow) (*durable.Changes, error) {
			if len(log) != 1 || log[0].Number != 12 || log[0].Account != "acct-1" || len(log[0].Event) == 0 {
				t.Errorf("the log is %+v", log)
			}
			if refuse {
				return nil, failure
			}
			return &durable.Changes{Accounts: []durable.AccountRow{row}, Parts: []durable.Part{other}}, nil
		})
		if refuse != errors.Is(err, failure) || !refuse && err != nil {
			t.Fatalf("Replace: %v", err)
		}
	}
	for _, kind := range kinds() {
		parts := s.find(t, durable.Query{Account: "acct-1", Kind: kind, Page: true, Limit: 10})
		if want := kind == reward.RefundPart; want != (len(parts) == 1) {
			t.Errorf("parts of kind %v: %s", kind, show(parts))
		}
		if parts := s.find(t, durable.Query{Account: "acct-2", Kind: kind, Page: true, Limit: 10}); len(parts) != 1 {
			t.Errorf("of another account, parts of kind %v: %s", kind, show(parts))
		}
	}
	s.view(t, func(r durable.Reader) error {
		got, there, err := r.Account(ctx, "acct-1")
		if !there || string(got.Head) != "anew" || got.Version != row.Version || got.Last != 12 {
			t.Errorf("the row is %+v", got)
		}
		statements, err2 := r.Statements(ctx, "acct-1", 1<<30, 10)
		if len(statements) > 0 {
			t.Errorf("statements %+v", statements)
		}
		due, err3 := r.Due(ctx, 5, 10)
		if len(due) != 1 || due[0] != "acct-1" {
			t.Errorf("due: %v", due)
		}
		reviews, err4 := r.Reviews(ctx, "acct-1", durable.ReviewPlace{}, 10)
		if len(reviews) != 1 || reviews[0].ID != "only" {
			t.Errorf("reviews: %s", show(reviews))
		}
		named, err5 := r.Named(ctx, "p1", 100)
		for _, k := range named {
			if k.Account == "acct-1" {
				t.Errorf("a part is still found by its name: %+v", k)
			}
		}
		return errors.Join(err, err2, err3, err4, err5)
	})
}

// forgotten: of an account nothing is left, and what it was is another's.
func forgotten(t *testing.T, s *subject) {
	ctx := context.Background()
	for number, account := range []string{"acct-0", "acct-1", "acct-2"} {
		s.update(t, func(tx durable.Tx) error { return lockAndWrite(tx, everything(account, int64(11+number))) })
	}
	failure := errors.New("on second thoughts")
	for _, refuse := range []bool{true, false} {
		err := s.Forget(ctx, "acct-1", func(in record.Reader, log []durable.EventRow) (*durable.Changes, error) {
			if len(log) != 1 || log[0].Number != 12 || log[0].Account != "acct-1" {
				t.Errorf("the log is %+v", log)
			}
			if _, there, err := in.Get(ctx, "notices", "acct-1"); !there || err != nil {
				t.Errorf("its record: %v, %v", there, err)
			}
			if refuse {
				return nil, failure
			}
			c := everything("gone", 12)
			c.Records = []record.Record{{Table: "notices", Key: "acct-1"}}
			return c, nil
		})
		if refuse != errors.Is(err, failure) || !refuse && err != nil {
			t.Fatalf("Forget: %v", err)
		}
		if refuse {
			s.view(t, func(r durable.Reader) error {
				if row, there, err := r.Account(ctx, "acct-1"); err != nil || !there || row.Last != 12 {
					t.Errorf("it was refused, and the row is %+v (%v)", row, err)
				}
				return nil
			})
		}
	}
	if err := s.Purge(ctx, "acct-1", []int64{12}); err != nil {
		t.Errorf("Purge: %v", err)
	}
	expectNothing(t, s, "acct-1")
	s.view(t, func(r durable.Reader) error {
		row, there, err := r.Account(ctx, "gone")
		if !there || row.Last != 12 {
			t.Errorf("the row of the other is %+v", row)
		}
		e, there, err2 := r.Numbered(ctx, 12)
		if !there || e.Account != "gone" {
			t.Errorf("event 12 is %+v", e)
		}
		named, err3 := r.Named(ctx, "p1", 100)
		for _, k := range named {
			if k.Account == "acct-1" {
				t.Errorf("a part is still found by its name: %+v", k)
			}
		}
		_, events, err4 := r.Census(ctx)
		if events != 3 {
			t.Errorf("there are %d events", events)
		}
		return errors.Join(err, err2, err3, err4)
	})
	// The name is free.
	s.update(t, func(tx durable.Tx) error { return lockAndWrite(tx, everything("acct-1", 14)) })
}
