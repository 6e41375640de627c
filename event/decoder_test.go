package event_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"recoup/event"
	"recoup/reward"
)

// settled is the example of the format's description.
const settled = `{"specversion":"1.0","id":"e1","source":"core","type":"transaction.settled","time":"2026-01-05T10:00:00Z","subject":"acct-1",` +
	`"data":{"transaction":"t1","amount":10000,"currency":"USD","merchant":"m1","mcc":"5411","category":"GROCERY"}}`

// of returns a line of the type with the data, "" for none.
func of(eventType, data string) string {
	if data != "" {
		data = `,"data":` + data
	}
	return `{"specversion":"1.0","id":"e1","source":"core","type":"` + eventType + `","time":"2026-01-05T10:00:00Z","subject":"acct-1"` + data + `}`
}

// reported returns the event that of's line is, to be completed.
func reported(t reward.Type, e reward.Event) reward.Event {
	e.Source, e.ID, e.Account, e.Type = "core", "e1", "acct-1", t
	e.Time = reward.At(time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC))
	return e
}

func mcc(t *testing.T, code string) reward.MCC {
	t.Helper()
	m, ok := reward.ParseMCC(code)
	if !ok {
		t.Fatalf("MCC %q", code)
	}
	return m
}

func TestEveryTypeDecodes(t *testing.T) {
	grocery := mcc(t, "5411")
	for _, c := range []struct {
		line string
		want reward.Event
	}{
		{settled, reported(reward.TransactionSettled, reward.Event{
			Transaction: "t1", Amount: 10000, HasAmount: true, Currency: "USD", Merchant: "m1", MCC: grocery, Category: "GROCERY"})},
		{of("transaction.authorized", `{"transaction":"t1","amount":1,"currency":"JPY"}`),
			reported(reward.TransactionAuthorized, reward.Event{Transaction: "t1", Amount: 1, HasAmount: true, Currency: "JPY"})},
		{of("transaction.canceled", `{"transaction":"t1"}`), reported(reward.TransactionCanceled, reward.Event{Transaction: "t1"})},
		{of("transaction.reversed", `{"transaction":"t1"}`), reported(reward.TransactionReversed, reward.Event{Transaction: "t1"})},
		{of("refund.pending", `{"refund":"r1","transaction":"t1","amount":5,"currency":"USD"}`),
			reported(reward.RefundPending, reward.Event{Fact: "r1", Transaction: "t1", Amount: 5, HasAmount: true, Currency: "USD"})},
		{of("refund.posted", `{"refund":"r1","amount":5,"currency":"USD"}`),
			reported(reward.RefundPosted, reward.Event{Fact: "r1", Amount: 5, HasAmount: true, Currency: "USD"})},
		{of("refund.posted", `{"refund":"r1","amount":5,"currency":"USD","transaction":"t1","merchant":"m1","mcc":"0742","category":"PETS"}`),
			reported(reward.RefundPosted, reward.Event{Fact: "r1", Amount: 5, HasAmount: true, Currency: "USD",
				Transaction: "t1", Merchant: "m1", MCC: mcc(t, "0742"), Category: "PETS"})},
		{of("refund.canceled", `{"refund":"r1"}`), reported(reward.RefundCanceled, reward.Event{Fact: "r1"})},
		{of("refund.reversed", `{"refund":"r1"}`), reported(reward.RefundReversed, reward.Event{Fact: "r1"})},
		{of("refund.reversed", `{"refund":"r1","reason":"another card","actor":"Oscar"}`),
			reported(reward.RefundReversed, reward.Event{Fact: "r1", Reason: "another card", Actor: "Oscar"})},
		{of("chargeback.posted", `{"chargeback":"c1","transaction":"t1"}`),
			reported(reward.ChargebackPosted, reward.Event{Fact: "c1", Transaction: "t1"})},
		{of("chargeback.posted", `{"chargeback":"c1","transaction":"t1","amount":0}`),
			reported(reward.ChargebackPosted, reward.Event{Fact: "c1", Transaction: "t1", HasAmount: true})},
		{of("chargeback.reversed", `{"chargeback":"c1"}`), reported(reward.ChargebackReversed, reward.Event{Fact: "c1"})},
		{of("redemption.requested", `{"redemption":"d1","amount":5,"currency":"USD"}`),
			reported(reward.RedemptionRequested, reward.Event{Fact: "d1", Amount: 5, HasAmount: true, Currency: "USD"})},
		{of("redemption.requested", `{"redemption":"d1","amount":5,"currency":"USD","method":"bank"}`),
			reported(reward.RedemptionRequested, reward.Event{Fact: "d1", Amount: 5, HasAmount: true, Currency: "USD", Method: "bank"})},
		{of("redemption.reversed", `{"redemption":"d1"}`), reported(reward.RedemptionReversed, reward.Event{Fact: "d1"})},
		{of("redemption.authorized", `{"redemption":"d1","amount":5,"currency":"USD"}`),
			reported(reward.RedemptionAuthorized, reward.Event{Fact: "d1", Amount: 5, HasAmount: true, Currency: "USD"})},
		{of("redemption.authorized", `{"redemption":"d1","amount":5,"currency":"USD","method":"gift card","expires":"2026-01-06T11:00:00+01:00"}`),
			reported(reward.RedemptionAuthorized, reward.Event{Fact: "d1", Amount: 5, HasAmount: true, Currency: "USD", Method: "gift card",
				Expires: reward.At(time.Date(2026, 1, 6, 10, 0, 0, 0, time.UTC))})},
		{of("redemption.captured", `{"redemption":"d1"}`), reported(reward.RedemptionCaptured, reward.Event{Fact: "d1"})},
		{of("redemption.captured", `{"redemption":"d1","amount":4}`), reported(reward.RedemptionCaptured, reward.Event{Fact: "d1", Amount: 4, HasAmount: true})},
		{of("redemption.released", `{"redemption":"d1"}`), reported(reward.RedemptionReleased, reward.Event{Fact: "d1"})},
		{of("adjustment.posted", `{"adjustment":"j1","amount":-500,"currency":"USD","reason":"goodwill","actor":"op"}`),
			reported(reward.AdjustmentPosted, reward.Event{Fact: "j1", Amount: -500, HasAmount: true, Currency: "USD", Reason: "goodwill", Actor: "op"})},
		{of("cycle.closed", `{}`), reported(reward.CycleClosed, reward.Event{})},
		{of("cycle.closed", ""), reported(reward.CycleClosed, reward.Event{})},
		{of("account.closed", `{}`), reported(reward.AccountClosed, reward.Event{})},
		{of("account.closed", ""), reported(reward.AccountClosed, reward.Event{})},
		{of("account.opened", `{}`), reported(reward.AccountOpened, reward.Event{})},
		{of("attribute.set", `{"attribute":"x1","name":"plan","value":"gold"}`), reported(reward.AttributeSet, reward.Event{Fact: "x1", Category: "plan", Method: "gold"})},
		{of("attribute.set", `{"attribute":"x1","name":"plan","value":"gold","from":"1970-01-01T00:00:01Z"}`), reported(reward.AttributeSet, reward.Event{Fact: "x1", Category: "plan", Method: "gold", Purchased: 1e9})},
		{of("attribute.withdrawn", `{"attribute":"x1"}`), reported(reward.AttributeWithdrawn, reward.Event{Fact: "x1"})},
		{of("attribute.dismissed", `{"attribute":"x1","reason":"a test","actor":"op"}`),
			reported(reward.AttributeDismissed, reward.Event{Fact: "x1", Reason: "a test", Actor: "op"})},
		{of("transaction.itemized", `{"transaction":"t1","items":[{"item":"i1","amount":60,"category":"GROCERY"},{"amount":40,"mcc":"5411","item":"i2","labels":{"hall":"a","aisle":"b"}}]}`),
			reported(reward.TransactionItemized, reward.Event{Transaction: "t1", Items: reward.MakeItems([]reward.Item{
				{ID: "i1", Amount: 60, Category: "GROCERY"},
				{ID: "i2", Amount: 40, MCC: grocery, Labels: reward.MakeLabels(map[string]string{"aisle": "b", "hall": "a"})},
			})})},
		{of("transaction.settled", `{"transaction":"t1","amount":5,"currency":"USD","items":[{"item":"i1","amount":-5}]}`),
			reported(reward.TransactionSettled, reward.Event{Transaction: "t1", Amount: 5, HasAmount: true, Currency: "USD", Items: reward.MakeItems([]reward.Item{{ID: "i1", Amount: -5}})})},
		{of("refund.posted", `{"refund":"r1","amount":5,"currency":"USD","transaction":"t1","items":[{"item":"i1","amount":5}]}`),
			reported(reward.RefundPosted, reward.Event{Fact: "r1", Transaction: "t1", Amount: 5, HasAmount: true, Currency: "USD", Items: reward.MakeItems([]reward.Item{{ID: "i1", Amount: 5}})})},
		{of("transaction.itemized", `{"transaction":"t1","items":[]}`), reported(reward.TransactionItemized, reward.Event{Transaction: "t1", Items: reward.MakeItems(nil)})},
		{of("account.opened", `{"program":"everyday"}`), reported(reward.AccountOpened, reward.Event{Fact: "everyday"})},
		{of("refund.linked", `{"refund":"r1","transaction":"t1","reason":"the receipt","actor":"op"}`),
			reported(reward.RefundLinked, reward.Event{Fact: "r1", Transaction: "t1", Reason: "the receipt", Actor: "op"})},
		{of("refund.dismissed", `{"refund":"r1","reason":"no spend here","actor":"op"}`),
			reported(reward.RefundDismissed, reward.Event{Fact: "r1", Reason: "no spend here", Actor: "op"})},
		{of("chargeback.dismissed", `{"chargeback":"c1","reason":"a test","actor":"op"}`),
			reported(reward.ChargebackDismissed, reward.Event{Fact: "c1", Reason: "a test", Actor: "op"})},
		{of("redemption.dismissed", `{"redemption":"d1","reason":"a test","actor":"op"}`),
			reported(reward.RedemptionDismissed, reward.Event{Fact: "d1", Reason: "a test", Actor: "op"})},
		{of("transaction.dismissed", `{"transaction":"t1","reason":"a tip","actor":"op"}`),
			reported(reward.TransactionDismissed, reward.Event{Transaction: "t1", Reason: "a tip", Actor: "op"})},
	} {
		expectEvent(t, c.line, c.want)
	}
}

// TestWhatSendersMayVary has lines that differ from the example in what they
// are free to.
func TestWhatSendersMayVary(t *testing.T) {
	example := decoded(t, settled)
	longest := strings.Repeat("x", event.MaxText)
	for _, c := range []struct {
		name, line string
		change     func(*reward.Event)
	}{
		{"order: data before type", `{"data":{"amount":10000,"category":"GROCERY","currency":"USD","mcc":"5411","merchant":"m1","transaction":"t1"},` +
			`"type":"transaction.settled","subject":"acct-1","time":"2026-01-05T10:00:00Z","id":"e1","source":"core","specversion":"1.0"}`, nil},
		{"white space", " " + strings.NewReplacer(`,`, " ,\t", `:"`, ` : "`, `{`, "{ ").Replace(settled) + "\r\n", nil},
		{"escapes in names and values", with(t, `"currency":"USD"`, `"\u0063urrency":"\u0055SD"`), nil},
		{"any letters", with(t, `"m1"`, `"Café \u2603 \ud83d\ude00"`), func(e *reward.Event) { e.Merchant = "Café ☃ 😀" }},
		{"an escape that stays", with(t, `"m1"`, `"a\"b\\c"`), func(e *reward.Event) { e.Merchant = `a"b\c` }},
		{"the longest text", with(t, `"m1"`, `"`+longest+`"`), func(e *reward.Event) { e.Merchant = longest }},
		{"the longest text, escaped", with(t, `"m1"`, `"`+strings.Repeat(`\u0078`, event.MaxText)+`"`), func(e *reward.Event) { e.Merchant = longest }},
		{"content type and schema", with(t, `"data"`, `"datacontenttype":"application/json","dataschema":"https://example.com/s","data"`), nil},
		{"extensions", with(t, `"data"`, `"traceparent":"00-0af","x2":7,"sampled":true,"n":-1.5e3,"off":false,"empty":"","data"`), nil},
		{"a time elsewhere", with(t, `10:00:00Z`, `12:30:00+02:30`), nil},
		{"a time with a fraction", with(t, `10:00:00Z`, `10:00:00.000000001Z`), func(e *reward.Event) { e.Time++ }},
		{"a time elsewhere with a fraction", with(t, `10:00:00Z`, `12:30:00.0001+02:30`), func(e *reward.Event) { e.Time += reward.Instant(100 * time.Microsecond) }},
		{"the earliest time", with(t, `2026-01-05T10:00:00Z`, `1970-01-01T00:00:00Z`), func(e *reward.Event) { e.Time = reward.EarliestInstant }},
		{"the latest time", with(t, `2026-01-05T10:00:00Z`, `2199-12-31T23:59:59.999999999Z`), func(e *reward.Event) { e.Time = reward.LatestInstant }},
		{"the largest amount", with(t, `10000`, `1000000000000000`), func(e *reward.Event) { e.Amount = reward.MaxAmount }},
		{"the smallest amount", with(t, `10000`, `-1000000000000000`), func(e *reward.Event) { e.Amount = -reward.MaxAmount }},
		{"no amount to speak of", with(t, `10000`, `0`), func(e *reward.Event) { e.Amount = 0 }},
		{"the first MCC", with(t, `5411`, `0000`), func(e *reward.Event) { e.MCC = mcc(t, "0000") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := example
			if c.change != nil {
				c.change(&want)
			}
			expectEvent(t, c.line, want)
		})
	}
}

func TestBadLinesAreRefused(t *testing.T) {
	const noText = "expected text that is not empty, found "
	tooLong := strings.Repeat("x", event.MaxText+1)
	many := new(strings.Builder)
	for i := range 65 {
		many.WriteString(`"x` + strings.Repeat("x", i) + `":1,`)
	}
	for _, c := range []struct{ name, line, want string }{
		// The line.
		{"nothing", "", "expected an event, found an empty line"},
		{"white space", " \t\r", "expected an event, found an empty line"},
		{"not JSON", "hello", "invalid JSON at byte 1: invalid character 'h' at start of value"},
		{"an array", "[" + settled + "]", "expected an object, found an array"},
		{"null", "null", "expected an object, found null"},
		{"text", `"x"`, "expected an object, found a string"},
		{"a number", `17`, "expected an object, found a number"},
		{"two events", settled + settled, "expected nothing after the event's object, found more"},
		{"something after", settled + "x", "expected nothing after the event's object, found more"},
		{"a comma after", settled + ",", "expected nothing after the event's object, found more"},
		{"truncated in a member", settled[:len(settled)-20], "data: the line ends before its object does"},
		{"truncated before the end", settled[:len(settled)-1], "the line ends before its object does"},
		{"a byte order mark", "\uFEFF" + settled, "expected UTF-8 without a byte order mark, found one at the start of the line"},
		{"a trailing comma", with(t, `"GROCERY"}`, `"GROCERY",}`), `data: invalid JSON at byte 234: invalid character ',' at start of value`},
		{"invalid UTF-8", with(t, `m1`, "m\xff"), "data.merchant: invalid JSON at byte 198: invalid UTF-8"},
		{"half a surrogate pair", with(t, `m1`, `\ud83d`), "data.merchant: invalid JSON at byte 197: invalid surrogate pair `\\ud83d\",\"mcc` in string"},
		{"a raw control character", with(t, `m1`, "m\x01"), `data.merchant: invalid JSON at byte 198: invalid character '\x01' in string (expecting non-control character)`},
		{"too long", settled[:len(settled)-1] + strings.Repeat(" ", event.MaxLine) + "}", "expected a line of at most 1048576 bytes, found a longer one"},

		// Attributes.
		{"another version", with(t, `"1.0"`, `"1.1"`), `specversion: expected "1.0", found "1.1"`},
		{"a version that is a number", with(t, `"1.0"`, `1.0`), `specversion: expected text, found 1.0`},
		{"no version", with(t, `"specversion":"1.0",`, ``), "specversion: missing; every event must have it"},
		{"no id", with(t, `"id":"e1",`, ``), "id: missing; every event must have it"},
		{"no source", with(t, `"source":"core",`, ``), "source: missing; every event must have it"},
		{"no type", with(t, `"type":"transaction.settled",`, ``), "type: missing; every event must have it"},
		{"no time", with(t, `"time":"2026-01-05T10:00:00Z",`, ``), "time: missing; every event must have it"},
		{"no subject", with(t, `"subject":"acct-1",`, ``), "subject: missing; every event must have it"},
		{"an empty object", "{}", "specversion: missing; every event must have it"},
		{"an empty id", with(t, `"e1"`, `""`), `id: ` + noText + `""`},
		{"a null id", with(t, `"e1"`, `null`), `id: expected text, found null`},
		{"an id that is an object", with(t, `"e1"`, `{"a":1}`), `id: expected text, found {"a":1}`},
		{"an empty source", with(t, `"core"`, `""`), `source: ` + noText + `""`},
		{"an empty subject", with(t, `"acct-1"`, `""`), `subject: ` + noText + `""`},
		{"a long subject", with(t, `"acct-1"`, `"`+tooLong+`"`), `subject: expected text of at most 256 bytes, found "` + tooLong[:47] + "…"},
		{"an unknown type", with(t, `transaction.settled`, `transaction.cleared`), `type: expected a type of event such as transaction.settled, found "transaction.cleared"`},
		{"a type in capitals", with(t, `transaction.settled`, `TRANSACTION.SETTLED`), `type: expected a type of event such as transaction.settled, found "TRANSACTION.SETTLED"`},
		{"another content type", with(t, `"data"`, `"datacontenttype":"text/xml","data"`), `datacontenttype: expected "application/json", found "text/xml"`},
		{"an empty schema", with(t, `"data"`, `"dataschema":"","data"`), `dataschema: ` + noText + `""`},
		{"an attribute twice", with(t, `"id":"e1"`, `"id":"e1","id":"e1"`), "id: appears twice"},
		{"an attribute twice, once escaped", with(t, `"id":"e1"`, `"id":"e1","\u0069d":"e1"`), "id: appears twice"},
		{"data twice", with(t, `"data":`, `"data":{},"data":`), "data: appears twice"},
		{"an extension twice", with(t, `"data"`, `"x":1,"y":2,"x":1,"data"`), "x: appears twice"},
		{"too many extensions", with(t, `"data"`, many.String()+`"data"`), strings.Repeat("x", 48) + "…: expected at most 64 extension attributes, found more"},
		{"an extension in capitals", with(t, `"data"`, `"Trace":1,"data"`), "Trace: unknown; an extension attribute's name has only lower-case letters and digits"},
		{"an attribute misspelt", with(t, `"subject"`, `"sub_ject"`), "sub_ject: unknown; an extension attribute's name has only lower-case letters and digits"},
		{"a nameless attribute", with(t, `"data"`, `"":1,"data"`), `unknown; an extension attribute's name has only lower-case letters and digits`},
		{"an extension that is null", with(t, `"data"`, `"x":null,"data"`), "x: expected a string, a number or a boolean, found null"},
		{"an extension that is an object", with(t, `"data"`, `"x":{},"data"`), "x: expected a string, a number or a boolean, found {}"},
		{"an extension that is an array", with(t, `"data"`, `"x":[1],"data"`), "x: expected a string, a number or a boolean, found [1]"},
		{"an extension that is not JSON", with(t, `"data"`, `"x":yes,"data"`), "x: invalid JSON at byte 130: invalid character 'y' at start of value"},
		{"binary data", with(t, `"data":{`, `"data_base64":"e30=","data":{`), "data_base64: expected JSON in data, found binary data"},

		// Times.
		{"a time that is a number", with(t, `"2026-01-05T10:00:00Z"`, `1767607200`), `time: expected text, found 1767607200`},
		{"a date", with(t, `2026-01-05T10:00:00Z`, `2026-01-05`), `time: expected a time in RFC 3339, such as 2026-01-05T10:00:00Z, found "2026-01-05"`},
		{"a time without a zone", with(t, `10:00:00Z`, `10:00:00`), `time: expected a time in RFC 3339, such as 2026-01-05T10:00:00Z, found "2026-01-05T10:00:00"`},
		{"a day that is none", with(t, `2026-01-05`, `2026-02-29`), `time: expected a time in RFC 3339, such as 2026-01-05T10:00:00Z, found "2026-02-29T10:00:00Z"`},
		{"a decimal comma", with(t, `10:00:00Z`, `10:00:00,5Z`), `time: expected a time in RFC 3339, such as 2026-01-05T10:00:00Z, found "2026-01-05T10:00:00,5Z"`},
		{"an hour of one digit", with(t, `10:00:00Z`, `1:00:00Z`), `time: expected a time in RFC 3339, such as 2026-01-05T10:00:00Z, found "2026-01-05T1:00:00Z"`},
		{"an offset of a day", with(t, `10:00:00Z`, `10:00:00+24:00`), `time: expected a time in RFC 3339, such as 2026-01-05T10:00:00Z, found "2026-01-05T10:00:00+24:00"`},
		{"an offset of 60 minutes", with(t, `10:00:00Z`, `10:00:00-01:60`), `time: expected a time in RFC 3339, such as 2026-01-05T10:00:00Z, found "2026-01-05T10:00:00-01:60"`},
		{"a leap second", with(t, `10:00:00Z`, `23:59:60Z`), `time: expected a time in RFC 3339, such as 2026-01-05T10:00:00Z, found "2026-01-05T23:59:60Z"`},
		{"a tenth decimal", with(t, `10:00:00Z`, `10:00:00.0000000001Z`), `time: expected a time with at most nine decimals, found "2026-01-05T10:00:00.0000000001Z"`},
		{"too early", with(t, `2026-01-05T10:00:00Z`, `1970-01-01T00:59:59+01:00`), `time: expected a time from 1970-01-01T00:00:00Z to 2199-12-31T23:59:59.999999999Z, found "1970-01-01T00:59:59+01:00"`},
		{"too late", with(t, `2026-01-05T10:00:00Z`, `2200-01-01T00:00:00Z`), `time: expected a time from 1970-01-01T00:00:00Z to 2199-12-31T23:59:59.999999999Z, found "2200-01-01T00:00:00Z"`},
		{"far too late", with(t, `2026-01-05`, `9999-12-31`), `time: expected a time from 1970-01-01T00:00:00Z to 2199-12-31T23:59:59.999999999Z, found "9999-12-31T10:00:00Z"`},

		// Data as a whole.
		{"no data", of("refund.canceled", ""), "data: missing; refund.canceled must have it"},
		{"null data", of("cycle.closed", "null"), "data: expected an object, found null"},
		{"data that is not JSON", of("cycle.closed", "nil"), "data: invalid JSON at byte 127: invalid character 'i' in literal null (expecting 'u')"},
		{"data in a list", of("cycle.closed", "[]"), "data: expected an object, found an array"},
		{"data as text", of("refund.canceled", `"{}"`), "data: expected an object, found a string"},
		{"data of a close", of("account.closed", `{"reason":"moved"}`), "data.reason: account.closed has no such member"},
		{"an unknown member", with(t, `"mcc"`, `"note":"x","mcc"`), "data.note: unknown member"},
		{"an unknown member to be shown with care", with(t, `"mcc"`, `"\u001b[31m":1,"mcc"`), `data.\x1b[31m: unknown member`},
		{"a member in capitals", with(t, `"amount"`, `"Amount"`), "data.Amount: unknown member"},
		{"linked by whom nobody knows", of("refund.posted", `{"refund":"r1","amount":5,"currency":"USD","transaction":"t1","linked_by":"guess"}`), `data.linked_by: expected processor, inferred or person, found "guess"`},
		{"a link to nothing", of("refund.posted", `{"refund":"r1","amount":5,"currency":"USD","linked_by":"person"}`), "data.linked_by: expected with a transaction, which is what it is about"},
		{"an announcement says who links it", of("refund.pending", `{"refund":"r1","transaction":"t1","amount":5,"currency":"USD","linked_by":"person"}`), "data.linked_by: refund.pending has no such member"},
		{"a currency without an amount", of("refund.posted", `{"refund":"r1","amount":5,"currency":"USD","merchant_currency":"EUR"}`), "data.merchant_currency: expected merchant_amount and merchant_currency together"},
		{"nothing abroad", of("refund.posted", `{"refund":"r1","amount":5,"currency":"USD","merchant_amount":0,"merchant_currency":"EUR"}`), "data.merchant_amount: expected more than zero, found 0"},
		{"no currency abroad", of("refund.posted", `{"refund":"r1","amount":5,"currency":"USD","merchant_amount":1,"merchant_currency":"euro"}`), `data.merchant_currency: expected three letters A-Z, such as "USD", found "euro"`},
		{"items of an authorisation", of("transaction.authorized", `{"transaction":"t1","amount":5,"currency":"USD","items":[{"item":"i1","amount":5}]}`), "data.items: transaction.authorized has no such member"},
		{"items that are none", of("transaction.itemized", `{"transaction":"t1","items":{"item":"i1"}}`), `data.items: expected a list of items, found {"item":"i1"}`},
		{"an item that is none", of("transaction.itemized", `{"transaction":"t1","items":["i1"]}`), "data.items[0]: expected an object, found a string"},
		{"an item without a name", of("transaction.itemized", `{"transaction":"t1","items":[{"item":"i1","amount":1},{"amount":2}]}`), "data.items[1].item: missing; every item must have it"},
		{"an item without an amount", of("transaction.itemized", `{"transaction":"t1","items":[{"item":"i1"}]}`), "data.items[0].amount: missing; every item must have it"},
		{"an item with more", of("transaction.itemized", `{"transaction":"t1","items":[{"item":"i1","amount":1,"price":2}]}`), "data.items[0].price: unknown member"},
		{"an item's amount as text", of("transaction.itemized", `{"transaction":"t1","items":[{"item":"i1","amount":"1"}]}`), `data.items[0].amount: expected an integer number of minor units, found "1"`},
		{"an item with two amounts", of("transaction.itemized", `{"transaction":"t1","items":[{"item":"i1","amount":1,"amount":1}]}`), "data.items[0].amount: appears twice"},
		{"a label of an item", of("transaction.itemized", `{"transaction":"t1","items":[{"item":"i1","amount":1,"labels":{"hall":2}}]}`), "data.items[0].labels.hall: expected text, found 2"},
		{"a kind of what came back", of("refund.posted", `{"refund":"r1","amount":5,"currency":"USD","transaction":"t1","items":[{"item":"i1","amount":5,"category":"PETS"}]}`), "data.items[0]: expected item and amount alone: what it was of, the purchase says"},
		{"a member of another type", of("chargeback.posted", `{"chargeback":"c1","transaction":"t1","merchant":"m1"}`), "data.merchant: chargeback.posted has no such member"},
		{"a fact of another type", with(t, `"mcc"`, `"refund":"r1","mcc"`), "data.refund: transaction.settled has no such member"},
		{"an amount too many", of("refund.reversed", `{"refund":"r1","amount":1}`), "data.amount: refund.reversed has no such member"},
		{"a member twice", with(t, `"amount":10000`, `"amount":10000,"amount":10000`), "data.amount: appears twice"},
		{"a member twice, once escaped", with(t, `"amount":10000`, `"amount":10000,"\u0061mount":1`), "data.amount: appears twice"},
		{"no transaction", with(t, `"transaction":"t1",`, ``), "data.transaction: missing; transaction.settled must have it"},
		{"no amount", with(t, `"amount":10000,`, ``), "data.amount: missing; transaction.settled must have it"},
		{"no currency", with(t, `"currency":"USD",`, ``), "data.currency: missing; transaction.settled must have it"},
		{"an approver of nobody", of("adjustment.posted", `{"adjustment":"j1","amount":1,"currency":"USD","reason":"x","actor":"op","approver":""}`), `data.approver: ` + noText + `""`},
		{"an approver twice", of("adjustment.posted", `{"adjustment":"j1","amount":1,"currency":"USD","reason":"x","actor":"op","approver":"a","approver":"a"}`), "data.approver: appears twice"},
		{"an approver of a resolution", of("refund.dismissed", `{"refund":"r1","reason":"x","actor":"op","approver":"a"}`), "data.approver: refund.dismissed has no such member"},
		{"no reason", of("adjustment.posted", `{"adjustment":"j1","amount":1,"currency":"USD","actor":"op"}`), "data.reason: missing; adjustment.posted must have it"},

		{"an empty program", of("account.opened", `{"program":""}`), `data.program: ` + noText + `""`},
		{"a program that is a number", of("account.opened", `{"program":7}`), `data.program: expected text, found 7`},
		{"a program twice", of("account.opened", `{"program":"a","program":"a"}`), "data.program: appears twice"},
		{"a program of another type", with(t, `"mcc"`, `"program":"everyday","mcc"`), "data.program: transaction.settled has no such member"},
		{"a program and a fact", of("account.opened", `{"program":"everyday","refund":"r1"}`), "data.refund: account.opened has no such member"},
		{"a link to nothing", of("refund.linked", `{"refund":"r1","reason":"why","actor":"op"}`), "data.transaction: missing; refund.linked must have it"},
		{"a link of nothing", of("refund.linked", `{"transaction":"t1","reason":"why","actor":"op"}`), "data.refund: missing; refund.linked must have it"},
		{"a link with an amount", of("refund.linked", `{"refund":"r1","transaction":"t1","amount":1,"reason":"why","actor":"op"}`), "data.amount: refund.linked has no such member"},
		{"a link without reason", of("refund.linked", `{"refund":"r1","transaction":"t1","actor":"op"}`), "data.reason: missing; refund.linked must have it"},
		{"a link by nobody", of("refund.linked", `{"refund":"r1","transaction":"t1","reason":"why"}`), "data.actor: missing; refund.linked must have it"},
		{"a dismissal without reason", of("refund.dismissed", `{"refund":"r1","actor":"op"}`), "data.reason: missing; refund.dismissed must have it"},
		{"a dismissal by nobody", of("chargeback.dismissed", `{"chargeback":"c1","reason":"why"}`), "data.actor: missing; chargeback.dismissed must have it"},
		{"a dismissal of nothing", of("transaction.dismissed", `{"reason":"why","actor":"op"}`), "data.transaction: missing; transaction.dismissed must have it"},
		{"a dismissal of something else", of("refund.dismissed", `{"refund":"r1","chargeback":"c1","reason":"why","actor":"op"}`), "data.chargeback: refund.dismissed has no such member"},

		// Amounts.
		{"an amount as text", with(t, `10000`, `"12"`), `data.amount: expected an integer number of minor units, found "12"`},
		{"a null amount", with(t, `10000`, `null`), `data.amount: expected an integer number of minor units, found null`},
		{"a true amount", with(t, `10000`, `true`), `data.amount: expected an integer number of minor units, found true`},
		{"an amount in a list", with(t, `10000`, `[1]`), `data.amount: expected an integer number of minor units, found [1]`},
		{"a fraction", with(t, `10000`, `1.5`), `data.amount: expected an integer number of minor units, without fraction or exponent, found 1.5`},
		{"a fraction of nothing", with(t, `10000`, `1.0`), `data.amount: expected an integer number of minor units, without fraction or exponent, found 1.0`},
		{"an exponent", with(t, `10000`, `1e3`), `data.amount: expected an integer number of minor units, without fraction or exponent, found 1e3`},
		{"one too much", with(t, `10000`, `1000000000000001`), `data.amount: expected at most 10^15 minor units either way, found 1000000000000001`},
		{"ten times too much", with(t, `10000`, `10000000000000000`), `data.amount: expected at most 10^15 minor units either way, found 10000000000000000`},
		{"one too little", with(t, `10000`, `-1000000000000001`), `data.amount: expected at most 10^15 minor units either way, found -1000000000000001`},
		{"beyond 64 bits", with(t, `10000`, `18446744073709561616`), `data.amount: expected at most 10^15 minor units either way, found 18446744073709561616`},
		{"not a number", with(t, `10000`, `NaN`), `data.amount: invalid JSON at byte 162: invalid character 'N' at start of value`},
		{"infinite", with(t, `10000`, `-Infinity`), `data.amount: invalid JSON at byte 163: invalid character 'I' in number (expecting digit)`},
		{"hexadecimal", with(t, `10000`, `0x10`), `data: invalid JSON at byte 163: invalid character 'x' after object value (expecting ',' or '}')`},
		{"a leading zero", with(t, `10000`, `010`), `data: invalid JSON at byte 163: invalid character '1' after object value (expecting ',' or '}')`},
		{"a plus", with(t, `10000`, `+1`), `data.amount: invalid JSON at byte 162: invalid character '+' at start of value`},

		// Text.
		{"a currency in lower case", with(t, `"USD"`, `"usd"`), `data.currency: expected three letters A-Z, such as "USD", found "usd"`},
		{"a currency of two letters", with(t, `"USD"`, `"US"`), `data.currency: expected three letters A-Z, such as "USD", found "US"`},
		{"a currency that is a number", with(t, `"USD"`, `840`), `data.currency: expected text, found 840`},
		{"an end that is no time", of("redemption.authorized", `{"redemption":"d1","amount":5,"currency":"USD","expires":"tomorrow"}`),
			`data.expires: expected a time in RFC 3339, such as 2026-01-05T10:00:00Z, found "tomorrow"`},
		{"an end that is a number", of("redemption.authorized", `{"redemption":"d1","amount":5,"currency":"USD","expires":7}`), `data.expires: expected text, found 7`},
		{"an end of what has none", of("redemption.requested", `{"redemption":"d1","amount":5,"currency":"USD","expires":"2026-01-06T10:00:00Z"}`), `data.expires: redemption.requested has no such member`},
		{"a capture in a currency", of("redemption.captured", `{"redemption":"d1","amount":5,"currency":"USD"}`), `data.currency: redemption.captured has no such member`},
		{"a code that is a number", with(t, `"5411"`, `742`), `data.mcc: expected four digits as text, such as "0742", found 742`},
		{"a code of three digits", with(t, `"5411"`, `"742"`), `data.mcc: expected four digits as text, such as "0742", found "742"`},
		{"a code with a letter", with(t, `"5411"`, `"54a1"`), `data.mcc: expected four digits as text, such as "0742", found "54a1"`},
		{"an empty code", with(t, `"5411"`, `""`), `data.mcc: expected four digits as text, such as "0742", found ""`},
		{"a null code", with(t, `"5411"`, `null`), `data.mcc: expected four digits as text, such as "0742", found null`},
		{"a null merchant", with(t, `"m1"`, `null`), `data.merchant: expected text, found null`},
		{"an empty merchant", with(t, `"m1"`, `""`), `data.merchant: ` + noText + `""`},
		{"an empty transaction", with(t, `"t1"`, `""`), `data.transaction: ` + noText + `""`},
		{"a transaction that is a number", with(t, `"t1"`, `1`), `data.transaction: expected text, found 1`},
		{"a long merchant", with(t, `"m1"`, `"`+tooLong+`"`), `data.merchant: expected text of at most 256 bytes, found "` + tooLong[:47] + "…"},
		{"a long merchant, cut between letters", with(t, `"m1"`, `"`+strings.Repeat("é", 129)+`"`), `data.merchant: expected text of at most 256 bytes, found "` + strings.Repeat("é", 23) + "…"},
		{"a null byte", with(t, `"m1"`, `"m\u0000"`), `data.merchant: expected text without control characters, found "m\u0000"`},
		{"a line break", with(t, `"m1"`, `"a\nb"`), `data.merchant: expected text without control characters, found "a\nb"`},
		{"a delete", with(t, `"m1"`, "\"m\x7f\""), `data.merchant: expected text without control characters, found "m\x7f"`},
		{"a control character beyond ASCII", with(t, `"m1"`, "\"m\u0085\""), `data.merchant: expected text without control characters, found "m\u0085"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var e reward.Event
			err := event.NewDecoder().Decode([]byte(c.line), &e)
			if err == nil {
				t.Fatalf("decoded to %+v, want the error %q", e, c.want)
			}
			if err.Error() != c.want {
				t.Errorf("error\n\t%s\nwant\n\t%s", err, c.want)
			}
			var bad *event.Error
			if !errors.As(err, &bad) {
				t.Errorf("error is a %T", err)
			}
		})
	}
}

func TestDecoderForgetsTheLineBefore(t *testing.T) {
	d := event.NewDecoder()
	var e reward.Event
	for _, line := range []string{settled, with(t, `"data"`, `"x":1,"data"`), settled[:100], of("cycle.closed", "")} {
		err := d.Decode([]byte(line), &e)
		if (err != nil) != (line == settled[:100]) {
			t.Fatalf("%s: %v", line, err)
		}
	}
	if want := reported(reward.CycleClosed, reward.Event{}); e != want {
		t.Errorf("got  %+v\nwant %+v", e, want)
	}
	if err := d.Decode([]byte(with(t, `"data"`, `"x":1,"data"`)), &e); err != nil {
		t.Errorf("an extension that an earlier line had: %v", err)
	}
}

func TestEventsKeepNothingOfTheLine(t *testing.T) {
	line := []byte(with(t, `"m1"`, `"a\"b"`))
	d := event.NewDecoder()
	var first, second reward.Event
	if err := d.Decode(line, &first); err != nil {
		t.Fatal(err)
	}
	want := decoded(t, string(line))
	for i := range line {
		line[i] = 'x'
	}
	if err := d.Decode([]byte(with(t, `"m1"`, `"c\"d"`)), &second); err != nil {
		t.Fatal(err)
	}
	if first != want {
		t.Errorf("got  %+v\nwant %+v", first, want)
	}
}

// TestManyStrings decodes more accounts than a decoder remembers.
func TestManyStrings(t *testing.T) {
	d := event.NewDecoder()
	var kept []reward.Event
	for range 2 {
		for i := range 20_000 {
			var e reward.Event
			if err := d.Decode([]byte(numbered(i)), &e); err != nil {
				t.Fatal(err)
			}
			kept = append(kept, e)
		}
	}
	for i, e := range kept {
		if want := decoded(t, numbered(i%20_000)); e != want {
			t.Fatalf("event %d is\n\t%+v\nwant\n\t%+v", i, e, want)
		}
	}
}

// with returns the example with one part of it replaced.
func with(t *testing.T, old, replacement string) string {
	t.Helper()
	if strings.Count(settled, old) != 1 {
		t.Fatalf("the example has %q %d times", old, strings.Count(settled, old))
	}
	return strings.Replace(settled, old, replacement, 1)
}

var shared = event.NewDecoder()

func decoded(t *testing.T, line string) reward.Event {
	t.Helper()
	var e reward.Event
	if err := shared.Decode([]byte(line), &e); err != nil {
		t.Fatalf("%s\n%v", line, err)
	}
	return e
}

func expectEvent(t *testing.T, line string, want reward.Event) {
	t.Helper()
	if got := decoded(t, line); got != want {
		t.Errorf("%s\ngot  %+v\nwant %+v", line, got, want)
	}
}
