package signing_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"recoup/internal/kit/signing"
)

// A signature that was computed elsewhere, with Python's hmac.
const (
	knownSecret    = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	knownID        = "msg_p5jXN8AQM9LWM0D4loKWxJek"
	knownTimestamp = 1614265330
	knownBody      = `{"test": 2432232314}`
	knownSignature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
)

func TestSign(t *testing.T) {
	got, err := signing.Sign(knownSecret, knownID, time.Unix(knownTimestamp, 999), []byte(knownBody))
	if got != knownSignature || err != nil {
		t.Errorf("the signature is %s, %v", got, err)
	}
}

func TestVerify(t *testing.T) {
	now := time.Unix(knownTimestamp, 0)
	for _, c := range []struct {
		name   string
		change func(h http.Header)
		secret string
		body   string
		now    time.Time
		want   string // in the error; "" for none
	}{
		{name: "as it was sent"},
		{name: "as late as may be", now: now.Add(signing.Tolerance)},
		{name: "as early as may be", now: now.Add(-signing.Tolerance)},
		{name: "among others", change: set(signing.HeaderSignature, "v1a,AAAA v1,AAAA v1,%% "+knownSignature)},
		{name: "too late", now: now.Add(signing.Tolerance + 1), want: signing.ErrTimestamp.Error()},
		{name: "too early", now: now.Add(-signing.Tolerance - 1), want: signing.ErrTimestamp.Error()},
		{name: "another body", body: knownBody + " ", want: signing.ErrSignature.Error()},
		{name: "another id", change: set(signing.HeaderID, "msg_other"), want: signing.ErrSignature.Error()},
		{name: "another time", change: set(signing.HeaderTimestamp, "1614265331"), want: signing.ErrSignature.Error()},
		{name: "another secret", secret: "whsec_AAAA", want: signing.ErrSignature.Error()},
		{name: "another scheme", change: set(signing.HeaderSignature, "v2"+knownSignature[2:]), want: signing.ErrSignature.Error()},
		{name: "no signature", change: set(signing.HeaderSignature, ""), want: signing.ErrSignature.Error()},
		{name: "no time", change: set(signing.HeaderTimestamp, ""), want: "header webhook-timestamp"},
		{name: "a time before all", change: set(signing.HeaderTimestamp, "-9223372036854775808"), want: signing.ErrTimestamp.Error()},
		{name: "a time after all", change: set(signing.HeaderTimestamp, "9223372036854775807"), want: signing.ErrTimestamp.Error()},
		{name: "a secret without its beginning", secret: "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", want: "the secret"},
		{name: "a secret that is no base64", secret: "whsec_%", want: "the secret"},
		{name: "a secret that is empty", secret: "whsec_", want: "the secret"},
	} {
		header := http.Header{}
		set(signing.HeaderID, knownID)(header)
		set(signing.HeaderTimestamp, "1614265330")(header)
		set(signing.HeaderSignature, knownSignature)(header)
		if c.change != nil {
			c.change(header)
		}
		if c.secret == "" {
			c.secret = knownSecret
		}
		if c.body == "" {
			c.body = knownBody
		}
		if c.now.IsZero() {
			c.now = now
		}
		err := signing.Verify(header, []byte(c.body), c.secret, c.now, signing.Tolerance)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if errors.Is(signing.ErrSignature, signing.ErrTimestamp) {
		t.Error("the errors are not told apart")
	}
}

// The table that the generated clients are held to, which Python's hmac made, holds for what
// signs and verifies here.
func TestTheClientsAreHeldToTheSame(t *testing.T) {
	text, err := os.ReadFile("../../../clients/testdata/notices.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name, Secret, ID, Timestamp, Signature, Body, Want string
		Now                                                int64
	}
	if err := json.Unmarshal(text, &cases); err != nil || len(cases) < 20 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	signed, err := signing.Sign(cases[0].Secret, cases[0].ID, time.Unix(cases[0].Now, 0), []byte(cases[0].Body))
	if err != nil || signed != cases[0].Signature {
		t.Errorf("%s: signed with %s, %v", cases[0].Name, signed, err)
	}
	for _, c := range cases {
		header := make(http.Header)
		set(signing.HeaderID, c.ID)(header)
		set(signing.HeaderTimestamp, c.Timestamp)(header)
		set(signing.HeaderSignature, c.Signature)(header)
		found := "malformed"
		switch err := signing.Verify(header, []byte(c.Body), c.Secret, time.Unix(c.Now, 0), signing.Tolerance); {
		case err == nil:
			found = "right"
		case errors.Is(err, signing.ErrTimestamp):
			found = "time"
		case errors.Is(err, signing.ErrSignature):
			found = "signature"
		}
		if found != c.Want {
			t.Errorf("%s: %s, want %s", c.Name, found, c.Want)
		}
	}
}

func set(name, value string) func(http.Header) {
	return func(h http.Header) { h.Set(name, value) }
}
