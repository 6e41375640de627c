package export_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"recoup/ledger/export"
	"recoup/program"
	"recoup/reward"
)

// lines is a format for tests: one line a transaction, with its date, kind and
// legs, and its words if they are asked for.
type lines struct {
	list  []string
	words bool
}

var short = map[export.Account]string{
	export.Rewards: "rewards", export.Adjustments: "adjustments", export.Available: "available", export.Pending: "pending", export.Reserved: "reserved",
	export.Receivable: "receivable", export.Clearing: "clearing", export.Opening: "opening",
}

func (l *lines) Transaction(t *export.Transaction) error {
	line := t.At.Time().Format("01-02 15:04 ") + t.Kind
	var sum int64
	for _, leg := range t.Legs {
		line += fmt.Sprintf(" %s%+d", short[leg.Account], leg.Amount)
		sum += leg.Amount
		if leg.Amount == 0 {
			return fmt.Errorf("%s: a leg of nothing", line)
		}
	}
	if sum != 0 {
		return fmt.Errorf("%s: does not balance", line)
	}
	if l.words {
		line += ": " + t.Text
	}
	l.list = append(l.list, line)
	return nil
}

func (l *lines) Balances(reward.Instant, export.Currency, *export.Sums) error { return nil }
func (l *lines) Close() error                                                 { return nil }

func expectLines(t *testing.T, log export.Log, o export.Options, words bool, want ...string) {
	t.Helper()
	l := &lines{words: words}
	if _, err := export.Write(context.Background(), log, l, o); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(l.list, want) {
		t.Errorf("exported\n\t%s\nwant\n\t%s", strings.Join(l.list, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// maturing is the everyday program with two weeks to maturity.
func maturing() *reward.Program {
	p := program.Everyday()
	p.MaturityDays = 14
	return p
}

func settled(when, id string) reward.Event {
	return event("acct-1", when, reward.TransactionSettled, id, "", 10_000)
}

func adjusted(when, id string) reward.Event {
	e := event("acct-1", when, reward.AdjustmentPosted, "", id, 1)
	e.Reason, e.Actor = "goodwill", "ann"
	return e
}

func TestARewardMaturesOnItsDay(t *testing.T) {
	for name, c := range map[string]struct {
		events []reward.Event
		want   []string
	}{
		"in the cycle of its purchase": {
			[]reward.Event{settled("01-05 10:00", "t1"), adjusted("01-25", "a1")},
			[]string{
				"01-05 10:00 grant rewards+500 pending-500",
				"01-19 10:00 matured available-500 pending+500",
				"01-25 00:00 adjustment adjustments+1 available-1",
			},
		},
		"at the very time of the next event": {
			[]reward.Event{settled("01-05 10:00", "t1"), adjusted("01-19 10:00", "a1")},
			[]string{
				"01-05 10:00 grant rewards+500 pending-500",
				"01-19 10:00 matured available-500 pending+500",
				"01-19 10:00 adjustment adjustments+1 available-1",
			},
		},
		"not before": {
			[]reward.Event{settled("01-05 10:00", "t1"), adjusted("01-19 09:59", "a1")},
			[]string{
				"01-05 10:00 grant rewards+500 pending-500",
				"01-19 09:59 adjustment adjustments+1 available-1",
			},
		},
		"in the next cycle": {
			[]reward.Event{settled("01-25 10:00", "t1"), adjusted("02-20", "a1")},
			[]string{
				"01-25 10:00 grant rewards+500 pending-500",
				"02-08 10:00 matured available-500 pending+500",
				"02-20 00:00 adjustment adjustments+1 available-1",
			},
		},
		"each on its own, two at one time together": {
			[]reward.Event{settled("01-05 10:00", "t1"), settled("01-06 10:00", "t2"), settled("01-06 10:00", "t3"), adjusted("01-25", "a1")},
			[]string{
				"01-05 10:00 grant rewards+500 pending-500",
				"01-06 10:00 grant rewards+500 pending-500",
				"01-06 10:00 grant rewards+500 pending-500",
				"01-19 10:00 matured available-500 pending+500",
				"01-20 10:00 matured available-1000 pending+1000",
				"01-25 00:00 adjustment adjustments+1 available-1",
			},
		},
		"in a cycle that the account slept through": {
			[]reward.Event{settled("01-25 10:00", "t1"), adjusted("05-20", "a1")},
			[]string{
				"01-25 10:00 grant rewards+500 pending-500",
				"02-08 10:00 matured available-500 pending+500",
				"05-20 00:00 adjustment adjustments+1 available-1",
			},
		},
		"at the last close if the account slept over work for it": {
			[]reward.Event{
				settled("01-25 10:00", "t1"), event("acct-1", "01-25 10:00", reward.RefundPosted, "t2", "r1", 100), adjusted("05-20", "a1"),
			},
			[]string{
				"01-25 10:00 grant rewards+500 pending-500",
				"05-01 00:00 clawback rewards-5 pending+5",
				"05-01 00:00 released available-495 pending+495",
				"05-20 00:00 adjustment adjustments+1 available-1",
			},
		},
		"but an event that comes late does not turn the time back": {
			[]reward.Event{settled("01-05 10:00", "t1"), adjusted("01-25", "a1"), settled("01-02 10:00", "t2"), adjusted("02-10", "a2")},
			[]string{
				"01-05 10:00 grant rewards+500 pending-500",
				"01-19 10:00 matured available-500 pending+500",
				"01-25 00:00 adjustment adjustments+1 available-1",
				"01-25 00:00 grant rewards+500 pending-500",
				"02-08 00:00 matured available-500 pending+500",
				"02-10 00:00 adjustment adjustments+1 available-1",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newService(t, maturing())
			s.deliver(c.events...)
			expectLines(t, s, options(), false, c.want...)
		})
	}
}

func TestAVersionWithAnotherMaturityCounts(t *testing.T) {
	later := maturing()
	later.Version, later.From, later.MaturityDays = 2, reward.CycleAt(at("02-01")), 3
	later.Earlier = maturing()
	s := newService(t, later)
	s.deliver(settled("01-25 10:00", "t1"), settled("02-02 10:00", "t2"), adjusted("02-20", "a1"))
	expectLines(t, s, options(), false,
		"01-25 10:00 grant rewards+500 pending-500",
		"02-02 10:00 grant rewards+500 pending-500",
		"02-05 10:00 matured available-500 pending+500",
		"02-08 10:00 matured available-500 pending+500",
		"02-20 00:00 adjustment adjustments+1 available-1",
	)
}

// An account closes all cycles that it slept through at once, as of the last close
// and by the terms of that day: the hold is one that the first version has not.
func TestAnAccountThatSleptIntoAnotherVersionHasItsHold(t *testing.T) {
	later := maturing()
	later.Version, later.From, later.Redemption.GraceDays = 2, reward.CycleAt(at("02-01")), 27
	later.Earlier = maturing()
	s := newService(t, later)
	s.deliver(settled("01-25 10:00", "t1"), event("acct-1", "05-10 10:00", reward.RedemptionRequested, "", "x1", 200),
		event("acct-1", "05-28 10:00", reward.RedemptionRequested, "", "x2", 200))
	expectLines(t, s, options(), false,
		"01-25 10:00 grant rewards+500 pending-500",
		"05-01 00:00 released available-500 pending+500",
		"05-28 10:00 redemption clearing-200 available+200",
	)
}

func TestAnAnnouncedRefundIsPendingUntilItComesOrDoesNot(t *testing.T) {
	s := newService(t, program.Everyday())
	s.deliver(
		settled("01-05 10:00", "t1"),
		event("acct-1", "01-06 10:00", reward.RefundPending, "t1", "r1", 4000),
		event("acct-1", "01-07 10:00", reward.RefundPending, "t1", "r2", 2000),
		event("acct-1", "01-08 10:00", reward.RefundCanceled, "", "r2", 0),
		event("acct-1", "01-09 10:00", reward.RefundPending, "t1", "r3", 1000),
		event("acct-1", "01-10 10:00", reward.RefundPosted, "t1", "r1", 4000),
		adjusted("02-28", "a1"),
	)
	expectLines(t, s, options(), true,
		"01-05 10:00 grant rewards+500 available-500: Reward for purchase t1 under rule grocery: 5% of $100.00 is $5.00, rounded down.",
		"01-06 10:00 held available+200 pending-200: Refund r1 of purchase t1 is announced: $2.00 of rewards is held.",
		"01-07 10:00 held available+100 pending-100: Refund r2 of purchase t1 is announced: $1.00 of rewards is held.",
		"01-08 10:00 released available-100 pending+100: refund.canceled r2: $1.00 is held no longer.",
		"01-09 10:00 held available+50 pending-50: Refund r3 of purchase t1 is announced: $0.50 of rewards is held.",
		"01-10 10:00 clawback rewards-200 pending+200: $40.00 of purchase t1 came back: its reward of $5.00 × $60.00 ÷ $100.00 leaves $3.00, rounded down. $2.00 is taken back.",
		"02-08 10:00 released available-50 pending+50: Refund r3 was announced and did not come: $0.50 is held no longer.",
		"02-28 00:00 adjustment adjustments+1 available-1: Adjustment a1 by ann, goodwill: $0.01.",
	)
}

func TestADeferredClawbackIsPendingUntilTheClose(t *testing.T) {
	p := program.Everyday()
	p.Timing.Clawback = reward.ClawbackAtStatement
	s := newService(t, p)
	s.deliver(
		settled("01-05 10:00", "t1"),
		event("acct-1", "01-06 10:00", reward.RefundPosted, "t1", "r1", 4000),
		settled("02-03 10:00", "t2"),
	)
	expectLines(t, s, options(), true,
		"01-05 10:00 grant rewards+500 available-500: Reward for purchase t1 under rule grocery: 5% of $100.00 is $5.00, rounded down.",
		"01-06 10:00 held available+200 pending-200: Refund r1 takes reward back later: until then $2.00 is held.",
		"02-01 00:00 clawback rewards-200 pending+200: $40.00 of purchase t1 came back: its reward of $5.00 × $60.00 ÷ $100.00 leaves $3.00, rounded down. $2.00 is taken back.",
		"02-03 10:00 grant rewards+500 available-500: Reward for purchase t2 under rule grocery: 5% of $100.00 is $5.00, rounded down.",
	)
}

func TestACardholderInDebtOwesAReceivableThatLaterRewardsRepay(t *testing.T) {
	s := newService(t, program.Everyday())
	s.deliver(
		settled("01-05 10:00", "t1"),
		event("acct-1", "01-06 10:00", reward.RedemptionRequested, "", "x1", 500),
		event("acct-1", "01-07 10:00", reward.RefundPosted, "t1", "r1", 10_000),
		event("acct-1", "01-08 10:00", reward.TransactionSettled, "t2", "", 16_000),
		event("acct-1", "01-09 10:00", reward.RedemptionReversed, "", "x1", 0),
	)
	expectLines(t, s, options(), false,
		"01-05 10:00 grant rewards+500 available-500",
		"01-06 10:00 redemption clearing-500 available+500",
		"01-07 10:00 clawback rewards-500 receivable+500",
		"01-08 10:00 grant rewards+800 available-300 receivable-500",
		"01-09 10:00 redemption_reversal clearing+500 available-500",
	)
}

// One event may post for many purchases; each posting is a transaction of its own.
func TestEveryPostingOfACloseIsATransaction(t *testing.T) {
	p := maturing()
	p.Timing.Grant = reward.GrantAtStatement
	s := newService(t, p)
	s.deliver(settled("01-05 10:00", "t1"), settled("01-25 10:00", "t2"), adjusted("02-20", "a1"))
	expectLines(t, s, options(), false,
		"02-01 00:00 grant rewards+500 available-500",
		"02-01 00:00 grant rewards+500 pending-500",
		"02-08 10:00 matured available-500 pending+500",
		"02-20 00:00 adjustment adjustments+1 available-1",
	)
}

func TestOneAccountCanBeExportedAlone(t *testing.T) {
	s := newService(t, program.Everyday())
	s.deliver(settled("01-05 10:00", "t1"), event("acct-2", "01-06 10:00", reward.TransactionSettled, "t1", "", 20_000))
	o := options()
	o.Account = "acct-2"
	expectLines(t, s, o, false, "01-06 10:00 grant rewards+1000 available-1000")
}

func TestAnUnknownCurrencyIsRefused(t *testing.T) {
	p := program.Everyday()
	p.Currency = "XXX"
	s := newService(t, p)
	e := settled("01-05 10:00", "t1")
	e.Currency = "XXX"
	s.deliver(e)
	_, err := export.Write(context.Background(), s, &lines{}, options())
	if err == nil || !strings.Contains(err.Error(), `program everyday: currency "XXX"`) {
		t.Errorf("the error is %v", err)
	}
}

// What is authorised is set apart until it is captured, released, or expires, each on its
// own date; what the goods' return takes in between makes a receivable.
func TestWhatIsReserved(t *testing.T) {
	phase := func(when string, kind reward.Type, id string, amount int64) reward.Event {
		return event("acct-1", when, kind, "", id, amount)
	}
	s := newService(t, program.Everyday())
	s.deliver(settled("01-05 10:00", "t1"), phase("01-06", reward.RedemptionAuthorized, "d1", 300), phase("01-07", reward.RedemptionAuthorized, "d2", 150),
		phase("01-08", reward.RedemptionCaptured, "d1", 200), phase("01-09", reward.RedemptionAuthorized, "d3", 100), phase("01-10", reward.RedemptionReleased, "d3", 0),
		adjusted("01-25", "a1"), phase("01-26", reward.RedemptionAuthorized, "d4", 301),
		event("acct-1", "01-27", reward.RefundPosted, "t1", "r1", 10_000), phase("01-28", reward.RedemptionCaptured, "d4", 301))
	expectLines(t, s, options(), true,
		"01-05 10:00 grant rewards+500 available-500: Reward for purchase t1 under rule grocery: 5% of $100.00 is $5.00, rounded down.",
		"01-06 00:00 reserved available+300 reserved-300: Redemption d1 is authorised: $3.00 is reserved.",
		"01-07 00:00 reserved available+150 reserved-150: Redemption d2 is authorised: $1.50 is reserved.",
		"01-08 00:00 redemption clearing-200 reserved+200: Redemption d1 paid out $2.00.",
		"01-08 00:00 released available-100 reserved+100: redemption.captured d1: $1.00 is reserved no longer.",
		"01-09 00:00 reserved available+100 reserved-100: Redemption d3 is authorised: $1.00 is reserved.",
		"01-10 00:00 released available-100 reserved+100: redemption.released d3: $1.00 is reserved no longer.",
		"01-14 00:00 released available-150 reserved+150: What was authorised was not captured in time: $1.50 is reserved no longer.",
		"01-25 00:00 adjustment adjustments+1 available-1: Adjustment a1 by ann, goodwill: $0.01.",
		"01-26 00:00 reserved available+301 reserved-301: Redemption d4 is authorised: $3.01 is reserved.",
		"01-27 00:00 clawback rewards-500 available+301 receivable+199: $100.00 of purchase t1 came back: its reward of $5.00 × $0.00 ÷ $100.00 leaves $0.00, rounded down. $5.00 is taken back.",
		"01-28 00:00 redemption clearing-301 available-301 reserved+301 receivable+301: Redemption d4 paid out $3.01.",
	)
}
