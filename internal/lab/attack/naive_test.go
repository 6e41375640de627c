package attack_test

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"recoup/examples/programs"
	"recoup/internal/lab/attack"
	"recoup/program"
	"recoup/reward"
)

// naive plays what one customer buys at a time, redeems once and brings back once, at an
// account of its own, event by event: every day on which each can be done, and nothing is
// taken for anything else. It has no calendar of days that matter.
type naive struct {
	t       *testing.T
	program *reward.Program
	bounds  attack.Bounds
	known   map[string]string
	zone    *time.Location
	account *reward.Account
	sent    int
}

func (n *naive) apply(e reward.Event, at time.Time) {
	n.sent++
	e.Account, e.Source, e.ID, e.Time = "naive", "naive", fmt.Sprint(n.sent), reward.At(at)
	if result, _ := n.account.Apply(&e, nil); result.Outcome != reward.Applied && e.Type != reward.CycleClosed {
		n.t.Fatalf("%s %s: %+v", at, e.Type, result)
	}
}

// day is so many days after another, in the program's zone.
func (n *naive) day(from time.Time, days int) time.Time { return from.In(n.zone).AddDate(0, 0, days) }

// gains is the cash that nothing backs after a course: what o sells is bought at a day, all
// there is is redeemed so many days later, and the first of it brought back after so many.
func (n *naive) gains(o attack.Offer, opened, at time.Time, redeem, back int, amount int64) int64 {
	n.account = reward.NewAccount("naive", n.program)
	n.apply(reward.Event{Type: reward.AccountOpened}, opened)
	for name, value := range n.known {
		n.apply(reward.Event{Type: reward.AttributeSet, Fact: name, Category: name, Method: value}, opened)
	}
	code, _ := reward.ParseMCC(o.MCC)
	post, refund := n.bounds.PostDays, back+n.bounds.RefundDays
	tell := func(day int) {
		for i := range o.Count {
			e := reward.Event{
				Type: reward.TransactionSettled, Transaction: fmt.Sprint("t", i), Amount: o.Amount, HasAmount: true, Currency: n.program.Currency,
				Merchant: o.Merchant, MCC: code, Category: o.Category, Labels: o.Labels, Purchased: reward.At(at),
			}
			if o.Items != nil {
				e.Items = reward.MakeItems(o.Items)
			}
			if day == post {
				n.apply(e, n.day(at, day))
			}
		}
		if day == refund {
			n.apply(reward.Event{
				Type: reward.RefundPosted, Fact: "r", Transaction: "t0", Amount: amount, HasAmount: true, Currency: n.program.Currency,
			}, n.day(at, day))
		}
	}
	for day := range max(redeem, refund) + 1 {
		// Without a posting lag the customer redeems on a day before he brings back.
		early := n.bounds.RefundDays == 0 && day == redeem && day == refund
		if !early {
			tell(day)
		}
		if day == redeem {
			n.apply(reward.Event{Type: reward.CycleClosed}, n.day(at, day))
			if cash := n.account.RedeemableAt(reward.At(n.day(at, day))); cash > 0 {
				n.apply(reward.Event{Type: reward.RedemptionRequested, Fact: "d", Amount: cash, HasAmount: true, Currency: n.program.RewardUnit()}, n.day(at, day))
			}
		}
		if early {
			tell(day)
		}
	}
	n.apply(reward.Event{Type: reward.CycleClosed}, n.day(at, max(redeem, refund)+70))
	s := n.account.Summary()
	return s.Redeemed - (s.Entitlement - s.Expired)
}

// someCourse reports whether any course within the bounds gains.
func (n *naive) someCourse(every int) bool {
	start := n.program.CycleStart(n.program.CycleAt(reward.At(time.Date(2026, 1, 16, 0, 0, 0, 0, time.UTC)))).Time().In(n.zone)
	for _, o := range n.bounds.Offers {
		for b := 0; b < 31; b += every {
			for back := range n.bounds.ReturnDays {
				for redeem := range n.bounds.ReturnDays + n.bounds.RefundDays + 3 {
					if n.gains(o, start, n.day(start, b), n.bounds.PostDays+redeem, back, o.Amount) > 0 {
						return true
					}
				}
			}
		}
	}
	return false
}

// TestTheNaiveSearchAgrees: who looks at every day of every course of one purchase, or of as
// many at a time as the terms ask for, finds something to be had of exactly those programs of
// which the search does; and nothing with the maturity that it says closes them, but
// something with a day less.
func TestTheNaiveSearchAgrees(t *testing.T) {
	known := map[string]map[string]string{
		"activation": {"spring-offer": "activated"}, "birthday-week": {"birthday": "yes"}, "chosen-category": {"choice": "dining"},
	}
	short := []string{"flat-rate", "signup-bonus"}
	for _, name := range programs.Names() {
		for _, lag := range [][2]int{{0, 0}, {2, 5}} {
			t.Run(fmt.Sprintf("%s, %d and %d days", name, lag[0], lag[1]), func(t *testing.T) {
				if !slices.Contains(short, name) && os.Getenv("RECOUP_LONG") == "" {
					t.Skip("all of them take minutes: RECOUP_LONG=1, as make test-long has it")
				}
				t.Parallel()
				document, _ := programs.Document(name)
				p, err := program.Parse(name, document)
				if err != nil {
					t.Fatal(err)
				}
				b := attack.DefaultBounds()
				b.PostDays, b.RefundDays, b.ReturnDays, b.Days = lag[0], lag[1], 8, []int{1, 31}
				b = b.Of(p).Wide()
				search := func(p *reward.Program) bool {
					proof, err := attack.Prove(t.Context(), p, b)
					if err != nil {
						t.Fatal(err)
					}
					return proof.Gain > 0
				}
				look := func(p *reward.Program) bool {
					n := &naive{t: t, program: p, bounds: b, known: known[name], zone: time.UTC}
					if p.Zone != nil {
						n.zone = p.Zone
					}
					return n.someCourse(3)
				}
				if found, want := search(p), look(p); found != want {
					t.Fatalf("a gain: the search says %t, the naive one %t", found, want)
				}
				// Whatever the program says of maturity, eight days of returns ask for so many.
				needed := 8 + max(0, lag[1]-1) - lag[0]
				for _, days := range []int{needed - 1, needed} {
					q := *p
					q.MaturityDays = days
					if found := look(&q); found == (days == needed) {
						t.Errorf("with %d days of maturity the naive search finds a gain: %t", days, found)
					}
				}
			})
		}
	}
}

// Positions that the search takes for one go on alike where days are of a zone, rewards
// expire, there are tiers and layers, and purchases post late. Of airline-miles and
// item-points there are more than a million apart even with one offer.
func TestMergingPositionsOfTermsLosesNothing(t *testing.T) {
	for _, name := range []string{"status-levels", "expiring-points", "weekday-offer"} {
		t.Run(name, func(t *testing.T) {
			if os.Getenv("RECOUP_LONG") == "" {
				t.Skip("all of them take minutes: RECOUP_LONG=1, as make test-long has it")
			}
			t.Parallel()
			document, _ := programs.Document(name)
			p, err := program.Parse(name, document)
			if err != nil {
				t.Fatal(err)
			}
			b := attack.DefaultBounds().Of(p).Wide()
			b.Matter, b.Days, b.MovesPerCycle, b.PostDays, b.RefundDays = false, []int{10, 31}, 2, 2, 5
			b.ReturnDays = 21
			b.Offers = b.Offers[len(b.Offers)-1:]
			merged, err := attack.Prove(t.Context(), p, b)
			if err != nil {
				t.Fatal(err)
			}
			b.Unmerged = true
			apart, err := attack.Prove(t.Context(), p, b)
			if err != nil {
				t.Fatal(err)
			}
			if merged.Positions >= apart.Positions {
				t.Errorf("%d positions merged, %d apart", merged.Positions, apart.Positions)
			}
			if merged.Gain == 0 || merged.Gain != apart.Gain || merged.Debt != apart.Debt || merged.Strategies != apart.Strategies || merged.Scenario != apart.Scenario || merged.Closed != apart.Closed {
				t.Errorf("merged:\n%+v\napart:\n%+v", merged, apart)
			}
		})
	}
}
