package stripe_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stripe/stripe-go/v85/webhook"

	"recoup/internal/kit/sourcetest"
	"recoup/source"
	"recoup/source/stripe"
)

const secret = "whsec_made_for_tests"

// TestSignaturesAreThoseOfStripe: what Stripe's own library signs is right here, and whether
// a header is right both say alike. Of headers without a form nothing is said of ours.
func TestSignaturesAreThoseOfStripe(t *testing.T) {
	now := time.Now() // of which their library has its own idea
	body := []byte(`{"id":"evt_1"}`)
	signed := webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: body, Secret: secret, Timestamp: now}).Header
	old := webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: body, Secret: secret, Timestamp: now.Add(-301 * time.Second)}).Header
	late := webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: body, Secret: secret, Timestamp: now.Add(-290 * time.Second)}).Header
	other := webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: body, Secret: "whsec_other", Timestamp: now}).Header
	_, v1, _ := strings.Cut(other, ",")
	for name, header := range map[string]string{
		"as it is": signed, "too old": old, "nearly too old": late, "of another secret": other, "of two secrets": signed + "," + v1, "the other way round": other + signed[strings.Index(signed, ","):],
		"of another scheme": strings.Replace(signed, "v1=", "v0=", 1), "no time": signed[strings.Index(signed, ",")+1:], "empty": "", "not hexadecimal": strings.Replace(signed, "v1=", "v1=z", 1),
	} {
		for _, sent := range [][]byte{body, []byte(`{"id":"evt_2"}`)} {
			theirs := webhook.ValidatePayloadWithTolerance(sent, header, secret, source.Tolerance)
			ours := stripe.Kind.Verify(http.Header{stripe.Header: {header}}, sent, secret, now)
			if (theirs == nil) != (ours == nil) {
				t.Errorf("%s: Stripe's library says %v, and we %v", name, theirs, ours)
			}
		}
	}
	// A time to come is not right either, other than theirs has it.
	if stripe.Kind.Verify(http.Header{stripe.Header: {signed}}, body, secret, now.Add(-301*time.Second)) == nil {
		t.Error("a signature of a time to come is right")
	}
	if stripe.Kind.Verify(http.Header{stripe.Header: {signed, signed}}, body, secret, now) == nil {
		t.Error("two headers are right")
	}
}

func FuzzVerify(f *testing.F) {
	f.Add("t=1,v1=00", []byte("{}"))
	f.Add("t=9223372036854775807,v1=,v1=zz,v0", []byte(""))
	f.Fuzz(func(t *testing.T, header string, body []byte) {
		if stripe.Kind.Verify(http.Header{stripe.Header: {header}}, body, secret, time.Unix(1767607200, 0)) == nil {
			t.Fatalf("%q is the signature of %q", header, body)
		}
	})
}

// FuzzTranslate: whatever a body is, it is translated to events that are well formed, or to
// a reason why not; and the same again is translated to the same.
func FuzzTranslate(f *testing.F) {
	for _, body := range sourcetest.Bodies(f, "testdata/scenarios") {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		of := source.Settings{Name: "stripe", Account: "metadata.customer"}
		notes := func(key string) string {
			if strings.HasPrefix(key, "capture ") {
				return "USD ich_made_1"
			}
			return "1767607200,ipi_0,"
		}
		once, again := stripe.Kind.Translate(bytes.Clone(body), of, notes), stripe.Kind.Translate(body, of, notes)
		if fmt.Sprint(once) != fmt.Sprint(again) {
			t.Fatalf("%v, and then %v", once, again)
		}
		if len(once.Events) == 0 && once.Dead == "" && once.Ignored == "" {
			t.Fatal("nothing follows, and nothing says why")
		}
		for i := range once.Events {
			if e := &once.Events[i]; e.HasAmount && e.Amount <= 0 || e.Source != "stripe" {
				t.Fatalf("%+v", e)
			}
		}
	})
}
