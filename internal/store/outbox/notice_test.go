package outbox_test

import (
	"slices"
	"testing"

	"github.com/go-json-experiment/json"

	"recoup/internal/store/outbox"
	"recoup/internal/store/record"
)

// A notice goes to the endpoints that want its type and are not disabled, with its body
// byte for byte: receivers know it again by an id that is made of it.
func TestWhoIsWritten(t *testing.T) {
	endpoints := []outbox.Endpoint{
		{ID: "all"},
		{ID: "other", Types: []string{"review.opened"}},
		{ID: "same", Types: []string{"balance.negative", "reward.posted"}},
		{ID: "disabled", Disabled: 1},
	}
	body := `{"type":"reward.posted","data":{"account":"é <&> \u0001","amount":12345678901234567890}}`
	earlier := []record.Record{{Table: "t", Key: "k"}}
	list, err := outbox.Write(earlier, endpoints, outbox.Notice{
		Event: 7, Place: 2, Account: "a1", Type: "reward.posted", Created: 1000, Body: []byte(body),
	})
	if err != nil || len(list) != 3 || list[0].Table != "t" {
		t.Fatalf("written are %v, %v", list, err)
	}
	for i, endpoint := range []string{"all", "same"} {
		r := list[i+1]
		var d outbox.Delivery
		if err := json.Unmarshal(r.Value, &d); err != nil {
			t.Fatal(err)
		}
		if r.Table != string(outbox.Deliveries) || r.Key != record.Key(endpoint, int64(1000), int64(7), int64(2)) || r.Key != d.Key() {
			t.Errorf("the delivery to %s lies under %q in %s", endpoint, r.Key, r.Table)
		}
		if string(d.Body) != body || d.Account != "a1" || d.Type != "reward.posted" || d.Created != 1000 || d.Attempts != 0 {
			t.Errorf("the delivery to %s is %+v", endpoint, d)
		}
	}
	if _, err := outbox.Write(nil, endpoints, outbox.Notice{Type: "reward.posted", Body: []byte("{")}); err == nil {
		t.Error("a body that is no JSON was written")
	}
}

// The journal goes to those who name it alone, and not into the feed.
func TestTheJournalIsForThoseWhoNameIt(t *testing.T) {
	a := outbox.Audience{Endpoints: []outbox.Endpoint{{ID: "all"}, {ID: "other", Types: []string{"reward.posted"}}}, Feed: outbox.Feed{Since: 1, Keep: 1}}
	n := outbox.Notice{Event: 7, Account: "a1", Sequence: 1, Type: outbox.JournalPosted, Body: []byte("{}")}
	if list, err := a.Write(nil, n); err != nil || len(list) != 0 || a.Wants(n.Type) {
		t.Errorf("written are %v, %v", list, err)
	}
	a.Endpoints = append(a.Endpoints, outbox.Endpoint{ID: "named", Types: []string{outbox.JournalPosted}})
	if list, err := a.Write(nil, n); err != nil || len(list) != 1 || !a.Wants(n.Type) {
		t.Errorf("written are %v, %v", list, err)
	}
}

func TestWhatIsDue(t *testing.T) {
	var keys []string
	for _, d := range []outbox.Delivery{{Endpoint: "a", Next: 99, Event: 9}, {Endpoint: "a", Next: 100, Event: 1}, {Endpoint: "a", Next: 101}, {Endpoint: "ab", Next: 1}} {
		keys = append(keys, d.Key())
	}
	s := outbox.DueAt("a", 100)
	due := func(key string) bool { return s.From <= key && (s.Before == "" || key < s.Before) }
	if !due(keys[0]) || !due(keys[1]) || slices.ContainsFunc(keys[2:], due) {
		t.Errorf("the span %+v does not select the first two of %q", s, keys)
	}
}
