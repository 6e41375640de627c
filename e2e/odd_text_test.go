package e2e_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestTextThatIsNone asks for what cannot be called as the request says. That is nobody's
// failure but the sender's, on whichever database.
func TestTextThatIsNone(t *testing.T) {
	onEachStore(t, func(t *testing.T, db string) {
		s := serve(t, db, "--log-level=error")
		c := s.client(t)
		c.open(t, "a")
		redemption := []byte(`{"amount":1,"currency":"USD"}`)
		for _, odd := range []string{"%00", "a%00", "%ff", "a%c3", "%ed%a0%80"} {
			for _, path := range []string{"/v1/accounts/X", "/v1/accounts/X/entries", "/v1/accounts/X/transactions", "/v1/accounts/X/statements", "/v1/accounts/a/transactions/X", "/v1/programs/X", "/console/X", "/X"} {
				path = strings.Replace(path, "X", odd, 1)
				if status, body, _ := c.ask("GET", path, "", nil, nil); status != 404 {
					t.Errorf("GET %s: %d %s", path, status, body)
				}
			}
			if status, body, _ := c.ask("POST", "/v1/accounts/"+odd+"/redemptions", "application/json", http.Header{"Idempotency-Key": {"12345678"}}, redemption); status != 404 {
				t.Errorf("a redemption of %s: %d %s", odd, status, body)
			}
			for _, path := range []string{"/v1/reviews?account=X", "/v1/reviews?X=1", "/v1/accounts/a?at=X", "/v1/accounts/a/entries?cursor=X"} {
				path = strings.Replace(path, "X", odd, 1)
				if status, body, _ := c.ask("GET", path, "", nil, nil); status != 400 {
					t.Errorf("GET %s: %d %s", path, status, body)
				}
			}
			for _, path := range []string{"/console/search?q=X", "/console/account?id=X", "/console/transaction?account=X&id=X", "/console/adjustments/new?account=X"} {
				path = strings.ReplaceAll(path, "X", odd)
				if status, body, _ := c.ask("GET", path, "", nil, nil); status >= 500 {
					t.Errorf("GET %s: %d %s", path, status, body)
				}
			}
		}
		for _, name := range []string{"Idempotency-Key", "Authorization"} {
			if status, body, _ := c.ask("POST", "/v1/accounts/a/redemptions", "application/json", http.Header{name: {"12345678\xff"}}, redemption); status != 400 {
				t.Errorf("%s that is not UTF-8: %d %s", name, status, body)
			}
		}
		if said := s.said.String(); strings.Contains(said, `"ERROR"`) {
			t.Errorf("the log has errors:\n%s", said)
		}
	})
}
