package approval_test

import (
	"fmt"
	"testing"

	"recoup/internal/service/access"
	"recoup/internal/service/approval"
	"recoup/reward"
)

// Whatever somebody of a provider calls themself from one sign-in to the next, what they do
// alone adds up, and is nobody else's.
func TestAnotherNameIsNoOtherPurse(t *testing.T) {
	eachDatabase(t, func(t *testing.T, o *office) {
		people := access.NewPeople(o.db, o.now)
		book := approval.New(approval.Options{Records: o.db, Now: o.now, Accounts: o.store, Apply: o.apply, People: people})
		if _, err := people.Add(t.Context(), "Bob"); err != nil {
			t.Fatal(err)
		}
		opened := 0
		waits := func(by approval.Person) bool {
			t.Helper()
			opened++
			account := fmt.Sprint("acct-", opened)
			o.deliver(reward.Event{Account: account, Type: reward.AccountOpened, Fact: "everyday"})
			_, _, waits, err := book.Propose(t.Context(), approval.Proposal{Account: account, Amount: 2000, Reason: "goodwill", Proposer: by}, limit(2000))
			if err != nil {
				t.Fatal(err)
			}
			return waits
		}
		for i, name := range []string{"Eve", "Bob", "Eva", "E. V. E.", "Eve of Adam", "Bob"} {
			if got, want := waits(approval.Person{ID: "oidc:eve", Name: name}), i >= approval.PersonDay; got != want {
				t.Errorf("adjustment %d, as %s, waits: %t, want %t", i+1, name, got, want)
			}
		}
		if waits(approval.Person{ID: "key-2", Name: "Bob"}) {
			t.Error("what somebody did who called themself Bob counts as Bob's")
		}
	})
}
