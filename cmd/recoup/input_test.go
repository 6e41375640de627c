package main

import (
	"strings"
	"testing"
)

// replayAll is a replay that writes every file there is to write.
var replayAll = []string{
	"replay", "--program", "program.yaml", "--output", "json",
	"--outcomes", "outcomes.jsonl", "--journal", "journal.jsonl", "--reviews", "reviews.jsonl", "events.jsonl",
}

// TestBadLines has a good line, a bad one, and a good one again. The message
// names file, line and member, and nothing is printed or written.
func TestBadLines(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"a truncated line", `"category":"GROCERY"}}`, "", "data: the line ends before its object does"},
		{"an empty line", strings.TrimSpace(purchase), "", "expected an event, found an empty line"},
		{"a member twice", `"id":"e1"`, `"id":"e1","id":"e1"`, "id: appears twice"},
		{"a member of data twice", `"amount":10000`, `"amount":10000,"amount":10000`, "data.amount: appears twice"},
		{"data twice", `"data"`, `"data":{},"data"`, "data: appears twice"},
		{"an unknown member of data", `"amount"`, `"colour":"red","amount"`, "data.colour: unknown member"},
		{"a member of another type", `"amount"`, `"refund":"r1","amount"`, "data.refund: transaction.settled has no such member"},
		{"an unknown type", `transaction.settled`, `transaction.stolen`, "type: expected a type of event"},
		{"no amount", `"amount":10000,`, "", "data.amount: missing"},
		{"no account", `"subject":"acct-1",`, "", "subject: missing"},
		{"an amount as text", `10000`, `"10000"`, "data.amount: expected an integer number of minor units"},
		{"a fraction", `10000`, `100.00`, "data.amount: expected an integer number of minor units, without fraction or exponent"},
		{"an exponent", `10000`, `1e4`, "data.amount: expected an integer number of minor units, without fraction or exponent"},
		{"no number", `10000`, `null`, "data.amount: expected an integer number of minor units"},
		{"NaN", `10000`, `NaN`, "data.amount: invalid JSON"},
		{"infinity", `10000`, `Infinity`, "data.amount: invalid JSON"},
		{"10^16", `10000`, `10000000000000000`, "data.amount: expected at most 10^15 minor units either way"},
		{"one more than 10^15", `10000`, `1000000000000001`, "data.amount: expected at most 10^15 minor units either way"},
		{"more than 64 bits", `10000`, `-100000000000000000000`, "data.amount: expected at most 10^15 minor units either way"},
		{"an account that is a number", `"acct-1"`, `17`, "subject: expected text"},
		{"an empty id", `"e1"`, `""`, "id: expected text that is not empty"},
		{"data that is a list", `"data":{`, `"data":[{`, "data: "},
		{"a time without zone", `10:00:00Z`, `10:00:00`, "time: expected a time in RFC 3339"},
		{"invalid UTF-8", `"m1"`, "\"m\xff\"", "data.merchant: invalid JSON"},
		{"half a surrogate pair", `"m1"`, `"\ud800"`, "data.merchant: invalid JSON"},
		{"an MCC of three digits", `"5411"`, `"742"`, `data.mcc: expected four digits as text, such as "0742", found "742"`},
		{"an MCC that is a number", `"5411"`, `5411`, "data.mcc: expected four digits as text"},
		{"another CloudEvents", `"1.0"`, `"0.3"`, `specversion: expected "1.0"`},
		{"no JSON", "{", "settled ", "invalid JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			workspace(t)
			bad := strings.Replace(purchase, c.old, c.new, 1)
			if bad == purchase {
				t.Fatalf("the event has no %s", c.old)
			}
			writeFile(t, "events.jsonl", purchase+strings.TrimSuffix(bad, "\n")+"\n"+purchase)
			if got := refuse(t, replayAll...); !strings.HasPrefix(got, "events.jsonl:2: "+c.want) {
				t.Errorf("the message is\n%s, want\nevents.jsonl:2: %s", got, c.want)
			}
		})
	}
}

// What was there before a replay that fails is there after it.
func TestABadLineLeavesEarlierFiles(t *testing.T) {
	workspace(t)
	writeFile(t, "outcomes.jsonl", "of yesterday\n")
	writeFile(t, "events.jsonl", purchase+"{}\n")
	refuse(t, replayAll...)
	if got := readFile(t, "outcomes.jsonl"); got != "of yesterday\n" {
		t.Errorf("the file of outcomes has %q", got)
	}
}

// A well-formed event that the rules reject is an outcome, not a failure.
func TestRejectedEventsAreNoFailure(t *testing.T) {
	for _, c := range []struct{ name, old, new, code string }{
		{"a negative amount", `10000`, `-10000`, "invalid_amount"},
		{"an amount of zero", `10000`, `0`, "invalid_amount"},
		{"another currency", `"USD"`, `"EUR"`, "currency_mismatch"},
	} {
		t.Run(c.name, func(t *testing.T) {
			workspace(t)
			writeFile(t, "events.jsonl", strings.Replace(purchase, c.old, c.new, 1))
			if got := strings.ReplaceAll(succeed(t, replayAll...), "\n", ""); got != `{"accounts":[]}` {
				t.Errorf("the state is %s", got)
			}
			want := `{"id":"e1","source":"core","account":"acct-1","outcome":"rejected","code":"` + c.code + `"}` + "\n"
			if got := readFile(t, "outcomes.jsonl"); got != want {
				t.Errorf("the outcome is %s, want %s", got, want)
			}
		})
	}
}

// TestBadPrograms: the message names file, line and member, and no event is
// looked at.
func TestBadPrograms(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"an unknown key", "currency: USD", "currency: USD\ncolour: red", "program.yaml:3: colour: "},
		{"an unknown key of a rule", "    rate: 5%", "    rate: 5%\n    bonus: 1%", "program.yaml:7: rules[0].bonus: "},
		{"an unknown key of a match", "mcc:", "mccs:", "program.yaml:5: rules[0].match.mccs: "},
		{"an unknown key of a cap", "per: cycle", "per: cycle, until: 2027", "program.yaml:7: rules[0].cap.until: "},
		{"a key twice", "currency: USD", "currency: USD\ncurrency: USD", "program.yaml:3: currency: "},
		{"a cap without amount", "reward: 5000, ", "", "program.yaml:7: rules[0].cap.reward: "},
		{"a negative cap", "5000", "-5000", "program.yaml:7: rules[0].cap.reward: "},
		{"a fraction of a cent", "5000", "50.00", "program.yaml:7: rules[0].cap.reward: "},
		{"a rate without percent", "rate: 1%", "rate: 0.01", "program.yaml:9: rules[1].rate: "},
		{"a rate above 100 %", "rate: 1%", "rate: 101%", "program.yaml:9: rules[1].rate: "},
		{"an MCC of three digits", `"5400-5499"`, `"742"`, "program.yaml:5: rules[0].match.mcc[0]: "},
		{"an MCC of three digits without quotes", `["5400-5499"]`, `[742]`, "program.yaml:5: rules[0].match.mcc[0]: "},
		{"a range reversed", `"5400-5499"`, `"5499-5400"`, "program.yaml:5: rules[0].match.mcc[0]: "},
		{"two rules with one id", "id: base", "id: grocery", "program.yaml:8: rules[1]: "},
		{"an unknown currency", "USD", "US$", "program.yaml:2: currency: "},
		{"no currency", "currency: USD\n", "", "program.yaml:1: currency: missing"},
		{"no YAML", "id: everyday", "id: {", "program.yaml"},
	} {
		t.Run(c.name, func(t *testing.T) {
			workspace(t)
			bad := strings.Replace(everyday, c.old, c.new, 1)
			if bad == everyday {
				t.Fatalf("the program has no %s", c.old)
			}
			writeFile(t, "program.yaml", bad)
			for _, args := range [][]string{replayAll, {"generate", "--program", "program.yaml", "--out", "generated.jsonl"}} {
				if got := refuse(t, args...); !strings.HasPrefix(got, c.want) || len(got) < len(c.want)+10 {
					t.Errorf("the message is\n%s, want\n%s…", got, c.want)
				}
			}
		})
	}
}
