package engine_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"recoup/internal/engine"
	"recoup/internal/store"
	"recoup/internal/store/memory"
	"recoup/program"
	"recoup/reward"
)

// fixture is an engine over a store in memory, and the events that left a trace.
type fixture struct {
	*engine.Engine
	store *memory.Store
	log   []reward.Event
}

func newFixture(p *reward.Program) *fixture {
	s := memory.New(p)
	f := &fixture{Engine: engine.New(s), store: s}
	s.Observe(func(e *reward.Event, _ []reward.Posting) { f.log = append(f.log, *e) })
	return f
}

// deliver delivers events in one batch.
func (f *fixture) deliver(t rapid.TB, events ...reward.Event) []reward.Result {
	t.Helper()
	results, err := f.Apply(context.Background(), events, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != len(events) {
		t.Fatalf("%d results for %d events", len(results), len(events))
	}
	return results
}

// states is everything that the store shows of its accounts.
func (f *fixture) states() []reward.State {
	var list []reward.State
	for id := range f.store.Accounts() {
		list = append(list, f.store.Account(id).State())
	}
	return list
}

// graceful is the everyday program with rewards granted at the statement and a
// grace hold after it, so that a cycle that closes shows in an account's state.
func graceful() *reward.Program {
	p := *program.Everyday()
	p.Timing.Grant = reward.GrantAtStatement
	p.Redemption.GraceDays = 10
	return &p
}

func on(month time.Month, day int) reward.Instant {
	return reward.At(time.Date(2026, month, day, 0, 0, 0, 0, time.UTC))
}

func result(o reward.Outcome, c reward.Code) reward.Result { return reward.Result{Outcome: o, Code: c} }

var (
	applied   = result(reward.Applied, reward.NoCode)
	duplicate = result(reward.Duplicate, reward.NoCode)
	idReused  = result(reward.Rejected, reward.IDReused)
)

func expectResults(t rapid.TB, got []reward.Result, want ...reward.Result) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("event %d: %v %v, want %v %v", i, got[i].Outcome, got[i].Code, want[i].Outcome, want[i].Code)
		}
	}
}

// TestWhatChangesNothing delivers, to an account that has seen one purchase,
// events that must not change it, create another, move its time past its
// statement close, or use up the identity they carry.
func TestWhatChangesNothing(t *testing.T) {
	first := settled("acct", 1)
	fresh := settled("acct", 2)
	fresh.Time = on(time.March, 1)
	elsewhere := fresh
	elsewhere.Account = "other"
	with := func(e reward.Event, change func(*reward.Event)) reward.Event {
		change(&e)
		return e
	}
	invalid := result(reward.Rejected, reward.InvalidAmount)
	mismatch := result(reward.Rejected, reward.CurrencyMismatch)
	for _, c := range []struct {
		name  string
		event reward.Event
		want  reward.Result
	}{
		{"the same event again", first, duplicate},
		{"another event under its identity", with(first, func(e *reward.Event) { e.Time = on(time.March, 1) }), idReused},
		{"an amount of zero", with(fresh, func(e *reward.Event) { e.Amount = 0 }), invalid},
		{"a negative amount", with(fresh, func(e *reward.Event) { e.Amount = -1 }), invalid},
		{"an amount above the largest", with(fresh, func(e *reward.Event) { e.Amount = reward.MaxAmount + 1 }), invalid},
		{"an adjustment of zero", with(fresh, func(e *reward.Event) { e.Type, e.Amount = reward.AdjustmentPosted, 0 }), invalid},
		{"a chargeback of zero", with(fresh, func(e *reward.Event) { e.Type, e.Amount, e.Currency = reward.ChargebackPosted, 0, "" }), invalid},
		{"a redemption of a negative amount", with(fresh, func(e *reward.Event) { e.Type, e.Amount = reward.RedemptionRequested, -100 }), invalid},
		{"another currency", with(fresh, func(e *reward.Event) { e.Currency = "EUR" }), mismatch},
		{"a refund in another currency", with(fresh, func(e *reward.Event) { e.Type, e.Currency = reward.RefundPosted, "GBP" }), mismatch},
		{"an amount of zero on a new account", with(elsewhere, func(e *reward.Event) { e.Amount = 0 }), invalid},
		{"another currency on a new account", with(elsewhere, func(e *reward.Event) { e.Currency = "EUR" }), mismatch},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(graceful())
			f.deliver(t, first)
			before := f.states()
			for range 2 {
				expectResults(t, f.deliver(t, c.event), c.want)
			}
			if after := f.states(); !reflect.DeepEqual(before, after) {
				t.Errorf("the accounts were\n%+v and are\n%+v", before, after)
			}
			if !slices.Equal(f.log, []reward.Event{first}) {
				t.Errorf("recorded %+v", f.log)
			}
			if c.want.LeavesNoTrace() {
				expectResults(t, f.deliver(t, fresh, elsewhere), applied, applied)
			}
		})
	}
}

// Only bad input leaves no trace: what the rules refuse has used up its identity
// and moved the account's time.
func TestARefusedEventIsOnRecord(t *testing.T) {
	f := newFixture(graceful())
	request := reward.Event{
		Source: "core", ID: "e1", Account: "acct", Time: on(time.February, 20), Type: reward.RedemptionRequested,
		Fact: "r1", Amount: 100, HasAmount: true, Currency: "USD",
	}
	refused := result(reward.Rejected, reward.InsufficientBalance)
	expectResults(t, f.deliver(t, request), refused)

	again, other := request, request
	other.Amount = 50
	expectResults(t, f.deliver(t, again, other), duplicate, idReused)

	request.ID = "e2" // the redemption may be tried again, under another identity
	expectResults(t, f.deliver(t, request), refused)

	// A purchase of January is posted in February, where the account is, and waits
	// for February's close.
	expectResults(t, f.deliver(t, settled("acct", 7)), applied)
	f.advance(t, on(time.February, 28))
	if s := f.states()[0]; s.Transactions[0].Retained != 0 {
		t.Errorf("the purchase has %d, as if posted in January", s.Transactions[0].Retained)
	}
	f.advance(t, on(time.March, 1))
	if s := f.states()[0]; s.Transactions[0].Retained == 0 {
		t.Error("the purchase has nothing after the close that it waited for")
	}
}

func TestOneIdentityPerAccountAndSource(t *testing.T) {
	f := newFixture(program.Everyday())
	e := settled("acct", 1)
	otherAccount, otherSource, otherID := e, e, e
	otherAccount.Account = "acct-2"
	otherSource.Source, otherSource.Transaction = "edge", "t2"
	otherID.ID, otherID.Transaction = "e2", "t3"
	expectResults(t, f.deliver(t, e, otherAccount, otherSource, otherID), applied, applied, applied, applied)
}

func TestResultsAreAppended(t *testing.T) {
	f := newFixture(program.Everyday())
	ctx := context.Background()
	results, err := f.Apply(ctx, []reward.Event{settled("a", 1)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	results, err = f.Apply(ctx, []reward.Event{settled("a", 1), settled("b", 1)}, results)
	if err != nil || !slices.Equal(results, []reward.Result{applied, duplicate, applied}) {
		t.Errorf("results %v, error %v", results, err)
	}
}

// contending is a store whose units conflict once and are tried again.
type contending struct {
	store.Store
	program *reward.Program
}

func (c contending) Update(ctx context.Context, events []reward.Event, apply func(store.Unit)) error {
	if err := memory.New(c.program).Update(ctx, events, apply); err != nil {
		return err
	}
	return c.Store.Update(ctx, events, apply)
}

func TestAUnitThatIsTriedAgainAnswersOnce(t *testing.T) {
	p := program.Everyday()
	s := memory.New(p)
	en := engine.New(contending{s, p})
	ctx := context.Background()
	results, err := en.Apply(ctx, []reward.Event{settled("a", 1)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	results, err = en.Apply(ctx, []reward.Event{settled("a", 1), settled("a", 2)}, results)
	if err != nil || !slices.Equal(results, []reward.Result{applied, duplicate, applied}) {
		t.Errorf("results %v, error %v", results, err)
	}
}

// failing is a store that cannot keep what it was given.
type failing struct{ store.Store }

var errDisk = errors.New("the disk is full")

func (f failing) Update(ctx context.Context, events []reward.Event, apply func(store.Unit)) error {
	if err := f.Store.Update(ctx, events, apply); err != nil {
		return err
	}
	return fmt.Errorf("committing: %w", errDisk)
}

func TestAnErrorOfTheStoreAnswersNothing(t *testing.T) {
	s := memory.New(program.Everyday())
	en := engine.New(failing{s})
	earlier := []reward.Result{duplicate}
	results, err := en.Apply(context.Background(), []reward.Event{settled("a", 1)}, earlier)
	if !errors.Is(err, errDisk) || !slices.Equal(results, earlier) {
		t.Errorf("results %v, error %v", results, err)
	}
	if err := en.Advance(context.Background(), on(time.March, 1)); !errors.Is(err, errDisk) {
		t.Errorf("Advance returned %v", err)
	}
}

func TestACancelledContextAppliesNothing(t *testing.T) {
	f := newFixture(program.Everyday())
	f.deliver(t, settled("a", 1))
	before := f.states()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if results, err := f.Apply(ctx, []reward.Event{settled("a", 2), settled("b", 1)}, nil); !errors.Is(err, context.Canceled) || len(results) > 0 {
		t.Errorf("results %v, error %v", results, err)
	}
	if err := f.Advance(ctx, on(time.March, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("Advance returned %v", err)
	}
	if after := f.states(); !reflect.DeepEqual(before, after) {
		t.Errorf("the accounts were\n%+v and are\n%+v", before, after)
	}
}
