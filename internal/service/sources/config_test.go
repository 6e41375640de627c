package sources_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recoup/internal/service/sources"
)

// TestAFileOfSourcesSaysWhatIsWrongWithIt: file, line and member, and never the secret.
func TestAFileOfSourcesSaysWhatIsWrongWithIt(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("SECRET", "whsec_bWFkZSBmb3IgdGVzdHMgb25seSwgMjQrIGJ5dGVz\n")
	t.Setenv("KEY", "sk_test_of_the_api")
	t.Setenv("LOGIN", "recoup:Passw0rd-made\nsecret-of-signatures\n")
	t.Setenv("HMAC", "00112233445566778899aabbccddeeff")
	t.Setenv("KEYS", "https://recoup.test/v1/sources/f\nkey-made\nanother")
	t.Setenv("NOTHING", " ")
	for text, want := range map[string]string{
		"sources: [{name: stripe, kind: stripe, secret: {env: SECRET}}]":                          "",
		"sources: [{name: s, kind: stripe, secret: {env: SECRET}, account: metadata.customer}]":   "",
		"sources: [{name: l, kind: lithic, secret: {env: SECRET}, account: card_token}]":          "",
		"sources: [{name: m, kind: marqeta, secret: {env: LOGIN}, account: card_token}]":          "",
		"sources: [{name: m, kind: marqeta, secret: {env: KEY}}]":                                 "secret: expected USER:PASSWORD",
		"sources: [{name: a, kind: adyen, secret: {env: HMAC}, account: balanceAccount}]":         "",
		"sources: [{name: a, kind: adyen, secret: {env: KEY}}]":                                   "secret: expected the HMAC key",
		"sources: [{name: f, kind: fidel, secret: {env: KEYS}, account: card.metadata.customer}]": "",
		"sources: [{name: f, kind: fidel, secret: {env: KEY}}]":                                   "secret: expected the address",
		"sources: []": "",
		"":            "expected",
		"sources: [{name: Stripe, kind: stripe, secret: {env: SECRET}}]":                                               "sources.yaml:1: sources[0].name: expected lower-case letters",
		"sources: [{name: stripe, kind: acme, secret: {env: SECRET}}]":                                                 "sources[0].kind: expected the processor: one of stripe, lithic",
		"sources: [{name: stripe, kind: stripe, secret: whsec_x}]":                                                     "sources[0].secret: expected",
		"sources: [{name: stripe, kind: stripe, secret: {}}]":                                                          "sources[0].secret: expected either env or file",
		"sources: [{name: stripe, kind: stripe, secret: {env: SECRET, file: f}}]":                                      "sources[0].secret: expected either env or file",
		"sources: [{name: stripe, kind: stripe, secret: {env: NOTHING}}]":                                              "there is no secret in the environment variable NOTHING",
		"sources: [{name: stripe, kind: stripe, secret: {env: KEY}}]":                                                  "secret: expected the signing secret of a webhook endpoint",
		"sources: [{name: l, kind: lithic, secret: {env: KEY}}]":                                                       "secret: the secret of a webhook endpoint is",
		"sources: [{name: stripe, kind: stripe, secret: {file: " + filepath.Join(folder, "none") + "}}]":               "no such file",
		"sources: [{name: stripe, kind: stripe, secret: {env: SECRET}, account: customer}]":                            "sources[0].account: expected one of cardholder, card, or metadata.NAME",
		"sources: [{name: stripe, kind: stripe, secret: {env: SECRET}, account: metadata.}]":                           "sources[0].account: expected one of",
		"sources:\n- {name: a, kind: stripe, secret: {env: SECRET}}\n- {name: a, kind: lithic, secret: {env: SECRET}}": "sources.yaml:3: sources[1]: expected a name of its own",
		"sources: [{name: stripe, kind: stripe, secret: {env: SECRET}, accounts: card}]":                               "unknown",
		"sources: [{kind: stripe, secret: {env: SECRET}}]":                                                             "name",
	} {
		file := filepath.Join(folder, "sources.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := sources.ReadFile(file)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s\n%v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s\nexpected %q, found %v", text, want, err)
		case err != nil && (strings.Contains(err.Error(), "sk_test") || strings.Contains(err.Error(), "bWFkZSBm")):
			t.Errorf("the secret is in %v", err)
		}
	}
}
