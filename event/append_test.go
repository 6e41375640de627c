package event_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recoup/event"
	"recoup/reward"
)

func TestCanonicalLines(t *testing.T) {
	for _, line := range []string{
		settled,
		of("transaction.canceled", `{"transaction":"t1"}`),
		of("refund.pending", `{"refund":"r1","transaction":"t1","amount":5,"currency":"USD"}`),
		of("refund.posted", `{"refund":"r1","amount":5,"currency":"USD","transaction":"t1","merchant":"m1","mcc":"0742","category":"PETS"}`),
		of("refund.posted", `{"refund":"r1","amount":5,"currency":"USD","transaction":"t1","linked_by":"processor"}`),
		of("transaction.settled", `{"transaction":"t1","amount":5,"currency":"USD","merchant_amount":6,"merchant_currency":"EUR"}`),
		of("chargeback.posted", `{"chargeback":"c1","transaction":"t1"}`),
		of("chargeback.posted", `{"chargeback":"c1","transaction":"t1","amount":0}`),
		of("redemption.requested", `{"redemption":"d1","amount":5,"currency":"USD","method":"bank"}`),
		of("redemption.authorized", `{"redemption":"d1","amount":5,"currency":"USD","expires":"2026-01-06T10:00:00.5Z","method":"bank"}`),
		of("redemption.captured", `{"redemption":"d1","amount":4}`),
		of("redemption.released", `{"redemption":"d1"}`),
		of("adjustment.posted", `{"adjustment":"j1","amount":-500,"currency":"USD","reason":"say \"sorry\" \\ ☃","actor":"op"}`),
		of("adjustment.posted", `{"adjustment":"j1","amount":500,"currency":"USD","reason":"goodwill","actor":"Oscar","approver":"Anna"}`),
		of("cycle.closed", `{}`),
		of("account.opened", `{"program":"everyday"}`),
		of("refund.linked", `{"refund":"r1","transaction":"t1","reason":"the receipt","actor":"op"}`),
		of("refund.dismissed", `{"refund":"r1","reason":"no spend here","actor":"op"}`),
		of("chargeback.dismissed", `{"chargeback":"c1","reason":"a test","actor":"op"}`),
		of("attribute.dismissed", `{"attribute":"x1","reason":"a test","actor":"op"}`),
		of("redemption.dismissed", `{"redemption":"d1","reason":"a test","actor":"op"}`),
		of("transaction.dismissed", `{"transaction":"t1","reason":"a tip","actor":"op"}`),
		with(t, `10:00:00Z`, `10:00:00.000000001Z`),
	} {
		e := decoded(t, line)
		if got := string(event.Append([]byte("before "), &e)); got != "before "+line {
			t.Errorf("got  %s\nwant before %s", got, line)
		}
	}
}

func TestOtherLinesBecomeCanonical(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{of("account.closed", ""), of("account.closed", `{}`)},
		{with(t, `10:00:00Z`, `12:30:00.50+02:30`), with(t, `10:00:00Z`, `10:00:00.5Z`)},
		{with(t, `"t1"`, `"\u0074\/1"`), with(t, `"t1"`, `"t/1"`)},
		{with(t, `"data"`, `"traceparent":"00-0af","data"`), settled},
		{with(t, `10000`, `-0`), with(t, `10000`, `0`)},
	} {
		e := decoded(t, c.line)
		if got := string(event.Append(nil, &e)); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.line, got, c.want)
		}
	}
}

// TestConformanceEventsRoundTrip reads every event of the conformance cases,
// writes it and reads it again.
func TestConformanceEventsRoundTrip(t *testing.T) {
	files, err := filepath.Glob("../testdata/cases*/*/events.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d conformance cases: %v", len(files), err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var events int
		var line []byte
		for batch, err := range event.NewReader(bytes.NewReader(content), file).Batches(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			for i := range batch {
				line = event.Append(line[:0], &batch[i])
				expectEvent(t, string(line), batch[i])
			}
			events += len(batch)
		}
		if lines := bytes.Count(content, []byte("\n")); events != lines {
			t.Errorf("%s: %d events of %d lines", file, events, lines)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(settled)
	f.Add(of("refund.posted", `{"refund":"r\u00e91","amount":-5,"currency":"USD","mcc":"0742"}`))
	f.Add(of("chargeback.posted", `{"chargeback":"c1","transaction":"t1"}`))
	f.Add(of("adjustment.posted", `{"adjustment":"j1","amount":1000000000000001,"currency":"USD","reason":"\u0000","actor":"op"}`))
	f.Add(of("adjustment.posted", `{"approver":"\u0041nna","adjustment":"j1","amount":1,"currency":"USD","reason":"goodwill","actor":"Oscar"}`))
	f.Add(of("cycle.closed", ""))
	f.Add(of("account.opened", `{"program":"every\u0064ay"}`))
	f.Add(of("refund.linked", `{"refund":"r1","transaction":"t1","reason":"the receipt","actor":"op"}`))
	f.Add(of("refund.dismissed", `{"actor":"op","refund":"r1","reason":"no spend here"}`))
	f.Add(of("chargeback.dismissed", `{"chargeback":"c1","reason":"a test","actor":"op"}`))
	f.Add(of("transaction.dismissed", `{"transaction":"t1","reason":"a tip","actor":"op"}`))
	f.Add(strings.Replace(of("account.closed", `{}`), `"id"`, `"x":[1,{"a":null}],"id"`, 1))
	f.Add(settled[:120])
	f.Add("\uFEFF{}")
	d := event.NewDecoder()
	f.Fuzz(func(t *testing.T, line string) {
		var e, again reward.Event
		if err := d.Decode([]byte(line), &e); err != nil {
			if err.Error() == "" {
				t.Error("an error that says nothing")
			}
			return
		}
		written := event.Append(nil, &e)
		if bytes.IndexByte(written, '\n') >= 0 {
			t.Errorf("%q: more than one line: %q", line, written)
		}
		if err := d.Decode(written, &again); err != nil {
			t.Fatalf("%q became %q, which is refused: %v", line, written, err)
		}
		if e != again {
			t.Errorf("%q became\n%+v and then\n%+v", line, e, again)
		}
	})
}
