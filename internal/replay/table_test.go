package replay_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"recoup/program"
)

func TestTheTableForPeople(t *testing.T) {
	lines := story +
		line("e8", "refund.posted", "01-14", `"refund":"r2","transaction":"t1","amount":240000,"currency":"USD"`) +
		line("e9", "redemption.requested", "01-15", `"redemption":"d2","amount":1,"currency":"USD"`) +
		strings.Replace(line("e1", "transaction.settled", "01-05", `"transaction":"t1","amount":123456,"currency":"USD"`), `"subject":"a"`, `"subject":"b"`, 1)
	var b bytes.Buffer
	if err := play(t, program.Everyday(), 0, lines).WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	const want = `
┌───────────┬──────────────────────┬────────┐
│ outcome   │ code                 │ events │
├───────────┼──────────────────────┼────────┤
│ applied   │                      │      7 │
│ applied   │ over_refund          │      1 │
│ duplicate │                      │      1 │
│ rejected  │ insufficient_balance │      1 │
├───────────┼──────────────────────┼────────┤
│ total     │                      │     10 │
└───────────┴──────────────────────┴────────┘

┌─────────┬────────┬───────────┬─────────────┬────────────┬──────────┬─────────┬───────┬───────────┐
│ account │ status │ net spend │ entitlement │ net reward │ redeemed │ balance │  held │ available │
├─────────┼────────┼───────────┼─────────────┼────────────┼──────────┼─────────┼───────┼───────────┤
│ a       │ open   │     $0.00 │       $0.00 │      $0.00 │    $0.00 │  -$1.50 │ $0.00 │    -$1.50 │
│ b       │ open   │ $1,234.56 │      $12.34 │     $12.34 │    $0.00 │  $12.34 │ $0.00 │    $12.34 │
└─────────┴────────┴───────────┴─────────────┴────────────┴──────────┴─────────┴───────┴───────────┘
Of $87.34 granted, $75.00 was clawed back; $0.00 was redeemed, -$1.50 adjusted by hand; $10.84 is owed to cardholders.
`
	if got := "\n" + b.String(); got != want {
		t.Errorf("the table is%swant%s", got, want)
	}
}

func TestALongTableIsCut(t *testing.T) {
	for _, c := range []struct {
		accounts, rows int
		note           string
	}{
		{40, 40, ""},
		{41, 40, "40 of 41 accounts; --output json lists all of them with their transactions.\n"},
	} {
		var lines strings.Builder
		for n := range c.accounts {
			lines.WriteString(strings.Replace(line("e1", "account.closed", "01-05", ""), `"subject":"a"`, fmt.Sprintf(`"subject":"acct-%02d"`, n), 1))
		}
		var b bytes.Buffer
		if err := play(t, program.Everyday(), 0, lines.String()).WriteTable(&b); err != nil {
			t.Fatal(err)
		}
		if rows := strings.Count(b.String(), "│ acct-"); rows != c.rows {
			t.Errorf("%d accounts have %d rows, want %d", c.accounts, rows, c.rows)
		}
		if cut := strings.Contains(b.String(), " accounts; --output json"); cut != (c.note != "") || !strings.Contains(b.String(), c.note) {
			t.Errorf("%d accounts end in\n%s", c.accounts, b.String()[strings.LastIndex(b.String(), "┘"):])
		}
	}
}
