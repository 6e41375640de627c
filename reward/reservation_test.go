package reward_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"recoup/reward"
)

// till is an account with $5.00 to redeem and a clock that ticks by the hour.
type till struct {
	*reward.Account
	t   testing.TB
	now time.Time
	n   int
}

func newTill(t testing.TB) *till {
	p := smallProgram()
	p.Rules = p.Rules[1:]
	l := &till{Account: reward.NewAccount("a", p), t: t, now: time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)}
	l.tell("settled t1 50000")
	return l
}

// tell delivers what a line says: what happens, to what, of how much and until when, in
// days from now.
func (l *till) tell(line string) string {
	l.t.Helper()
	l.n++
	l.now = l.now.Add(time.Hour)
	var kind, of string
	var amount, days int64
	fmt.Sscan(line, &kind, &of, &amount, &days)
	e := reward.Event{Source: "core", ID: fmt.Sprint("e", l.n), Account: "a", Time: reward.At(l.now), Amount: amount, HasAmount: amount != 0, Currency: "USD", Fact: of}
	switch kind {
	case "settled":
		e.Type, e.Transaction, e.Fact = reward.TransactionSettled, of, ""
	case "refunded":
		e.Type, e.Transaction, e.Fact = reward.RefundPosted, of, fmt.Sprint("r", l.n)
	case "closed":
		e.Type = reward.AccountClosed
	case "days":
		l.now = l.now.AddDate(0, 0, int(amount))
		e.Type, e.Time, e.Amount = reward.CycleClosed, reward.At(l.now), 0
	case "late": // a capture that was made two days ago
		e.Type, e.Time = reward.RedemptionCaptured, reward.At(l.now.AddDate(0, 0, -2))
	default:
		for _, t := range []reward.Type{reward.RedemptionRequested, reward.RedemptionReversed, reward.RedemptionAuthorized, reward.RedemptionCaptured, reward.RedemptionReleased, reward.RedemptionDismissed} {
			if t.String() == "redemption."+kind {
				e.Type = t
			}
		}
		if days != 0 {
			e.Expires = reward.At(l.now.AddDate(0, 0, int(days)))
		}
	}
	r, _ := l.Apply(&e, nil)
	for _, v := range l.Check() {
		l.t.Errorf("after %s: %v", line, v)
	}
	return strings.TrimSpace(r.Outcome.String() + " " + r.Code.String())
}

// TestTwoPhases has the table of docs/semantics.md, section 6, and what it says around it. Each
// script ends in what the account has: balance, reserved, redeemed.
func TestTwoPhases(t *testing.T) {
	const none, dup, final = "rejected redemption_unknown", "duplicate", "ignored already_final"
	const conflict, over, parked = "rejected redemption_conflict", "rejected over_capture", "parked redemption_unknown"
	const poor, gone, late = "rejected insufficient_balance", "rejected authorization_released", "rejected authorization_expired"
	for name, c := range map[string]struct {
		script string
		want   [3]int64
	}{
		"reserved":                  {"authorized d 300: applied / requested x 201: " + poor + " / authorized y 201: " + poor + " / requested z 200: applied", [3]int64{300, 300, 200}},
		"captured":                  {"authorized d 300: applied / captured d: applied / captured d: duplicate / captured d 300: duplicate / captured d 299: " + conflict, [3]int64{200, 0, 300}},
		"captured in part":          {"authorized d 300: applied / captured d 100: applied / captured d 100: duplicate / captured d: " + conflict + " / requested x 400: applied", [3]int64{0, 0, 500}},
		"captured above":            {"authorized d 300: applied / captured d 301: " + over + " / captured d 300: applied", [3]int64{200, 0, 300}},
		"captured by nothing":       {"authorized d 300: applied / captured d -1: rejected invalid_amount", [3]int64{500, 300, 0}},
		"released":                  {"authorized d 300: applied / released d: applied / released d: duplicate / captured d: " + gone + " / reversed d: duplicate / authorized d 300: duplicate", [3]int64{500, 0, 0}},
		"authorised twice":          {"authorized d 300: applied / authorized d 300: duplicate / authorized d 299: " + conflict, [3]int64{500, 300, 0}},
		"authorised after capture":  {"authorized d 300: applied / captured d 100: applied / authorized d 300: duplicate / authorized d 100: " + conflict, [3]int64{400, 0, 100}},
		"denied, and again":         {"authorized d 501: " + poor + " / authorized d 500: applied", [3]int64{500, 500, 0}},
		"expired":                   {"authorized d 300 1: applied / days d 1: applied / captured d: " + late + " / released d: " + final + " / reversed d: " + final + " / authorized d 300: duplicate / requested x 500: applied", [3]int64{0, 0, 500}},
		"a week where not said":     {"authorized d 300: applied / days d 6: applied / captured d: applied", [3]int64{200, 0, 300}},
		"a week and no more":        {"authorized d 300: applied / days d 7: applied / captured d: " + late, [3]int64{500, 0, 0}},
		"at most 30 days":           {"authorized d 300 31: rejected invalid_time / authorized d 300 30: applied", [3]int64{500, 300, 0}},
		"after it begins":           {"authorized d 300 -1: rejected invalid_time / authorized d 300: applied", [3]int64{500, 300, 0}},
		"a capture that comes late": {"authorized d 300 1: applied / days d 1: applied / late d: " + late, [3]int64{500, 0, 0}},
		"reversed unpaid":           {"authorized d 300: applied / reversed d: applied / reversed d: duplicate / captured d: " + gone, [3]int64{500, 0, 0}},
		"reversed paid":             {"authorized d 300: applied / captured d: applied / reversed d: applied / reversed d: duplicate / captured d: duplicate / released d: " + final, [3]int64{500, 0, 0}},
		"capture first":             {"captured d 200: " + parked + " / captured d 200: duplicate / captured d 201: " + conflict + " / released d: " + final + " / authorized d 199: " + conflict + " / authorized d 300: applied / captured d 200: duplicate", [3]int64{300, 0, 200}},
		"capture of all first":      {"captured d: " + parked + " / authorized d 300: applied", [3]int64{200, 0, 300}},
		"capture of what is denied": {"captured d: " + parked + " / authorized d 501: " + poor + " / authorized d 500: applied", [3]int64{0, 0, 500}},
		"capture first, reversed":   {"captured d: " + parked + " / reversed d: " + parked + " / authorized d 300: ignored already_reversed / reversed d: duplicate", [3]int64{500, 0, 0}},
		"dismissed":                 {"captured d 200: " + parked + " / dismissed d: applied / dismissed d: duplicate / dismissed x: " + none + " / authorized d 300: applied", [3]int64{300, 0, 200}},
		"release first":             {"released d: " + parked + " / released d: duplicate / authorized d 300: ignored already_reversed / captured d: " + gone, [3]int64{500, 0, 0}},
		"reversal first":            {"reversed d: " + none + " / authorized d 300: applied", [3]int64{500, 300, 0}},
		"one id, another way":       {"authorized d 300: applied / requested d 300: " + conflict + " / requested x 100: applied / authorized x 100: " + conflict + " / captured x: " + conflict + " / released x: " + final, [3]int64{400, 300, 100}},
		"the goods are returned":    {"authorized d 500: applied / refunded t1 50000: applied / requested x 1: " + poor + " / captured d: applied", [3]int64{-500, 0, 500}},
		"the account is closed":     {"authorized d 300: applied / closed a: applied / authorized x 1: rejected account_closed / captured d 100: applied", [3]int64{400, 0, 100}},
		"closing counts promises":   {"authorized d 300: applied / refunded t1 30000: applied / closed a: rejected outstanding_negative_balance / released d: applied / closed a: applied", [3]int64{200, 0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			l := newTill(t)
			for line := range strings.SplitSeq(c.script, " / ") {
				told, want, _ := strings.Cut(line, ": ")
				if got := l.tell(told); got != want {
					t.Errorf("%s: %s, want %s", told, got, want)
				}
			}
			if s := l.State(); [3]int64{s.Balance, s.Reserved, s.Redeemed} != c.want || s.Available != s.Balance-s.Held-s.Reserved {
				t.Errorf("balance, reserved and redeemed are %d, %d and %d, want %d; available %d", s.Balance, s.Reserved, s.Redeemed, c.want, s.Available)
			}
		})
	}
}

func TestReservationsAreBounded(t *testing.T) {
	l := newTill(t)
	l.tell("settled t2 10000000")
	for i := range reward.MaxReservations {
		if got := l.tell(fmt.Sprintf("authorized d%d 1 20", i)); got != "applied" {
			t.Fatalf("authorisation %d: %s", i, got)
		}
		l.now = l.now.Add(-time.Hour) // all of them in a moment
	}
	if got := l.tell("authorized more 1"); got != "rejected authorization_limit" {
		t.Errorf("one more: %s", got)
	}
	l.tell("released d500")
	if got := l.tell("authorized more 1"); got != "applied" {
		t.Errorf("in the place of one that was released: %s", got)
	}
	if s := l.AsOf(reward.At(l.now.AddDate(0, 0, 40)), nil); len(s) != 0 || l.Balances().Reserved != 0 {
		t.Errorf("%d is reserved after all have expired", l.Balances().Reserved)
	}
}

// TestAPromiseNeedsNoRoom: an account that can take no more amounts still pays what it has
// promised.
func TestAPromiseNeedsNoRoom(t *testing.T) {
	l := newTill(t)
	l.tell("authorized d 300 30")
	for i := 0; ; i++ {
		if got := l.tell(fmt.Sprintf("settled u%d %d", i, reward.MaxAmount)); got == "rejected limit_exceeded" {
			break
		} else if i > 5_000 {
			t.Fatalf("the account takes ever more: %s", got)
		}
		l.now = l.now.Add(-time.Hour) // all of it in a moment
	}
	if got := l.tell("captured d"); got != "applied" {
		t.Errorf("the capture: %s", got)
	}
}

// TestACaptureOfWhatWasNeverGrantedIsReviewed until it is authorised or taken back.
func TestACaptureOfWhatWasNeverGrantedIsReviewed(t *testing.T) {
	for end, open := range map[string]int{"dismissed d": 0, "authorized d 300": 0, "reversed d": 0, "released d": 1, "authorized d 501": 1} {
		l := newTill(t)
		l.tell("captured d 250")
		if list := l.Reviews(); len(list) != 1 || list[0].Kind != reward.WaitsForAuthorization || list[0].Fact != "d" || list[0].Amount != 250 {
			t.Errorf("open are %+v", list)
		}
		l.tell(end)
		if list := l.Reviews(); len(list) != open {
			t.Errorf("open after %s are %+v, want %d", end, list, open)
		}
	}
}

// payouts adds redemptions to what happened, each in what pay makes of it.
func payouts(events []reward.Event, at []int, amounts []int64, pay func(e reward.Event) []reward.Event) (list []reward.Event) {
	var now reward.Instant // of the account
	for i, e := range events {
		list = append(list, e)
		now = max(now, e.Time)
		for k := range at {
			if at[k] == i {
				list = append(list, pay(reward.Event{
					Source: "core", ID: fmt.Sprint("d", k), Account: "a", Time: now, Fact: fmt.Sprint("d", k), Amount: amounts[k], HasAmount: true, Currency: "USD",
				})...)
			}
		}
	}
	return list
}

// as is an event with another type and id.
func as(e reward.Event, t reward.Type) reward.Event {
	e.Type, e.ID = t, e.ID+t.String()
	return e
}

// TestTwoPhasesComeToWhatOneDoes: authorised and captured is requested, authorised and
// released is nothing, in any mode and whatever happens around it.
func TestTwoPhasesComeToWhatOneDoes(t *testing.T) {
	ofBoth(t, func(t *rapid.T, start func(*reward.Program) player) {
		p := modes(t, rapid.Bool().Draw(t, "capped"))
		p.Refunds.FirmDays = 400
		facts := factsWithin(t, 80)
		var at []int
		var amounts []int64
		for range rapid.IntRange(1, 4).Draw(t, "redemptions") {
			at = append(at, rapid.IntRange(0, max(0, len(facts)-1)).Draw(t, "at"))
			amounts = append(amounts, rapid.Int64Range(1, 400).Draw(t, "redeemed"))
		}
		end := func(pay func(e reward.Event) []reward.Event) naiveState {
			return endOf(t, start(p), payouts(facts, at, amounts, pay))
		}
		paid := end(func(e reward.Event) []reward.Event { return []reward.Event{as(e, reward.RedemptionRequested)} })
		captured := end(func(e reward.Event) []reward.Event {
			return []reward.Event{as(e, reward.RedemptionAuthorized), as(e, reward.RedemptionCaptured)}
		})
		compareStates(t, []naiveState{captured}, []naiveState{paid})
		released := end(func(e reward.Event) []reward.Event {
			return []reward.Event{as(e, reward.RedemptionAuthorized), as(e, reward.RedemptionReleased)}
		})
		compareStates(t, []naiveState{released}, []naiveState{end(func(reward.Event) []reward.Event { return nil })})
	})
}

// TestWhatIsKnownTakesNothingThatIsPromised: when all that is available is authorised,
// every announced refund posts, all is captured and the statement closes, there is no debt.
func TestWhatIsKnownTakesNothingThatIsPromised(t *testing.T) {
	ofBoth(t, func(t *rapid.T, start func(*reward.Program) player) {
		p := modes(t, rapid.Bool().Draw(t, "capped"))
		p.Timing.Grant = reward.GrantAtSettlement
		p.Refunds.FirmDays = 400
		events, announced := announcing(t, factsWithin(t, pick(t, "days", 20, 80)))
		subject := start(p)
		for _, e := range events {
			subject.play(t, e)
		}
		now := reward.At(time.Date(2026, 5, 25, 0, 0, 0, 0, time.UTC))
		subject.play(t, reward.Event{Source: "core", ID: "now", Account: "a", Time: now, Type: reward.CycleClosed})
		all := subject.account().Available
		if all <= 0 {
			return
		}
		promise := reward.Event{Source: "core", ID: "d", Account: "a", Time: now, Fact: "d", Amount: all, HasAmount: true, Currency: "USD"}
		subject.play(t, as(promise, reward.RedemptionAuthorized))
		if s := subject.account(); s.Reserved != all || s.Available != 0 {
			t.Fatalf("%d were available; reserved are %d, available %d", all, s.Reserved, s.Available)
		}
		for _, e := range announced {
			subject.play(t, e)
		}
		subject.play(t, as(promise, reward.RedemptionCaptured))
		subject.until(t, reward.At(time.Date(2026, 7, 1, 0, 0, 0, 0, time.UTC)))
		if s := subject.account(); s.Balance < 0 || s.Redeemed != all {
			t.Errorf("%d redeemed of %d that were promised, and the balance is %d", s.Redeemed, all, s.Balance)
		}
	})
}
