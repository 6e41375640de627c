package server_test

import (
	"fmt"
	"sync"
	"testing"
)

// The log says of each event which key sent it, also where one commit has events of
// several.
func TestAnEntrySaysWhoSentIt(t *testing.T) {
	f := newService(t)
	var senders sync.WaitGroup
	for n := range 20 {
		key := []string{"ingest", "sender"}[n%2]
		senders.Go(func() {
			for i := range 5 {
				f.call(key, "POST", "/v1/events", one, purchase(100*n+i, fmt.Sprintf("acct-%d", n), 100)).status200()
			}
		})
	}
	senders.Wait()
	for n := range 20 {
		var list struct{ Entries []struct{ Principal string } }
		f.get(fmt.Sprintf("/v1/accounts/acct-%d/entries", n)).read(&list)
		want := []string{"key-ingest", "key-sender"}[n%2]
		if len(list.Entries) != 5 {
			t.Fatalf("account %d has %d entries", n, len(list.Entries))
		}
		for _, e := range list.Entries {
			if e.Principal != want {
				t.Fatalf("account %d: an entry was sent by %q, want %q", n, e.Principal, want)
			}
		}
	}
	f.command("/v1/accounts/acct-1/redemptions", "key-0001", `{"amount":2,"currency":"USD"}`).is(201)
	var list struct{ Entries []struct{ Principal string } }
	f.get("/v1/accounts/acct-1/entries?limit=1").read(&list)
	if list.Entries[0].Principal != "key-admin" {
		t.Errorf("the redemption was sent by %q", list.Entries[0].Principal)
	}
}
