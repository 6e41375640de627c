package storetest

import (
	"fmt"
	"slices"
	"testing"

	"recoup/internal/store"
	"recoup/reward"
)

// Play plays a course of events on a store, in units of a few, beside accounts that are at hand all the
// time: answers, postings and states are theirs. The courses of testdata are held against what must come of
// them where rewards are computed; here it is what a store keeps between units that may be wrong.
// Accounts are renamed, so that one database can have many courses.
func Play(t *testing.T, s store.Store, name string, p *reward.Program, events []reward.Event) {
	t.Helper()
	sub := &subject{Store: s, terms: p}
	twins := make(map[string]*reward.Account)
	renamed := slices.Clone(events)
	for i := range renamed {
		renamed[i].Account = name + " " + renamed[i].Account
	}
	const few = 6
	for batch := range slices.Chunk(renamed, few) {
		for i, got := range sub.deliver(t, batch...) {
			e := &batch[i]
			twin := twins[e.Account]
			if twin == nil {
				twin = reward.NewAccount(e.Account, p)
				twins[e.Account] = twin
			}
			if got.Sighting != store.Unseen {
				continue
			}
			result, postings := twin.Apply(e, nil)
			if got.Result != result || !slices.Equal(got.Postings, postings) {
				t.Fatalf("event %s of %s:\n%+v, want\n%+v %+v", e.ID, e.Account, got, result, postings)
			}
		}
	}
	for id, twin := range twins {
		got, exists := sub.state(t, id)
		if exists != twin.Exists() || exists && fmt.Sprint(got) != fmt.Sprint(twin.State()) {
			t.Errorf("account %s:\n%+v, want\n%+v", id, got, twin.State())
		}
	}
}
