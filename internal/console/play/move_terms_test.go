package play

import (
	"slices"
	"strings"
	"testing"

	"recoup/internal/console/locale"
	"recoup/internal/scenario"
)

// moves reads moves as links have them.
func moves(t *testing.T, texts ...string) (list []Move) {
	t.Helper()
	for _, text := range texts {
		m, err := ParseMove(text)
		if err != nil {
			t.Fatal(err)
		}
		if m.String() != text {
			t.Errorf("%q is written as %q", text, m)
		}
		list = append(list, m)
	}
	return list
}

// Labels, attributes, items and points of the gallery's programs are played, with what comes
// of them worked out by hand: it is what the courses beside the programs say.
func TestWhatTermsAskForIsPlayed(t *testing.T) {
	for name, test := range map[string]struct {
		moves   []string
		balance []int64 // after each
	}{
		"app-only": {
			[]string{"buy 80.00 at m1 channel=app", "buy 80.00 at m1 channel=till", "redeem 3.20", "refund 80.00 at m1 really t1"},
			[]int64{2_40, 3_20, 0, -2_40},
		},
		"chosen-category": {
			[]string{"set choice=electronics", "buy 1200.00 ELECTRONICS", "set choice=dining", "buy 100.00 DINING", "refund 1200.00 of t1"},
			[]int64{0, 36_00, 36_00, 39_00, 3_00},
		},
		"item-points": {
			[]string{"buy 200.00 at market item salmon 60.50 FRESH item pan 39.50 item card 100.00 kind=gift-card", "redeem 3.39", "refund 60.50 item salmon 60.50 of t1"},
			[]int64{339, 0, -300},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Under(name)
			if err != nil {
				t.Fatal(err)
			}
			list := moves(t, test.moves...)
			r.Moves, r.At = list, len(list)
			table, err := Play(t.Context(), r, locale.Match("").With(Decimals))
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range test.balance {
				if got := table.Rows[i+1].Right.Balance; got != want {
					t.Errorf("after %s Recoup has %d, want %d", test.moves[i], got, want)
				}
			}
			if last := &table.Rows[len(table.Rows)-1]; last.Right.Leakage != 0 {
				t.Errorf("in the end %d has leaked at Recoup", last.Right.Leakage)
			}
			same, err := Parse(r.Values())
			if err != nil || same.Values().Encode() != r.Values().Encode() {
				t.Errorf("the link leads to %v, %v", same, err)
			}
			s, err := r.Scenario(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			again, err := scenario.Parse("run", scenario.Format(s))
			if err != nil {
				t.Fatalf("%v in\n%s", err, scenario.Format(s))
			}
			back, err := FromScenario(again)
			if err != nil || back.Program != r.Program || len(back.Moves) != len(r.Moves) {
				t.Fatalf("the file leads to %+v, %v\n%s", back, err, scenario.Format(s))
			}
		})
	}
}

func TestMovesThatAskForTooMuch(t *testing.T) {
	for text, want := range map[string]string{
		"buy 5.00 mcc 54":                  "four digits",
		"buy 5.00 a=b a=c":                 "each once",
		"buy 5.00 a=b c=d e=f g=h i=j":     "expected up to 4",
		"buy 5.00 item x 4.00":             "come to another amount",
		"buy 5.00 item x 2.50 item x 2.50": "a word of its own",
		"buy 5.00 item x":                  "amount",
		"set":                              "expected what it sets",
		"set plan":                         "unexpected",
		"redeem 5.00 a=b":                  "unexpected",
		"chargeback 5.00 mcc 5411 of t1":   "more than such a move can have",
		"buy 7.00" + strings.Repeat(" item x 1.00", 7): "at most 6",
	} {
		if m, err := ParseMove(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is %+v, %v; want %q", text, m, err, want)
		}
	}
}

// Under every program of the gallery what is suggested can be played, and who buys what is
// suggested, after the offer that is suggested, earns something.
func TestEveryProgramOfTheGalleryEarnsSomething(t *testing.T) {
	const rounds = 30 // each of what is suggested as often as a bonus asks for
	for _, p := range Gallery() {
		t.Run(p.Name, func(t *testing.T) {
			r, err := Under(p.Name)
			if err != nil {
				t.Fatal(err)
			}
			for round := range rounds {
				table, err := Play(t.Context(), r, locale.Match("").With(Decimals))
				if err != nil {
					t.Fatal(err)
				}
				if table.Rows[len(table.Rows)-1].Entitlement > 0 {
					return
				}
				next := table.Next()
				for _, s := range next {
					if _, err := Play(t.Context(), s.Run, locale.Match("").With(Decimals)); err != nil {
						t.Fatalf("%s: %v", s.Label, err)
					}
				}
				at := slices.IndexFunc(next, func(s Suggestion) bool { return s.Move.Kind == Set && len(r.Moves) == 0 })
				if buys := slices.IndexFunc(next, func(s Suggestion) bool { return s.Move.Kind != Buy }); at < 0 {
					at = round % buys
				}
				r = next[at].Run
			}
			t.Error("nothing that is suggested earns anything")
		})
	}
}
