package webhook_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"recoup/internal/store/durable"
)

// A purchase that is returned soon after a payout is told, with what was paid and taken.
func TestAQuickReturnIsTold(t *testing.T) {
	databases(t, func(t *testing.T, d *database) {
		apply := issuerWatching(t, d, durable.Velocity{Days: 7})
		add(t, d.outbox(), "http://127.0.0.1:1/", "velocity.exceeded")
		apply(`{"specversion":"1.0","id":"e1","source":"core","type":"transaction.settled","time":"2026-01-05T10:00:00Z","subject":"acct-1","data":{"transaction":"t1","amount":10000,"currency":"USD","category":"GROCERY"}}`)
		apply(`{"specversion":"1.0","id":"e2","source":"app","type":"redemption.requested","time":"2026-01-06T11:00:00Z","subject":"acct-1","data":{"redemption":"r2","amount":500,"currency":"USD"}}`)
		apply(`{"specversion":"1.0","id":"e3","source":"core","type":"refund.posted","time":"2026-01-07T10:00:00Z","subject":"acct-1","data":{"refund":"f1","transaction":"t1","amount":10000,"currency":"USD"}}`)
		const want = `{"type":"velocity.exceeded","timestamp":"2026-01-07T10:00:00Z","data":{"account":"acct-1","event":{"source":"core","id":"e3","type":"refund.posted"},` +
			`"outcome":"applied","code":null,"currency":"USD","refund":"f1","transaction":"t1","amount":10000,"redemption":"r2","paid_out":500,"paid_out_at":"2026-01-06T11:00:00Z",` +
			`"seconds_after":82800,"taken_back":500,"times":1,"balance":-500,"available":-500}}`
		if left := d.left(t); len(left) != 1 || string(left[0].Body) != want {
			t.Errorf("told are %+v, want\n%s", left, want)
		}
	})
}

// What is quick, and how often it was, in a table: each step is so many days after the
// first, and the last is the refund in question.
func TestWhatAQuickReturnIs(t *testing.T) {
	const day = 24 * time.Hour
	buy, pay, refund := func(at float64, n string) string { return fmt.Sprint("buy ", n, " ", at) }, func(at float64, n string) string { return fmt.Sprint("pay ", n, " ", at) }, func(at float64, n string) string { return fmt.Sprint("refund ", n, " ", at) }
	for _, c := range []struct {
		name  string
		times int
		steps []string
		told  int // how many times the notice says; 0: there is none
	}{
		{"on the last moment", 1, []string{buy(0, "1"), pay(1, "1"), refund(8, "1")}, 1},
		{"too late", 1, []string{buy(0, "1"), pay(1, "1"), refund(8.001, "1")}, 0},
		{"bought after the payout", 1, []string{buy(0, "1"), pay(1, "1"), buy(2, "2"), refund(3, "2")}, 0},
		{"not paid out", 1, []string{buy(0, "1"), refund(3, "1")}, 0},
		{"the payout came back", 1, []string{buy(0, "1"), pay(1, "1"), "back 1 2", refund(3, "1")}, 0},
		{"an earlier payout counts", 1, []string{buy(0, "1"), pay(1, "1"), pay(2, "2"), "back 2 3", refund(4, "1")}, 1},
		{"many events between", 1, append(append([]string{buy(0, "1"), pay(1, "1")}, authorisations(90)...), refund(3, "1")), 1},
		{"very many between", 1, append(append([]string{buy(0, "1"), pay(1, "1")}, authorisations(300)...), refund(3, "1")), 1},
		{"it names no purchase", 1, []string{buy(0, "1"), pay(1, "1"), "unnamed 1 3"}, 1},
		{"it names none, and can be of the one after the payout alone", 1, []string{buy(0, "1"), pay(1, "1"), "refund 1 2", buy(2.5, "2"), "unnamed 2 20"}, 0},
		{"the second time, one of them unnamed", 2, []string{buy(0, "1"), pay(1, "1"), "unnamed 1 3", buy(20, "2"), pay(21, "2"), refund(23, "2")}, 2},
		{"the second time", 2, []string{buy(0, "1"), pay(1, "1"), refund(3, "1"), buy(20, "2"), pay(21, "2"), refund(23, "2")}, 2},
		{"the first of two", 2, []string{buy(0, "1"), pay(1, "1"), refund(3, "1")}, 0},
		{"the first was undone", 2, []string{buy(0, "1"), pay(1, "1"), refund(3, "1"), "undo 1 4", buy(20, "2"), pay(21, "2"), refund(23, "2")}, 0},
		{"the first is long ago", 2, []string{buy(0, "1"), pay(1, "1"), refund(3, "1"), buy(100, "2"), pay(101, "2"), refund(103, "2")}, 0},
		{"both at once", 2, []string{buy(0, "1"), buy(0, "2"), pay(1, "1"), refund(2, "1"), refund(2, "2")}, 2},
		{"nobody watches", 0, []string{buy(0, "1"), pay(1, "1"), refund(2, "1")}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			inPebble(t, func(t *testing.T, d *database) {
				watch := durable.Velocity{Days: 7, Times: c.times}
				if c.times == 0 {
					watch.Days = 0
				}
				apply := issuerWatching(t, d, watch)
				for i, step := range c.steps {
					if i == len(c.steps)-1 {
						add(t, d.outbox(), "http://127.0.0.1:1/", "velocity.exceeded")
					}
					var what, n string
					var at float64
					if _, err := fmt.Sscan(step, &what, &n, &at); err != nil {
						t.Fatal(err)
					}
					kind, data := "transaction.authorized", `{"transaction":"a%[1]s","amount":1,"currency":"USD"}`
					switch what {
					case "buy":
						kind, data = "transaction.settled", `{"transaction":"t%[1]s","amount":100000,"currency":"USD"}`
					case "pay":
						kind, data = "redemption.requested", `{"redemption":"r%[1]s","amount":200,"currency":"USD"}`
					case "back":
						kind, data = "redemption.reversed", `{"redemption":"r%[1]s"}`
					case "refund":
						kind, data = "refund.posted", `{"refund":"f%[1]s","transaction":"t%[1]s","amount":10000,"currency":"USD"}`
					case "unnamed":
						kind, data = "refund.posted", `{"refund":"f%[1]s","amount":10000,"currency":"USD"}`
					case "undo":
						kind, data = "refund.reversed", `{"refund":"f%[1]s"}`
					}
					when := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(at * float64(day)))
					apply(fmt.Sprintf(`{"specversion":"1.0","id":"e%d","source":"core","type":%q,"time":%q,"subject":"a","data":%s}`, i, kind, when.Format(time.RFC3339), fmt.Sprintf(data, n)))
				}
				left, told := d.left(t), 0
				if len(left) > 0 {
					_, after, _ := strings.Cut(string(left[0].Body), `"times":`)
					fmt.Sscan(strings.ReplaceAll(after, ",", " "), &told)
				}
				if told != c.told || len(left) > 1 {
					t.Errorf("told are %d times by %+v, want %d", told, left, c.told)
				}
			})
		})
	}
}

func authorisations(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprint("authorise ", i, " 2"))
	}
	return list
}
