package adyen_test

import (
	"net/http"
	"testing"
	"time"

	"recoup/source/adyen"
)

// TestSignatures: this one was computed elsewhere, with openssl.
func TestSignatures(t *testing.T) {
	const body, key, signature = `{"type":"made"}`, "3a5c3a5c3a5c3a5c3a5c3a5c3a5c3a5c3a5c3a5c3a5c3a5c3a5c3a5c3a5c3a5c", "hP82y8FtCZMadLCTV1/B660wGIHIdvOtj8phAj4YzLQ="
	for _, c := range []struct {
		name, body, key string
		signatures      []string
		right           bool
	}{
		{"as it is", body, key, []string{signature}, true},
		{"another body", body + " ", key, []string{signature}, false},
		{"another key", body, "00" + key[2:], []string{signature}, false},
		{"none", body, key, nil, false},
		{"two", body, key, []string{signature, signature}, false},
		{"no base64", body, key, []string{"-"}, false},
		{"a key that is none", body, "", []string{signature}, false},
	} {
		header := http.Header{}
		for _, s := range c.signatures {
			header.Add("HmacSignature", s)
		}
		if err := adyen.Kind.Verify(header, []byte(c.body), c.key, time.Time{}); (err == nil) != c.right {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for _, wrong := range []string{"", "not hexadecimal", "00ff"} {
		if adyen.Kind.Secret(wrong) == nil {
			t.Errorf("%q is a key", wrong)
		}
	}
}
