package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"recoup/internal/store/outbox"
	"recoup/internal/store/record"
)

// fetched is a page of the feed as it comes.
type fetched struct {
	Notices []struct {
		ID, Type, Account string
		Notice            json.RawMessage
	}
	Next string
}

func (f *service) fetch(query string) (page fetched) {
	f.Helper()
	f.call("notices", "GET", "/v1/notices?"+query, "", "").status200().read(&page)
	return page
}

func (f *service) collect() {
	f.Helper()
	if err := f.feed.Collect(context.Background()); err != nil {
		f.Fatal(err)
	}
}

func (f *service) keep(hours int) {
	f.Helper()
	f.call("admin", "PUT", "/v1/notices/keeping", "application/json", fmt.Sprintf(`{"keep_hours":%d}`, hours)).status200().has("keep_hours", fmt.Sprint(hours))
}

func inEachDatabase(t *testing.T, terms string, test func(f *service)) {
	for name, open := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(startOn(t, open(t), "recoup.test", terms, nil))
		})
	}
}

// What is fetched is what webhooks send, byte for byte and under the same id, of events and
// of what time alone brings about.
func TestNoticesAreFetchedAsTheyAreSent(t *testing.T) {
	inEachDatabase(t, everyday+"maturity_days: 20\n", func(f *service) {
		f.call("notices", "GET", "/v1/notices", "", "").fails(409, "notices_off")
		f.call("notices", "GET", "/v1/notices?after=end", "", "").fails(409, "notices_off")
		f.call("notices", "GET", "/v1/notices/keeping", "", "").status200().has("keep_hours", "0")
		f.deliver(purchase(1, "acct", 100), "applied")
		f.keep(24 * 30)
		var hook struct{ ID string }
		f.call("admin", "POST", "/v1/webhooks", "application/json", `{"url":"https://example.com/hook"}`).status200().read(&hook)
		f.call("second", "PATCH", "/v1/webhooks/"+hook.ID, "application/json", `{"paused":false}`).status200()
		f.deliver(purchase(2, "acct", 10000), "applied")
		f.collect()
		first := f.fetch("")
		f.clock.pass(11 * 24 * time.Hour)
		if _, err := f.ledger.TellEnded(context.Background()); err != nil {
			f.Fatal(err)
		}
		f.collect()
		second := f.fetch("after=" + first.Next)
		if len(first.Notices) != 1 || len(second.Notices) != 1 || second.Notices[0].Type != "reward.matured" || !strings.Contains(string(second.Notices[0].Notice), `"redeemable":505}}`) {
			f.Fatalf("fetched are %+v, then %+v", first, second)
		}
		if end := f.fetch("after=end"); len(end.Notices) != 0 || end.Next != second.Next {
			f.Errorf("the end is %+v, want %s", end, second.Next)
		}
		var sent []string
		err := f.db.Read(context.Background(), func(r record.Reader) error {
			return outbox.Deliveries.Each(context.Background(), r, record.Span{}, func(_ string, d *outbox.Delivery) (bool, error) {
				sent = append(sent, string(d.Body))
				return true, nil
			})
		})
		got := append(first.Notices, second.Notices...)
		if err != nil || len(sent) != 2 {
			f.Fatalf("%d are sent: %v", len(sent), err)
		}
		for i := range sent {
			if string(got[i].Notice) != sent[i] || !strings.HasPrefix(got[i].ID, "msg_") || got[i].Account != "acct" {
				f.Errorf("fetched is\n%s\nsent is\n%s", got[i].Notice, sent[i])
			}
		}
		f.call("notices", "GET", "/v1/notices?after=nonsense", "", "").fails(400, "invalid_cursor")
		f.call("notices", "GET", "/v1/notices?wait=31", "", "").fails(422, "invalid_request")
	})
}

// However many commit at a time, and while others collect, each notice is fetched once and
// those of an account are in order.
func TestFetchedInOrderPerAccount(t *testing.T) {
	inEachDatabase(t, everyday, func(f *service) {
		f.keep(1)
		const accounts, each = 6, 30
		var all sync.WaitGroup
		for a := range accounts {
			all.Go(func() {
				for n := range each {
					f.deliver(purchase(n, fmt.Sprintf("acct-%d", a), 1000), "applied")
				}
			})
		}
		done := make(chan struct{})
		go func() { all.Wait(); close(done) }()
		numbers := make(map[string]int64)
		total, after := 0, ""
		for whole := false; total < accounts*each; {
			f.collect()
			page := f.fetch("limit=7&after=" + after)
			after = page.Next
			for _, n := range page.Notices {
				var notice struct {
					Data struct{ Postings []struct{ Number int64 } }
				}
				if err := json.Unmarshal(n.Notice, &notice); err != nil {
					f.Fatal(err)
				}
				if got := notice.Data.Postings[0].Number; got != numbers[n.Account]+1 {
					f.Fatalf("after posting %d of %s comes %d", numbers[n.Account], n.Account, got)
				}
				numbers[n.Account]++
				total++
			}
			if whole && len(page.Notices) == 0 {
				f.Fatalf("%d of %d are fetched", total, accounts*each)
			}
			select {
			case <-done:
				whole = true
			default:
			}
		}
	})
}

// Who comes too late is told so, and so is who has a place in a feed that was ended.
func TestACursorOfWhatIsNotKept(t *testing.T) {
	inEachDatabase(t, everyday, func(f *service) {
		f.keep(2)
		begin := f.fetch("after=end").Next
		f.deliver(purchase(1, "acct", 1000), "applied")
		f.collect()
		one := f.fetch("after=" + begin)
		f.clock.pass(90 * time.Minute)
		f.deliver(purchase(2, "acct", 1000), "applied")
		f.collect()
		if two := f.fetch("after=" + one.Next); len(two.Notices) != 1 {
			f.Fatalf("fetched is %+v", two)
		}
		f.clock.pass(time.Hour)
		f.collect()
		f.call("notices", "GET", "/v1/notices?after="+begin, "", "").fails(410, "cursor_expired")
		if kept := f.fetch(""); len(kept.Notices) != 1 || len(f.fetch("after="+one.Next).Notices) != 1 {
			f.Errorf("kept is %+v", kept)
		}
		f.keep(0)
		f.call("notices", "GET", "/v1/notices?after="+one.Next, "", "").fails(409, "notices_off")
		f.keep(2)
		f.clock.pass(time.Minute)
		f.call("notices", "GET", "/v1/notices?after="+one.Next, "", "").fails(410, "cursor_expired")
		if kept := f.fetch(""); len(kept.Notices) != 0 {
			f.Errorf("of the feed that was ended %+v is left", kept)
		}
		f.call("admin", "PUT", "/v1/notices/keeping", "application/json", `{"keep_hours":100000}`).fails(422, "invalid_request")
	})
}

// Who waits is answered as soon as there is something.
func TestWaitingForNotices(t *testing.T) {
	f := newService(t)
	f.keep(1)
	if page := f.fetch("wait=1"); len(page.Notices) != 0 || page.Next == "" {
		t.Errorf("without a notice it answers %+v", page)
	}
	answered := make(chan fetched, 1)
	began := time.Now()
	go func() { answered <- f.fetch("wait=30") }()
	f.deliver(purchase(1, "acct", 1000), "applied")
	f.collect()
	if page := <-answered; len(page.Notices) != 1 || time.Since(began) > 25*time.Second {
		t.Errorf("after %v it answers %+v", time.Since(began), page)
	}
}
