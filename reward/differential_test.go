package reward_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"recoup/internal/engine"
	"recoup/internal/store/memory"
	"recoup/reward"
)

// real is the engine over a store in memory, as replays use it.
type real struct {
	store  *memory.Store
	engine *engine.Engine
}

func newReal(p *reward.Program) *real {
	s := memory.New(p)
	return &real{s, engine.New(s)}
}

func (r *real) apply(t rapid.TB, e reward.Event) reward.Result {
	t.Helper()
	results, err := r.engine.Apply(context.Background(), []reward.Event{e}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return results[0]
}

func (r *real) advance(t rapid.TB, to reward.Instant) {
	t.Helper()
	if err := r.engine.Advance(context.Background(), to); err != nil {
		t.Fatal(err)
	}
}

// state is what a replay would print.
func (r *real) state() []naiveState {
	list := []naiveState{}
	for id := range r.store.Accounts() {
		s := r.store.Account(id).State()
		n := naiveState{
			Account: s.Account, Status: "open", Balance: s.Balance, Held: s.Held, Reserved: s.Reserved, Available: s.Available, Reservations: fmt.Sprint(s.Reservations), Redeemed: s.Redeemed,
			Adjustments: s.Adjustments, NetSpend: s.NetSpend, NetReward: s.NetReward, Entitlement: s.Entitlement, Transactions: []naiveLine{},
		}
		if s.Closed {
			n.Status = "closed"
		}
		n.Expired = s.Expired
		for _, x := range s.Expiring {
			n.Expiring = append(n.Expiring, naiveExpiring{x.Cycle.String(), x.Amount, x.At.String()})
		}
		if s.HoldUntil != 0 {
			until := s.HoldUntil.String()
			n.HoldUntil = &until
		}
		for _, l := range s.Transactions {
			line := naiveLine{
				ID: l.ID, Status: l.Status.String(), Amount: l.Amount, Reversed: l.Reversed, Original: l.Original, Retained: l.Retained,
			}
			line.Rewards = layerLines(l.Rewards)
			line.Items = itemLines(l.Items)
			n.Transactions = append(n.Transactions, line)
		}
		if s.Bonuses != nil {
			n.Bonuses = []naiveBonusLine{}
			for _, x := range s.Bonuses {
				n.Bonuses = append(n.Bonuses, naiveBonusLine(x))
			}
		}
		if s.Tiers != nil {
			n.Tiers = []naiveTierLine{}
			for _, x := range s.Tiers {
				line := naiveTierLine{Tier: x.Tier, Period: x.Period, Spend: x.Spend}
				if x.Level != "" {
					line.Level = &x.Level
				}
				n.Tiers = append(n.Tiers, line)
			}
		}
		list = append(list, n)
	}
	return list
}

func (r *real) check(t rapid.TB) {
	t.Helper()
	for _, v := range r.store.Check() {
		t.Errorf("%v", v)
	}
}

// TestEngineAgreesWithNaiveModel plays random traces in every mode and compares
// outcome and state after every event.
func TestEngineAgreesWithNaiveModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		program := drawTerms(t)
		model, subject := newNaive(program), newReal(program)
		var told story
		for _, e := range drawTrace(t, program, 60) {
			want, got := model.apply(&e), subject.apply(t, e)
			told = append(told, told.line(&e, got))
			if got != want {
				t.Fatalf("the model says %v %v\n%s", want.Outcome, want.Code, told.of(e.Account))
			}
			compareStates(t, subject.state(), model.state())
			subject.check(t)
			if t.Failed() {
				t.Fatalf("under %+v\nafter\n%s", *program, told.of(e.Account))
			}
		}
		model.advance(tracesEnd)
		subject.advance(t, tracesEnd)
		compareStates(t, subject.state(), model.state())
		subject.check(t)
	})
}

// story is what was told so far, a line each, for a person who looks into a
// difference.
type story []told

type told struct{ account, line string }

func (story) line(e *reward.Event, r reward.Result) told {
	line := fmt.Sprintf("%v %v %s", e.Time, e.Type, e.Transaction)
	if e.Items != "" {
		line += fmt.Sprintf(" %q", e.Items)
	}
	for _, x := range []string{e.Fact, e.As, e.Merchant, e.Category, e.MCC.String()} {
		line += " | " + x
	}
	return told{e.Account, fmt.Sprintf("%s | %d %s: %v %v\n", line, e.Amount, e.Currency, r.Outcome, r.Code)}
}

func (s story) of(account string) (lines string) {
	for _, x := range s {
		if x.account == account {
			lines += x.line
		}
	}
	return lines
}

// TestEngineReviewsWhatTheModelReviews compares the review lists, that is what
// is open on which refund, chargeback or purchase, and of how much.
func TestEngineReviewsWhatTheModelReviews(t *testing.T) {
	for name, draw := range map[string]func(*rapid.T, *reward.Program, int) []reward.Event{"purchases": drawTrace, "items": drawItemTrace} {
		t.Run(name, func(t *testing.T) { reviewsAgree(t, drawTerms, draw) })
	}
	t.Run("attributes", func(t *testing.T) {
		reviewsAgree(t, func(t *rapid.T) *reward.Program { return drawPromises(t, false) }, drawTrace)
	})
}

func reviewsAgree(t *testing.T, terms func(*rapid.T) *reward.Program, draw func(*rapid.T, *reward.Program, int) []reward.Event) {
	rapid.Check(t, func(t *rapid.T) {
		program := terms(t)
		model, subject := newNaive(program), newReal(program)
		why := func(k reward.ReviewKind) reward.ReviewKind {
			if k == reward.CertainWithoutLink && program.Earlier != nil {
				return reward.MatchedWithoutLink // the window that made it certain may have changed
			}
			return k
		}
		var told story
		for _, e := range draw(t, program, 60) {
			model.apply(&e)
			told = append(told, told.line(&e, subject.apply(t, e)))
			book := model.book(e.Account)
			if book == nil {
				continue
			}
			var got, want []string
			for _, r := range subject.store.Account(e.Account).Reviews() {
				got = append(got, fmt.Sprint(why(r.Kind), " ", cmp.Or(r.Fact, r.Transaction), " ", r.Amount))
			}
			for _, r := range book.reviews() {
				want = append(want, fmt.Sprint(why(r.why), " ", r.fact, " ", r.amount))
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Fatalf("open are\n%v, the model says\n%v\n%s", got, want, told.of(e.Account))
			}
		}
	})
}

// TestEngineAgreesWithConformanceCases plays the shared cases through the engine.
func TestEngineAgreesWithConformanceCases(t *testing.T) {
	for _, c := range conformanceCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			subject := newReal(c.Program)
			for i := range c.Events {
				got := subject.apply(t, c.Events[i])
				if got != c.Outcomes[i] {
					t.Fatalf("event %d %+v: %v, expected %v", i, c.Events[i], got, c.Outcomes[i])
				}
			}
			subject.advance(t, casesEnd)
			compareStates(t, subject.state(), c.Final)
			subject.check(t)
		})
	}
}
