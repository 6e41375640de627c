package demo_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"recoup/event"
	"recoup/internal/engine"
	"recoup/internal/service/approval"
	"recoup/internal/service/demo"
	"recoup/internal/service/verify"
	"recoup/internal/service/webhook"
	"recoup/internal/store/durable"
	"recoup/internal/store/record"
	"recoup/reward"
)

func TestLoadedData(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := load(t, demo.Load, noon)

	t.Run("is of the size that was promised", func(t *testing.T) {
		if n := len(accounts(t, s)); n != s.summary.Accounts || n < 300 || n > 360 {
			t.Errorf("%d accounts, of which the summary has %d; expected 300 to 360", n, s.summary.Accounts)
		}
		if n := s.summary.Events; n < 15_000 || n > 20_000 {
			t.Errorf("%d events, expected 15,000 to 20,000", n)
		}
	})
	t.Run("is what the log adds up to", func(t *testing.T) {
		report, err := verify.Run(ctx, s.driver, verify.Options{Programs: s.Programs()})
		if err != nil {
			t.Fatal(err)
		}
		if report.Count != 0 || report.Events < int64(s.summary.Events)*9/10 {
			t.Errorf("%d events checked, %d differences: %v", report.Events, report.Count, report.Differences)
		}
		for _, name := range []string{"verify", "checkpoint"} {
			err := s.driver.Read(ctx, func(r record.Reader) error {
				if _, there, err := r.Get(ctx, "checks", name); err != nil || !there {
					t.Errorf("the result of %s is there: %v, error %v", name, there, err)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("could have come over the wire, before now", func(t *testing.T) {
		decoder := event.NewDecoder()
		var last reward.Instant
		for _, a := range accounts(t, s) {
			for _, row := range logged(t, s, a.Account) {
				var e reward.Event
				if err := decoder.Decode(row.Event, &e); err != nil {
					t.Fatalf("%s\n%v", row.Event, err)
				}
				if member, is := event.CardNumber(&e, nil); is {
					t.Errorf("%s: %s looks like the number of a card", row.Event, member)
				}
				if now := reward.At(noon); e.Time > now || row.Received > now || row.Received < e.Time {
					t.Errorf("%s: received %v", row.Event, row.Received)
				}
				last = max(last, e.Time)
			}
		}
		if age := noon.Sub(last.Time()); age > 5*time.Minute {
			t.Errorf("the last event is %v old", age)
		}
	})
	t.Run("has reviews of every kind, old and new", func(t *testing.T) {
		for kind := reward.WaitsForTransaction; kind <= reward.ForeignCurrency; kind++ { // no sample has a card number
			list := reviews(t, s, durable.ReviewFilter{Kind: kind})
			if len(list) < 2 {
				t.Fatalf("%v: %d open", kind, len(list))
			}
			first, last := list[0].Since, list[len(list)-1].Since
			if last-first < 20*reward.Day {
				t.Errorf("%v: open since %v to %v", kind, first, last)
			}
		}
		if n := len(reviews(t, s, durable.ReviewFilter{})); n > 100 {
			t.Errorf("%d are open: nobody works on them", n)
		}
	})
	t.Run("has what terms promise beside rates", func(t *testing.T) {
		had := map[string]bool{}
		for _, a := range accounts(t, s) {
			for _, row := range logged(t, s, a.Account) {
				had[row.Type] = true
			}
			if strings.HasPrefix(a.Account, "miles-") && a.Expired > 0 {
				had["expired"] = true
			}
		}
		for _, want := range []string{"attribute.set", "expired"} {
			if !had[want] {
				t.Errorf("no account has %s", want)
			}
		}
	})
	t.Run("has debts of several ages", func(t *testing.T) {
		since := map[reward.Cycle]bool{}
		for _, a := range accounts(t, s) {
			if a.Balance >= 0 {
				continue
			}
			entries, err := s.Entries(ctx, a.Account, 0, 1)
			if err != nil {
				t.Fatal(err)
			}
			since[reward.CycleAt(entries[0].At)] = true
		}
		if len(since) < 6 {
			t.Errorf("last postings of debtors in %d months: %v", len(since), since)
		}
	})
	t.Run("has holds for every reason", func(t *testing.T) {
		held := map[durable.HoldReason]int{}
		for _, a := range accounts(t, s) {
			for _, h := range a.Holds {
				held[h.Why]++
			}
		}
		for _, why := range []durable.HoldReason{durable.HeldForMaturity, durable.HeldForDeferredRefund, durable.HeldForAnnouncedRefund, reward.HeldForWaitingRefund} {
			if held[why] == 0 {
				t.Errorf("nothing is held for reason %v; held: %v", why, held)
			}
		}
	})
	t.Run("has nine months of statements in each program", func(t *testing.T) {
		for _, account := range []string{"acct-001", "travel-001", "nippon-001"} {
			list, err := s.Statements(ctx, account, 0, 100)
			if err != nil {
				t.Fatal(err)
			}
			closed := 0
			for _, v := range list {
				if !v.Open {
					closed++
				}
			}
			if closed < 9 {
				t.Errorf("%s: %d closed statements", account, closed)
			}
		}
	})
	t.Run("has seven programs, one of them in three versions", func(t *testing.T) {
		if p, _ := s.Programs().Default(); p.ID != "everyday" {
			t.Errorf("the default program is %s", p.ID)
		}
		now := reward.CycleAt(reward.At(noon))
		in := map[string]int32{}
		for _, v := range s.Programs().List() {
			in[v.Terms.ID] = v.Terms.In(now).Version
		}
		if want := (map[string]int32{"everyday": 2, "travel": 1, "nippon": 1, "welcome": 1, "quarter": 1, "coffee": 1, "miles": 1}); fmt.Sprint(in) != fmt.Sprint(want) {
			t.Errorf("in force: %v, expected %v", in, want)
		}
		versions := s.Programs().Versions("everyday")
		from, _ := versions[1].Effective()
		if months := now - reward.CycleAt(from); months != 4 {
			t.Errorf("version 2 is in force for %d months", months)
		}
		if from, _ := versions[2].Effective(); from <= reward.At(noon) || from > reward.At(noon)+31*reward.Day {
			t.Errorf("version 3 is in force from %v", from)
		}
		for _, v := range versions {
			if v.Created > reward.At(noon) {
				t.Errorf("version %d was put at %v", v.Terms.Version, v.Created)
			}
		}
	})
	t.Run("has webhooks that were given up", func(t *testing.T) {
		outbox := webhook.New(s.driver, func() []record.Store { return []record.Store{s.driver} }, func() time.Time { return noon })
		dead, err := outbox.Dead(ctx, "", 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		if len(dead) == 0 || len(dead) != s.summary.Undelivered {
			t.Errorf("%d dead letters, of which the summary has %d", len(dead), s.summary.Undelivered)
		}
	})
	t.Run("has adjustments that wait, and some that were decided", func(t *testing.T) {
		book := approval.New(approval.Options{Records: s.driver, Now: time.Now, Accounts: s.Store})
		waiting, err := book.Open(ctx, 0, 100)
		if err != nil || len(waiting) != 3 {
			t.Errorf("%d wait, expected 3; error %v", len(waiting), err)
		}
		decided, err := book.Recent(ctx, 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		count := map[approval.State]int{}
		for _, p := range decided {
			count[p.State]++
			v, logged, err := s.Logged(ctx, p.Account, engine.ConsoleSource, p.Adjustment)
			if err != nil || !logged || (v.Event.Type == reward.AdjustmentPosted) != (p.State == approval.Approved) {
				t.Errorf("%+v: posted %v, error %v", p, logged, err)
			}
			if p.State == approval.Approved && (v.Event.Approver != p.Decider.Name || v.Event.Actor != p.Proposer.Name || v.Received != p.Decided) {
				t.Errorf("%+v was posted as %+v", p, v)
			}
		}
		if count[approval.Approved] == 0 || count[approval.Rejected] == 0 {
			t.Errorf("decided: %v", count)
		}
		if a := accountOf(t, s, "acct-213"); a.Balance != 0 || a.Adjustments == 0 {
			t.Errorf("the debt that was written off is %d", a.Balance)
		}
	})
	t.Run("is not added to a database in use", func(t *testing.T) {
		if _, err := demo.Load(ctx, demo.Target{Database: durable.One(s.driver), Now: noon}); !errors.Is(err, demo.ErrNotEmpty) {
			t.Errorf("error %v, expected %v", err, demo.ErrNotEmpty)
		}
	})
	t.Run("is the same for the same moment", func(t *testing.T) {
		one, other := lines(t, s), lines(t, load(t, demo.Load, noon))
		for i := range max(len(one), len(other)) {
			if i >= len(one) || i >= len(other) || one[i] != other[i] {
				t.Fatalf("two loads at the same moment differ, first at\n%q and\n%q", one[min(i, len(one)):min(i+1, len(one))], other[min(i, len(other)):min(i+1, len(other))])
			}
		}
	})
	t.Run("goes on while it is looked at", func(t *testing.T) { liveGoesOn(t, s) })
}

// lines say all of all accounts and of what was delivered to them, but for numbers
// in the log: how many events are put off to a later commit, and leave a number free,
// depends on how busy the machine is.
func lines(t *testing.T, s *service) (list []string) {
	t.Helper()
	for _, a := range accounts(t, s) {
		list = append(list, fmt.Sprintf("%+v", a))
		for _, row := range logged(t, s, a.Account) {
			row.Number, row.Before = 0, 0
			list = append(list, fmt.Sprintf("%+v", row))
		}
	}
	return list
}
