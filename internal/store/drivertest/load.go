package drivertest

import (
	"slices"
	"testing"

	"recoup/internal/store/durable"
	"recoup/reward"
)

func nothingThere(t *testing.T, s *subject) {
	found := s.load(t, durable.Request{
		Accounts:   []string{"acct-1", "acct-2"},
		Held:       []int64{-1, -1},
		Identities: []durable.Identity{{Account: "acct-1", Source: "core", ID: "e1"}, {Account: "acct-2", Source: "core", ID: "e1"}},
		Parts:      []durable.PartKey{{Account: "acct-1", Kind: reward.TransactionPart, ID: "t1"}},
	})
	if len(found.Accounts) != 0 || len(found.Parts) != 0 || len(found.Numbers) != 0 {
		t.Errorf("an empty database has %+v", found)
	}
	if len(found.Logged) != 2 || found.Logged[0] != nil || found.Logged[1] != nil {
		t.Errorf("logged are %q, want nil for both identities", found.Logged)
	}
	if row, ok := s.account(t, "acct-1"); ok {
		t.Errorf("asking for an account made %+v", row)
	}
}

func accountComesBack(t *testing.T, s *subject) {
	want := []durable.AccountRow{
		{Account: "acct-1", Program: "everyday", Version: 3, Last: 17, Due: day, Head: []byte{0, 1, 0xff, 0}},
		{Account: "acct-2", Program: "travel", Version: 1, Last: 18, Head: []byte{}},
	}
	s.write(t, durable.Changes{Accounts: want})
	request := durable.Request{Accounts: []string{"acct-1", "acct-2"}, Held: []int64{-1, -1}}
	if got := s.load(t, request).Accounts; !slices.EqualFunc(got, want, sameAccount) {
		t.Errorf("accounts are\n%+v, want\n%+v", got, want)
	}

	for i := range want {
		want[i].Base, want[i].Version = want[i].Version, want[i].Version+2
		want[i].Program, want[i].Last, want[i].Head = "dining", want[i].Last+10, []byte("changed")
	}
	want[0].Due, want[1].Due = 0, day+1
	s.write(t, durable.Changes{Accounts: want})
	if got := s.load(t, request).Accounts; !slices.EqualFunc(got, want, sameAccount) {
		t.Errorf("after a change accounts are\n%+v, want\n%+v", got, want)
	}
}

func heldAccount(t *testing.T, s *subject) {
	s.write(t, durable.Changes{Accounts: []durable.AccountRow{fresh("a"), fresh("b"), fresh("c")}})
	got := s.load(t, durable.Request{Accounts: []string{"a", "b", "c"}, Held: []int64{1, 2, -1}}).Accounts
	if len(got) != 3 {
		t.Fatalf("%d accounts, want 3", len(got))
	}
	if got[0].Head != nil || got[0].Version != 1 || got[0].Program != "everyday" {
		t.Errorf("at the version held: %+v, want the row without head", got[0])
	}
	for _, row := range got[1:] {
		if string(row.Head) != "head of "+row.Account {
			t.Errorf("at another version than is held: %+v, want the head", row)
		}
	}
}

func loadedInByteOrder(t *testing.T, s *subject) {
	ids := []string{"A", "B", "Z", "a", "a!", "a-1", "a1", "b", "z", "ä", "é", "\U0001F600"}
	var c durable.Changes
	request := durable.Request{}
	for _, id := range ids {
		c.Accounts = append(c.Accounts, fresh(id))
		request.Accounts = append(request.Accounts, id)
		request.Held = append(request.Held, -1)
	}
	s.write(t, c)
	var got []string
	for _, row := range s.load(t, request).Accounts {
		got = append(got, row.Account)
	}
	if !slices.Equal(got, ids) {
		t.Errorf("accounts come as %q, want %q", got, ids)
	}
}

func identities(t *testing.T, s *subject) {
	one, two := s.book(t, "acct-1", 2), s.book(t, "acct-2", 1)
	asked := []durable.Identity{
		{Account: "acct-2", Source: "core", ID: "e1"},
		{Account: "acct-1", Source: "other", ID: "e1"},
		{Account: "acct-1", Source: "core", ID: "e2"},
		{Account: "acct-2", Source: "core", ID: "e2"},
		{Account: "acct-1", Source: "core", ID: "e1"},
		{Account: "acct-1", Source: "core", ID: "e1"}, // an event that is twice in a batch
	}
	want := [][]byte{two[0].Event, nil, one[1].Event, nil, one[0].Event, one[0].Event}
	got := s.load(t, durable.Request{Accounts: []string{"acct-1", "acct-2"}, Held: []int64{-1, -1}, Identities: asked}).Logged
	if len(got) != len(want) {
		t.Fatalf("%d lines for %d identities", len(got), len(want))
	}
	for i := range want {
		if string(got[i]) != string(want[i]) || (got[i] == nil) != (want[i] == nil) {
			t.Errorf("%v was logged as %q, want %q", asked[i], got[i], want[i])
		}
	}
}

// everyPart is a part of every kind, with every member that a kind may have, of
// each of two accounts.
func everyPart() []durable.Part {
	var parts []durable.Part
	for _, account := range []string{"acct-1", "acct-2"} {
		for _, kind := range kinds() {
			plain := part(account, kind, "p1")
			plain.Data = []byte{0, 0xff, byte(kind)}
			full := part(account, kind, "p2")
			full.Working = true
			switch kind {
			case reward.TransactionPart:
				full.Bucket, full.Settled, full.ReviewSince = -7, day, day+1
			case reward.RefundPart, reward.ChargebackPart:
				full.ReviewSince = day + 2
			}
			parts = append(parts, plain, full)
		}
	}
	return parts
}

func partsComeBack(t *testing.T, s *subject) {
	want := everyPart()
	s.write(t, durable.Changes{Accounts: []durable.AccountRow{fresh("acct-1"), fresh("acct-2")}, Parts: want})
	request := durable.Request{Accounts: []string{"acct-1", "acct-2"}, Held: []int64{-1, -1}}
	for _, p := range want {
		request.Parts = append(request.Parts, key(p))
		missing := key(p)
		missing.ID = "p3"
		request.Parts = append(request.Parts, missing)
	}
	expectParts(t, s.load(t, request).Parts, want)

	// Of accounts that are held nothing comes that is not asked for.
	resting := slices.IndexFunc(want, func(p durable.Part) bool { return !p.Working })
	one := durable.Request{Accounts: request.Accounts, Held: []int64{1, 1}, Parts: []durable.PartKey{key(want[resting])}}
	expectParts(t, s.load(t, one).Parts, want[resting:resting+1])
}

func workingParts(t *testing.T, s *subject) {
	all := everyPart()
	s.write(t, durable.Changes{Accounts: []durable.AccountRow{fresh("acct-1"), fresh("acct-2")}, Parts: all})
	working := func(account string) (list []durable.Part) {
		for _, p := range all {
			if p.Working && p.Account == account {
				list = append(list, p)
			}
		}
		return list
	}
	both := []string{"acct-1", "acct-2"}
	for name, c := range map[string]struct {
		held []int64
		want []durable.Part
	}{
		"neither account is at hand": {[]int64{-1, -1}, append(working("acct-1"), working("acct-2")...)},
		"one is at hand":             {[]int64{1, -1}, working("acct-2")},
		"one has changed since":      {[]int64{1, 7}, working("acct-2")},
		"both are at hand":           {[]int64{1, 1}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			expectParts(t, s.load(t, durable.Request{Accounts: both, Held: c.held}).Parts, c.want)
		})
	}
}

func partsAreReplaced(t *testing.T, s *subject) {
	s.write(t, durable.Changes{Accounts: []durable.AccountRow{fresh("acct-1"), fresh("acct-2")}, Parts: everyPart()})
	want := everyPart()
	row := fresh("acct-1")
	row.Base, row.Version = 1, 2
	again := durable.Changes{Accounts: []durable.AccountRow{row}}
	for i := range want {
		p := &want[i]
		if p.Account != "acct-1" {
			continue
		}
		p.Data = append(p.Data, "again"...)
		p.Working = !p.Working
		if p.ReviewSince == 0 {
			p.ReviewSince = day + 9
		} else {
			p.Bucket, p.Settled, p.ReviewSince = 0, 0, 0
		}
		again.Parts = append(again.Parts, *p)
	}
	again.Parts = append(again.Parts, part("acct-1", reward.RefundPart, "new among the old"))
	want = append(want, again.Parts[len(again.Parts)-1])
	s.write(t, again)

	request := durable.Request{Accounts: []string{"acct-1", "acct-2"}, Held: []int64{-1, -1}}
	for _, p := range want {
		request.Parts = append(request.Parts, key(p))
	}
	expectParts(t, s.load(t, request).Parts, want)
}

func numbers(t *testing.T, s *subject) {
	seen := make(map[int64]bool)
	for _, n := range []int{1, 3, 0, 64, 5000, 2} {
		got := s.load(t, durable.Request{Numbers: n}).Numbers
		if len(got) != n {
			t.Fatalf("%d numbers, want %d", len(got), n)
		}
		for i, number := range got {
			if number <= 0 || seen[number] || i > 0 && number <= got[i-1] {
				t.Fatalf("number %d (%d of %d): numbers are above zero, rise, and are allotted once", number, i+1, n)
			}
			seen[number] = true
		}
	}
}
