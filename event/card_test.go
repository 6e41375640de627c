package event_test

import (
	"strings"
	"testing"

	"recoup/event"
	"recoup/reward"
)

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
		if member, ok := event.CardNumber(&clean, nil); ok {
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
			if got, ok := event.CardNumber(&e, nil); !ok || got != member {
				t.Errorf("%s: found %q, %t; want %s", with, got, ok, member)
			}
			if got, ok := event.CardNumber(&e, func(name string) bool { return name == member }); ok {
				t.Errorf("%s: found %q, which is exempt", with, got)
			}
			if !event.IsTextMember(member) {
				t.Errorf("%s cannot be exempted", member)
			}
			event.MaskCards(&e)
			if line := string(event.Append(nil, &e)); strings.Contains(line, card) || !strings.Contains(line, "************1111") {
				t.Errorf("masked it is %s", line)
			}
		}
	}
}

func BenchmarkCardNumber(b *testing.B) {
	e := decodedForBenchmark(b, numbered(1))
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := event.CardNumber(&e, nil); ok {
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
