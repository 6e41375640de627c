package server_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recoup/internal/service/server"
	"recoup/internal/service/sources"
	"recoup/internal/store/pebble/pebbletest"
	"recoup/internal/store/record"
	"recoup/internal/store/seal"
	"recoup/reward"
)

const stripeSecret = "whsec_made_for_tests"

// processor is a service that takes webhooks of Stripe.
type processor struct {
	*service
	sources *sources.Sources
	records record.Store
	secrets *seal.Keys
	broken  error // of applying events, if any
}

func newProcessor(t *testing.T, more ...func(*server.Options)) *processor {
	t.Helper()
	t.Setenv("STRIPE_SECRET", stripeSecret)
	file := filepath.Join(t.TempDir(), "sources.yaml")
	if err := os.WriteFile(file, []byte("sources:\n  - {name: stripe, kind: stripe, secret: {env: STRIPE_SECRET}, account: cardholder}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := sources.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := seal.Parse(seal.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	db := pebbletest.Open(t)
	t.Cleanup(func() { db.Close() })
	p := &processor{records: db, secrets: keys}
	p.service = newService(t, func(o *server.Options) {
		p.sources = sources.New(sources.Options{Records: db, Secrets: keys, List: list, Now: o.Now, Apply: func(ctx context.Context, name string, events []reward.Event) ([]string, error) {
			if p.broken != nil {
				return nil, p.broken
			}
			return p.ApplyFrom(ctx, name, events)
		}})
		o.Sources = p.sources
		for _, change := range more {
			change(o)
		}
	})
	return p
}

// post posts a body as Stripe does, at the service's time.
func (p *processor) post(body string) *answer {
	p.Helper()
	return p.call("", "POST", "/v1/sources/stripe", "application/json; charset=utf-8", body, "Stripe-Signature", p.signed(body, stripeSecret))
}

func (p *processor) signed(body, secret string) string {
	at := fmt.Sprint(p.clock.read().Unix())
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(at + "." + body))
	return "t=" + at + ",v1=" + hex.EncodeToString(h.Sum(nil))
}

// balance expects a balance of the cardholder of the tests.
func (p *processor) balance(want string) {
	p.Helper()
	p.get("/v1/accounts/ich_1").status200().has("balance", want)
}

// dead expects the list of what could not be mapped to have so many webhooks.
func (p *processor) dead(want int) (list server.DeadWebhookList) {
	p.Helper()
	p.call("operate", "GET", "/v1/sources/dead", "", "").status200().read(&list)
	if len(list.Webhooks) != want {
		p.Fatalf("%d webhooks are on the list, want %d: %v", len(list.Webhooks), want, list.Webhooks)
	}
	return list
}

const moment = 1768900000 // 20 January 2026, a little before the service's clock

func stripeEvent(id, kind, object string) string {
	return fmt.Sprintf(`{"id":%q,"type":%q,"created":%d,"data":{"object":%s}}`, id, kind, moment, object)
}

func stripeTransaction(event, id, kind string, amount int64) string {
	return stripeEvent(event, "issuing_transaction.created", fmt.Sprintf(`{"id":%q,"amount":%d,"currency":"usd","card":"ic_1","cardholder":"ich_1","created":%d,"type":%q,"merchant_data":{"category_code":"5411","network_id":"411111111111111"}}`, id, amount, moment-100, kind))
}

func stripeDispute(event, what string) string {
	return stripeEvent(event, "issuing_dispute."+what, `{"id":"idp_1","transaction":"ipi_1","amount":10000,"currency":"usd","status":"submitted"}`)
}

// TestAWebhookGoesInAsItIs: a purchase, its refund, each again, and a shop whose number
// looks like a card's.
func TestAWebhookGoesInAsItIs(t *testing.T) {
	p := newProcessor(t)
	bought, returned := stripeTransaction("evt_1", "ipi_1", "capture", -10000), stripeTransaction("evt_2", "ipi_2", "refund", 4000)
	shop := strings.Replace(stripeTransaction("evt_3", "ipi_3", "capture", -2000), "411111111111111", "4111111111111111", 1)
	for range 2 {
		p.post(bought).status200().has("events", "1", "listed", "false")
	}
	p.balance("500")
	for range 2 {
		p.post(returned).status200().has("events", "1", "listed", "false")
	}
	p.balance("300")
	p.post(shop).status200().has("listed", "false")
	p.balance("400")
	p.post(stripeEvent("evt_4", "issuing_card.created", `{"id":"ic_1"}`)).status200().has("events", "0", "listed", "false")
	p.dead(0)
}

// TestWhoDoesNotSignIsNotToldWhy: nothing of what is wrong with a signature is told, and
// nothing is kept of the request.
func TestWhoDoesNotSignIsNotToldWhy(t *testing.T) {
	p := newProcessor(t)
	body := stripeTransaction("evt_1", "ipi_1", "capture", -10000)
	old := p.signed(body, stripeSecret)
	var said string
	for name, signature := range map[string]string{
		"none": "", "no form": "v1", "another secret": p.signed(body, "whsec_other"), "another body": p.signed(body+" ", stripeSecret),
		"a time twice": old + ",t=1", "only the old scheme": strings.Replace(old, "v1=", "v0=", 1),
	} {
		a := p.in(t).call("", "POST", "/v1/sources/stripe", "application/json", body, "Stripe-Signature", signature).fails(401, "unsigned")
		if said != "" && a.body != said {
			t.Errorf("%s: %s, and otherwise %s", name, a.body, said)
		}
		said = a.body
	}
	p.clock.pass(301 * time.Second)
	p.call("", "POST", "/v1/sources/stripe", "application/json", body, "Stripe-Signature", old).fails(401, "unsigned")
	p.call("", "POST", "/v1/sources/marqeta", "application/json", body, "Stripe-Signature", p.signed(body, stripeSecret)).fails(404, "not_found")
	p.get("/v1/accounts/ich_1").is(404)
	p.post(`{"id":"`+strings.Repeat("x", 1<<20)+`"}`).fails(413, "body_too_large")
	p.call("read", "GET", "/v1/sources/dead", "", "").fails(403, "scope_missing")
}

// TestADisputeWaitsForItsPurchase: it does not say whose it is, and is taken once the
// purchase has come.
func TestADisputeWaitsForItsPurchase(t *testing.T) {
	p := newProcessor(t)
	p.post(stripeDispute("evt_2", "funds_reinstated")).status200().has("events", "0", "listed", "true")
	if l := p.dead(1); !l.Webhooks[0].Waits || l.Webhooks[0].Due {
		t.Errorf("it is listed as %+v", l.Webhooks[0])
	}
	p.post(stripeTransaction("evt_1", "ipi_1", "capture", -10000)).status200()
	p.balance("500")
	p.broken = errors.New("the database is gone")
	if err := p.sources.TakeDue(t.Context()); !errors.Is(err, p.broken) {
		t.Errorf("taken again with %v", err)
	}
	p.broken = nil
	if err := p.sources.TakeDue(t.Context()); err != nil {
		t.Error(err)
	}
	p.balance("0")
	p.dead(0)
	p.post(stripeDispute("evt_3", "funds_rescinded")).status200()
	p.balance("500")
}

// TestWhatCannotBeMappedIsNotLost: it is answered with 200, listed, taken again when asked
// for, and dismissed.
func TestWhatCannotBeMappedIsNotLost(t *testing.T) {
	p := newProcessor(t)
	for i, body := range []string{
		`no JSON`, "\xff\x00", `{"id":"evt_1","id":"evt_2"}`, strings.Repeat("[", 40) + strings.Repeat("]", 40),
		stripeEvent("evt_4", "issuing_transaction.corrected", `{}`), stripeTransaction("evt_5", "ipi_5", "capture", 10000),
		strings.Replace(stripeTransaction("evt_6", "ipi_6", "capture", -10000), "ich_1", "4111 1111 1111 1111", 1),
		strings.Replace(stripeTransaction("evt_7", "ipi_7", "capture", -10000), "-10000", "-100.5", 1),
	} {
		p.post(body).status200().has("listed", "true")
		p.post(body).status200().has("listed", "true") // again, it is the same
		p.dead(i + 1)
	}
	list := p.dead(8)
	if err := p.sources.Replay(t.Context(), list.Webhooks[4].Number); err != nil {
		t.Fatal(err)
	}
	if l := p.dead(8); !l.Webhooks[4].Due {
		t.Errorf("it is listed as %+v", l.Webhooks[4])
	}
	if err := p.sources.TakeDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	if l := p.dead(8); l.Webhooks[4].Due {
		t.Errorf("taken again, it is listed as %+v", l.Webhooks[4])
	}
	// They stay for as long as nobody has looked after them, and then go with the others.
	later := p.clock.read().Add(time.Hour)
	if err := p.sources.Expire(t.Context(), later); err != nil {
		t.Fatal(err)
	}
	for _, w := range p.dead(8).Webhooks {
		if err := p.sources.Dismiss(t.Context(), w.Number); err != nil {
			t.Fatal(err)
		}
		if err := p.sources.Replay(t.Context(), w.Number); !errors.Is(err, sources.ErrNotFound) {
			t.Errorf("one that is dismissed is replayed with %v", err)
		}
	}
	p.dead(0)
	if err := p.sources.Expire(t.Context(), later); err != nil {
		t.Fatal(err)
	}
	if n := p.recorded(t, "source_deliveries", "source_numbers", "source_dead", "source_waiting", "source_due"); n != 0 {
		t.Errorf("%d records are left", n)
	}
}

// recorded counts the records of tables.
func (p *processor) recorded(t *testing.T, tables ...string) (n int) {
	t.Helper()
	err := p.records.Read(t.Context(), func(r record.Reader) error {
		for _, table := range tables {
			if err := r.Scan(t.Context(), table, record.Span{}, func(string, []byte) (bool, error) { n++; return true, nil }); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestAFailureIsForTheProcessorToRepeat: where events cannot be applied the answer says so,
// and the same webhook again does all of it.
func TestAFailureIsForTheProcessorToRepeat(t *testing.T) {
	p := newProcessor(t)
	p.broken = errors.New("the database is gone")
	p.post(stripeTransaction("evt_1", "ipi_1", "capture", -10000)).fails(503, "store_unavailable")
	p.broken = nil
	p.post(stripeTransaction("evt_1", "ipi_1", "capture", -10000)).status200()
	p.balance("500")
}

// TestWebhooksOfAnAccountAreForgotten: with the account goes what was kept of it, and
// nothing else.
func TestWebhooksOfAnAccountAreForgotten(t *testing.T) {
	p := newProcessor(t)
	p.post(stripeTransaction("evt_1", "ipi_1", "capture", -10000)).status200()
	other := strings.Replace(stripeTransaction("evt_2", "ipi_2", "capture", -10000), "ich_1", "ich_2", 1)
	p.post(other).status200()
	all := []string{"source_deliveries", "source_numbers", "source_notes"}
	if n := p.recorded(t, all...); n != 6 {
		t.Errorf("%d records are kept, want 6", n)
	}
	if err := sources.Forget(t.Context(), p.records, "ich_1"); err != nil {
		t.Fatal(err)
	}
	if n := p.recorded(t, all...); n != 3 {
		t.Errorf("%d records are left, want 3", n)
	}
}

// TestWebhooksLieSealed: bodies are not in the database as they came, and are sealed anew
// under a new key, after which those that are on the list can still be taken again.
func TestWebhooksLieSealed(t *testing.T) {
	p := newProcessor(t)
	p.post(stripeDispute("evt_2", "funds_reinstated")).status200()
	err := p.records.Read(t.Context(), func(r record.Reader) error {
		return r.Scan(t.Context(), "source_deliveries", record.Span{}, func(_ string, value []byte) (bool, error) {
			var d struct{ Body []byte }
			if err := json.Unmarshal(value, &d); err != nil || !seal.IsSealed(string(d.Body)) {
				t.Errorf("%v: a body is kept as it is: %s", err, value)
			}
			return true, nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	other, err := seal.Parse(seal.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	if n, err := sources.Reseal(t.Context(), p.records, other); n != 0 || !errors.As(err, new(*seal.MissingKeyError)) {
		t.Errorf("without the old key %d are sealed anew, %v", n, err)
	}
	if n, err := sources.Reseal(t.Context(), p.records, p.secrets); n != 0 || err != nil {
		t.Errorf("under the same key %d are sealed anew, %v", n, err)
	}
	counts, err := sources.Keys(t.Context(), p.records)
	if err != nil || counts[p.secrets.ID()] != 1 || len(counts) != 1 {
		t.Errorf("by keys there are %v, %v", counts, err)
	}
}
