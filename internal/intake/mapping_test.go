package intake_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"recoup/internal/intake"
)

// A mapping is refused with the line and the member that are wrong.
func TestRefusedMappings(t *testing.T) {
	for _, c := range []struct {
		text, want string
	}{
		{"", `map.yaml:1: expected a mapping, but the file is empty`},
		{"- x", `map.yaml:1: expected a mapping, not a list`},
		{"rewards:\n  colums: {}", `map.yaml:2: rewards.colums: unknown member; expected one of columns, constants, kinds,`},
		{"sign: as_is\nreward: {}", `map.yaml:2: reward: unknown member; expected one of`},
		{"sign: as_is\nsign: as_is", `map.yaml:2: sign: given twice, first on line 1`},
		{"rewards:\n  columns:\n    merchant: M", `map.yaml:3: rewards.columns.merchant: unknown member; expected one of account, transaction, amount, negative_amount, currency, posted_at, kind`},
		{"rewards:\n  columns:\n    account: ~", `map.yaml:3: rewards.columns.account: expected the name of a column: rewards need one`},
		{"rewards:\n  columns:\n    account: [{}]", `map.yaml:3: rewards.columns.account[0]: expected the name of a column, not a mapping`},
		{"refunds:\n  kinds:\n    CR: credit", `map.yaml:3: refunds.kinds.CR: expected chargeback, chargeback_reversed, refund or refund_reversed, not "credit"`},
		{"refunds:\n  kinds: {CR: reward}", `map.yaml:2: refunds.kinds.CR: expected chargeback,`},
		{"transactions:\n  kinds: {CR: refund}", `map.yaml:2: transactions.kinds.CR: transactions have no kinds`},
		{"date_format: DD.MM", `map.yaml:1: date_format: expected a pattern with year, month and day`},
		{"date_format: YYYY-MM-DD hh:mm:mm", `map.yaml:1: date_format: mm is there twice in`},
		{"date_format: YYYY-MM-DD AM", `map.yaml:1: date_format: expected days before hours, hours before minutes or AM`},
		{"date_format: yyyy-mm-dd", `map.yaml:1: date_format: expected rfc3339, iso, unix,`},
		{"time_zone: Europe/Bonn", `map.yaml:1: time_zone: expected the IANA name of a time zone, such as Europe/Berlin or UTC, not "Europe/Bonn"`},
		{"time_zone: Local", `map.yaml:1: time_zone: expected the IANA name`},
		{"amount_format: cents", `map.yaml:1: amount_format: expected minor or decimal, not "cents"`},
		{"amount_format: decimal\nthousands_separator: .", `map.yaml:1: decimal_separator and thousands_separator are both "."`},
		{"decimal_separator: 5", `map.yaml:1: decimal_separator: expected one character that is no digit, letter or sign, not 5`},
		{"symbol: $5", `map.yaml:1: symbol: expected a sign of a currency`},
		{"sign: negative", `map.yaml:1: sign: expected as_is, negated or absolute, not "negative"`},
		{"negatives: red", `map.yaml:1: negatives: expected minus, trailing_minus or parentheses, not "red"`},
		{"direction: {column: DC}", `map.yaml:1: direction: expected column and negative`},
		{"direction: {column: DC, negative: [D], positive: [C, D]}", `map.yaml:1: direction: "D" is negative and positive`},
		{"mcc_format: int", `map.yaml:1: mcc_format: expected text or number, not "int"`},
		{"delimiter: ;;", `map.yaml:1: delimiter: expected one ASCII character`},
		{"delimiter: '\"'", `map.yaml:1: delimiter: expected one ASCII character`},
		{"encoding: utf-16", `map.yaml:1: encoding: expected utf-8, latin-1 or windows-1252, not "utf-16"`},
		{"skip_lines: -1", `map.yaml:1: skip_lines: expected a whole number of lines from 0 to 1000, not -1`},
		{"skip:\n  - {column: Status}", `map.yaml:2: skip[0]: expected column and one of values, matches, below and above`},
		{"skip: {column: Status, values: []}", `map.yaml:1: skip.values: expected a list of at least one value, not an empty one`},
		{"only: {column: Status, value: x}", `map.yaml:1: only.value: unknown member; expected one of column, values, matches, below, above`},
		{"only: {column: A, values: [x], below: 0}", `map.yaml:1: only: expected column and one of values, matches, below and above`},
		{"only: {column: A, below: none}", `map.yaml:1: only.below: expected a number such as 0 or -12.50, not "none"`},
		{"only: {column: A, matches: '('}", `map.yaml:1: only.matches: expected a regular expression: `},
		{"transactions:\n  columns: {price: P}", `map.yaml:2: transactions: expected quantity beside price among the columns`},
		{"transactions:\n  columns: {price: P, quantity: Q, amount: A}", `map.yaml:2: transactions: expected quantity beside price among the columns, and no amount`},
		{"columns: {account: [a, b, c, d, e, f, g, h, i]}", `map.yaml:1: columns.account: expected at most 8 names of columns, not 9`},
		{"receipts: yes", `map.yaml:1: receipts: expected none, sum or items, not "yes"`},
		{"ids: no", `map.yaml:1: ids: expected column or generated, not "no"`},
		{"constants: {amount: '1'}", `map.yaml:1: constants.amount: cannot be the same in all rows`},
		{"rewards:\n  columns: {kind: K}\n  constants:\n    kind: grant", `map.yaml:4: rewards.constants.kind: among the columns and the constants, on lines 2 and 4`},
		{"constants: {merchant: " + strings.Repeat("x", 257) + "}", `map.yaml:1: constants.merchant: expected a value of at most 256 bytes, not "xxx`},
		{"skip: {column: Status, values: [" + strings.Repeat("x", 257) + "]}", `map.yaml:1: skip.values[0]: expected a value of at most 256 bytes, not 257`},
		{"skip: {column: Status, values: [~]}", `map.yaml:1: skip.values[0]: expected a value ("" for an empty one), not nothing`},
		{"symbol: " + strings.Repeat("x", 257), `map.yaml:1: symbol: expected a sign of a currency`},
		{"time_zone: ''", `map.yaml:1: time_zone: expected the IANA name of a time zone, such as Europe/Berlin or UTC, not ""`},
		{"kinds: {" + manyKinds(10_001) + "}", `map.yaml:1: kinds: expected at most 10000 kinds, not 10001`},
	} {
		_, err := intake.ParseMapping("map.yaml", []byte(c.text))
		var refused *intake.Error
		if !errors.As(err, &refused) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

func manyKinds(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "K%d: refund, ", i)
	}
	return b.String()
}

// What is said for all tables holds for each that does not say otherwise.
func TestDefaultsOfMappings(t *testing.T) {
	m := mapping(t, `
rewards: {sign: as_is, columns: {amount: value, kind: ~}, constants: {currency: USD}}
redemptions: {constants: {currency: USD}}
sign: negated
columns: {account: who, currency: odd, merchant: none}
amount_format: decimal
skip: {column: status, values: ["", NO, 7]}
`)
	path := write(t, "x.csv", []byte("who,value,amount,posted_at,kind,status,odd\na1,1.5,-3,2026-01-05T10:00:00Z,odd,OK,EUR\n"+
		"a2,1,-1,2026-01-05T10:00:00Z,odd,,\na3,1,-1,2026-01-05T10:00:00Z,odd,NO,\na4,1,-1,2026-01-05T10:00:00Z,odd,7,,\n"))
	var sink collected
	if _, err := intake.Read(t.Context(), options("USD", m, map[string]string{"rewards": path}), &sink); err != nil {
		t.Fatal(err)
	}
	if _, err := intake.Read(t.Context(), options("USD", m, map[string]string{"redemptions": path}), &sink); err != nil {
		t.Fatal(err)
	}
	want := "reward a1 150 at 2026-01-05T10:00:00Z\nredemption a1 300 at 2026-01-05T10:00:00Z"
	if got := strings.Join(sink.lines, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
