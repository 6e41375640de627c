// Package simulate plays what somebody says would happen, such as "buy $80 at mcc 5411 on
// Saturday, return half", on an account of its own under a program, and tells each posting.
//
// The rules are those of package reward, applied as a service applies them: cycles are
// closed when they are over. Nothing is kept.
package simulate

import (
	"fmt"
	"time"

	"recoup/internal/console/locale"
	"recoup/reward"
)

// Limits of a story.
const (
	MaxSize = 4 << 10 // bytes
	MaxSaid = 40      // things that happen
	MaxDays = 3660    // from the first to the last
)

// Played is what came of a story.
type Played struct {
	Steps []Step
	End   reward.State
}

// Step is one thing that happened, or a cycle that closed meanwhile.
type Step struct {
	Said     string // as it was understood
	At       reward.Instant
	Result   reward.Result
	Postings []Posting
	// What the account has after it.
	Balance, Held, Redeemed int64
}

// Posting is a change of the balance, in words.
type Posting struct {
	Amount int64
	Says   string
}

// account is who the story is about.
const account = "simulation"

// Run plays a story from a moment on, under one version of a program, to the close of its
// last cycle, and has each posting told as telling says, and what happens in the language
// of a locale. The error says what could not be understood, and in which line.
func Run(p *reward.Program, story string, begin reward.Instant, telling reward.Telling, l *locale.Locale) (*Played, error) {
	alone := *p
	alone.Earlier, alone.From = nil, 0
	said, err := parse(&alone, story)
	if err != nil {
		return nil, err
	}
	t := &teller{locale: l, program: &alone, account: reward.NewAccount(account, &alone), telling: telling, bought: make(map[string]*purchase), begin: begin, now: begin}
	t.telling.Terms = &alone
	t.telling.Merchant = func(id string) string {
		if b := t.bought[id]; b != nil {
			return b.merchant
		}
		return ""
	}
	opened := reward.Event{Type: reward.AccountOpened, Fact: alone.ID}
	t.apply(l.Sprintf("The account is opened"), &opened)
	for i := range said {
		if err := t.happen(&said[i]); err != nil {
			return nil, fmt.Errorf("line %d, %q: %w", said[i].line, said[i].text, err)
		}
	}
	if n := len(said); n > 0 && said[n-1].verb != "close" { // what waits for the statement is part of what comes of it
		t.pass(t.program.CycleEnd(t.program.CycleAt(t.now)))
	}
	return &Played{t.steps, t.account.State()}, nil
}

// teller plays what happens, one after the other.
type teller struct {
	locale     *locale.Locale
	program    *reward.Program
	account    *reward.Account
	telling    reward.Telling
	begin, now reward.Instant
	steps      []Step
	bought     map[string]*purchase
	count      int // of events, and of what they name
}

// purchase is what is known of one.
type purchase struct {
	amount, left int64
	merchant     string
}

// happen plays one thing that was said.
func (t *teller) happen(s *saying) error {
	at := t.now + reward.Instant(time.Minute)
	if s.day != nil {
		at = max(at, s.day(t.program, t.now))
	}
	switch s.verb {
	case "wait":
		at = t.now + reward.Instant(s.days)*reward.Day
	case "close":
		at = t.program.CycleEnd(t.program.CycleAt(t.now))
	}
	if at-t.begin > MaxDays*reward.Day {
		return fmt.Errorf("it is more than %d days after the beginning", MaxDays)
	}
	t.pass(at)
	e := reward.Event{Labels: s.labels, Merchant: s.merchant, Category: s.category, MCC: s.mcc}
	t.count++
	id := fmt.Sprint(t.count)
	told := t.telling.Spend(s.amount)
	switch s.verb {
	case "wait":
		t.apply(t.locale.Sprintf("%d {1:day passes|days pass}", s.days), &reward.Event{Type: reward.CycleClosed}) // only time
		return nil
	case "close":
		return nil // it closed as time passed
	case "buy":
		number := len(t.bought) + 1
		e.Type, e.Transaction, e.Amount, e.Items = reward.TransactionSettled, purchaseID(number), s.amount, s.items
		t.bought[e.Transaction] = &purchase{s.amount, s.amount, s.merchant}
		t.apply(t.locale.Sprintf("Purchase %d of %s", number, told)+s.details(t.locale), &e)
	case "return", "dispute":
		number, b, err := t.purchase(s.of)
		if err != nil {
			return err
		}
		e = reward.Event{Type: reward.RefundPosted, Fact: "refund " + id, Transaction: purchaseID(number), Amount: s.amount}
		switch s.share {
		case "half":
			e.Amount = b.left / 2
		case "all":
			e.Amount = b.left
		}
		if e.Amount == 0 {
			return fmt.Errorf("nothing of purchase %d is left to return", number)
		}
		b.left = max(0, b.left-e.Amount)
		what := locale.Text("%s of purchase %d comes back")
		if s.verb == "dispute" {
			e.Type, what = reward.ChargebackPosted, "The cardholder wins a dispute over %s of purchase %d"
		} else if s.unlinked {
			e.Transaction, e.Merchant, what = "", b.merchant, "%s comes back without naming a purchase; it is of purchase %d"
		}
		t.apply(t.locale.Sprintf(string(what), t.telling.Spend(e.Amount), number), &e)
	case "redeem":
		e.Type, e.Fact, e.Amount = reward.RedemptionRequested, "redemption "+id, s.amount
		if s.share == "all" {
			if e.Amount = t.account.RedeemableAt(t.now); e.Amount <= 0 {
				t.steps = append(t.steps, t.standing(t.locale.Sprintf("Nothing can be redeemed")))
				return nil
			}
		}
		t.apply(t.locale.Sprintf("Redeem %s", t.telling.Reward(e.Amount)), &e)
	case "set":
		e = reward.Event{Type: reward.AttributeSet, Fact: "attribute " + id, Category: s.name, Method: s.value}
		t.apply(t.locale.Sprintf("The account's %s is %s from now on", s.name, s.value), &e)
	}
	return nil
}

func purchaseID(number int) string { return fmt.Sprint(number) }

// purchase finds the one that is meant: zero is the latest.
func (t *teller) purchase(number int) (int, *purchase, error) {
	if number == 0 {
		number = len(t.bought)
	}
	b := t.bought[purchaseID(number)]
	switch {
	case b == nil && len(t.bought) == 0:
		return 0, nil, fmt.Errorf("nothing was bought before it")
	case b == nil:
		return 0, nil, fmt.Errorf("there is no purchase %d: expected 1 to %d", number, len(t.bought))
	}
	return number, b, nil
}

// pass lets time go by, and closes the cycles that are over.
func (t *teller) pass(to reward.Instant) {
	for {
		end := t.program.CycleEnd(t.program.CycleAt(t.now))
		if end > to {
			break
		}
		t.now = end
		t.apply(t.locale.Sprintf("The statement closes"), &reward.Event{Type: reward.CycleClosed})
	}
	t.now = to
}

// apply gives the account an event of the present moment.
func (t *teller) apply(said string, e *reward.Event) {
	e.Source, e.ID, e.Account, e.Time = account, fmt.Sprint(len(t.steps)), account, t.now
	if e.Amount != 0 {
		e.HasAmount, e.Currency = true, t.program.Currency
		if e.Type == reward.RedemptionRequested {
			e.Currency = t.program.RewardUnit()
		}
	}
	result, journal := t.account.Apply(e, nil)
	step := t.standing(said)
	step.Result = result
	t.telling.Cause = e
	for i := range journal {
		step.Postings = append(step.Postings, Posting{journal[i].Amount, journal[i].Explain(t.telling)})
	}
	t.steps = append(t.steps, step)
}

// standing is a step with what the account has now.
func (t *teller) standing(said string) Step {
	s := t.account.Balances()
	return Step{Said: said, At: t.now, Balance: s.Balance, Held: s.Held, Redeemed: s.Redeemed}
}
