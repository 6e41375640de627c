package drivertest

import (
	"context"
	"fmt"
	"testing"

	"recoup/internal/store/durable"
	"recoup/reward"
)

// transactions are some of acct-1, with a few of acct-2 and of other kinds that
// no query for them may find.
func transactions(t *testing.T, s *subject) []durable.Part {
	t.Helper()
	var list, others []durable.Part
	for i := range 10 {
		p := part("acct-1", reward.TransactionPart, fmt.Sprintf("t%d", i))
		p.Working = i%3 == 0
		p.Bucket = int64(i % 4)
		p.Settled = day + reward.Instant(i)*reward.Day
		list = append(list, p)
		p.Account = "acct-2"
		others = append(others, p)
		p.Account, p.Kind = "acct-1", reward.BucketPart
		p.Bucket, p.Settled = 0, 0
		others = append(others, p)
	}
	p := part("acct-1", reward.TransactionPart, "t99") // authorised only: neither settled nor in a bucket
	list = append(list, p)
	s.write(t, durable.Changes{Accounts: []durable.AccountRow{fresh("acct-1"), fresh("acct-2")}, Parts: append(others, list...)})
	return list
}

// those selects parts.
func those(list []durable.Part, want func(durable.Part) bool) (found []durable.Part) {
	for _, p := range list {
		if want(p) {
			found = append(found, p)
		}
	}
	return found
}

func findIDs(t *testing.T, s *subject) {
	list := transactions(t, s)
	query := durable.Query{Account: "acct-1", Kind: reward.TransactionPart, IDs: []string{"t7", "t2", "unknown"}}
	expectParts(t, s.find(t, query), []durable.Part{list[2], list[7]})
	query.Account = "acct-3"
	expectParts(t, s.find(t, query), nil)
}

func findWorking(t *testing.T, s *subject) {
	list := transactions(t, s)
	expectParts(t, s.find(t, durable.Query{Account: "acct-1", Kind: reward.TransactionPart, Working: true}),
		those(list, func(p durable.Part) bool { return p.Working }))
	expectParts(t, s.find(t, durable.Query{Account: "acct-1", Kind: reward.RedemptionPart, Working: true}), nil)
}

func findBucket(t *testing.T, s *subject) {
	list := transactions(t, s)
	expectParts(t, s.find(t, durable.Query{Account: "acct-1", Kind: reward.TransactionPart, Bucket: 3}),
		those(list, func(p durable.Part) bool { return p.Bucket == 3 }))
}

func findSettled(t *testing.T, s *subject) {
	list := transactions(t, s)
	from, to := list[2].Settled, list[6].Settled
	query := durable.Query{Account: "acct-1", Kind: reward.TransactionPart, Settled: true, From: from, To: to}
	expectParts(t, s.find(t, query), list[2:6])
	query.From, query.To = 0, list[9].Settled+1
	expectParts(t, s.find(t, query), list[:10])
}

func findPages(t *testing.T, s *subject) {
	list := transactions(t, s)
	query := durable.Query{Account: "acct-1", Kind: reward.TransactionPart, Page: true, Limit: 4}
	for _, want := range [][]durable.Part{list[:4], list[4:8], list[8:]} {
		page := s.find(t, query)
		expectInOrder(t, page, want)
		query.After = want[len(want)-1].ID
	}
	if page := s.find(t, query); len(page) != 0 {
		t.Errorf("after the last page there are\n%s", show(page))
	}
}

func findInTransaction(t *testing.T, s *subject) {
	list := transactions(t, s)
	s.update(t, func(tx durable.Tx) error {
		ctx := context.Background()
		if _, err := tx.Load(ctx, &durable.Request{Accounts: []string{"acct-1"}, Held: []int64{1}}); err != nil {
			return err
		}
		for _, c := range []struct {
			query durable.Query
			want  []durable.Part
		}{
			{durable.Query{IDs: []string{"t4", "t5"}}, list[4:6]},
			{durable.Query{Bucket: 1}, those(list, func(p durable.Part) bool { return p.Bucket == 1 })},
			{durable.Query{Working: true}, those(list, func(p durable.Part) bool { return p.Working })},
			{durable.Query{Settled: true, From: list[8].Settled, To: list[9].Settled + 1}, list[8:10]},
			{durable.Query{Page: true, After: "t8", Limit: 1}, list[9:10]},
		} {
			c.query.Account, c.query.Kind = "acct-1", reward.TransactionPart
			got, err := tx.Find(ctx, c.query)
			if err != nil {
				return err
			}
			expectParts(t, got, c.want)
		}
		return nil
	})
}
