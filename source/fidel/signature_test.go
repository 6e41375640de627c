package fidel_test

import (
	"net/http"
	"testing"
	"time"

	"recoup/source/fidel"
)

// TestSignatures: this one was computed elsewhere, with openssl, twice as Fidel has it.
func TestSignatures(t *testing.T) {
	const body, address, key, at, signature = `{"id":"t1"}`, "https://recoup.test/v1/sources/fidel", "made_for_tests_only", "1767607200000", "1v8O4TXxVA1+oQLj0eu5GXf7Z5RqOKwlfmZw3S8+Uxc="
	now := time.UnixMilli(1767607200000)
	for _, c := range []struct {
		name, body, secret, at, signature string
		now                               time.Time
		right                             bool
	}{
		{"as it is", body, address + "\n" + key, at, signature, now, true},
		{"by one key of several", body, address + "\nother\n" + key, at, signature, now, true},
		{"nearly too old", body, address + "\n" + key, at, signature, now.Add(299 * time.Second), true},
		{"too old", body, address + "\n" + key, at, signature, now.Add(301 * time.Second), false},
		{"to come", body, address + "\n" + key, at, signature, now.Add(-301 * time.Second), false},
		{"another time", body, address + "\n" + key, "1767607200001", signature, now, false},
		{"no time", body, address + "\n" + key, "", signature, now, false},
		{"another body", body + " ", address + "\n" + key, at, signature, now, false},
		{"another address", body, address + "2\n" + key, at, signature, now, false},
		{"another key", body, address + "\nother", at, signature, now, false},
		{"no key", body, address, at, signature, now, false},
	} {
		header := http.Header{}
		header.Set("x-fidel-timestamp", c.at)
		header.Set("x-fidel-signature", c.signature)
		if err := fidel.Kind.Verify(header, []byte(c.body), c.secret, c.now); (err == nil) != c.right {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for _, wrong := range []string{"", key, address, "recoup.test\n" + key} {
		if fidel.Kind.Secret(wrong) == nil {
			t.Errorf("%q is a secret", wrong)
		}
	}
}
