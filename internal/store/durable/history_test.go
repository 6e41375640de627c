package durable_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"recoup/internal/store/durable"
	"recoup/reward"
)

// courseOf is an account's whole log, the oldest first.
func courseOf(t *testing.T, w *world, account string) []durable.LoggedView {
	t.Helper()
	list, whole, err := w.EventsOfAccount(context.Background(), account, 10_000)
	ok(t, err)
	if !whole {
		t.Fatalf("%s has more than 10,000 events", account)
	}
	return list
}

// TestTheCourseOfAnAccount: all its events with what became of them, replayable,
// or none if they are too many.
func TestTheCourseOfAnAccount(t *testing.T) {
	inEachDatabase(t, func(t *testing.T, w *world) {
		ctx := context.Background()
		for _, account := range w.accounts {
			v, _, err := w.Account(ctx, account)
			ok(t, err)
			list := courseOf(t, w, account)
			if int64(len(list)) != v.Version {
				t.Fatalf("%s has %d events, want %d", account, len(list), v.Version)
			}
			balance := int64(0)
			for _, l := range list {
				logged, there, err := w.Logged(ctx, account, l.Event.Source, l.Event.ID)
				ok(t, err)
				if !there || l.Number == 0 || !reflect.DeepEqual(logged, l) {
					t.Fatalf("%+v, want as it is logged\n%+v", l, logged)
				}
				for _, p := range l.Postings {
					if balance += p.Amount; balance != p.Balance {
						t.Fatalf("%s: after posting %d the balance is %d, want %d", account, p.Number, p.Balance, balance)
					}
				}
			}
			if balance != v.Balance {
				t.Errorf("%s ends with %d, want %d", account, balance, v.Balance)
			}
			for limit, want := range map[int]bool{len(list): true, len(list) + 1: true, len(list) - 1: false, 0: false} {
				got, whole, err := w.EventsOfAccount(ctx, account, limit)
				ok(t, err)
				if whole != want || !want && len(got) > 0 || want && len(got) != len(list) {
					t.Errorf("%s, at most %d: %d of %d events, whole: %v, want %v", account, limit, len(got), len(list), whole, want)
				}
			}
		}
		if list, whole, err := w.EventsOfAccount(ctx, "nobody", 0); err != nil || !whole || len(list) > 0 {
			t.Errorf("an account that is not there has %d events, whole: %v (%v)", len(list), whole, err)
		}
	})
}

// TestHistoryGoesBackPageByPage from the newest, and of this account alone.
func TestHistoryGoesBackPageByPage(t *testing.T) {
	inEachDatabase(t, func(t *testing.T, w *world) {
		ctx := context.Background()
		account, other := w.accounts[0], w.accounts[1]
		want := courseOf(t, w, account)
		slices.Reverse(want)
		for _, limit := range []int{1, 7, len(want), len(want) + 1} {
			var got []durable.LoggedView
			before := int64(0)
			for len(got) <= len(want) {
				page, err := w.History(ctx, account, before, limit)
				ok(t, err)
				if len(page) > limit {
					t.Fatalf("a page of %d, asked for at most %d", len(page), limit)
				}
				if len(page) == 0 {
					break
				}
				got = append(got, page...)
				before = page[len(page)-1].Number
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%d at a time: %d events that are not the log of %d backwards", limit, len(got), len(want))
			}
		}
		unknown := int64(0)
		for _, id := range w.accounts {
			for _, l := range courseOf(t, w, id) {
				unknown = max(unknown, l.Number+1)
			}
		}
		for what, before := range map[string]int64{"another account's event": courseOf(t, w, other)[3].Number, "no event": unknown, "no number": -1} {
			if got, err := w.History(ctx, account, before, 10); err != nil || len(got) > 0 {
				t.Errorf("before %s come %d events (%v), want none", what, len(got), err)
			}
		}
		if got, err := w.History(ctx, "nobody", 0, 10); err != nil || len(got) > 0 {
			t.Errorf("an account that is not there has %d events (%v)", len(got), err)
		}
	})
}

// TestTheHistoryOfAPurchase: what names it, what is about its refunds and
// chargebacks, and what changed its reward though it names another.
func TestTheHistoryOfAPurchase(t *testing.T) {
	inEachDatabase(t, func(t *testing.T, w *world) {
		day := 0
		event := func(typ reward.Type, id, transaction, fact string, amount int64) reward.Event {
			day++
			e := reward.Event{
				Source: "core", ID: id, Account: "acct", Time: reward.At(january) + reward.Instant(day)*reward.Day, Type: typ,
				Transaction: transaction, Fact: fact, Amount: amount, HasAmount: amount != 0,
			}
			if e.HasAmount {
				e.Currency = "EUR"
			}
			if typ == reward.TransactionAuthorized || typ == reward.TransactionSettled {
				e.Category = "GROCERY"
			}
			if transaction == "t3" || id == "r3-posted" {
				e.Merchant = "shop-3"
			}
			return e
		}
		// 5 % of groceries up to 10.00 a month.
		w.apply(t, opened("acct", "in-EUR"),
			event(reward.RefundPending, "r0-pending", "t1", "r0", 100), // before there is a purchase
			event(reward.TransactionAuthorized, "t1-auth", "t1", "", 15_000),
			event(reward.TransactionSettled, "t1-settled", "t1", "", 15_000), // 7.50
			event(reward.TransactionSettled, "t2-settled", "t2", "", 10_000), // the 2.50 that are left
			event(reward.RefundCanceled, "r0-canceled", "", "r0", 0),
			event(reward.RefundPosted, "r1-posted", "t1", "r1", 2000), // makes room for t2
			event(reward.RedemptionRequested, "p1", "", "p1", 50),
			event(reward.RefundReversed, "r1-reversed", "", "r1", 0),
			event(reward.ChargebackPosted, "c2-posted", "t2", "c2", 6000), // less than the cap is left
			event(reward.ChargebackReversed, "c2-reversed", "", "c2", 0),
			event(reward.TransactionCanceled, "t1-canceled", "t1", "", 0), // refused: it has posted
			event(reward.RefundPosted, "r4-posted", "t4", "r4", 90),       // of a purchase that is not there
			event(reward.TransactionSettled, "t3-settled", "t3", "", 700), // nothing is left of the cap
			event(reward.RefundPosted, "r3-posted", "", "r3", 700),        // names none; the shop is t3's
		)
		ids := func(list []durable.LoggedView) (ids []string) {
			for _, l := range list {
				ids = append(ids, l.Event.ID)
			}
			return ids
		}
		for transaction, want := range map[string][]string{
			"t1": {"r0-pending", "t1-auth", "t1-settled", "r0-canceled", "r1-posted", "r1-reversed", "t1-canceled"},
			"t2": {"t2-settled", "r1-posted", "r1-reversed", "c2-posted", "c2-reversed"},
			"t3": {"t3-settled", "r3-posted"},
			"t4": {"r4-posted"},
			"p1": nil, "r1": nil, "": nil,
		} {
			list, cut, err := w.TransactionHistory(context.Background(), "acct", transaction)
			ok(t, err)
			if got := ids(list); cut || !slices.Equal(got, want) {
				t.Errorf("of %s there is %q (cut: %v), want %q", transaction, got, cut, want)
			}
		}
		list, cut, err := w.TransactionHistory(context.Background(), "nobody", "t1")
		if err != nil || cut || len(list) > 0 {
			t.Errorf("an account that is not there has %q (cut: %v, %v)", ids(list), cut, err)
		}
	})
}

// TestHistoriesMissNothing: every posting of a purchase is in its history, and so
// is every event about one of its reversals.
func TestHistoriesMissNothing(t *testing.T) {
	inEachDatabase(t, func(t *testing.T, w *world) {
		accounts := slices.SortedFunc(slices.Values(w.accounts), func(a, b string) int { return len(courseOf(t, w, b)) - len(courseOf(t, w, a)) })
		moved, reversals := 0, 0
		for _, account := range accounts {
			if moved > 0 && reversals > 0 {
				return
			}
			m, r := missNothing(t, w, account)
			moved, reversals = moved+m, reversals+r
		}
		t.Errorf("%d events touched a purchase that they do not name, %d were about its reversals: the test needs some", moved, reversals)
	})
}

// missNothing compares the history of purchases with the account's course, and
// counts the events that moved the reward of one that they do not name, and those
// about reversals that do not name it either.
func missNothing(t *testing.T, w *world, account string) (moved, reversals int) {
	ctx, course := context.Background(), courseOf(t, w, account)
	purchases, err := w.Transactions(ctx, account, "", 1000)
	ok(t, err)
	for i, p := range purchases {
		if i%8 > 0 && p.Reversed == 0 {
			continue
		}
		p, _, err := w.Transaction(ctx, account, p.ID)
		ok(t, err)
		refunds, chargebacks := make(map[string]bool), make(map[string]bool)
		for _, r := range p.Refunds() {
			refunds[r.ID] = true
		}
		for _, c := range p.Chargebacks() {
			chargebacks[c.ID] = true
		}
		var want []durable.LoggedView
		for _, l := range course {
			e := &l.Event
			about := e.Transaction == p.ID
			switch e.Type {
			case reward.RefundPending, reward.RefundPosted, reward.RefundCanceled, reward.RefundReversed, reward.RefundLinked, reward.RefundDismissed:
				about = about || refunds[e.Fact]
			case reward.ChargebackPosted, reward.ChargebackReversed, reward.ChargebackDismissed:
				about = about || chargebacks[e.Fact]
			}
			if about && e.Transaction != p.ID {
				reversals++
			}
			for _, posting := range l.Postings {
				if posting.Transaction == p.ID && !about {
					about = true
					moved++
				}
			}
			if about {
				want = append(want, l)
			}
		}
		got, cut, err := w.TransactionHistory(ctx, account, p.ID)
		ok(t, err)
		if cut || !reflect.DeepEqual(got, want) {
			t.Fatalf("the history of %s is\n%+v, want\n%+v", p.ID, got, want)
		}
	}
	return moved, reversals
}

// TestHistoriesOfStrangeIDs: an id that is written in more than one way in JSON is
// found as others are.
func TestHistoriesOfStrangeIDs(t *testing.T) {
	inEachDatabase(t, func(t *testing.T, w *world) {
		ctx := context.Background()
		for i, id := range []string{`"quoted"`, `back\slash`, "<a href='x'>&amp;", "né", "\u2028", "a/b"} {
			sale := reward.Event{
				Source: "core", ID: fmt.Sprint("sale-", i), Account: "strange", Time: reward.At(january), Type: reward.TransactionSettled,
				Transaction: id, Amount: 1000, HasAmount: true, Currency: "USD",
			}
			refund := sale
			refund.ID, refund.Type, refund.Fact, refund.Amount = fmt.Sprint("refund-", i), reward.RefundPosted, id, 400
			if i == 0 {
				w.apply(t, opened("strange", "in-USD"))
			}
			w.apply(t, sale, refund)
			list, _, err := w.TransactionHistory(ctx, "strange", id)
			ok(t, err)
			facts, _, err := w.FactHistory(ctx, "strange", reward.RefundPart, id)
			ok(t, err)
			if len(list) != 2 || len(facts) != 1 {
				t.Errorf("of %q there are %d events of the purchase and %d of the refund, want 2 and 1", id, len(list), len(facts))
			}
		}
	})
}

// TestEntriesFromAnEvent: the postings of an event and of those before it, as far as
// it is one of the account's.
func TestEntriesFromAnEvent(t *testing.T) {
	inEachDatabase(t, func(t *testing.T, w *world) {
		ctx := context.Background()
		account, other := w.accounts[0], w.accounts[1]
		var all []reward.Posting // the newest first
		for _, l := range courseOf(t, w, account) {
			for _, p := range l.Postings {
				all = slices.Insert(all, 0, p)
			}
			for _, limit := range []int{1, 3, 1000} {
				got, err := w.EntriesFrom(ctx, account, l.Number, limit)
				ok(t, err)
				if want := all[:min(limit, len(all))]; !slices.Equal(got, want) {
					t.Fatalf("up to %d from event %d are %+v, want %+v", limit, l.Number, got, want)
				}
			}
			for _, nothing := range []struct {
				account string
				event   int64
			}{{other, l.Number}, {"nobody", l.Number}, {account, 0}, {account, 1 << 40}} {
				if got, err := w.EntriesFrom(ctx, nothing.account, nothing.event, 10); err != nil || len(got) > 0 {
					t.Errorf("from event %d of %s there are %+v (%v)", nothing.event, nothing.account, got, err)
				}
			}
		}
		if len(all) < 20 {
			t.Errorf("there are %d postings: the test needs more", len(all))
		}
	})
}

// TestALongHistory: of an account with more events than are looked at, what is known
// of a purchase is found however long ago it was, in order, and it is said that there
// may be more.
func TestALongHistory(t *testing.T) {
	t.Run("pebble", func(t *testing.T) {
		w := newWorld(t, databases["pebble"](t))
		ctx := context.Background()
		events := []reward.Event{opened("busy", "in-USD")}
		const days, sales = 200, 25 // a day
		add := func(typ reward.Type, day, number int, transaction, fact string, amount int64) {
			events = append(events, reward.Event{
				Source: "core", ID: fmt.Sprintf("%v-%s-%s", typ, transaction, fact), Account: "busy", Time: reward.At(january) + reward.Instant(day)*reward.Day + reward.Instant(number)*1e9,
				Type: typ, Transaction: transaction, Fact: fact, Amount: amount, HasAmount: true, Currency: "USD", Merchant: "shop",
			})
		}
		for day := range days {
			for n := range sales {
				add(reward.TransactionAuthorized, day, n, fmt.Sprintf("t%d-%d", day, n), "", 1000)
			}
			if day >= 2 {
				for n := range sales {
					add(reward.TransactionSettled, day, sales+n, fmt.Sprintf("t%d-%d", day-2, n), "", 1000)
				}
			}
			if day >= 40 {
				add(reward.RefundPosted, day, 2*sales, fmt.Sprintf("t%d-1", day-40), fmt.Sprintf("r%d", day-40), 600)
			}
			if day == 50 {
				w.apply(t, events...)
				events = nil
				if _, cut, err := w.TransactionHistory(ctx, "busy", "t3-1"); err != nil || cut {
					t.Errorf("the history of a short account is cut: %v (%v)", cut, err)
				}
			}
		}
		w.apply(t, events...)
		for _, day := range []int{0, 1, 28, 29, 30, 31, 57, 58, 59, 60, 90, 100, 130, days - 50, days - 41} {
			list, cut, err := w.TransactionHistory(ctx, "busy", fmt.Sprintf("t%d-1", day))
			ok(t, err)
			var types []reward.Type
			for i := range list {
				types = append(types, list[i].Event.Type)
			}
			if want := []reward.Type{reward.TransactionAuthorized, reward.TransactionSettled, reward.RefundPosted}; !cut || !slices.Equal(types, want) {
				t.Errorf("the purchase of day %d has %v (cut: %v), want %v and that it is cut", day, types, cut, want)
			}
			refund := fmt.Sprintf("r%d", day)
			list, cut, err = w.FactHistory(ctx, "busy", reward.RefundPart, refund)
			ok(t, err)
			if !cut || len(list) != 1 || list[0].Event.Fact != refund {
				t.Errorf("the refund of the purchase of day %d has %+v (cut: %v)", day, list, cut)
			}
		}
	})
}
