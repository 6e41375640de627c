package drivertest

import (
	"context"
	"slices"
	"testing"

	"recoup/internal/store/durable"
	"recoup/reward"
)

// expectNamed looks an id up, with every limit, and compares what is found.
func expectNamed(t *testing.T, s *subject, id string, want ...durable.PartKey) {
	t.Helper()
	s.view(t, func(r durable.Reader) error {
		for limit := range len(want) + 2 {
			got, err := r.Named(context.Background(), id, limit)
			if err != nil {
				return err
			}
			if !slices.Equal(got, want[:min(limit, len(want))]) {
				t.Errorf("%q, at most %d: %v, want the first of %v", id, limit, got, want)
			}
		}
		return nil
	})
}

func readNamed(t *testing.T, s *subject) {
	const tx, refund, chargeback = reward.TransactionPart, reward.RefundPart, reward.ChargebackPart
	want := []durable.PartKey{
		{Account: "B", Kind: chargeback, ID: "x"},
		{Account: "a", Kind: tx, ID: "x"}, {Account: "a", Kind: refund, ID: "x"}, {Account: "a", Kind: chargeback, ID: "x"},
		{Account: "a-1", Kind: tx, ID: "x"},
		{Account: "b", Kind: refund, ID: "x"},
		{Account: "ä", Kind: tx, ID: "x"},
	}
	ids := []string{"B", "a", "a-1", "b", "ä"}
	// Written in several units of work, so that some may be filed and some not.
	for i := range want {
		k := want[(i*3)%len(want)]
		row, there := s.account(t, k.Account)
		if !there {
			row = durable.AccountRow{Account: k.Account, Program: "everyday"}
		}
		row.Base, row.Version, row.Head = row.Version, row.Version+1, []byte("head")
		s.write(t, durable.Changes{Accounts: []durable.AccountRow{row}, Parts: []durable.Part{
			part(k.Account, k.Kind, k.ID),
			part(k.Account, k.Kind, "X"), part(k.Account, k.Kind, "xx"), part(k.Account, k.Kind, "x "),
		}})
	}
	expectNamed(t, s, "x", want...)
	expectNamed(t, s, "y")
	expectNamed(t, s, "")

	// What is written again is found once, and other kinds are not.
	var again durable.Changes
	for _, id := range ids {
		row, _ := s.account(t, id)
		row.Base, row.Version = row.Version, row.Version+1
		again.Accounts = append(again.Accounts, row)
		for _, kind := range []reward.PartKind{reward.RedemptionPart, reward.AdjustmentPart, reward.BucketPart, reward.AttributePart} {
			again.Parts = append(again.Parts, part(id, kind, "x"), part(id, kind, "y"))
		}
	}
	for _, k := range want {
		again.Parts = append(again.Parts, part(k.Account, k.Kind, k.ID))
	}
	s.write(t, again)
	expectNamed(t, s, "x", want...)
	expectNamed(t, s, "y")
}

func readNamedSnapshot(t *testing.T, s *subject) {
	s.write(t, durable.Changes{Accounts: []durable.AccountRow{fresh("a")}, Parts: []durable.Part{part("a", reward.RefundPart, "x")}})
	s.view(t, func(r durable.Reader) error {
		ctx := context.Background()
		if _, _, err := r.Account(ctx, "a"); err != nil {
			return err
		}
		s.write(t, durable.Changes{Accounts: []durable.AccountRow{fresh("b")}, Parts: []durable.Part{part("b", reward.RefundPart, "x")}})
		got, err := r.Named(ctx, "x", 10)
		if len(got) != 1 || got[0].Account != "a" {
			t.Errorf("found are %v, want what was there when the reading began", got)
		}
		return err
	})
	expectNamed(t, s, "x", durable.PartKey{Account: "a", Kind: reward.RefundPart, ID: "x"}, durable.PartKey{Account: "b", Kind: reward.RefundPart, ID: "x"})
}
