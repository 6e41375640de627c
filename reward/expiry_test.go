package reward_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"recoup/reward"
)

// expiring is a flat program of 10 % whose rewards expire.
func expiring(months int) *reward.Program {
	p := flat("flat", 10)
	p.ExpiryMonths = months
	return p
}

// TestAnExpiryIsExplained reads what a cardholder is told of what expires, and of what is
// back when the purchase that it was of returns.
func TestAnExpiryIsExplained(t *testing.T) {
	c := newCard(t, expiring(1))
	c.tell(5, settle("t1", 10_000))
	c.tell(6, reward.Event{Type: reward.RedemptionRequested, Fact: "d1", Amount: 600})
	c.journal = nil
	c.tell(70, reward.Event{Type: reward.RefundPosted, Fact: "r1", Transaction: "t1", Amount: 3000})
	want := []string{
		"expiry 2026-01 -400: Of the rewards of 2026-01, which are $10.00, $4.00 was not used in time. $4.00 expires.",
		"clawback  -300: $30.00 of purchase t1 came back: its reward of $10.00 × $70.00 ÷ $100.00 leaves $7.00, rounded down. $3.00 is taken back.",
		"expiry_restored 2026-01 300: Of the rewards of 2026-01, $4.00 had expired. They are $7.00 now, of which $1.00 was not used in time. $3.00 is given back.",
	}
	var got []string
	for _, p := range c.journal {
		got = append(got, fmt.Sprintf("%v %s %d: %s", p.Kind, p.Period, p.Amount, p.Explain(reward.Telling{Spend: dollars, Reward: dollars})))
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if p := c.journal[0]; p.Cycle.String() != "2026-02" || p.At != p.Cycle.End() {
		t.Errorf("it expires on the statement of %v, at %v", p.Cycle, p.At)
	}
}

// TestFewerMonthsWaitForTheLotsBefore: no lot expires before an older one.
func TestFewerMonthsWaitForTheLotsBefore(t *testing.T) {
	first := expiring(4)
	second := *expiring(1)
	second.Version, second.From, second.Earlier = 2, reward.Cycle(2026*12+1), first // February
	c := newCard(t, &second)
	c.tell(5, settle("t1", 1_000))
	c.tell(40, settle("t2", 1_000))
	c.tell(140, settle("t3", 1_000)) // 20 May
	var got []string
	for _, x := range c.Expiring() {
		got = append(got, fmt.Sprint(x.Cycle, " ", x.Amount, " ", x.At.Time().Format(time.DateOnly)))
	}
	if want := "[2026-01 100 2026-06-01 2026-02 100 2026-06-01 2026-05 100 2026-07-01]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

// TestExpiryThatComesLater: what stood on the account never expires and is used first,
// and whoever knew that it would come, and who did not, ends the same.
func TestExpiryThatComesLater(t *testing.T) {
	first := flat("flat", 10)
	second := *expiring(1)
	second.Version, second.From, second.Earlier = 2, reward.Cycle(2026*12+2), first // March
	ends := make(map[string]reward.State)
	for _, knew := range []bool{true, false} {
		c := newCard(t, first)
		if knew {
			c = newCard(t, &second)
		}
		c.tell(5, settle("t1", 10_000))
		c.tell(6, reward.Event{Type: reward.RedemptionRequested, Fact: "d1", Amount: 300})
		c.Adopt(&second)
		c.tell(70, settle("t2", 2_000))                                                     // 11 March
		c.tell(71, reward.Event{Type: reward.RedemptionRequested, Fact: "d2", Amount: 600}) // of the 700 of before
		c.tell(130, reward.Event{Type: reward.CycleClosed})                                 // March's 200 are over
		c.expect("100 of before are left", 100)
		c.tell(131, reward.Event{Type: reward.RedemptionReversed, Fact: "d1"})
		c.expect("what was paid before returns as what never expires", 400)
		c.tell(132, reward.Event{Type: reward.RefundPosted, Fact: "r1", Transaction: "t1", Amount: 10_000})
		c.expect("600 were paid, of which March's 200 bear a part", -400)
		ends[fmt.Sprint(knew)] = c.State()
	}
	if x, y := fmt.Sprint(ends["true"]), fmt.Sprint(ends["false"]); x != y {
		t.Errorf("who knew ends as\n%s, who did not as\n%s", x, y)
	}
}

// TestExpiryCannotComeBack: a version that has rewards expire again after one that did
// not is refused, one that has them expire for the first time, or not any more, is not.
func TestExpiryCannotComeBack(t *testing.T) {
	version := func(n int32, months int, earlier *reward.Program) *reward.Program {
		p := expiring(months)
		p.Version, p.From, p.Earlier = n, reward.Cycle(2026*12)+reward.Cycle(n), earlier
		return p
	}
	none := version(1, 0, nil)
	some := version(2, 12, none)
	gone := version(3, 0, some)
	for _, c := range []struct {
		next, latest *reward.Program
		refused      bool
	}{{some, none, false}, {version(3, 6, some), some, false}, {gone, some, false}, {version(4, 12, gone), gone, true}, {version(4, 0, gone), gone, false}} {
		err := c.next.Follows(c.latest, c.next.From)
		if (err != nil) != c.refused || err != nil && !strings.HasPrefix(err.Error(), "expires: ") {
			t.Errorf("%d months after %d: %v", c.next.ExpiryMonths, c.latest.ExpiryMonths, err)
		}
	}
}

// TestAnAccountIsDueWhenSomethingExpires: a service that closes what is due has it expire
// on time, however long nothing else happens, and is done then.
func TestAnAccountIsDueWhenSomethingExpires(t *testing.T) {
	c := newCard(t, expiring(3))
	c.tell(5, settle("t1", 10_000))
	c.tell(40, settle("t2", 5_000))
	c.tell(41, reward.Event{Type: reward.RedemptionRequested, Fact: "d1", Amount: 1_000})
	for _, want := range []string{"2026-06-01", "never"} { // January's are used
		got := "never"
		if due := c.Due(); due != 0 {
			got = due.Time().Format(time.DateOnly)
			c.Apply(&reward.Event{Account: "acct", ID: got, Time: due, Type: reward.CycleClosed}, nil)
		}
		if got != want {
			t.Errorf("due %s, want %s", got, want)
		}
	}
	c.expect("all is used or has expired", 0)
}
