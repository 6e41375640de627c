package play_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"recoup/internal/console/locale"
	"recoup/internal/console/play"
	"recoup/reward"
)

// english is how the tables of tests are told.
var english = locale.Match("").With(play.Decimals)

// run is a run of such moves, as links have them, at two designs.
func run(t testing.TB, left, right string, moves ...string) play.Run {
	t.Helper()
	r := play.New()
	r.Left, r.Right = left, right
	for _, text := range moves {
		m, err := play.ParseMove(text)
		if err != nil {
			t.Fatal(err)
		}
		r.Moves = append(r.Moves, m)
	}
	r.At = len(r.Moves)
	return r
}

func played(t testing.TB, r play.Run) *play.Table {
	t.Helper()
	table, err := play.Play(t.Context(), r, english)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func last(table *play.Table) *play.Row { return &table.Rows[len(table.Rows)-1] }

func names() []string {
	var list []string
	for _, c := range play.Designs() {
		list = append(list, c.Name)
	}
	return list
}

var (
	merchants  = []string{"", "m1", "m2", "shop-3:a/b_c.d"}
	categories = []string{"", "GROCERY", "GAS"}
)

// drawMove draws a move that may follow so many purchases.
func drawMove(t *rapid.T, bought int) play.Move {
	amount := func() int64 {
		return rapid.OneOf(rapid.SampledFrom([]int64{1, 100_00, 1000_00, play.MaxAmount}), rapid.Int64Range(1, 3000_00)).Draw(t, "amount")
	}
	late := func() int { return rapid.SampledFrom([]int{0, 0, 0, 1, 40}).Draw(t, "late") }
	shop := func(m play.Move) play.Move {
		m.Merchant, m.Category = rapid.SampledFrom(merchants).Draw(t, "merchant"), rapid.SampledFrom(categories).Draw(t, "category")
		return m
	}
	switch kind := rapid.SampledFrom([]play.Kind{play.Buy, play.Refund, play.Chargeback, play.Redeem, play.Wait, play.Close}).Draw(t, "kind"); kind {
	case play.Buy:
		return shop(play.Move{Kind: kind, Amount: amount(), Days: late()})
	case play.Refund:
		m := shop(play.Move{Kind: kind, Amount: amount(), Days: late(), Unlinked: rapid.Bool().Draw(t, "unlinked")})
		if m.Unlinked {
			m.Of = rapid.IntRange(0, bought).Draw(t, "really")
		} else {
			m.Of = rapid.IntRange(1, bought+2).Draw(t, "of")
		}
		return m
	case play.Chargeback:
		m := play.Move{Kind: kind, Of: rapid.IntRange(1, bought+2).Draw(t, "of"), Days: late()}
		if rapid.Bool().Draw(t, "part") {
			m.Amount = amount()
		}
		return m
	case play.Redeem:
		m := play.Move{Kind: kind}
		if rapid.Bool().Draw(t, "an amount") {
			m.Amount = amount()
		}
		return m
	case play.Wait:
		return play.Move{Kind: kind, Days: rapid.IntRange(1, 45).Draw(t, "days")}
	default:
		return play.Move{Kind: kind}
	}
}

func drawProgram(t *rapid.T) play.Program {
	p := play.Everyday()
	if rapid.Bool().Draw(t, "the example") {
		return p
	}
	p.Rate = rapid.SampledFrom([]reward.Rate{0, 1, reward.MaxRate / 20, reward.MaxRate / 3, reward.MaxRate}).Draw(t, "rate")
	p.Base = rapid.SampledFrom([]reward.Rate{0, reward.MaxRate / 100}).Draw(t, "base")
	p.Cap = rapid.SampledFrom([]int64{reward.NoCap, 0, 50_00, play.MaxAmount}).Draw(t, "cap")
	if p.Rate == 0 {
		p.Cap, p.Base = reward.NoCap, 1
	}
	p.Grant = rapid.SampledFrom([]reward.GrantTiming{reward.GrantAtSettlement, reward.GrantAtStatement}).Draw(t, "grant")
	p.Clawback = rapid.SampledFrom([]reward.ClawbackTiming{reward.ClawbackAtRefund, reward.ClawbackAtStatement}).Draw(t, "clawback")
	p.Method = rapid.SampledFrom([]reward.ClawbackMethod{reward.Proportional, reward.Rerate}).Draw(t, "method")
	p.MaturityDays = rapid.SampledFrom([]int{0, 30, 3660}).Draw(t, "maturity")
	p.GraceDays = rapid.IntRange(0, 27).Draw(t, "grace")
	p.MinimumBalance = rapid.SampledFrom([]int64{0, 1, 5_00}).Draw(t, "minimum")
	return p
}

// drawRun draws any run of up to so many moves.
func drawRun(t *rapid.T, most int) play.Run {
	r := play.Run{
		Left:    rapid.SampledFrom(names()).Draw(t, "left"),
		Right:   rapid.SampledFrom(names()).Draw(t, "right"),
		Program: drawProgram(t),
	}
	bought := 0
	for range rapid.IntRange(0, most).Draw(t, "moves") {
		m := drawMove(t, bought)
		if m.Kind == play.Buy {
			bought++
		}
		r.Moves = append(r.Moves, m)
	}
	r.At = rapid.IntRange(0, len(r.Moves)).Draw(t, "at")
	return r
}

func sameRun(a, b play.Run) bool {
	return a.Left == b.Left && a.Right == b.Right && a.Program == b.Program && a.At == b.At && slices.Equal(a.Moves, b.Moves)
}
