package play_test

import (
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"recoup/internal/console/play"
)

// Links are a promise: what one meant, it goes on meaning.
func TestLinks(t *testing.T) {
	for _, c := range []struct {
		query string
		run   play.Run
	}{
		{"left=a&right=recoup&v=1", play.New()},
		{
			"left=v3a&m=buy+100.00+GROCERY+at+m1&m=redeem+all&m=wait+7&m=refund+40.00+of+t1&m=close&right=recoup-mature&v=1",
			run(t, "V3(a)", "Recoup (mature)", "buy 100.00 GROCERY at m1", "redeem all", "wait 7", "refund 40.00 of t1", "close"),
		},
		{
			"left=literal-instant&m=refund+0.05+really+t1&m=chargeback+of+t1&m=chargeback+0.01+of+t2+late+3&m=redeem+2.50&right=a&v=1",
			play.Run{Left: "Literal (instant)", Right: "A", Program: play.Everyday(), At: 4, Moves: []play.Move{
				{Kind: play.Refund, Amount: 5, Of: 1, Unlinked: true},
				{Kind: play.Chargeback, Of: 1},
				{Kind: play.Chargeback, Amount: 1, Of: 2, Days: 3},
				{Kind: play.Redeem, Amount: 250},
			}},
		},
	} {
		if got := c.run.Values().Encode(); got != c.query {
			t.Errorf("wrote %s\nwant  %s", got, c.query)
		}
	}
}

func TestAnEmptyQueryOpensThePlayground(t *testing.T) {
	if r, err := play.Parse(nil); err != nil || !sameRun(r, play.New()) {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestAnyRunIsTheSameFromItsLink(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := drawRun(rt, play.MaxMoves)
		if r.Check() != nil {
			return // drawn beyond the last day, or with a refund of what is not bought
		}
		query, err := url.ParseQuery(r.Values().Encode())
		if err != nil {
			rt.Fatal(err)
		}
		again, err := play.Parse(query)
		if err != nil || !sameRun(again, r) {
			rt.Fatalf("wrote %v\nread  %+v, %v", r, again, err)
		}
	})
}

func TestWhatLinksMayNotSay(t *testing.T) {
	for query, want := range map[string]string{
		"left=a":                             `v "": expected version 1`,
		"v=2":                                `v "2": expected version 1`,
		"v=1&v=1":                            "v: given 2 times",
		"v=1&colour=red":                     `"colour": expected one of v, left`,
		"v=1&left=G":                         `left: design "G": expected one of a, b, c`,
		"v=1&at=1":                           `at "1": expected a number of moves from 0 to 0`,
		"v=1&at=-1":                          `at "-1"`,
		"v=1&m=steal+1.00":                   `m, number 1: move "steal 1.00": expected buy, refund`,
		"v=1&m=buy":                          `amount ""`,
		"v=1&m=buy+0.00":                     "expected more than 0",
		"v=1&m=buy+-1":                       "expected more than 0",
		"v=1&m=buy+0.001":                    "at most 2 decimals",
		"v=1&m=buy+10000000.01":              "at most 10000000.00",
		"v=1&m=buy+1+GROCERY+GROCERY":        `unexpected "GROCERY"`,
		"v=1&m=buy+1+at":                     "expected a merchant",
		"v=1&m=buy+1+at+%3Cb%3E":             "merchant \"<b>\"",
		"v=1&m=buy+1++GROCERY":               `unexpected ""`,
		"v=1&m=buy+1+of+t1":                  "more than such a move can have",
		"v=1&m=refund+1+of+t0":               `purchase "t0": expected t1 to t60`,
		"v=1&m=refund+1+of+t61":              `purchase "t61"`,
		"v=1&m=refund+1+really+t1":           "move 1, refund: really t1: expected a purchase before it",
		"v=1&m=chargeback":                   `amount ""`,
		"v=1&m=chargeback+5":                 "expected a purchase that it is of",
		"v=1&m=redeem":                       `amount ""`,
		"v=1&m=wait+0":                       "from 1 to 3660",
		"v=1&m=wait+007":                     "from 1 to 3660",
		"v=1&m=wait+3660&m=close":            "move 2, close: it goes beyond 2036-01-",
		"v=1&m=close+now":                    `unexpected "now"`,
		"v=1&program=rate+5":                 `program: "rate": expected each with a value, in this order: grocery`,
		"v=1&program=grace+28":               `program: grace "28": expected days from 0 to 27`,
		"v=1&program=grant+never":            `program: grant "never": expected settlement or statement`,
		"v=1&program=grocery+101":            "program: grocery",
		"v=1&program=cap+-1":                 `program: cap "-1": expected zero or more`,
		"v=1&program=grocery+0+base+0":       "expected a rate above 0%",
		"v=1&program=grocery+0":              "a cap needs a rate on groceries",
		"v=1&amount=5":                       "amount: expected add with it",
		"v=1&add=steal":                      `add "steal": expected buy, refund, unlinked`,
		"v=1&add=buy":                        "expected an amount above zero",
		"v=1&add=buy&amount=five":            `amount "five"`,
		"v=1&add=refund&of=t1":               "expected an amount above zero",
		"v=1&add=wait&days=1&of=t1":          "more than such a move can have",
		"v=1&add=refund&of=x&amount=1":       `of: purchase "x"`,
		"v=1&add=close&days=x":               `days "x"`,
		"v=1&m=" + strings.Repeat("x", 5000): "…",
		"v=1" + strings.Repeat("&m=close", play.MaxMoves+1):         "61 moves: expected at most 60",
		"v=1&add=close" + strings.Repeat("&m=close", play.MaxMoves): "61 moves: expected at most 60",
	} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := play.Parse(values); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, expected %s", query, err, want)
		} else if len(err.Error()) > 400 {
			t.Errorf("%.60s: an error of %d bytes", query, len(err.Error()))
		}
	}
}

// What a form sends becomes the move that follows what is shown.
func TestForms(t *testing.T) {
	const before = "v=1&m=buy+100.00+GROCERY+at+m1&m=refund+30.00+of+t1"
	for form, want := range map[string]string{
		"add=buy&amount=12.5&category=gas&merchant=m2": "buy 12.50 GAS at m2",
		"add=refund&of=t1&amount=":                     "refund 70.00 of t1",
		"add=refund&of=t1&amount=5":                    "refund 5.00 of t1",
		"add=unlinked&of=t1":                           "refund 70.00 GROCERY at m1 really t1",
		"add=unlinked&amount=5&merchant=m9":            "refund 5.00 at m9",
		"add=chargeback&of=t1":                         "chargeback of t1",
		"add=redeem":                                   "redeem all",
		"add=redeem&amount=all":                        "redeem all",
		"add=redeem&amount=1,000":                      "redeem 1000.00",
		"add=wait&days=3":                              "wait 3",
		"add=close&days=&of=":                          "close",
	} {
		values, _ := url.ParseQuery(before + "&" + form)
		r, err := play.Parse(values)
		if err != nil || len(r.Moves) != 3 || r.At != 3 || r.Moves[2].String() != want {
			t.Errorf("%s: %v, %v, expected %s", form, r.Moves, err, want)
		}
	}
}

func TestAMoveInTheMiddleOfARunTakesAnotherTurn(t *testing.T) {
	values, _ := url.ParseQuery("v=1&m=buy+100.00&m=close&m=close&at=1&add=redeem")
	r, err := play.Parse(values)
	if got := r.Values().Encode(); err != nil || got != "left=a&m=buy+100.00&m=redeem+all&right=recoup&v=1" {
		t.Errorf("%s, %v", got, err)
	}
}

func TestPrograms(t *testing.T) {
	for _, text := range []string{"", "cap none", "grocery 4.75 cap 12.00 base 0", "grant statement clawback statement grace 7", "method rerate maturity 30 minimum 5.00"} {
		p, err := play.ParseProgram(text)
		if err != nil || p.String() != text {
			t.Errorf("%q: wrote %q, %v", text, p, err)
		}
	}
}

// FuzzParse reads anything as a query. What is taken for a run is one: its link
// leads back to it, and it can be played.
func FuzzParse(f *testing.F) {
	for _, a := range play.Attacks() {
		f.Add(a.Run.Values().Encode())
	}
	f.Add("v=1&m=buy+100.00&at=0&add=unlinked&of=t1&amount=1&category=gas&merchant=m2&days=2")
	f.Add("v=1&program=grocery+4.75+cap+none+base+0+grace+3+minimum+0.01")
	f.Fuzz(func(t *testing.T, query string) {
		values, err := url.ParseQuery(query)
		if err != nil {
			return
		}
		r, err := play.Parse(values)
		if err != nil {
			return
		}
		again, err := play.Parse(r.Values())
		if err != nil || !sameRun(again, r) {
			t.Errorf("%s\nread %+v, %v\nwant %+v", r.Values().Encode(), again, err, r)
		}
		played(t, r)
	})
}
