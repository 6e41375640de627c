package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"recoup/internal/kit/pgtest"
	"recoup/reward"
)

// What happens to accounts, and what becomes redeemable by time alone, is fetched once and in
// order from a service that is killed meanwhile, on each store, and of shards while one is
// split.
func TestNoticesSurvive(t *testing.T) {
	t.Parallel()
	terms := filepath.Join(t.TempDir(), "program.yaml")
	noError(t, os.WriteFile(terms, []byte("id: everyday\ncurrency: USD\nmaturity_days: 2\nrules: [{id: base, rate: 1%}]\n"), 0o600))
	fetches := func(t *testing.T, db string, midway func()) {
		s := serve(t, db, untimely, "--program", terms)
		if got := command(t, "webhooks", "keep", "--db", db, "--for", "24h"); got.code != 0 {
			t.Fatalf("recoup webhooks keep exits %d: %s", got.code, got.stderr)
		}
		const accounts = 20
		told := make(map[string][]string)
		ids := make(map[string]bool)
		after := ""
		fetch := func(c *client) error {
			var page struct {
				Notices []struct{ ID, Type, Account string }
				Next    string
			}
			if err := c.get("/v1/notices?limit=7&after="+after, &page); err != nil {
				return err
			}
			for _, n := range page.Notices {
				if ids[n.ID] {
					t.Errorf("%s of %s is fetched twice", n.Type, n.Account)
				}
				ids[n.ID] = true
				told[n.Account] = append(told[n.Account], n.Type)
			}
			after = page.Next
			return nil
		}
		c := s.client(t)
		eventually(t, "notices are kept", func() error { return fetch(c) })
		spend := func(c *client, round int) {
			t.Helper()
			var events []reward.Event
			for n := range accounts {
				events = append(events, reward.Event{
					Source: "e2e", ID: fmt.Sprint("spent-", round), Account: fmt.Sprintf("acct-%d", n), Time: end - 5*reward.Day + reward.Instant(round),
					Type: reward.TransactionSettled, Transaction: fmt.Sprint("t", round), Amount: 5000, HasAmount: true, Currency: "USD",
				})
			}
			_, err := c.send(batch, linesOf(events))
			noError(t, err)
		}
		whole := func(c *client, want ...string) {
			t.Helper()
			eventually(t, "all is fetched", func() error {
				if err := fetch(c); err != nil {
					return err
				}
				for n := range accounts {
					if account := fmt.Sprintf("acct-%d", n); len(told[account]) < len(want) {
						return fmt.Errorf("of %s there is %v, want %v", account, told[account], want)
					}
				}
				return nil
			})
			for account, list := range told {
				if account != "probe" && fmt.Sprint(list) != fmt.Sprint(want) {
					t.Fatalf("of %s %v are fetched, want %v", account, list, want)
				}
			}
		}
		// Who keeps them takes notice within a second; what happens before is not told.
		probes := 0
		eventually(t, "notices are written", func() error {
			probes++
			id := fmt.Sprint("probe-", probes)
			_, err := c.send(single, linesOf([]reward.Event{{
				Source: "e2e", ID: id, Account: "probe", Time: end, Type: reward.AdjustmentPosted, Fact: id,
				Amount: 1, HasAmount: true, Currency: "USD", Reason: "probe", Actor: "e2e",
			}}))
			if err == nil {
				err = fetch(c)
			}
			if err == nil && len(told["probe"]) == 0 {
				err = fmt.Errorf("nothing is fetched after %d events", probes)
			}
			return err
		})
		spend(c, 1)
		s.kill()
		s = serve(t, db, untimely)
		c = s.client(t)
		whole(c, "reward.posted", "reward.matured")
		midway()
		spend(c, 2)
		whole(c, "reward.posted", "reward.matured", "reward.posted", "reward.matured")
		s.stop(t)
		verified(t, db)
	}
	for _, store := range stores {
		t.Run(store.name, func(t *testing.T) {
			t.Parallel()
			fetches(t, store.database(t), func() {})
		})
	}
	t.Run("shards", func(t *testing.T) {
		t.Parallel()
		file, _ := newShards(t, 2)
		other := pgtest.Shared(t).NewDatabase(t)
		fetches(t, file, func() { shardsCommand(t, "split", "1", "--into", "2", "--to", other, "--file", file) })
	})
}
