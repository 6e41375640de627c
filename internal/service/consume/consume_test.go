package consume_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"recoup/event"
	"recoup/internal/kit/broker"
	"recoup/internal/service/consume"
)

// topic is a broker with one batch of messages, and the dead letters.
type topic struct {
	records []broker.Record
	taken   bool
	settled int
	dead    []broker.Message
	refuse  int // how many dead letters are not taken at first
}

func (t *topic) Take(context.Context, int) ([]broker.Record, error) {
	if t.taken {
		return nil, nil
	}
	t.taken = true
	return t.records, nil
}

func (t *topic) Settle(_ context.Context, list []broker.Record) error {
	t.settled += len(list)
	return nil
}

func (t *topic) Publish(_ context.Context, list []broker.Message) []error {
	errs := make([]error, len(list))
	for i, m := range list {
		if t.refuse > 0 {
			t.refuse--
			errs[i] = errors.New("no leader")
			continue
		}
		t.dead = append(t.dead, m)
	}
	return errs
}

func (t *topic) Close() {}

func (t *topic) why() (list []string) {
	for _, m := range t.dead {
		for _, h := range m.Headers {
			if h.Name == "recoup-code" {
				list = append(list, h.Value)
			}
		}
	}
	return list
}

// asked is what a service was asked.
type asked struct {
	path, body string
	header     http.Header
}

// run consumes messages of a topic, with a service that answers each request as it is told.
func run(t *testing.T, in *topic, source string, answers ...func(http.ResponseWriter, string)) (list []asked, counts consume.Counts, err error) {
	t.Helper()
	var mu sync.Mutex
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		if len(answers) == 0 {
			t.Errorf("the service is asked once more: %s", body)
			w.WriteHeader(http.StatusTeapot)
			return
		}
		list = append(list, asked{r.URL.Path, string(body), r.Header})
		answer := answers[0]
		answers = answers[1:]
		answer(w, string(body))
	}))
	defer s.Close()
	counts, err = consume.Run(t.Context(), consume.Options{
		In: in, Dead: in, DeadTopic: "dead", Service: s.URL + "/", Key: "rk_1", Source: source, Batch: 100, UntilIdle: true, Log: slog.New(slog.DiscardHandler),
	})
	if len(answers) > 0 && err == nil {
		t.Errorf("the service is asked %d times less than expected", len(answers))
	}
	return list, counts, err
}

func messages(values ...string) *topic {
	in := new(topic)
	for i, v := range values {
		in.records = append(in.records, broker.Record{Topic: "events", Partition: "3", Place: fmt.Sprint(i), Key: "acct-1", Value: []byte(v)})
	}
	return in
}

// applied answers that the first n events are applied, and then ends with what follows.
func applied(n int, then string) func(http.ResponseWriter, string) {
	return func(w http.ResponseWriter, body string) {
		lines := bufio.NewScanner(strings.NewReader(body))
		for ; n > 0 && lines.Scan(); n-- {
			fmt.Fprintln(w, `{"id":"e","source":"core","account":"a","outcome":"applied","code":null}`)
		}
		io.WriteString(w, then)
	}
}

func fails(status int, code string) func(http.ResponseWriter, string) {
	return func(w http.ResponseWriter, _ string) {
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"code":%q,"detail":"so it is"}`, code)
	}
}

const all = 1 << 20

// What was not answered for is sent again, and nothing else is.
func TestTheRestIsSentAgain(t *testing.T) {
	in := messages(`{"n":1}`, `{"n":2}`, `{"n":3}`)
	list, counts, err := run(t, in, "",
		fails(503, "store_unavailable"),
		applied(1, `{"index":1,"outcome":"failed","code":"store_unavailable","detail":"gone"}`+"\n"),
		applied(1, ""), // the connection ends
		applied(all, ""))
	if err != nil || in.settled != 3 || counts.Outcomes["applied"] != 3 || len(in.dead) != 0 {
		t.Fatalf("%d are settled, counts %+v, %v", in.settled, counts, err)
	}
	for i, want := range []string{"123", "123", "23", "3"} {
		if got := strings.NewReplacer(`{"n":`, "", "}", "", "\n", "").Replace(list[i].body); got != want {
			t.Errorf("request %d has %s, want %s", i, got, want)
		}
	}
	if h := list[0].header; h.Get("Authorization") != "Bearer rk_1" || h.Get("Content-Type") != "application/x-ndjson" || list[0].path != "/v1/events" {
		t.Errorf("requests have %v", h)
	}
}

// A person is needed: nothing is settled, and nothing is a dead letter.
func TestAWrongKeyEndsIt(t *testing.T) {
	for _, code := range []string{"unauthenticated", "scope_missing"} {
		for _, source := range []string{"", "stripe"} {
			in := messages(`{}`)
			_, _, err := run(t, in, source, fails(403, code))
			if err == nil || in.settled != 0 || len(in.dead) != 0 {
				t.Errorf("%s: %d are settled, %d dead, %v", code, in.settled, len(in.dead), err)
			}
		}
	}
}

// Which messages go to the dead letters, and what the ledger has an answer to.
func TestWhatIsPoison(t *testing.T) {
	line := func(text string) func(http.ResponseWriter, string) {
		return func(w http.ResponseWriter, _ string) { fmt.Fprintln(w, text) }
	}
	for _, c := range []struct {
		name, value string
		answers     []func(http.ResponseWriter, string)
		code        string // "": it is none
	}{
		{"no JSON, in lines", "not\njson", nil, "malformed"},
		{"empty", "", nil, "malformed"},
		{"too long", strings.Repeat(" ", event.MaxLine+1), nil, "malformed"},
		{"no event", "{}", []func(http.ResponseWriter, string){line(`{"index":0,"outcome":"rejected","code":"malformed","detail":"id: missing"}`)}, "malformed"},
		{"refused before the ledger", "{}", []func(http.ResponseWriter, string){line(`{"id":"e","outcome":"rejected","code":"source_refused","detail":"x"}`)}, "source_refused"},
		{"of which the ledger has nothing", "{}", []func(http.ResponseWriter, string){line(`{"id":"e","outcome":"rejected","code":"currency_mismatch"}`)}, "currency_mismatch"},
		{"an id that was used", "{}", []func(http.ResponseWriter, string){line(`{"id":"e","outcome":"rejected","code":"id_reused"}`)}, "id_reused"},
		{"a denied redemption", "{}", []func(http.ResponseWriter, string){line(`{"id":"e","outcome":"rejected","code":"insufficient_balance"}`)}, ""},
		{"kept apart", "{}", []func(http.ResponseWriter, string){line(`{"id":"e","outcome":"quarantined","code":"card_number","detail":"x"}`)}, ""},
		{"a duplicate", "{}", []func(http.ResponseWriter, string){line(`{"id":"e","outcome":"duplicate","code":null}`)}, ""},
		{"of a damaged account", "{}", []func(http.ResponseWriter, string){line(`{"id":"e","outcome":"failed","code":"account_damaged","detail":"x"}`)}, "account_damaged"},
		{"of a locked account, for a while", "{}", []func(http.ResponseWriter, string){line(`{"id":"e","outcome":"failed","code":"account_locked","detail":"x"}`), applied(1, "")}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			in := messages(c.value)
			in.refuse = 1
			_, counts, err := run(t, in, "", c.answers...)
			var want []string
			if c.code != "" {
				want = []string{c.code}
			}
			if err != nil || in.settled != 1 || !slices.Equal(in.why(), want) || counts.Dead != int64(len(want)) {
				t.Errorf("dead letters are %v, want %v; %d are settled, %+v, %v", in.why(), want, in.settled, counts, err)
			}
			if len(in.dead) == 1 && (string(in.dead[0].Value) != c.value || in.dead[0].Key != "acct-1") {
				t.Errorf("the dead letter is %q of %q", in.dead[0].Value, in.dead[0].Key)
			}
		})
	}
}

// Events come in structured mode, over several lines too, and in both binary modes.
func TestFormsOfEvents(t *testing.T) {
	in := messages("{\n  \"id\": \"e1\",\r\n \"data\": {} }", `{"transaction":"t"}`, "")
	in.records[1].Headers = []broker.Header{{Name: "ce_id", Value: "e2"}, {Name: "ce_type", Value: `a"b`}, {Name: "content-type", Value: "application/json"}}
	in.records[2].Headers = []broker.Header{{Name: "Ce-Id", Value: "e3"}}
	list, _, err := run(t, in, "", applied(all, ""))
	want := `{"id":"e1","data":{}}` + "\n" + `{"id":"e2","type":"a\"b","data":{"transaction":"t"}}` + "\n" + `{"id":"e3","data":{}}` + "\n"
	if err != nil || list[0].body != want {
		t.Errorf("the service is sent\n%s, %v", list[0].body, err)
	}
}

// Webhooks are handed on as they are, with their headers; those of a partition in order.
func TestWebhooksAsTheyCame(t *testing.T) {
	in := messages("a\n1", "b", "c", "d")
	in.records[0].Headers = []broker.Header{{Name: "webhook-id", Value: "msg_1"}, {Name: "Authorization", Value: "Basic x"}, {Name: "Content-Length", Value: "99"}, {Name: "bad name", Value: "x"}, {Name: "bad", Value: "x\r\ny: z"}, {Name: "recoup-code", Value: "x"}}
	receipt := func(listed bool) func(http.ResponseWriter, string) {
		return func(w http.ResponseWriter, _ string) { fmt.Fprintf(w, `{"events":1,"listed":%v}`, listed) }
	}
	list, counts, err := run(t, in, "lithic", fails(503, "overloaded"), receipt(false), receipt(true), fails(401, "unsigned"), receipt(false))
	var bodies []string
	for _, a := range list {
		bodies = append(bodies, a.body)
	}
	if want := []string{"a\n1", "a\n1", "b", "c", "d"}; err != nil || !slices.Equal(bodies, want) || list[0].path != "/v1/sources/lithic" {
		t.Errorf("the service is sent %q, %v", bodies, err)
	}
	if h := list[0].header; h.Get("Webhook-Id") != "msg_1" || h.Get("Authorization") != "Bearer rk_1" || h.Get("Bad") != "" || h.Get("Recoup-Code") != "" || h.Get("Content-Length") != "3" {
		t.Errorf("it is sent the headers %v", h)
	}
	if counts.Outcomes["received"] != 2 || counts.Outcomes["listed"] != 1 || !slices.Equal(in.why(), []string{"unsigned"}) || in.settled != 4 {
		t.Errorf("%+v, dead letters %v, %d are settled", counts, in.why(), in.settled)
	}
}
