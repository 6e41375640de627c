package attack_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"recoup/internal/issuer"
	"recoup/internal/kit/labtest"
	"recoup/internal/lab/attack"
	"recoup/internal/lab/design"
	"recoup/internal/lab/walk"
	"recoup/reward"
)

func attackOn(t *testing.T, d design.Design, b attack.Bounds) *attack.Exposure {
	t.Helper()
	e, err := attack.On(context.Background(), d, b)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// overTwoCycles searches through all designs, once for all tests.
var overTwoCycles = sync.OnceValues(func() (*attack.Report, error) {
	b := attack.DefaultBounds()
	b.Cycles = 2
	return attack.All(context.Background(), design.All(), b)
})

// What the paper found by hand, what it says of F, what no clawback recovers
// (G13), and what the algorithms leak when they are taken literally: G1 in the
// statement architecture, G6 in the hybrid one.
func TestAttackFindsWhatEachDesignLoses(t *testing.T) {
	type loss struct{ perCycle, perYear, withOneMore, walkAwayFromOne, walkAway int64 }
	doubleDip := loss{perCycle: 50_00, perYear: 600_00, withOneMore: 50_00}
	walkAway := loss{walkAwayFromOne: 50_00, walkAway: 100_00}
	want := map[string]loss{
		"A": doubleDip, "B": doubleDip, "Literal (hybrid)": doubleDip,
		// Its clawback gives the cap its room back, so that no cap bounds the loss.
		"V3(a)": {perCycle: 50_00, perYear: 600_00, withOneMore: 100_00},
		"C":     walkAway, "F": walkAway, "Literal (instant)": walkAway,
		"D": walkAway, "E": walkAway,
		"Literal (statement)": {perCycle: 12_50, perYear: 150_00, withOneMore: 25_00, walkAwayFromOne: 37_50, walkAway: 75_00},
		"Recoup (instant)":    walkAway, "Recoup (rerate)": walkAway, "Recoup": walkAway,
		"Recoup (statement)": walkAway,
		"Recoup (mature)":    {},
	}
	fifty := func(days int64) attack.Float {
		return attack.Float{Amount: 50_00, Days: days, AmountDays: 50_00 * days}
	}
	floats := map[string]attack.Float{
		"F": fifty(31),
		"D": fifty(28), "E": fifty(28), "Literal (statement)": fifty(28), "Literal (hybrid)": fifty(28), "Recoup (statement)": fifty(28),
	}
	r, err := overTwoCycles()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range r.Designs {
		if got := (loss{e.Repeatable, e.PerYear, e.WithOneMore, e.WalkAwayFromOne, e.WalkAway}); got != want[e.Design] {
			t.Errorf("%s loses %+v, want %+v", e.Design, got, want[e.Design])
		}
		if e.Float != floats[e.Design] {
			t.Errorf("%s: float %+v, want %+v", e.Design, e.Float, floats[e.Design])
		}
		if e.Strategies < 10_000 {
			t.Errorf("%s: only %d strategies were examined", e.Design, e.Strategies)
		}
	}
}

// The default bounds, on one design of each kind.
func TestDefaultBounds(t *testing.T) {
	b := attack.DefaultBounds()
	if e := attackOn(t, labtest.Design(t, "A"), b); e.Repeatable != 50_00 || e.PerYear != 600_00 || e.WalkAway != 0 {
		t.Errorf("A loses %+v", e)
	}
	// A return window that opens on 31 January is open in three cycles, and what
	// was bought in each can be redeemed before any of it is returned.
	if e := attackOn(t, labtest.Design(t, "C"), b); e.Repeatable != 0 || e.WalkAwayFromOne != 50_00 || e.WalkAway != 150_00 {
		t.Errorf("C loses %+v", e)
	}
	if e := attackOn(t, labtest.Design(t, "Recoup (mature)"), b); len(e.Best) != 0 {
		t.Errorf("Recoup with matured rewards loses %+v", e)
	}
}

// A maturity as long as the return window leaves nothing; a day less does not,
// and neither does a merchant with a longer window.
func TestMaturityMustCoverTheReturnWindow(t *testing.T) {
	tests := []struct {
		maturity, window int
		want             int64
	}{{30, 30, 0}, {45, 30, 0}, {30, 31, 50_00}, {29, 30, 50_00}, {0, 30, 50_00}, {0, 0, 0}}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%d days, window of %d", test.maturity, test.window), func(t *testing.T) {
			t.Parallel()
			d := design.Design{Name: "mature", New: func(p *reward.Program) issuer.Issuer {
				mature := *p
				mature.MaturityDays = test.maturity
				return design.NewRecoup(&mature)
			}}
			b := attack.DefaultBounds()
			b.Cycles, b.Days, b.ReturnDays = 1, []int{1, 2, 30, 31}, test.window
			if e := attackOn(t, d, b); e.WalkAway != test.want || e.Repeatable != 0 {
				t.Errorf("walk-away loss %d and %d a cycle, want %d and 0", e.WalkAway, e.Repeatable, test.want)
			}
		})
	}
}

// The shortest strategy wins, and of those the earliest: the four phases of case
// I on one day, and case II's return after the close.
func TestTheBestStrategyReadsLikeThePaper(t *testing.T) {
	b := attack.DefaultBounds()
	b.Cycles = 1
	tests := []struct {
		design string
		want   []string
	}{
		{"A", []string{"01-01 buys for $1,000.00 (purchase 1)", "01-01 redeems $50.00", "01-01 returns purchase 1, $1,000.00 refunded"}},
		{"B", []string{"01-16 buys for $1,000.00 (purchase 1)", "02-01 statement closes, $50.00 paid out", "02-01 returns purchase 1, $1,000.00 refunded"}},
		{"F", []string{
			"01-01 buys for $1,000.00 (purchase 1)", "01-01 redeems $50.00", "01-01 returns purchase 1, $1,000.00 refunded", "01-01 walks away", "02-01 statement closes",
		}},
		{"Literal (statement)", []string{
			"01-16 buys for $1,000.00 (purchase 1)", "01-16 returns half of purchase 1, $500.00 refunded", "02-01 statement closes", "02-01 redeems $25.00",
			"02-01 returns the rest of purchase 1, $500.00 refunded", "03-01 statement closes",
		}},
	}
	for _, test := range tests {
		var got []string
		for _, entry := range attackOn(t, labtest.Design(t, test.design), b).Best[0].Timeline {
			got = append(got, entry.At.Format("01-02 ")+entry.What)
		}
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s:\n%s\nwant\n%s", test.design, strings.Join(got, "\n"), strings.Join(test.want, "\n"))
		}
	}
}

// Whoever plays the moves of a printed strategy through the port gets what it
// says, counted here apart from the search.
func TestAStrategyReplays(t *testing.T) {
	r, err := overTwoCycles()
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range design.All() {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			for _, s := range r.Designs[i].Best {
				profit, debt := replayed(t, d, s.Moves)
				if profit != s.Profit || debt != s.Debt {
					t.Errorf("%s in %d cycles: profit %d and debt %d, want %d and %d", s.Aim, s.Cycles, profit, debt, s.Profit, s.Debt)
				}
				if last := s.Timeline[len(s.Timeline)-1]; last.Profit != s.Profit || max(0, -last.Balance) != s.Debt {
					t.Errorf("%s in %d cycles: the timeline ends with %+v, want profit %d and debt %d", s.Aim, s.Cycles, last, s.Profit, s.Debt)
				}
			}
		})
	}
}

func replayed(t *testing.T, d design.Design, moves []attack.Move) (profit, debt int64) {
	t.Helper()
	i := d.New(attack.Program())
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(i.SetClock(moves[0].At))
	must(i.Open("a"))
	var redeemed int64
	kept, month := map[int]int64{}, map[int]time.Month{}
	for n, m := range moves {
		must(i.SetClock(m.At))
		id, fact := fmt.Sprint("t", m.Purchase), fmt.Sprint("f", n)
		switch m.Kind {
		case attack.Buys:
			kept[m.Purchase], month[m.Purchase] = m.Amount, m.At.Month()
			must(i.Settle(issuer.Settlement{Account: "a", Transaction: id, Amount: m.Amount, Category: "GROCERY"}))
		case attack.Redeems:
			redeemed += m.Amount
			paid, err := i.Redeem(issuer.Redemption{Account: "a", Redemption: fact, Amount: m.Amount})
			if must(err); !paid {
				t.Fatalf("%d was not paid", m.Amount)
			}
		case attack.Returns:
			kept[m.Purchase] -= m.Amount
			must(i.Refund(issuer.Refund{Account: "a", Refund: fact, Transaction: id, Amount: m.Amount}))
		default:
			t.Fatalf("move %q", m.Kind)
		}
	}
	must(i.SetClock(time.Date(2026, time.July, 1, 0, 0, 0, 0, time.UTC)))
	shown, err := i.Balance("a")
	must(err)
	paidOut, err := issuer.PaidOut(i, "a")
	must(err)
	redeemed += paidOut
	var entitled int64
	for m := time.January; m <= time.December; m++ {
		var spent int64
		for p := range kept {
			if month[p] == m {
				spent += kept[p]
			}
		}
		entitled += min(50_00, spent*5/100)
	}
	return redeemed - entitled, max(0, -shown.Balance)
}

// Looking at equal positions once finds what looking at every strategy finds,
// and counts as many.
func TestMergingPositionsLosesNothing(t *testing.T) {
	wide := attack.Bounds{Cycles: 1, PurchasesPerCycle: 2, MovesPerCycle: 4, Days: []int{20}, Amounts: []int64{1000_00, 600_00}, ReturnDays: 40}
	long := attack.Bounds{Cycles: 2, PurchasesPerCycle: 1, MovesPerCycle: 4, Days: []int{10, 31}, Amounts: []int64{1000_01}, ReturnDays: 30}
	bounds := map[string]attack.Bounds{"wide": wide, "long": long}
	if os.Getenv("RECOUP_LONG") != "" {
		wide.Days = []int{1, 31}
		bounds["on two days"] = wide
		wide.MovesPerCycle, wide.Days = 5, []int{20}
		bounds["wider"] = wide
	}
	designs := append(design.All(),
		design.Design{Name: "grace", New: func(p *reward.Program) issuer.Issuer {
			return design.NewLiteral(p, design.LiteralOptions{Architecture: design.BatchCycle, GraceDays: 20})
		}},
		design.Design{Name: "mature after the window", New: func(p *reward.Program) issuer.Issuer {
			q := *p
			q.MaturityDays = 80
			return design.NewRecoup(&q)
		}},
		design.Design{Name: "mature at the statement, rerated", New: func(p *reward.Program) issuer.Issuer {
			q := *p
			q.Timing = reward.Timing{Grant: reward.GrantAtStatement, Clawback: reward.ClawbackAtStatement}
			q.Method, q.MaturityDays, q.Redemption.GraceDays = reward.Rerate, 20, 5
			return design.NewRecoup(&q)
		}},
	)
	for _, d := range designs {
		for name, b := range bounds {
			t.Run(d.Name+"/"+name, func(t *testing.T) {
				t.Parallel()
				if _, recoup := d.New(attack.Program()).(issuer.Undoer); recoup {
					b.MovesPerCycle = min(b.MovesPerCycle, 3) // it takes ten times as long as the models
				}
				merged := attackOn(t, d, b)
				b.Unmerged = true
				apart := attackOn(t, d, b)
				if merged.Positions >= apart.Positions {
					t.Errorf("%d positions merged, %d apart", merged.Positions, apart.Positions)
				}
				merged.Positions = apart.Positions
				if !reflect.DeepEqual(merged, apart) {
					t.Errorf("merged:\n%+v\napart:\n%+v", merged, apart)
				}
			})
		}
	}
}

// An honest customer's reward on what is kept is no profit: where nothing can be
// returned, no design loses anything.
func TestKeptPurchasesAreNoProfit(t *testing.T) {
	b := attack.DefaultBounds()
	b.Cycles, b.ReturnDays = 2, 0
	for _, d := range design.All() {
		if e := attackOn(t, d, b); len(e.Best) != 0 {
			t.Errorf("%s loses %+v", d.Name, e)
		}
	}
}

func TestBoundsAreChecked(t *testing.T) {
	tests := []struct {
		change func(*attack.Bounds)
		want   string
	}{
		{func(b *attack.Bounds) { b.Cycles = 0 }, "cycles 0: expected 1 to 12"},
		{func(b *attack.Bounds) { b.PurchasesPerCycle = 11 }, "purchases per cycle 11: expected 1 to 10"},
		{func(b *attack.Bounds) { b.MovesPerCycle = -1 }, "moves per cycle -1: expected 0 to 1000"},
		{func(b *attack.Bounds) { b.ReturnDays = 401 }, "return days 401: expected 0 to 400"},
		{func(b *attack.Bounds) { b.Days = nil }, "number of days 0: expected 1 to 31"},
		{func(b *attack.Bounds) { b.Days = []int{16, 1} }, "days [16 1]: expected days of a month from 1 to 31, ascending"},
		{func(b *attack.Bounds) { b.Amounts = nil }, "number of amounts 0: expected 1 to 10"},
		{func(b *attack.Bounds) { b.Amounts = []int64{0} }, "amount 0: expected 1 to"},
	}
	for _, test := range tests {
		b := attack.DefaultBounds()
		test.change(&b)
		if _, err := attack.On(context.Background(), labtest.Design(t, "A"), b); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: error %v, want %q", b, err, test.want)
		}
	}
}

func TestAnEndlessSearchIsRefused(t *testing.T) {
	if os.Getenv("RECOUP_LONG") == "" {
		t.Skip("set RECOUP_LONG to search through a million positions")
	}
	b := attack.DefaultBounds()
	b.Cycles, b.PurchasesPerCycle = 12, 5
	if _, err := attack.On(context.Background(), labtest.Design(t, "A"), b); err == nil || !strings.Contains(err.Error(), "expected narrower bounds") {
		t.Errorf("error %v", err)
	}
}

func TestAnIssuerThatCannotBeCopiedIsRefused(t *testing.T) {
	d := design.Design{Name: "opaque", New: func(p *reward.Program) issuer.Issuer {
		return struct{ issuer.Issuer }{design.NewRecoup(p)}
	}}
	if _, err := attack.On(context.Background(), d, attack.DefaultBounds()); err == nil || !strings.Contains(err.Error(), "opaque: ") {
		t.Errorf("error %v, want one that names the design", err)
	}
}

func TestASearchCanBeCalledOff(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := attack.All(ctx, design.Others(), attack.DefaultBounds()); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

// The table says what was searched, how much of it, what was found, and how.
func TestAttackTable(t *testing.T) {
	b := attack.DefaultBounds()
	b.Cycles = 1
	r, err := attack.All(context.Background(), []design.Design{labtest.Design(t, "F"), labtest.Design(t, "C"), labtest.Design(t, "recoup-instant"), labtest.Design(t, "recoup-mature")}, b)
	if err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	if err := r.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"1 cycles to buy in", "up to 1, of $1,000.00 or $500.00", "days 1, 16, 31", "less than 30 days old",
		fmt.Sprint(r.Designs[0].Strategies), "$50.00 for 31 days",
		"\nF: once and never again, $50.00 from the purchases of one cycle; a debt of $50.00 stays behind\n",
		"\nC, Recoup (instant): once and never again", "\nRecoup (mature): nothing to be had.\n",
		"│ 2026-01-01 │ redeems $50.00",
	} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, &table)
		}
	}
}

// Of the best strategies nothing can be left out: whoever keeps what they bring back has
// the reward on it honestly.
func TestNothingCanBeLeftOutOfTheBest(t *testing.T) {
	b := attack.DefaultBounds()
	b.Cycles = 2
	for _, name := range []string{"A", "F", "V3(a)", "Literal (statement)"} {
		d := labtest.Design(t, name)
		for _, s := range attackOn(t, d, b).Best {
			if s.Aim == "float" {
				continue
			}
			shrink := walk.Descent[[]attack.Move]{
				Key:   func(moves []attack.Move) string { return fmt.Sprint(moves) },
				Weigh: func(moves []attack.Move) walk.Weight { return walk.Weight{int64(len(moves))} },
				Shows: func(moves []attack.Move) (bool, error) {
					profit, debt := replayed(t, d, moves)
					return profit >= s.Profit && debt <= s.Debt, nil
				},
				Spent: func() bool { return false },
			}
			least, _, err := shrink.Down(s.Moves, playableWithoutOne)
			if err != nil || len(least) != len(s.Moves) {
				t.Errorf("%s, %s: %d moves do what %d did, %v", name, s.Aim, len(least), len(s.Moves), err)
			}
		}
	}
}

// playableWithoutOne are the moves with one left out that no other needs.
func playableWithoutOne(moves []attack.Move) (list [][]attack.Move) {
	for i, m := range moves {
		if m.Kind == attack.Returns {
			list = append(list, slices.Delete(slices.Clone(moves), i, i+1))
		}
	}
	return list
}
