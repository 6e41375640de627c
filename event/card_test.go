package event_test

import (
	"strings"
	"testing"

	"recoup/event"
	"recoup/reward"
)

// The numbers are those that card networks publish for tests.
func TestWhatLooksLikeACardNumber(t *testing.T) {
	for _, c := range []struct {
		text string
		want bool
	}{
		{"4111111111111111", true},
		{"4111 1111 1111 1111", true},
		{"4111-1111-1111-1111", true},
		{"4111-1111 1111-1111", true},
		{"3782-822463-10005", true},
		{"378282246310005", true},
		{"5555555555554444", true},
		{"4222222222222", true},       // 13 digits
		{"6304000000000000000", true}, // 19 digits
		{"4-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1", true},
		{"6-3-0-4-0-0-0-0-0-0-0-0-0-0-0-0-0-0-0", true},
		{"0000000000000000", true},

		{"4111111111111112", false}, // a wrong check digit
		{"4111111111111", false},
		{"1411111111111111", false}, // digits that changed places
		{"422222222222", false},     // 12 digits, the check digit is right
		{"4222 2222 2222", false},
		{"63040000000000000000", false}, // 20 digits
		{"41111111111111110000", false},
		{"4111  1111 1111 1111", false},
		{"4111--111111111111", false},
		{"4111- 111111111111", false},
		{" 4111111111111111", false},
		{"4111111111111111-", false},
		{"4111_1111_1111_1111", false},
		{"4111.1111.1111.1111", false},
		{"t4111111111111111", false},
		{"4111111111111111t", false},
		{"41111111x11111111", false},
		{"", false},
		{"----------------", false},
		{"٤١١١١١١١١١١١١١١١", false},
	} {
		e := reported(reward.TransactionSettled, reward.Event{Merchant: c.text})
		member, ok := event.CardNumber(&e)
		if ok != c.want || ok && member != "data.merchant" {
			t.Errorf("%q: %q, %t; want %t", c.text, member, ok, c.want)
		}
	}
}

func TestACardNumberIsFoundInEveryText(t *testing.T) {
	const card = "4111111111111111"
	for _, line := range []string{
		of("refund.posted", `{"refund":"r1","amount":5,"currency":"USD","transaction":"t1","merchant":"m1","mcc":"0742","category":"PETS"}`),
		of("chargeback.posted", `{"chargeback":"c1","transaction":"t1"}`),
		of("redemption.requested", `{"redemption":"d1","amount":5,"currency":"USD","method":"bank"}`),
		of("adjustment.posted", `{"adjustment":"j1","amount":5,"currency":"USD","reason":"goodwill","actor":"op","approver":"chief"}`),
		of("account.opened", `{"program":"everyday"}`),
		of("refund.linked", `{"refund":"r1","transaction":"t1","reason":"the receipt","actor":"op"}`),
		of("transaction.dismissed", `{"transaction":"t1","reason":"a tip","actor":"op"}`),
	} {
		clean := decoded(t, line)
		if member, ok := event.CardNumber(&clean); ok {
			t.Errorf("%s: a card number in %s", line, member)
		}
		for member, value := range map[string]string{
			"id": "e1", "source": "core", "subject": "acct-1",
			"data.transaction": "t1", "data.refund": "r1", "data.chargeback": "c1", "data.redemption": "d1", "data.adjustment": "j1", "data.program": "everyday",
			"data.merchant": "m1", "data.category": "PETS", "data.method": "bank", "data.reason": clean.Reason, "data.actor": "op",
		} {
			pair := `"` + member[strings.LastIndex(member, ".")+1:] + `":"` + value + `"`
			if !strings.Contains(line, pair) {
				continue
			}
			with := strings.Replace(line, pair, strings.Replace(pair, value+`"`, card+`"`, 1), 1)
			e := decoded(t, with)
			if got, ok := event.CardNumber(&e); !ok || got != member {
				t.Errorf("%s: found %q, %t; want %s", with, got, ok, member)
			}
		}
	}
}

func BenchmarkCardNumber(b *testing.B) {
	e := decodedForBenchmark(b, numbered(1))
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := event.CardNumber(&e); ok {
			b.Fatal("no card number is there")
		}
	}
}

func decodedForBenchmark(b *testing.B, line string) reward.Event {
	b.Helper()
	var e reward.Event
	if err := shared.Decode([]byte(line), &e); err != nil {
		b.Fatal(err)
	}
	return e
}
