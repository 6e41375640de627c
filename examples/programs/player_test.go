package programs

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"recoup/program"
)

// A course that is wrong is told so, at its line: by hand nobody would see it.
func TestWhatACourseExpectsIsCompared(t *testing.T) {
	p, err := program.Load("flat-rate.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const bought = "2026-01-05  transaction.settled {transaction: t1, amount: 100.00}\n"
	for _, c := range []struct{ name, course, want string }{
		{"a posting too few", bought, "line 1: transaction.settled: expected\n\t\n  got\n\tgrant 2.00 t1 everything"},
		{"another amount", bought + "  grant 2.01 t1 everything\n", "line 1: transaction.settled: expected\n\tgrant 2.01 t1 everything\n  got\n\tgrant 2.00 t1 everything"},
		{"another balance", bought + "  grant 2.00 t1 everything\n  balance 1.00\n", "line 1: transaction.settled: balance: expected 1.00, got 2.00"},
		{"an outcome that is not said", "2026-01-05  redemption.requested {redemption: d1, amount: 1.00}\n", `line 1: redemption.requested: expected "", got "rejected insufficient_balance"`},
		{"an outcome that is not so", bought + "  duplicate\n  grant 2.00 t1 everything\n", `line 1: transaction.settled: expected "duplicate", got "applied"`},
		{"an unknown member", "2026-01-05  account.opened {amuont: 1}\n", "amuont"},
		{"an amount without cents", "2026-01-05  transaction.settled {transaction: t1, amount: 100}\n", `line 1: "100": expected an amount with 2 decimals`},
		{"no event", "  balance 1.00\n", "line 1: expected an event, at the margin, before what comes of it"},
		{"nothing", "# nothing\n", "no event"},
	} {
		t.Run(c.name, func(t *testing.T) {
			read, err := parse(c.course, p)
			said := fmt.Sprint(err)
			if err == nil {
				_, wrong := read.play()
				said = strings.Join(wrong, "\n")
			}
			if !strings.Contains(said, c.want) {
				t.Errorf("said\n%s\nwant\n%s", said, c.want)
			}
		})
	}
}

// The measure is what was truly kept, not what the issuer took it for: had the refund of
// this course been of the till's purchase, the account would be due more than it has.
func TestTheMeasureIsTheTruth(t *testing.T) {
	p, err := program.Load("app-only.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("app-only.txt")
	if err != nil {
		t.Fatal(err)
	}
	for really, due := range map[string]int64{"t1": 80, "t2": 240} {
		c, err := parse(strings.Replace(string(text), "really t1", "really "+really, 1), p)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.due(); got != due {
			t.Errorf("of %s: %d is due, want %d", really, got, due)
		}
		if end, _ := c.play(); end.State().NetReward != 80 {
			t.Errorf("of %s: net reward %d, want 80 whatever nobody was told", really, end.State().NetReward)
		}
	}
}

// What came back is what refunds, chargebacks and withdrawals leave in the end.
func TestWhatCameBackWasNeverBought(t *testing.T) {
	p, err := program.Load("flat-rate.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := parse(`
2026-01-05  transaction.settled {transaction: t1, amount: 100.00}
2026-01-05  transaction.settled {transaction: t2, amount: 100.00}
2026-01-05  transaction.settled {transaction: t3, amount: 100.00}
2026-01-05  transaction.settled {transaction: t4, amount: 100.00}
2026-01-06  refund.posted {refund: r1, transaction: t1, amount: 60.00}
2026-01-06  refund.posted {refund: r2, transaction: t1, amount: 60.00}
2026-01-06  refund.posted {refund: r3, amount: 30.00}
    really t2 30.00
2026-01-06  refund.posted {refund: r4, transaction: t2, amount: 10.00}
2026-01-07  refund.reversed {refund: r4}
2026-01-07  chargeback.posted {chargeback: c1, transaction: t3}
2026-01-08  transaction.reversed {transaction: t4}
2026-01-09  redemption.requested {redemption: d1, amount: 1.00}
`, p)
	if err != nil {
		t.Fatal(err)
	}
	second := c.neverBought()
	if len(second.steps) != 1 || second.steps[0].data["transaction"] != "t2" || second.steps[0].data["amount"] != int64(7000) {
		t.Errorf("left is %s, want t2 of 7000 alone", second.lines())
	}
}
