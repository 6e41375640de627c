package play_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"recoup/internal/console/play"
	"recoup/internal/lab/design"
	"recoup/internal/scenario"
	"recoup/reward"
)

func TestTheFileOfARun(t *testing.T) {
	r := run(t, "A", "Recoup", "buy 100.00 GROCERY at m1", "redeem all", "wait 7", "refund 40.00 GROCERY at m1 really t1", "chargeback of t1 late 2", "close")
	s, err := r.Scenario(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	file := string(scenario.Format(s))
	want := `2026-01-05 10:00  wait
2026-01-05 10:00  settle t1 100.00 at m1 GROCERY
2026-01-05 10:00  redeem d1 5.00
2026-01-12 10:00  wait
2026-01-12 10:00  refund r1 40.00 at m1 GROCERY really t1
2026-01-12 10:00  chargeback c1 of t1 dated 2026-01-10 10:00
2026-02-01 10:00  close
`
	if !strings.HasPrefix(file, "title: A beside Recoup\nprogram:\n  id: everyday\n") || !strings.HasSuffix(file, "\n\n"+want) {
		t.Errorf("wrote\n%s\nwant the steps\n%s", file, want)
	}
}

// A redemption of everything is of what a move may say at most.
func TestARedemptionOfEverythingHasAnAmountThatIsReadAgain(t *testing.T) {
	r := run(t, "A", "Recoup", "buy 10000000.00", "buy 10000000.00", "redeem all")
	var err error
	if r.Program, err = play.ParseProgram("grocery 0 cap none base 100"); err != nil {
		t.Fatal(err)
	}
	s, err := r.Scenario(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	read, err := scenario.Parse("download.txt", scenario.Format(s))
	if err != nil {
		t.Fatal(err)
	}
	again, err := play.FromScenario(read)
	if err != nil || len(again.Moves) != 3 || again.Moves[2].Amount != play.MaxAmount {
		t.Errorf("read %v, %v", again.Moves, err)
	}
	r.Moves, r.At = r.Moves[:2], 2
	if !slices.ContainsFunc(played(t, r).Next(), func(s play.Suggestion) bool { return s.Move.Kind == play.Redeem }) {
		t.Error("no redemption is suggested")
	}
}

// A program of a file is played as it is, or not at all.
func TestNoTermOfAFileIsDropped(t *testing.T) {
	file, err := scenario.Parse("f.txt", []byte("title: T\nprogram:\n  currency: USD\n  rules:\n    - {id: base, rate: 1%}\n\n2026-01-05  settle t1 100.00 at m1\n"))
	if err != nil {
		t.Fatal(err)
	}
	played := 0
	// tried plays the file with a term of another value, which is a member of p.
	tried := func(name string, p *reward.Program, v reflect.Value) {
		switch {
		case v.Kind() == reflect.Bool:
			v.SetBool(!v.Bool())
		case v.Kind() == reflect.String:
			v.SetString("PTS")
		case v.CanUint():
			v.SetUint(v.Uint() + 1)
		default:
			v.SetInt(v.Int() + 1)
		}
		s := *file
		s.Program = p
		r, err := play.FromScenario(&s)
		if err != nil {
			return
		}
		played++
		got, want := *r.Program.Terms(), *p
		got.Version, got.From, got.ID, got.Rules, got.Categories = want.Version, want.From, want.ID, nil, nil
		if want.Rules, want.Categories = nil, nil; !reflect.DeepEqual(got, want) {
			t.Errorf("%s of a file is lost: expected programOf in play/program.go to keep or refuse it\n got %+v\nwant %+v", name, got, want)
		}
	}
	for _, member := range reflect.VisibleFields(reflect.TypeFor[reward.Program]()) {
		if slices.Contains([]string{"Version", "From"}, member.Name) {
			continue
		}
		switch member.Type.Kind() {
		case reflect.Struct:
			for i := range member.Type.NumField() {
				p := *file.Program
				tried(member.Name+"."+member.Type.Field(i).Name, &p, reflect.ValueOf(&p).Elem().FieldByIndex(member.Index).Field(i))
			}
		case reflect.Bool, reflect.Int, reflect.Int64, reflect.Uint8:
			p := *file.Program
			tried(member.Name, &p, reflect.ValueOf(&p).Elem().FieldByIndex(member.Index))
		}
	}
	if played < 6 {
		t.Errorf("only %d terms can be changed", played)
	}
}

// Any run is the same again from the file that is downloaded, but that it says
// what was redeemed, and not who plays.
func TestAnyRunIsTheSameFromItsFile(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := drawRun(rt, 15)
		if r.Check() != nil {
			return
		}
		s, err := r.Scenario(t.Context())
		if err != nil {
			rt.Fatal(err)
		}
		for i, m := range r.Moves {
			if m.Kind == play.Redeem && m.Amount == 0 {
				r.Moves[i].Amount = s.Steps[i+1].Move.Amount
			}
		}
		file := scenario.Format(s)
		read, err := scenario.Parse("download.txt", file)
		if err != nil {
			rt.Fatalf("%v\n%s", err, file)
		}
		again, err := play.FromScenario(read)
		again.Left, again.Right, again.At = r.Left, r.Right, r.At
		if err != nil || !sameRun(again, r) {
			rt.Fatalf("%s\nread %v, %v\nwant %v", file, again, err, r)
		}
	})
}

// Those of the catalogue's scenarios that have only moves of the playground come
// to the same end there, at every design that they speak of.
func TestTheCatalogueInThePlayground(t *testing.T) {
	const tellsMinutesApart = "maturity"
	count := 0
	for _, s := range scenario.Catalogue() {
		r, err := play.FromScenario(s)
		if err != nil || s.Name == tellsMinutesApart {
			continue
		}
		count++
		r.Left, r.Right = "C", scenario.Recoup
		row := last(played(t, r))
		for name, cell := range map[string]play.Cell{"C": row.Left, scenario.Recoup: row.Right} {
			design, err := design.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			transcript, err := scenario.Play(s, design.New(s.Program))
			if err != nil {
				t.Fatal(err)
			}
			end := transcript.Last()
			if cell.Balance != end.Balance || cell.Redeemed != end.Redeemed || row.Entitlement != end.Entitlement {
				t.Errorf("%s at %s: balance %d, redeemed %d, entitlement %d; in the catalogue %d, %d, %d",
					s.Name, name, cell.Balance, cell.Redeemed, row.Entitlement, end.Balance, end.Redeemed, end.Entitlement)
			}
		}
	}
	if count < 40 {
		t.Errorf("only %d scenarios can be played", count)
	}
}

func TestScenariosThatAreNoRuns(t *testing.T) {
	const head = "title: T\nprogram:\n  currency: USD\n  rules:\n    - {id: base, rate: 1%}\n\n"
	const bought = head + "2026-01-05  settle t1 100.00 at m1\n"
	for text, want := range map[string]string{
		head + "2026-01-04  settle t1 100.00\n":                                                 "f.txt:7: settle t1 100.00: on 2026-01-04: expected no step before 2026-01-05",
		bought + "2026-01-06  withdraw t1\n":                                                    `f.txt:8: withdraw t1: a move of the playground is none of "withdraw"`,
		bought + "2026-01-06  again settle t1\n":                                                "f.txt:8: again settle t1: a run delivers nothing again",
		bought + "2026-01-06  redeem d1 -1.00\n":                                                "f.txt:8: redeem d1 -1.00: expected an amount that is not negative",
		bought + "2026-01-06  refund r1 9.00 really t1 5.00\n":                                  "f.txt:8: refund r1 9.00 really t1 5.00: really: expected",
		head + "2026-01-06  refund r1 9.00 really t1\n2026-01-07  settle t1 9\n":                "f.txt: move 2, refund: really t1: expected a purchase before it",
		bought + "2050-01-06  close\n":                                                          "f.txt: move 2, wait: ",
		bought + "2026-01-06  redeem d1 99999999.00\n":                                          "f.txt: move 3, redeem: amount 9999999900: expected 0 to 1000000000 minor units",
		strings.Replace(bought, "USD", "EUR", 1):                                                "f.txt: currency EUR: expected USD",
		strings.Replace(bought, "rate: 1%", "rate: 1%, match: {mcc: [\"5411\"]}", 1):            `f.txt: rule "base": expected one for category GROCERY`,
		strings.Replace(bought, "rate: 1%", "rate: 1%, cap: {reward: 100, per: cycle}", 1):      `f.txt: rule "base": expected one for category GROCERY`,
		strings.Replace(bought, "  rules:", "  refunds: {match_days: 3}\n  rules:", 1):          "f.txt: refunds: expected the periods of the example program",
		bought + "2026-02-01  close\n2026-02-02  redeem d1 1.00\n" + manyRedemptions(60):        "f.txt: 64 moves: expected at most 60",
		strings.Replace(bought, "  rules:", "  redemption: {after_closing: true}\n  rules:", 1): "f.txt: redemption: expected a minimum balance and grace days alone",
	} {
		s, err := scenario.Parse("f.txt", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := play.FromScenario(s); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, expected %s", err, want)
		}
	}
}

func manyRedemptions(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("2026-02-02  redeem x" + strings.Repeat("x", i) + " 1.00\n")
	}
	return b.String()
}

func TestAFileIsPlayedByTheDesignsThatItSpeaksOf(t *testing.T) {
	for name, left := range map[string]string{"case-3b-redeem-before-clawback": "F", "g02-return-shipping": "Literal (instant)", "m04-capped-decoy": "A"} {
		s, err := scenario.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := play.FromScenario(s); err != nil || r.Left != left || r.Right != scenario.Recoup {
			t.Errorf("%s: %s beside %s, %v", name, r.Left, r.Right, err)
		}
	}
}
