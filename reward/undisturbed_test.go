package reward_test

import (
	"testing"
	"time"

	"recoup/reward"
)

// visitor tells an account of purchases and refunds, a day apart.
type visitor struct {
	t *testing.T
	*reward.Account
	now time.Time
	n   int
}

func newVisitor(t *testing.T, movable int) *visitor {
	p := &reward.Program{
		ID: "p", Currency: "USD", Rules: []reward.Rule{{ID: "base", Rate: percent(t, "1%"), Cap: reward.NoCap}},
		Refunds: reward.RefundTerms{PendingDays: 30, MatchDays: 10, ParkDays: 30, WindowDays: 400, FirmDays: 180, Movable: movable},
	}
	return &visitor{t: t, Account: reward.NewAccount("a", p), now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
}

func percent(t *testing.T, text string) reward.Rate {
	t.Helper()
	rate, err := reward.ParseRate(text)
	if err != nil {
		t.Fatal(err)
	}
	return rate
}

func (v *visitor) tell(e reward.Event) {
	v.t.Helper()
	v.now, v.n = v.now.AddDate(0, 0, 1), v.n+1
	e.Account, e.Source, e.ID, e.Currency, e.HasAmount, e.Time = "a", "s", string(rune('a'+v.n)), "USD", true, reward.At(v.now)
	if r, _ := v.Apply(&e, nil); r.Outcome != reward.Applied {
		v.t.Fatalf("%v %s: %v", e.Type, e.ID, r)
	}
	for _, x := range v.Check() {
		v.t.Error(x)
	}
}

func (v *visitor) buy(id string, amount int64, merchant string) {
	v.t.Helper()
	v.tell(reward.Event{Type: reward.TransactionSettled, Transaction: id, Amount: amount, Merchant: merchant, Category: "C"})
}

func (v *visitor) giveBack(id string, amount int64, merchant string) {
	v.t.Helper()
	v.tell(reward.Event{Type: reward.RefundPosted, Fact: id, Amount: amount, Merchant: merchant, Category: "C"})
}

func (v *visitor) reversed(id string, want int64) {
	v.t.Helper()
	if d, _ := v.Detail(id); d.Reversed != want {
		v.t.Errorf("%d of %s is reversed, want %d", d.Reversed, id, want)
	}
}

// What becomes firm can leave of its purchase just so much as another refund is of, which
// then fits there exactly.
func TestWhatBecomesFirmMakesAnotherFit(t *testing.T) {
	v := newVisitor(t, 2)
	v.buy("elsewhere", 5000, "m2")
	v.buy("larger", 1300, "m")
	v.buy("latest", 1050, "m")
	v.giveBack("nameless", 300, "")
	v.giveBack("named", 1000, "m")
	v.reversed("larger", 300)
	v.reversed("latest", 1000)
	v.giveBack("third", 200, "m2") // the first of them becomes firm
	v.reversed("larger", 1300)
	v.reversed("latest", 0)
}

// So can what is announced, for a refund and for what a purchase was refunded too much; and
// what would be taken then is held.
func TestWhatIsAnnouncedMakesAnotherFit(t *testing.T) {
	for name, comes := range map[string]func(v *visitor){
		"a refund": func(v *visitor) { v.giveBack("named", 1000, "m") },
		"an excess": func(v *visitor) {
			v.tell(reward.Event{Type: reward.RefundPosted, Fact: "named", Transaction: "small", Amount: 1100})
		},
	} {
		t.Run(name, func(t *testing.T) {
			v := newVisitor(t, 0)
			v.buy("small", 100, "m")
			v.buy("larger", 1300, "m")
			v.buy("latest", 1050, "m")
			comes(v)
			v.reversed("latest", 1000)
			v.tell(reward.Event{Type: reward.RefundPending, Fact: "announced", Transaction: "larger", Amount: 250})
			if held := v.Balances().Held; held != 3 { // 1 % of what is left, 10.50, of 13
				t.Errorf("%d is held, want 3", held)
			}
			v.tell(reward.Event{Type: reward.RefundPending, Fact: "more", Transaction: "larger", Amount: 50})
			if held := v.Balances().Held; held != 13 { // then it would lie here
				t.Errorf("%d is held, want 13", held)
			}
		})
	}
}

// What is undone leaves room: it draws what would have lain there, and nothing else.
func TestWhatIsUndoneDrawsWhatItKeptOut(t *testing.T) {
	v := newVisitor(t, 0)
	v.buy("elsewhere", 700, "m2")
	v.buy("older", 1000, "m")
	v.buy("latest", 1000, "m")
	v.giveBack("first", 1000, "m")
	v.giveBack("second", 1000, "m")
	v.giveBack("other", 700, "m2")
	v.reversed("latest", 1000)
	v.reversed("older", 1000)
	v.tell(reward.Event{Type: reward.RefundReversed, Fact: "other"})
	v.reversed("elsewhere", 0)
	v.reversed("latest", 1000)
	v.tell(reward.Event{Type: reward.RefundReversed, Fact: "first"})
	v.reversed("latest", 1000)
	v.reversed("older", 0)
	v.tell(reward.Event{Type: reward.RefundLinked, Fact: "second", Transaction: "elsewhere"})
	v.reversed("latest", 0)
	v.reversed("elsewhere", 700)
}
