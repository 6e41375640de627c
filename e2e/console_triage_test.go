package e2e_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"recoup/e2e/browser"
)

// An operator works through fifteen reviews, fifty where there is time, with the keyboard
// alone: of each they read what every decision would do, choose one, and the next opens by
// itself. It says how many keys and seconds that takes; docs/console.md has the figures of
// fifty.
func TestConsoleByKeyboardAlone(t *testing.T) {
	t.Parallel()
	worked := often(15, 50)
	for i, store := range stores {
		t.Run(store.name, func(t *testing.T) {
			if i > 0 && !long() {
				t.Skip("the same keys, whatever the database: set RECOUP_LONG=1")
			}
			s := serveAs(t, "--dev", untimely, "--program", everydayFile(t), "--db", store.database(t))
			deliverDoubtful(t, s, worked)
			p := s.page(t, browser.Options{})
			be(p, "operator", "/console/reviews")
			began, keys := time.Now(), 0
			press := func(list ...string) {
				t.Helper()
				for _, key := range list {
					p.Press(key)
					keys++
				}
			}
			press("j", "e")
			for n := range worked {
				account := fmt.Sprintf("desk-%03d", n)
				p.See("Refund " + account + "-refund, under review")
				p.See("At stake there: $5.00 was granted for it, and $3.00 of that still is.")
				p.See("Gives back $2.00, takes $0.40.")
				switch n % 5 {
				case 3: // it is of the paper
					press("2", "Enter")
				case 4: // it is of nothing here
					p.See("Not ours: it is of nothing on this account")
					press("3", "Enter")
				default: // it lies where it should
					press("1", "Enter")
				}
			}
			took := time.Since(began)
			p.See("Nothing is open")
			t.Logf("%d reviews: %d keys, no click, %.1f seconds with those of the browser and the service", worked, keys, took.Seconds())
			if most := 2*worked + 2; keys > most {
				t.Errorf("%d keys, expected %d at most", keys, most)
			}
			for n := range worked {
				// $5.00 for the groceries and $0.40 for the paper, less what the refund takes.
				want := int64(540 - 200)
				switch n % 5 {
				case 3:
					want = 540 - 40
				case 4:
					want = 540
				}
				var account struct{ Balance int64 }
				noError(t, s.client(t).get(fmt.Sprintf("/v1/accounts/desk-%03d", n), &account))
				if account.Balance != want {
					t.Errorf("the balance of account %d is %d, want %d", n, account.Balance, want)
				}
			}
			p.Open("/console/reviews/resolved?account=desk-004")
			p.See("not ours")
			p.See("The purchase was paid with another card")
			p.Axe()
		})
	}
}

// deliverDoubtful delivers so many refunds that name no purchase, each on an account with
// two purchases that it may be of. It lies on the groceries, which are the dearer.
func deliverDoubtful(t testing.TB, s *service, refunds int) {
	t.Helper()
	var events []string
	day := func(n int) string { return time.Now().UTC().AddDate(0, 0, -n).Format(time.RFC3339) }
	for n := range refunds {
		account := fmt.Sprintf("desk-%03d", n)
		tell := func(what, kind, when, data string) {
			events = append(events, fmt.Sprintf(`{"specversion":"1.0","id":"%s-%s","source":"core","type":%q,"time":%q,"subject":%q,"data":{%s}}`, account, what, kind, when, account, data))
		}
		tell("groceries", "transaction.settled", day(20), fmt.Sprintf(`"transaction":"%s-groceries","amount":10000,"currency":"USD","merchant":"shop","category":"GROCERY"`, account))
		tell("paper", "transaction.settled", day(19), fmt.Sprintf(`"transaction":"%s-paper","amount":4000,"currency":"USD","merchant":"shop"`, account))
		tell("refund", "refund.posted", day(16), fmt.Sprintf(`"refund":"%s-refund","amount":4000,"currency":"USD","merchant":"shop"`, account))
	}
	outcomes, err := s.client(t).send(lines, events)
	noError(t, err)
	for _, o := range outcomes {
		if o.Outcome != "applied" {
			t.Fatalf("%+v", o)
		}
	}
}

// The list is worked without a script as well: links and buttons do what keys do, and who
// comes to it on a telephone decides as well.
func consoleQueue(t *testing.T, s *service) {
	for name, o := range map[string]browser.Options{"without scripts": {NoScript: true}, "on a phone": {Phone: true, Dark: true}} {
		t.Run(name, func(t *testing.T) {
			p := s.page(t, o)
			be(p, "operator", "/console/reviews?kind=matched_certain&account=rosa")
			p.See("there is nothing to doubt about them")
			p.Axe()
			p.Fits()
			p.Open("/console/reviews?kind=waits_for_fact&sort=amount")
			p.Click("table.queue tbody tr:first-of-type th a")
			p.See("Back to the list")
			p.Axe()
			p.Fits()
			p.Click("Take it")
			p.See("It is assigned.")
			p.See("yours")
			p.Open("/console/reviews?view=mine")
			p.Click("table.queue tbody tr:first-of-type th a")
			p.Click("Let go of it")
			p.See("It is nobody's.")
		})
	}
	t.Run("keys", func(t *testing.T) {
		p := s.page(t, browser.Options{})
		p.Open("/console/reviews")
		p.Press("?")
		p.See("Turn keys of one letter off")
		p.Axe()
		p.Press("Escape")
		p.Press("Control+k")
		p.See("Go anywhere")
		for _, key := range strings.Split("Adjus", "") {
			p.Press(key)
		}
		p.Axe()
		p.Press("Enter")
		p.At("/console/adjustments")
	})
}
