package overview_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"testing"
	"time"

	"recoup/internal/console/overview"
	"recoup/internal/engine"
	"recoup/internal/kit/pgtest"
	"recoup/internal/store/durable"
	"recoup/internal/store/pebble/pebbletest"
	"recoup/internal/store/postgres"
	"recoup/program"
	"recoup/reward"
)

// The programs of the tests.
const (
	everyday = "id: everyday\ncurrency: USD\nmaturity_days: 0\nrules: [{id: base, rate: 10%}]\n"
	gold     = "id: gold\ncurrency: EUR\nmaturity_days: 30\nredemption: {grace_days: 10}\nrules: [{id: base, rate: 10%}]\n"
)

// house is a database with a service's engine on it, and a clock.
type house struct {
	testing.TB
	driver   *damaged
	store    *durable.Store
	engine   *engine.Engine
	programs *durable.Programs
	now      time.Time
	log      bytes.Buffer
	counting *countingStore
	*overview.Overview
	events  int
	traffic int // how many events there are of each program, where there are many
}

// countingStore counts what is asked of a store.
type countingStore struct {
	*durable.Store
	from  []reward.Cycle
	fails error
}

func (s *countingStore) StatementSums(ctx context.Context, from reward.Cycle) ([]durable.CycleSum, error) {
	s.from = append(s.from, from)
	if s.fails != nil {
		return nil, s.fails
	}
	return s.Store.StatementSums(ctx, from)
}

func onPebble(t testing.TB) *house {
	t.Helper()
	return newHouse(t, pebbletest.Open(t))
}

// onEveryDatabase runs a test on each kind of database.
func onEveryDatabase(t *testing.T, test func(*testing.T, *house)) {
	t.Run("pebble", func(t *testing.T) { test(t, onPebble(t)) })
	t.Run("postgres", func(t *testing.T) {
		d, err := postgres.Open(context.Background(), pgtest.Shared(t).NewDatabase(t), postgres.Options{Migrate: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Close() })
		h := newHouse(t, d)
		if os.Getenv("RECOUP_LONG") == "" {
			h.traffic = 1_000
		}
		test(t, h)
	})
}

func newHouse(t testing.TB, d durable.Driver) *house {
	t.Helper()
	h := &house{TB: t, driver: &damaged{Driver: d}, now: day(2026, 1, 1), traffic: 4_000}
	ctx := context.Background()
	parse := func(document []byte) (*reward.Program, error) { return program.Parse("program", document) }
	var err error
	if h.programs, err = durable.OpenPrograms(ctx, d, parse, func() time.Time { return h.now }); err != nil {
		t.Fatal(err)
	}
	for _, p := range [...]struct{ id, document string }{{"everyday", everyday}, {"gold", gold}} { // the first is the default
		if _, _, err := h.programs.Put(ctx, p.id, []byte(p.document), 0, "test"); err != nil {
			t.Fatal(err)
		}
	}
	h.store = durable.New(h.driver, durable.Options{Programs: h.programs, Now: func() reward.Instant { return reward.At(h.now) }})
	h.engine = engine.New(h.store)
	h.counting = &countingStore{Store: h.store}
	h.Overview = overview.New(h.options())
	return h
}

func (h *house) options() overview.Options {
	return overview.Options{
		Store: h.counting, Database: h.driver, Records: h.driver, Now: func() time.Time { return h.now },
		Log: slog.New(slog.NewTextHandler(&h.log, nil)),
	}
}

func day(year, month, day int) time.Time {
	return time.Date(year, time.Month(month), day, 12, 0, 0, 0, time.UTC)
}

// deliver applies events that have to go through.
func (h *house) deliver(events ...reward.Event) []reward.Result {
	h.Helper()
	results, err := h.engine.Apply(context.Background(), events, nil)
	if err != nil {
		h.Fatal(err)
	}
	return results
}

// does delivers one event of an account, which has to be of the outcome.
func (h *house) does(account string, at time.Time, kind reward.Type, want reward.Outcome, e reward.Event) {
	h.Helper()
	h.events++
	e.Account, e.Time, e.Type, e.Source, e.ID = account, reward.At(at), kind, "test", fmt.Sprint("e", h.events)
	if e.Amount != 0 {
		e.HasAmount, e.Currency = true, "USD"
		if len(account) > 4 && account[:4] == "gold" {
			e.Currency = "EUR"
		}
	}
	if r := h.deliver(e)[0]; r.Outcome != want {
		h.Fatalf("%s %v %v is %v %v, want %v", account, kind, e.ID, r.Outcome, r.Code, want)
	}
}

func (h *house) opens(account, program string, at time.Time) {
	h.Helper()
	h.does(account, at, reward.AccountOpened, reward.Applied, reward.Event{Fact: program})
}

func (h *house) buys(account, transaction string, at time.Time, amount int64) {
	h.Helper()
	h.does(account, at, reward.TransactionSettled, reward.Applied, reward.Event{Transaction: transaction, Amount: amount})
}

func (h *house) returns(account, transaction, refund string, at time.Time, amount int64) {
	h.Helper()
	h.does(account, at, reward.RefundPosted, reward.Applied, reward.Event{Transaction: transaction, Fact: refund, Amount: amount})
}

// redeems is paid out all that a purchase of that amount earned.
func (h *house) redeems(account, redemption string, at time.Time, amount int64) {
	h.Helper()
	h.does(account, at, reward.RedemptionRequested, reward.Applied, reward.Event{Fact: redemption, Amount: amount, Method: "statement_credit"})
}

func (h *house) adjusts(account string, at time.Time, amount int64) {
	h.Helper()
	h.does(account, at, reward.AdjustmentPosted, reward.Applied, reward.Event{Fact: fmt.Sprint("a", h.events), Amount: amount, Reason: "r", Actor: "test"})
}

// figures reads the figures as of a time.
func (h *house) figures(at time.Time) *overview.Figures {
	h.Helper()
	h.now = at
	if err := h.Refresh(context.Background()); err != nil {
		h.Fatal(err)
	}
	f := h.Latest()
	if !f.AsOf.Equal(at) {
		h.Fatalf("the figures are as of %v, want %v", f.AsOf, at)
	}
	return f
}

// currency returns the figures of one currency.
func (h *house) currency(f *overview.Figures, code string) overview.Currency {
	h.Helper()
	for _, c := range f.Currencies {
		if c.Currency == code {
			return c
		}
	}
	h.Fatalf("there are no figures in %s", code)
	return overview.Currency{}
}

func TestThereAreNoFiguresBeforeTheFirst(t *testing.T) {
	h := onPebble(t)
	if f := h.Latest(); f != nil {
		t.Errorf("before any reading there is %+v", f)
	}
	if f := h.figures(day(2026, 1, 5)); f.Accounts != 0 || len(f.Currencies) != 0 || len(f.Programs) != 2 {
		t.Errorf("of an empty database there is %+v", f)
	}
}

func TestFiguresStayWhatTheyWereWhereReadingFails(t *testing.T) {
	h := onPebble(t)
	h.buys("a", "t1", day(2026, 1, 1), 10_000)
	before := h.figures(day(2026, 1, 5))
	h.counting.fails = errors.New("no answer")
	h.now = day(2026, 1, 6)
	if err := h.Refresh(t.Context()); !errors.Is(err, h.counting.fails) {
		t.Errorf("the error is %v", err)
	}
	if h.Latest() != before {
		t.Error("the figures are not those of the time before")
	}

}

func TestRunLogsFailuresAndGoesOnUntilItsContextEnds(t *testing.T) {
	h := onPebble(t)
	ctx, stop := context.WithCancel(t.Context())
	reads := 0
	o := h.options()
	o.Checks = func(context.Context) (overview.Checks, error) {
		if reads++; reads == 2 {
			stop()
		}
		return overview.Checks{}, errors.New("the table is gone")
	}
	view := overview.New(o)
	view.Run(ctx, time.Millisecond)
	if reads != 2 || view.Latest() != nil || bytes.Count(h.log.Bytes(), []byte("the table is gone")) != 1 {
		t.Errorf("it was read %d times; the log says %s", reads, &h.log)
	}
}

func TestWhatOthersKeepIsTakenOver(t *testing.T) {
	h := onPebble(t)
	o := h.options()
	webhooks := overview.Webhooks{Due: 4, Dead: 2, Endpoints: 3, Disabled: 1}
	checks := overview.Checks{Verify: overview.Verification{At: day(2026, 1, 2), Events: 7, Differences: 1}, Sealed: 7}
	o.Webhooks = func(context.Context) (overview.Webhooks, error) { return webhooks, nil }
	o.Checks = func(context.Context) (overview.Checks, error) { return checks, nil }
	h.Overview = overview.New(o)
	if f := h.figures(day(2026, 1, 5)); f.Webhooks != webhooks || f.Checks != checks {
		t.Errorf("found %+v and %+v", f.Webhooks, f.Checks)
	}
}

func TestProgramsAreShownWithWhatIsToCome(t *testing.T) {
	h := onPebble(t)
	h.opens("gold-1", "gold", day(2026, 1, 2))
	h.buys("a", "t1", day(2026, 1, 2), 100)
	h.now = day(2026, 1, 3)
	next := []byte("id: gold\ncurrency: EUR\nrules: [{id: base, rate: 2%}]\n")
	if _, _, err := h.programs.Put(t.Context(), "gold", next, 0, "test"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		at                time.Time
		inForce, upcoming int
	}{{day(2026, 1, 5), 1, 1}, {day(2026, 2, 1), 2, 0}} {
		f := h.figures(c.at)
		p := f.Programs[1]
		if len(f.Programs) != 2 || f.Programs[0].ID != "everyday" || f.Programs[0].Accounts != 1 || p.ID != "gold" || p.Accounts != 1 {
			t.Fatalf("the programs are %+v", f.Programs)
		}
		if int(p.InForce.Terms.Version) != c.inForce || len(p.Upcoming) != c.upcoming || c.upcoming == 1 && p.Upcoming[0].Terms.Version != 2 {
			t.Errorf("on %v version %d is in force and %+v to come", c.at, p.InForce.Terms.Version, p.Upcoming)
		}
		if int(f.Refunds.Programs[1].Version) != c.inForce {
			t.Errorf("on %v refunds are held against version %d", c.at, f.Refunds.Programs[1].Version)
		}
	}
}
