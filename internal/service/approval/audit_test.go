package approval_test

import (
	"context"
	"maps"

	"recoup/internal/service/approval"
	"recoup/internal/store/record"
	"recoup/reward"
)

// failer is a test, or a run of one.
type failer interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// audit has every approved proposal of an account be in its journal, once, under the names
// of two people, and nothing else be there; none be half-way; and the lists that are kept
// of all be of one mind.
func (o *office) audit(t failer, account string, proposals []int64) {
	t.Helper()
	entries, err := o.store.Entries(context.Background(), account, 0, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	in := make(map[string]reward.Posting)
	for _, e := range entries {
		in[e.Fact] = e.Posting
	}
	if len(in) != len(entries) {
		t.Fatalf("%d adjustments were posted %d times", len(in), len(entries))
	}
	for _, n := range proposals {
		p := o.get(n)
		e, there := in[p.Adjustment]
		switch p.State {
		case approval.Approved:
			if !there || e.Amount != p.Amount || e.Actor != p.Proposer.Name || e.Approver != p.Decider.Name || e.Actor == e.Approver || e.At < p.Decided {
				t.Fatalf("%+v is in the journal as %+v", p, e)
			}
		default:
			if there || p.State == approval.Open && p.Decider != (approval.Person{}) {
				t.Fatalf("%+v, and the journal has %+v", p, e)
			}
		}
		delete(in, p.Adjustment)
	}
	if len(in) > 0 {
		t.Fatalf("posted without a proposal: %+v", in)
	}
	o.inspect(t)
}

// kept is a proposal as the database has it.
type kept struct {
	Number     int64      `json:"number"`
	Account    string     `json:"account"`
	Adjustment string     `json:"adjustment"`
	Amount     int64      `json:"amount"`
	Currency   string     `json:"currency"`
	Reason     string     `json:"reason"`
	Proposer   keptPerson `json:"proposer"`
	Proposed   int64      `json:"proposed_at"`
	State      string     `json:"state"`
	Decider    keptPerson `json:"decider,omitzero"`
	Decided    int64      `json:"decided_at,omitzero"`
	Note       string     `json:"note,omitzero"`
}

type keptPerson struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// inspect has all tables be of the same proposals.
func (o *office) inspect(t failer) {
	t.Helper()
	ctx := context.Background()
	want, got := make(map[string]map[string]kept), make(map[string]map[string]kept)
	for _, table := range []string{"proposals_open", "proposals_decided", "proposals_of"} {
		want[table], got[table] = make(map[string]kept), make(map[string]kept)
	}
	adjustments := make(map[string]int64)
	var highest, last int64
	err := o.db.Read(ctx, func(r record.Reader) error {
		err := record.Table[kept]("proposals").Each(ctx, r, record.Span{}, func(key string, k *kept) (bool, error) {
			if key != record.Key(k.Number) {
				t.Fatalf("proposal %d lies under %x", k.Number, key)
			}
			list := "proposals_decided"
			if k.State == "open" {
				list = "proposals_open"
			}
			want[list][key] = *k
			want["proposals_of"][record.Key(k.Account, k.Number)] = *k
			adjustments[k.Adjustment] = k.Number
			highest = k.Number
			return true, nil
		})
		if err != nil {
			return err
		}
		for table, list := range got {
			if err := record.Table[kept](table).Each(ctx, r, record.Span{}, func(key string, k *kept) (bool, error) {
				list[key] = *k
				return true, nil
			}); err != nil {
				return err
			}
		}
		if err := record.Table[int64]("proposals_adjustment").Each(ctx, r, record.Span{}, func(id string, n *int64) (bool, error) {
			if adjustments[id] != *n {
				t.Fatalf("adjustment %s is of proposal %d, and leads to %d", id, adjustments[id], *n)
			}
			delete(adjustments, id)
			return true, nil
		}); err != nil {
			return err
		}
		last, _, err = record.Table[int64]("proposals_last").Get(ctx, r, "number")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for table := range got {
		if !maps.Equal(got[table], want[table]) {
			t.Fatalf("the table %s has\n%+v\nwant\n%+v", table, got[table], want[table])
		}
	}
	if len(adjustments) > 0 || last != highest {
		t.Fatalf("no way leads to the adjustments %v; the last number is %d, want %d", adjustments, last, highest)
	}
}
