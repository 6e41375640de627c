package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stripe/stripe-go/v85/webhook"
)

// mockSecret signs what is posted as Stripe's.
const mockSecret = "whsec_made_for_the_mock"

// stripeMock starts the server with which Stripe has clients of its API tested: it answers
// with the examples of Stripe's own OpenAPI document.
func stripeMock(t *testing.T) (address string) {
	t.Helper()
	build := exec.Command("go", "tool", "-n", "-modfile=../tools/go.mod", "stripe-mock")
	build.Stderr = os.Stderr
	program, err := build.Output()
	if err != nil {
		t.Fatalf("stripe-mock, a module of tools/go.mod, is not to be had: %v", err)
	}
	address = freeAddress(t)
	start(t, strings.TrimSpace(string(program)), []string{"-http-addr", address, "-https-addr", freeAddress(t)})
	return address
}

// fixture is an object as the mock answers with it.
type fixture map[string]any

// with is the fixture with other members.
func (f fixture) with(members fixture) fixture {
	changed := maps.Clone(f)
	maps.Copy(changed, members)
	return changed
}

// ofMock asks the mock for an object.
func ofMock(t *testing.T, address, method, path string, form url.Values) fixture {
	t.Helper()
	target, body := "http://"+address+path, form.Encode()
	if method == http.MethodGet {
		target, body = target+"?"+body, ""
	}
	r, err := http.NewRequest(method, target, strings.NewReader(body))
	noError(t, err)
	r.SetBasicAuth("sk_test_made", "")
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	var object fixture
	eventually(t, "the mock answers", func() error {
		r.Body = io.NopCloser(strings.NewReader(body))
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		read := json.NewDecoder(response.Body)
		read.UseNumber()
		if err := read.Decode(&object); err != nil {
			return err
		}
		if response.StatusCode != http.StatusOK {
			t.Fatalf("%s %s: %d %v", method, path, response.StatusCode, object)
		}
		return nil
	})
	return object
}

// stripeSender posts objects as Stripe's webhooks, signed by Stripe's own library.
type stripeSender struct {
	url  string
	sent int
}

// post wraps an object as an event of a type, has Stripe's library read it as a receiver
// would, and says what became of it: how many events, or "listed".
func (s *stripeSender) post(t *testing.T, kind string, object fixture) string {
	t.Helper()
	s.sent++
	body, err := json.Marshal(map[string]any{
		"id": fmt.Sprint("evt_mock_", s.sent), "object": "event", "api_version": "2026-08-26.dahlia", "livemode": false, "pending_webhooks": 1, "request": nil,
		"created": 1767607200 + s.sent, "type": kind, "data": map[string]any{"object": object},
	})
	noError(t, err)
	signed := webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: body, Secret: mockSecret, Timestamp: time.Now()})
	if _, err := webhook.ConstructEventWithOptions(body, signed.Header, mockSecret, webhook.ConstructEventOptions{IgnoreAPIVersionMismatch: true}); err != nil {
		t.Fatalf("Stripe's library does not read it: %v", err)
	}
	r, err := http.NewRequest(http.MethodPost, s.url+"/v1/sources/stripe", bytes.NewReader(body))
	noError(t, err)
	r.Header.Set("Stripe-Signature", signed.Header)
	response, err := http.DefaultClient.Do(r)
	noError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	noError(t, err)
	if response.StatusCode != http.StatusOK {
		t.Fatalf("%s is answered with %d %s", kind, response.StatusCode, text)
	}
	var receipt struct {
		Events int
		Listed bool
	}
	noError(t, json.Unmarshal(text, &receipt))
	if receipt.Listed {
		return "listed"
	}
	return fmt.Sprint(receipt.Events)
}

// balanceOf is what an account has.
func (s *stripeSender) balanceOf(t *testing.T, account string) int64 {
	t.Helper()
	var is struct{ Balance int64 }
	noError(t, newClient(s.url).get("/v1/accounts/"+account, &is))
	return is.Balance
}

// overStripe starts a service that takes Stripe's webhooks.
func overStripe(t *testing.T) *stripeSender {
	t.Helper()
	folder := t.TempDir()
	secret, sources := filepath.Join(folder, "secret"), filepath.Join(folder, "sources.yaml")
	noError(t, os.WriteFile(secret, []byte(mockSecret), 0o600))
	noError(t, os.WriteFile(sources, []byte("sources: [{name: stripe, kind: stripe, secret: {file: "+secret+"}}]"), 0o600))
	return &stripeSender{url: serveAs(t, "--dev", "--db", filepath.Join(folder, "data"), "--sources", sources, untimely).url}
}

// Types of Stripe's events, in the order in which mockAnswers has what becomes of them.
var (
	ofAuthorizations = []string{"issuing_authorization.created", "issuing_authorization.updated", "issuing_authorization.request"}
	ofTransactions   = []string{"issuing_transaction.created", "issuing_transaction.updated", "issuing_transaction.purchase_details_receipt_updated"}
	ofDisputes       = []string{"issuing_dispute.created", "issuing_dispute.submitted", "issuing_dispute.updated", "issuing_dispute.closed", "issuing_dispute.funds_reinstated", "issuing_dispute.funds_rescinded"}
)

// mockAnswers are the operations that answer with an object that webhooks have, and what
// becomes of it under each type: how many events, or that it is listed. The mock makes no
// objects of its own: its example of an authorisation holds nothing, that of a transaction is a
// capture of one dollar, and that of a dispute is not submitted. Some operations put what they
// are asked into it, which makes a capture above zero: Stripe has none.
var mockAnswers = []struct {
	method, path, form string
	types              []string
	become             string
}{
	{"GET", "/v1/issuing/authorizations/iauth_1", "", ofAuthorizations, "0 0 0"},
	{"GET", "/v1/issuing/authorizations/iauth_1", "expand[]=cardholder&expand[]=card", ofAuthorizations, "0 0 0"},
	{"POST", "/v1/issuing/authorizations/iauth_1", "metadata[order]=1", ofAuthorizations, "0 0 0"},
	{"POST", "/v1/issuing/authorizations/iauth_1/approve", "", ofAuthorizations, "0 0 0"},
	{"POST", "/v1/issuing/authorizations/iauth_1/decline", "", ofAuthorizations, "0 0 0"},
	{"POST", "/v1/test_helpers/issuing/authorizations", "card=ic_1&amount=9000", ofAuthorizations, "1 1 0"},
	{"POST", "/v1/test_helpers/issuing/authorizations/iauth_1/capture", "", ofAuthorizations, "0 0 0"},
	{"POST", "/v1/test_helpers/issuing/authorizations/iauth_1/expire", "", ofAuthorizations, "0 0 0"},
	{"POST", "/v1/test_helpers/issuing/authorizations/iauth_1/finalize_amount", "final_amount=9000", ofAuthorizations, "0 0 0"},
	{"POST", "/v1/test_helpers/issuing/authorizations/iauth_1/increment", "increment_amount=9000", ofAuthorizations, "0 0 0"},
	{"POST", "/v1/test_helpers/issuing/authorizations/iauth_1/reverse", "reverse_amount=9000", ofAuthorizations, "0 0 0"},
	{"GET", "/v1/issuing/transactions/ipi_1", "", ofTransactions, "1 1 0"},
	{"GET", "/v1/issuing/transactions/ipi_1", "expand[]=cardholder&expand[]=card&expand[]=authorization&expand[]=dispute", ofTransactions, "1 1 0"},
	{"POST", "/v1/issuing/transactions/ipi_1", "metadata[order]=1", ofTransactions, "1 1 0"},
	{"POST", "/v1/test_helpers/issuing/transactions/ipi_1/refund", "refund_amount=9000", ofTransactions, "1 1 0"},
	{"POST", "/v1/test_helpers/issuing/transactions/create_force_capture", "card=ic_1&amount=9000", ofTransactions, "listed listed 0"},
	{"POST", "/v1/test_helpers/issuing/transactions/create_unlinked_refund", "card=ic_1&amount=9000", ofTransactions, "listed listed 0"},
	{"POST", "/v1/issuing/disputes", "transaction=ipi_1&amount=100", ofDisputes, "0 0 0 listed 1 1"},
	{"GET", "/v1/issuing/disputes/idp_1", "", ofDisputes, "0 0 0 listed listed listed"},
	{"GET", "/v1/issuing/disputes/idp_1", "expand[]=transaction", ofDisputes, "0 0 0 listed listed listed"},
	{"POST", "/v1/issuing/disputes/idp_1", "metadata[order]=1", ofDisputes, "0 0 0 listed listed listed"},
	{"POST", "/v1/issuing/disputes/idp_1/submit", "", ofDisputes, "0 0 0 listed listed listed"},
}

// mockReasons are why those are listed.
var mockReasons = []string{
	"amount: expected that of a capture below zero",
	"no capture has come of the transaction that is disputed, and it alone says whose it is",
	"status: expected won, lost or expired",
}

// TestTheObjectsOfStripesMock: the examples of Stripe's own OpenAPI document, as stripe-mock
// answers with them, come as webhooks that Stripe's library has signed. Each is understood or
// listed with a reason, under every type of event; and a course of a purchase made of them
// ends with what it earns.
func TestTheObjectsOfStripesMock(t *testing.T) {
	t.Parallel()
	mock := stripeMock(t)
	t.Run("every object", func(t *testing.T) {
		sender := overStripe(t)
		for _, a := range mockAnswers {
			form, err := url.ParseQuery(a.form)
			noError(t, err)
			object := ofMock(t, mock, a.method, a.path, form)
			var become []string
			for _, kind := range a.types {
				become = append(become, sender.post(t, kind, object))
			}
			if got := strings.Join(become, " "); got != a.become {
				t.Errorf("%s %s %s becomes %q, want %q: %v", a.method, a.path, a.form, got, a.become, object)
			}
		}
		var dead struct{ Webhooks []struct{ Why string } }
		noError(t, newClient(sender.url).get("/v1/sources/dead?limit=100", &dead))
		var why []string
		for _, w := range dead.Webhooks {
			why = append(why, w.Why)
		}
		slices.Sort(why)
		if why = slices.Compact(why); !slices.Equal(why, mockReasons) {
			t.Errorf("listed for %q, want %q", why, mockReasons)
		}
	})
	t.Run("a course", func(t *testing.T) {
		sender := overStripe(t)
		hold := ofMock(t, mock, "POST", "/v1/test_helpers/issuing/authorizations", url.Values{"card": {"ic_1"}, "amount": {"9000"}})
		example := ofMock(t, mock, "GET", "/v1/issuing/transactions/ipi_1", nil)
		capture := example.with(fixture{"id": "ipi_bought", "amount": -9000, "merchant_amount": -9000, "authorization": hold["id"]})
		refund := example.with(fixture{"id": "ipi_back", "type": "refund", "amount": 4000, "merchant_amount": 4000, "authorization": hold["id"]})
		dispute := ofMock(t, mock, "POST", "/v1/issuing/disputes", url.Values{"transaction": {"ipi_bought"}, "amount": {"5000"}})
		account := fmt.Sprint(capture["cardholder"])
		for _, step := range []struct {
			kind    string
			object  fixture
			balance int64
		}{
			{"issuing_authorization.created", hold, 0},
			{"issuing_transaction.created", capture, 90}, // 1 % of $90.00 in a taxi
			{"issuing_transaction.updated", capture, 90},
			{"issuing_transaction.created", refund, 50},
			{"issuing_dispute.created", dispute, 50},
			{"issuing_dispute.funds_reinstated", dispute.with(fixture{"status": "submitted"}), 0},
			{"issuing_dispute.closed", dispute.with(fixture{"status": "lost"}), 50},
			{"issuing_authorization.updated", hold.with(fixture{"status": "closed", "amount": 0}), 50},
		} {
			if got := sender.post(t, step.kind, step.object); got == "listed" {
				t.Fatalf("%s is listed", step.kind)
			}
			if got := sender.balanceOf(t, account); got != step.balance {
				t.Fatalf("the balance after %s is %d, want %d", step.kind, got, step.balance)
			}
		}
	})
}
