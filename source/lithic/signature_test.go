package lithic_test

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"
	"time"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"recoup/internal/kit/sourcetest"
	"recoup/source"
	"recoup/source/lithic"
)

const secret = "whsec_bWFkZSBmb3IgdGVzdHMgb25seSwgMjQrIGJ5dGVz"

// TestSignaturesAreThoseOfStandardWebhooks: what the scheme's own library signs is right
// here, and whether headers are right both say alike.
func TestSignaturesAreThoseOfStandardWebhooks(t *testing.T) {
	theirs, err := standard.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now() // of which their library has its own idea
	body := []byte(`{"token":"t1"}`)
	headers := func(at time.Time, id string) http.Header {
		signature, err := theirs.Sign("msg_1", at, body)
		if err != nil {
			t.Fatal(err)
		}
		h := http.Header{}
		h.Set("webhook-id", id)
		h.Set("webhook-timestamp", fmt.Sprint(at.Unix()))
		h.Set("webhook-signature", "v1,AAAA "+signature)
		return h
	}
	for name, header := range map[string]http.Header{
		"as it is": headers(now, "msg_1"), "another id": headers(now, "msg_2"), "too old": headers(now.Add(-302*time.Second), "msg_1"),
		"to come": headers(now.Add(310*time.Second), "msg_1"), "nearly too old": headers(now.Add(-290*time.Second), "msg_1"), "none": {},
	} {
		for _, sent := range [][]byte{body, []byte(`{"token":"t2"}`)} {
			said := theirs.Verify(sent, header)
			ours := lithic.Kind.Verify(header, sent, secret, now)
			if (said == nil) != (ours == nil) {
				t.Errorf("%s: their library says %v, and we %v", name, said, ours)
			}
		}
	}
}

// FuzzTranslate: whatever a body is, it is translated to events that are well formed, or to
// a reason why not; and the same again is translated to the same.
func FuzzTranslate(f *testing.F) {
	for _, body := range sourcetest.Bodies(f, "testdata/scenarios") {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		of := source.Settings{Name: "lithic", Account: "card_token"}
		notes := func(string) string { return "USD c20" }
		once, again := lithic.Kind.Translate(bytes.Clone(body), of, notes), lithic.Kind.Translate(body, of, notes)
		if fmt.Sprint(once) != fmt.Sprint(again) {
			t.Fatalf("%v, and then %v", once, again)
		}
		if len(once.Events) == 0 && once.Dead == "" && once.Ignored == "" {
			t.Fatal("nothing follows, and nothing says why")
		}
		for i := range once.Events {
			if e := &once.Events[i]; e.HasAmount && e.Amount <= 0 || e.Source != "lithic" {
				t.Fatalf("%+v", e)
			}
		}
	})
}
