package durable_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"recoup/internal/engine"
	"recoup/internal/store/durable"
	"recoup/internal/store/outbox"
	"recoup/internal/store/record"
	"recoup/program"
	"recoup/reward"
)

// listening is a store whose notices go to one endpoint, with a clock of its own.
type listening struct {
	testing.TB
	driver durable.Driver
	terms  *reward.Program
	now    *atomic.Int64
	*durable.Store
}

func listen(t testing.TB, d durable.Driver, p *reward.Program) *listening {
	t.Helper()
	l := &listening{TB: t, driver: d, terms: p, now: new(atomic.Int64)}
	l.at(january)
	programs := programsOf(t, d, p)
	l.Store = l.process(programs)
	return l
}

// process is one more process on the database.
func (l *listening) process(programs *durable.Programs) *durable.Store {
	return durable.New(l.driver, durable.Options{Programs: programs, Now: func() reward.Instant { return reward.Instant(l.now.Load()) }, Fresh: -1})
}

func (l *listening) at(moment time.Time) { l.now.Store(int64(reward.At(moment))) }

// endpoint adds one that wants everything.
func (l *listening) endpoint() {
	l.Helper()
	ok(l, l.driver.Change(context.Background(), func(tx record.Tx) error {
		return outbox.Endpoints.Put(tx, "ep_1", &outbox.Endpoint{ID: "ep_1", URL: "https://example.com", Created: 1})
	}))
}

func (l *listening) apply(events ...reward.Event) {
	l.Helper()
	for i := range events {
		events[i].Source, events[i].Currency = "core", "USD"
		if events[i].ID == "" {
			events[i].ID = fmt.Sprint(events[i].Type, events[i].Transaction, events[i].Fact)
		}
		if events[i].Time == 0 {
			events[i].Time = reward.Instant(l.now.Load())
		}
		events[i].HasAmount = events[i].Amount != 0
	}
	_, err := engine.New(l.Store).Apply(context.Background(), events, nil)
	ok(l, err)
}

// tell tells what has ended and returns the bodies of those types that are told by time
// alone, of all that was ever told.
func (l *listening) tell() (told []string) {
	l.Helper()
	_, err := l.TellEnded(context.Background())
	ok(l, err)
	return l.told()
}

func (l *listening) told() []string { return l.toldOf(outbox.RewardMatured, outbox.HoldEnded) }

// toldOf returns the bodies of some types.
func (l *listening) toldOf(types ...string) (told []string) {
	l.Helper()
	ok(l, l.driver.Read(context.Background(), func(r record.Reader) error {
		return outbox.Deliveries.Each(context.Background(), r, record.Span{}, func(_ string, d *outbox.Delivery) (bool, error) {
			if slices.Contains(types, d.Type) {
				told = append(told, string(d.Body))
			}
			return true, nil
		})
	}))
	return told
}

// left is how many endings are written down.
func (l *listening) left() (n int64) {
	l.Helper()
	ok(l, l.driver.Read(context.Background(), func(r record.Reader) (err error) {
		n, err = record.Table[struct{}]("endings").Count(context.Background(), r, record.Span{})
		return err
	}))
	return n
}

// dayOf is the beginning of a day of 2026.
func dayOf(n int) time.Time { return january.AddDate(0, 0, n-1) }

func settledOf(account, id string, amount int64) reward.Event {
	return reward.Event{Type: reward.TransactionSettled, Account: account, Transaction: id, Amount: amount, Category: "GROCERY"}
}

func expectTold(t testing.TB, got []string, want ...string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("told is\n%s\nwant %d", strings.Join(got, "\n"), len(want))
	}
	for i := range want {
		if !strings.Contains(got[i], want[i]) {
			t.Errorf("told is\n%s\nwhich lacks\n%s", got[i], want[i])
		}
	}
}

// A dormant account is told of what it can redeem when it can, and once: whichever process
// looks, however many do, and after whatever restart.
func TestMaturityIsToldOnTime(t *testing.T) {
	t.Parallel()
	for name, driver := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := *program.Everyday()
			p.MaturityDays = 10
			l := listen(t, driver(t), &p)
			l.endpoint()
			l.apply(settledOf("acct", "t1", 10_000), settledOf("acct", "t2", 2_000), settledOf("other", "t1", 100), settledOf("returned", "t1", 10_000))
			l.at(dayOf(5))
			l.apply(settledOf("acct", "t3", 4_000), reward.Event{Type: reward.RefundPosted, Account: "returned", Fact: "f1", Transaction: "t1", Amount: 10_000})
			l.at(dayOf(11).Add(-1))
			expectTold(t, l.tell())
			l.at(dayOf(11))
			var all sync.WaitGroup
			for range 3 {
				s := l.process(l.Programs())
				all.Go(func() {
					if _, err := s.TellEnded(context.Background()); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			expectTold(t, l.tell(),
				`{"type":"reward.matured","timestamp":"2026-01-11T00:00:00Z","data":{"account":"acct","event":null,"outcome":null,"code":null,"currency":"USD",`+
					`"transactions":[{"transaction":"t1","at":"2026-01-11T00:00:00Z","reward":500,"held":0},{"transaction":"t2","at":"2026-01-11T00:00:00Z","reward":100,"held":0}],`+
					`"transactions_omitted":0,"balance":800,"available":600,"redeemable":600}}`,
				`"account":"other"`)
			l.at(dayOf(20))
			expectTold(t, l.tell()[2:], `"transactions":[{"transaction":"t3","at":"2026-01-15T00:00:00Z","reward":200,"held":0}],"transactions_omitted":0,"balance":800,"available":800,"redeemable":800}}`)
			if n := l.left(); n != 0 {
				t.Errorf("%d endings are left", n)
			}
			// What was told by the clock is not told again when an event passes it, and what is delivered
			// late is told at once.
			l.apply(settledOf("acct", "t4", 1_000))
			late := settledOf("late", "t1", 5_000)
			late.Time = reward.At(dayOf(2))
			l.apply(late)
			expectTold(t, l.tell()[3:], `"timestamp":"2026-01-12T00:00:00Z","data":{"account":"late"`)
		})
	}
}

func TestHoldsThatEndAreTold(t *testing.T) {
	t.Parallel()
	for name, driver := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := *program.Everyday()
			p.Refunds.PendingDays, p.Redemption.GraceDays = 20, 5
			l := listen(t, driver(t), &p)
			l.endpoint()
			announced := func(account, id string) reward.Event {
				return reward.Event{Type: reward.RefundPending, Account: account, Fact: id, Transaction: "t1", Amount: 4_000}
			}
			l.apply(settledOf("acct", "t1", 10_000), announced("acct", "f1"), settledOf("came", "t1", 10_000), announced("came", "f1"), announced("came", "f2"))
			l.at(dayOf(6))
			l.apply(reward.Event{Type: reward.RefundPosted, Account: "came", Fact: "f1", Transaction: "t1", Amount: 4_000},
				reward.Event{Type: reward.RefundCanceled, Account: "came", Fact: "f2"})
			l.at(dayOf(22))
			expectTold(t, l.tell(),
				`{"type":"hold.ended","timestamp":"2026-01-21T00:00:00Z","data":{"account":"acct","event":null,"outcome":null,"code":null,"currency":"USD",`+
					`"why":"refund_announced","fact":"f1","transaction":"t1","amount":4000,"balance":500,"available":500,"redeemable":500}}`)
			l.at(dayOf(33))
			_, err := engine.New(l.Store).CloseDue(context.Background(), reward.At(dayOf(33)), l.Due)
			ok(t, err)
			expectTold(t, l.tell()[1:])
			l.at(dayOf(38))
			expectTold(t, l.tell()[1:],
				`"account":"acct","event":null,"outcome":null,"code":null,"currency":"USD","why":"grace","fact":null,"transaction":null,"amount":null,"balance":500,"available":500,"redeemable":500}}`,
				`"timestamp":"2026-02-06T00:00:00Z","data":{"account":"came"`)
		})
	}
}

// An authorisation that nobody captures ends on time on a dormant account too, whichever
// process is there by then; what is captured or released in time is told as that.
func TestAuthorisationsThatEndAreTold(t *testing.T) {
	t.Parallel()
	for name, driver := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := listen(t, driver(t), program.Everyday())
			l.endpoint()
			phase := func(kind reward.Type, account string, amount int64) reward.Event {
				return reward.Event{Type: kind, Account: account, Fact: "d1", Amount: amount}
			}
			for _, account := range []string{"paid", "let", "left", "early"} {
				l.apply(settledOf(account, "t1", 10_000))
			}
			for _, account := range []string{"paid", "let", "left"} {
				l.apply(phase(reward.RedemptionAuthorized, account, 300))
			}
			l.apply(phase(reward.RedemptionCaptured, "early", 200), phase(reward.RedemptionAuthorized, "early", 300), phase(reward.RedemptionAuthorized, "poor", 1))
			l.at(dayOf(3))
			l.Store = l.process(l.Programs())
			l.apply(phase(reward.RedemptionCaptured, "paid", 0), phase(reward.RedemptionReleased, "let", 0))
			phases := func() (told []string) {
				return l.toldOf(outbox.RedemptionAuthorized, outbox.RedemptionCaptured, outbox.RedemptionReleased, outbox.RedemptionExpired, outbox.RedemptionDenied)
			}
			l.at(dayOf(8).Add(-1))
			l.tell()
			const reserved = `"redemption":"d1","amount":300,"captured":0,"expires":"2026-01-08T00:00:00Z","balance":500,"available":200}}`
			const captured = `"redemption":"d1","amount":300,"captured":200,"expires":"2026-01-08T00:00:00Z","balance":300,"available":300}}`
			before := phases()
			slices.Sort(before)
			expectTold(t, before,
				`"account":"early","event":{"source":"core","id":"redemption.authorizedd1","type":"redemption.authorized"},"outcome":"applied","code":null,"currency":"USD",`+captured,
				`"account":"left","event":{"source":"core","id":"redemption.authorizedd1","type":"redemption.authorized"},"outcome":"applied","code":null,"currency":"USD",`+reserved,
				reserved, reserved,
				`{"type":"redemption.captured","timestamp":"2026-01-01T00:00:00Z","data":{"account":"early","event":{"source":"core","id":"redemption.authorizedd1","type":"redemption.authorized"}`,
				`"account":"paid","event":{"source":"core","id":"redemption.capturedd1","type":"redemption.captured"},"outcome":"applied","code":null,"currency":"USD","redemption":"d1","amount":300,"captured":300,"expires":"2026-01-08T00:00:00Z","balance":200,"available":200}}`,
				`{"type":"redemption.denied","timestamp":"2026-01-01T00:00:00Z","data":{"account":"poor"`,
				`{"type":"redemption.released","timestamp":"2026-01-03T00:00:00Z","data":{"account":"let"`)
			l.at(dayOf(8))
			l.tell()
			expectTold(t, l.toldOf(outbox.RedemptionExpired),
				`{"type":"redemption.expired","timestamp":"2026-01-08T00:00:00Z","data":{"account":"left","event":null,"outcome":null,"code":null,"currency":"USD",`+
					`"redemption":"d1","amount":300,"captured":0,"expires":"2026-01-08T00:00:00Z","balance":500,"available":500,"redeemable":500}}`)
			l.at(dayOf(20))
			l.tell()
			if n := len(l.toldOf(outbox.RedemptionExpired)); n != 1 || l.left() != 0 {
				t.Errorf("%d expiries are told, and %d endings left", n, l.left())
			}
			for account, want := range map[string][2]int64{"paid": {200, 0}, "let": {500, 0}, "left": {500, 0}, "early": {300, 0}} {
				v, _, err := l.Account(context.Background(), account)
				if ok(t, err); [2]int64{v.Available, v.Reserved} != want || v.Redeemable != want[0] {
					t.Errorf("%s has available and reserved %d and %d, want %d", account, v.Available, v.Reserved, want)
				}
			}
		})
	}
}

// What is reserved is there for whoever opens the account next, in whichever process, and
// in the figures that are read of its row alone.
func TestReservationsAreKept(t *testing.T) {
	t.Parallel()
	for name, driver := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := listen(t, driver(t), program.Everyday())
			l.apply(settledOf("acct", "t1", 10_000))
			for i := range 5 {
				l.apply(reward.Event{Type: reward.RedemptionAuthorized, Account: "acct", Fact: fmt.Sprint("d", i), Amount: 90, Expires: reward.At(dayOf(3 + i))})
				l.Store = l.process(l.Programs())
			}
			reserved := func(want int64) {
				t.Helper()
				v, _, err := l.Account(context.Background(), "acct")
				ok(t, err)
				list, err := l.Standings(context.Background(), []string{"acct"})
				if ok(t, err); v.Reserved != want || int64(len(v.Reservations)) != want/90 || list[0].Reserved != want || v.Available != v.Balance-want {
					t.Errorf("reserved are %d in %+v, by the row %d, available %d of %d; want %d", v.Reserved, v.Reservations, list[0].Reserved, v.Available, v.Balance, want)
				}
			}
			reserved(450)
			l.apply(reward.Event{Type: reward.RedemptionRequested, Account: "acct", Fact: "r1", Amount: 51}) // denied
			l.apply(reward.Event{Type: reward.RedemptionReleased, Account: "acct", Fact: "d4"})
			reserved(360)
			l.at(dayOf(4)) // the first two are over, and no event said so
			reserved(180)
			l.Store = l.process(l.Programs())
			l.apply(reward.Event{Type: reward.RedemptionCaptured, Account: "acct", Fact: "d0"}, reward.Event{Type: reward.RedemptionCaptured, Account: "acct", Fact: "d3", Amount: 40})
			reserved(90)
			if v, _, err := l.Account(context.Background(), "acct"); err != nil || v.Balance != 460 || v.Redeemed != 40 {
				t.Errorf("the balance is %d, redeemed %d (%v)", v.Balance, v.Redeemed, err)
			}
		})
	}
}

// Without anybody who listens nothing is told and nothing stays; who begins to listen is
// told what ends from then on, of holds from before and from earlier versions too.
func TestEndingsFromBefore(t *testing.T) {
	t.Parallel()
	for name, driver := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := *program.Everyday()
			p.MaturityDays = 10
			l := listen(t, driver(t), &p)
			l.apply(settledOf("acct", "t1", 10_000))
			l.at(dayOf(8))
			l.apply(settledOf("acct", "t2", 10_000), settledOf("other", "t1", 10_000))
			l.at(dayOf(12))
			expectTold(t, l.tell())
			if n := l.left(); n != 2 {
				t.Fatalf("%d endings are left, want 2", n)
			}
			// An earlier version kept none.
			ok(t, l.driver.Change(context.Background(), func(tx record.Tx) error {
				return tx.Scan(context.Background(), "endings", record.Span{}, func(key string, _ []byte) (bool, error) {
					tx.Delete("endings", key)
					return true, nil
				})
			}))
			l.endpoint()
			for range 2 {
				ok(t, l.WriteEndings(context.Background()))
			}
			l.at(dayOf(18))
			expectTold(t, l.tell(), `"account":"acct","event":null,"outcome":null,"code":null,"currency":"USD","transactions":[{"transaction":"t2"`, `"account":"other"`)
			ok(t, l.WriteEndings(context.Background()))
			expectTold(t, l.tell()[2:])
		})
	}
}
