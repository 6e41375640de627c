package marqeta_test

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"
	"time"

	"recoup/internal/kit/sourcetest"
	"recoup/source"
	"recoup/source/marqeta"
)

// Signatures that were computed elsewhere, with openssl dgst -hmac, of this body by this
// secret.
const (
	body   = `{"transactions":[]}`
	secret = "made_For_tests-0nly-20"
	sha256 = "b0011a19a45e3e98e1dab383f626525f3a4bbf04f19c58498cb8c16d0d03d58c"
	sha1   = "43318f3e086a733fbc33ba5a59298850f668f753"
)

// TestARequestIsByUserAndPassword, and by its signature where there is a secret for that.
func TestARequestIsByUserAndPassword(t *testing.T) {
	const login, signed = "recoup:Passw0rd:with-colon-made\n", "recoup:Passw0rd:with-colon-made\n" + secret
	request := func(user, password string, signatures ...string) http.Header {
		r := http.Request{Header: http.Header{}}
		if user != "" {
			r.SetBasicAuth(user, password)
		}
		for _, s := range signatures {
			r.Header.Add(marqeta.Header, s)
		}
		return r.Header
	}
	const password = "Passw0rd:with-colon-made"
	for _, c := range []struct {
		name, secret string
		header       http.Header
		right        bool
	}{
		{"user and password", login, request("recoup", password), true},
		{"a signature that nobody asked for", login, request("recoup", password, "00"), true},
		{"another password", login, request("recoup", password+"x"), false},
		{"another user", login, request("recoup2", password), false},
		{"nobody", login, request("", ""), false},
		{"signed", signed, request("recoup", password, sha256), true},
		{"signed as webhooks were first", signed, request("recoup", password, sha1), true},
		{"not signed", signed, request("recoup", password), false},
		{"another signature", signed, request("recoup", password, sha256[:63]+"0"), false},
		{"half a signature", signed, request("recoup", password, sha256[:32]), false},
		{"two signatures", signed, request("recoup", password, sha256, sha256), false},
		{"signed by somebody else", signed, request("recoup", "x", sha256), false},
	} {
		err := marqeta.Kind.Verify(c.header, []byte(body), c.secret, time.Time{})
		if (err == nil) != c.right {
			t.Errorf("%s: %v", c.name, err)
		}
		if c.secret == signed && marqeta.Kind.Verify(c.header, []byte(body+" "), c.secret, time.Time{}) == nil {
			t.Errorf("%s: another body is right", c.name)
		}
	}
	for _, wrong := range []string{"", "recoup", ":password", "recoup:", "recoup:p\na\nb"} {
		if marqeta.Kind.Secret(wrong) == nil {
			t.Errorf("%q is a secret", wrong)
		}
		if marqeta.Kind.Verify(request("recoup", ""), []byte(body), wrong, time.Time{}) == nil {
			t.Errorf("by the secret %q a request is right", wrong)
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
		of := source.Settings{Name: "marqeta", Account: "card_token"}
		notes := func(string) string { return "1767607200000000000,k15b,credit,4000" }
		once, again := marqeta.Kind.Translate(bytes.Clone(body), of, notes), marqeta.Kind.Translate(body, of, notes)
		if fmt.Sprint(once) != fmt.Sprint(again) {
			t.Fatalf("%v, and then %v", once, again)
		}
		if len(once.Events) == 0 && once.Dead == "" && once.Ignored == "" {
			t.Fatal("nothing follows, and nothing says why")
		}
		for i := range once.Events {
			if e := &once.Events[i]; e.HasAmount && e.Amount <= 0 || e.Source != "marqeta" {
				t.Fatalf("%+v", e)
			}
		}
	})
}
