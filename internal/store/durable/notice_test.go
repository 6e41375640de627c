package durable

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"recoup/internal/store/outbox"
	"recoup/reward"
)

// A close that posts for many purchases at once makes a notice that receivers
// can take: it shows the first postings and says how many it leaves out.
func TestANoticeShowsAHundredPostingsAtMost(t *testing.T) {
	for _, c := range []struct{ postings, shown int }{{1, 1}, {100, 100}, {101, 100}, {5000, 100}} {
		u := eventNotice{Event: &reward.Event{Account: "a1", Type: reward.CycleClosed}, Postings: make([]reward.Posting, c.postings)}
		for i := range u.Postings {
			u.Postings[i] = reward.Posting{Number: int64(i + 1), Kind: reward.Grant, Amount: 1}
		}
		list := must(noticesOf(&u))
		if len(list) != 1 || list[0].Type != outbox.RewardPosted || list[0].Account != "a1" {
			t.Fatalf("%d postings make %d notices", c.postings, len(list))
		}
		var body struct {
			Data struct {
				Postings []struct{ Number int }
				Omitted  int `json:"postings_omitted"`
			}
		}
		if err := json.Unmarshal(list[0].Body, &body); err != nil {
			t.Fatalf("%v in %s", err, list[0].Body)
		}
		shown := body.Data.Postings
		if len(shown) != c.shown || shown[c.shown-1].Number != c.shown || body.Data.Omitted != c.postings-c.shown {
			t.Errorf("of %d postings %d are shown and %d left out", c.postings, len(shown), body.Data.Omitted)
		}
	}
}

// Texts come from other people's systems.
func TestANoticeIsJSONWhateverTheTexts(t *testing.T) {
	const text = "\"\\\n\x00</script>\u2028é"
	u := eventNotice{
		Event:  &reward.Event{Account: text, Source: text, ID: text, Fact: text, Type: reward.RedemptionRequested},
		Result: reward.Result{Outcome: reward.Rejected, Code: reward.GraceHold}, Currency: "USD",
		Postings: []reward.Posting{{Number: 1, Source: text, Event: text, Fact: text, Kind: reward.Adjustment}},
		Reviews:  []reward.Review{{Fact: text, Transaction: text, Kind: reward.FoundNoSpend}},
		Before:   0, Balance: -1,
	}
	phase := func(kind reward.Type, captured int64) *eventNotice {
		e := *u.Event
		e.Type = kind
		return &eventNotice{Event: &e, Result: reward.Result{Outcome: reward.Applied}, Currency: "USD", Authorization: &reward.Authorization{Amount: 2, Captured: captured}}
	}
	quick := phase(reward.RefundPosted, 0)
	quick.Authorization, quick.Velocity = nil, &velocityNotice{Refund: text, Transaction: text, Redemption: text}
	list := slices.Concat(must(noticesOf(&u)), must(noticesOf(phase(reward.RedemptionAuthorized, 1))), must(noticesOf(phase(reward.RedemptionReversed, 0))), must(noticesOf(quick)))
	types := slices.DeleteFunc(slices.Clone(outbox.NoticeTypes[:]), func(of string) bool {
		return of == outbox.RewardMatured || of == outbox.HoldEnded || of == outbox.RedemptionExpired // which are of no event
	})
	if len(list) != len(types) {
		t.Fatalf("%d notices", len(list))
	}
	for i, n := range list {
		var body struct {
			Type string
			Data struct{ Account string }
		}
		if err := json.Unmarshal(n.Body, &body); err != nil || body.Data.Account != text || n.Account != text || n.Type != types[i] || body.Type != n.Type {
			t.Errorf("notice %d is %+v, %v", i, n, err)
		}
		times := 1
		if n.Type == outbox.RedemptionAuthorized { // as is the type of its event
			times = 2
		}
		if bytes.ContainsAny(n.Body, "\n\x00") || strings.Count(string(n.Body), n.Type) != times {
			t.Errorf("notice %d is %q", i, n.Body)
		}
	}
}

// The journal has every posting of an event once, in order, however many there are; the other
// notice of them is as it was.
func TestTheJournalLeavesNothingOut(t *testing.T) {
	u := eventNotice{Event: &reward.Event{Account: "a", Type: reward.CycleClosed}, Currency: "USD", Journal: true}
	for i := range int64(250) {
		u.Postings = append(u.Postings, reward.Posting{Number: i + 1, Kind: reward.Grant, Amount: 1, Balance: i + 1})
	}
	list := must(noticesOf(&u))
	var numbers []int64
	for i, n := range list[1:] {
		var body struct {
			Data struct{ Postings []struct{ Number int64 } }
		}
		if err := json.Unmarshal(n.Body, &body); err != nil || n.Type != outbox.JournalPosted || n.Place != int64(i+1) || len(body.Data.Postings) > maxNoticePostings {
			t.Errorf("notice %d is %s, %v", i+1, n.Body, err)
		}
		for _, p := range body.Data.Postings {
			numbers = append(numbers, p.Number)
		}
	}
	for i, number := range numbers {
		if number != int64(i)+1 {
			t.Fatalf("posting %d is number %d", i+1, number)
		}
	}
	u.Journal = false
	if without := must(noticesOf(&u)); len(numbers) != 250 || len(list) != 4 || len(without) != 1 || !bytes.Equal(without[0].Body, list[0].Body) {
		t.Errorf("%d postings in %d notices, without the journal %d", len(numbers), len(list), len(without))
	}
}

func TestWhenTheBalanceTurnsNegative(t *testing.T) {
	for _, c := range []struct {
		before, after int64
		told          bool
	}{{0, -1, true}, {5, -5, true}, {-1, -2, false}, {-1, 0, false}, {0, 0, false}, {2, 1, false}} {
		list := must(noticesOf(&eventNotice{Event: &reward.Event{Type: reward.RefundPosted}, Before: c.before, Balance: c.after}))
		if (len(list) == 1) != c.told {
			t.Errorf("from %d to %d: %d notices", c.before, c.after, len(list))
		}
	}
}

// BenchmarkNotices is what an event costs more where somebody listens, before anything is kept.
func BenchmarkNotices(b *testing.B) {
	u := eventNotice{
		Event:  &reward.Event{Account: "acct-00001", Source: "core", ID: "e000000001", Transaction: "t000000001", Type: reward.TransactionSettled, Time: 1767605400123456789},
		Result: reward.Result{Outcome: reward.Applied}, Currency: "USD",
		Postings: []reward.Posting{{Number: 1, Source: "core", Event: "e000000001", Transaction: "t000000001", Kind: reward.Grant, Amount: 100, Balance: 1000, Program: "everyday", Rule: "groceries", Version: 1}},
		Before:   5, Balance: 1000, Available: 900,
	}
	b.ReportAllocs()
	for b.Loop() {
		must(noticesOf(&u))
	}
}

func must(list []outbox.Notice, err error) []outbox.Notice {
	if err != nil {
		panic(err)
	}
	return list
}
