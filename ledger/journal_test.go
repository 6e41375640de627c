package ledger_test

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"recoup/ledger"
	"recoup/reward"
)

var noon = reward.At(time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC))

// clawback is a posting with a formula, and what is written of it.
var clawback = reward.Posting{
	Account: "acct-1", Number: 3, At: noon, Cycle: reward.CycleAt(noon), Kind: reward.Clawback, Source: "core", Event: "e7",
	Transaction: "t1", Program: "everyday", Version: 1, Rule: "grocery", Amount: -500, Balance: -20,
	Formula: reward.Formula{Method: reward.Rerate, Purchase: 10_000, Reversed: 10_000, Base: 9_000, Original: 500, Before: 500, Rate: 4_750_000, Cap: 5000, Used: 7},
}

const clawbackText = `{"number":3,"at":"2026-01-05T12:00:00Z","cycle":"2026-01","kind":"clawback","source":"core","event":"e7",` +
	`"transaction":"t1","program":"everyday","version":1,"rule":"grocery","amount":-500,"balance":-20,` +
	`"formula":{"method":"rerate","purchase":10000,"reversed":10000,"base":9000,"original":500,"before":500,"rate":"4.75%","cap":5000,"used":7}}`

// adjustment is a posting without one.
var adjustment = reward.Posting{
	Account: "acct-1", Number: 4, At: noon + 50, Cycle: reward.CycleAt(noon), Kind: reward.Adjustment, Event: "e8",
	Fact: "j1", Program: "everyday", Reason: `say "sorry" ☃`, Actor: "op", Amount: 20,
}

const adjustmentText = `{"number":4,"at":"2026-01-05T12:00:00.00000005Z","cycle":"2026-01","kind":"adjustment","event":"e8",` +
	`"fact":"j1","program":"everyday","reason":"say \"sorry\" ☃","actor":"op","amount":20,"balance":0}`

// bonus is a posting under terms that are not plain.
var bonus = reward.Posting{
	Account: "acct-1", Number: 5, At: noon, Cycle: reward.CycleAt(noon), Kind: reward.Grant, Source: "core", Event: "e9",
	Program: "points", Version: 1, Rule: "welcome", Layer: "base", Period: "2026-Q1", Amount: 300, Balance: 300,
	Formula: reward.Formula{Method: reward.Rerate, After: 300, Cap: reward.NoCap, Used: 300, Exact: reward.Fraction{Num: 3, Den: 100}, Spend: 50_000, Purchases: 2},
}

const bonusText = `{"number":5,"at":"2026-01-05T12:00:00Z","cycle":"2026-01","kind":"grant","source":"core","event":"e9",` +
	`"program":"points","version":1,"rule":"welcome","layer":"base","period":"2026-Q1","amount":300,"balance":300,` +
	`"formula":{"method":"rerate","after":300,"used":300,"exact":"3 per 100","spend":50000,"purchases":2}}`

func TestPostingsAsTheyAreWritten(t *testing.T) {
	approved := adjustment
	approved.Approver = "chief"
	uncapped := clawback
	uncapped.Formula = reward.Formula{Purchase: 100, After: 1, Cap: reward.NoCap}
	before, _, _ := strings.Cut(clawbackText, `"formula"`)
	for _, c := range []struct {
		postings []reward.Posting
		want     string
	}{
		{nil, `[]`},
		{[]reward.Posting{clawback}, `[` + clawbackText + `]`},
		{[]reward.Posting{clawback, adjustment}, `[` + clawbackText + `,` + adjustmentText + `]`},
		{[]reward.Posting{approved}, `[` + strings.Replace(adjustmentText, `"actor":"op"`, `"actor":"op","approver":"chief"`, 1) + `]`},
		{[]reward.Posting{bonus}, `[` + bonusText + `]`},
		{[]reward.Posting{uncapped}, `[` + before + `"formula":{"method":"proportional","purchase":100,"after":1}}]`},
	} {
		text := string(ledger.AppendPostings([]byte("before "), c.postings))
		if text != "before "+c.want {
			t.Errorf("got  %s\nwant before %s", text, c.want)
		}
		if !json.Valid([]byte(c.want)) {
			t.Errorf("%s is not JSON", c.want)
		}
		expectPostings(t, c.want, "acct-1", c.postings)
	}
}

func TestNoPostings(t *testing.T) {
	for _, text := range []string{"", "[]"} {
		expectPostings(t, text, "acct-1", nil)
	}
}

func TestPostingsAreAppendedToThoseThereAre(t *testing.T) {
	got, err := ledger.ParsePostings([]byte("["+adjustmentText+"]"), "acct-1", []reward.Posting{clawback})
	if want := []reward.Posting{clawback, adjustment}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
	got, err = ledger.ParsePostings([]byte("["+adjustmentText+",{]"), "acct-1", []reward.Posting{clawback})
	if err == nil || !slices.Equal(got, []reward.Posting{clawback}) {
		t.Errorf("with an error: got %+v, %v; want what there was", got, err)
	}
}

func TestPostingsKeepNothingOfTheText(t *testing.T) {
	text := []byte("[" + clawbackText + "," + adjustmentText + "]")
	got, err := ledger.ParsePostings(text, "acct-1", nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range text {
		text[i] = 'x'
	}
	if want := []reward.Posting{clawback, adjustment}; !slices.Equal(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

// TestOtherTextIsRefused changes one thing at a time.
func TestOtherTextIsRefused(t *testing.T) {
	both := "[" + clawbackText + "," + adjustmentText + "]"
	for _, c := range []struct{ name, old, replacement string }{
		{"a space", `,"kind":"clawback"`, `, "kind":"clawback"`},
		{"a space before", `[{"number":3`, ` [{"number":3`},
		{"a space after", `"balance":0}]`, `"balance":0}] `},
		{"a newline after", `"balance":0}]`, "\"balance\":0}]\n"},
		{"more after", `"balance":0}]`, `"balance":0}][]`},
		{"no end", `"balance":0}]`, `"balance":0}`},
		{"no end of a posting", `"balance":0}]`, `"balance":0`},
		{"a comma too many", `"balance":0}]`, `"balance":0},]`},
		{"a comma too few", `}},{`, `}}{`},
		{"null", both, `null`},
		{"one posting without its array", both, clawbackText},
		{"another order", `"cycle":"2026-01","kind":"clawback"`, `"kind":"clawback","cycle":"2026-01"`},
		{"an unknown member", `,"kind":"clawback"`, `,"kind":"clawback","colour":"red"`},
		{"a member twice", `,"event":"e7"`, `,"event":"e7","event":"e7"`},
		{"a text that could be left out", `"t1"`, `""`},
		{"a version that could be left out", `"version":1`, `"version":0`},
		{"a version beyond 32 bits", `"version":1`, `"version":2147483648`},
		{"a number in the formula that could be left out", `"before":500`, `"before":500,"after":0`},
		{"a number below zero in the formula", `"used":7`, `"used":-7`},
		{"an approver of nobody", `"actor":"op"`, `"actor":"op","approver":""`},
		{"an approver before the actor", `"actor":"op"`, `"approver":"chief","actor":"op"`},
		{"a cap below zero", `"cap":5000`, `"cap":-1`},
		{"no cap as null", `"cap":5000`, `"cap":null`},
		{"an empty formula", `"formula":{"method":"rerate","purchase":10000,"reversed":10000,"base":9000,"original":500,"before":500,"rate":"4.75%","cap":5000,"used":7}`,
			`"formula":{"method":"proportional","cap":0}`},
		{"an unknown method", `"rerate"`, `"Rerate"`},
		{"a rate of nothing", `"4.75%"`, `"0%"`},
		{"a rate with a zero too many", `"4.75%"`, `"4.750%"`},
		{"a rate with a zero before", `"4.75%"`, `"04.75%"`},
		{"a rate above all", `"4.75%"`, `"104.75%"`},
		{"a rate without its sign", `"4.75%"`, `"4.75"`},
		{"a rate as a number", `"4.75%"`, `4.75`},
		{"number zero", `"number":3`, `"number":0`},
		{"a number below zero", `"number":3`, `"number":-3`},
		{"no number", `{"number":3,`, `{`},
		{"an unknown kind", `"clawback"`, `"clawbacks"`},
		{"no kind", `"clawback"`, `""`},
		{"another cycle", `"2026-01","kind":"clawback"`, `"2026-13","kind":"clawback"`},
		{"a time elsewhere", `2026-01-05T12:00:00Z`, `2026-01-05T13:00:00+01:00`},
		{"a time with zeros at its end", `12:00:00.00000005Z`, `12:00:00.000000050Z`},
		{"a time with ten decimals", `12:00:00.00000005Z`, `12:00:00.0000000501Z`},
		{"a time too late", `2026-01-05T12:00:00Z`, `2200-01-05T12:00:00Z`},
		{"a time too early", `2026-01-05T12:00:00Z`, `1969-12-31T23:59:59Z`},
		{"a date", `2026-01-05T12:00:00Z`, `2026-01-05`},
		{"no amount", `,"amount":-500`, ``},
		{"an amount of nothing", `"amount":-500`, `"amount":0`},
		{"an amount of minus nothing", `"balance":0`, `"balance":-0`},
		{"an amount with zeros before", `"balance":-20`, `"balance":-020`},
		{"an amount with a plus", `"amount":20`, `"amount":+20`},
		{"an amount with a fraction", `"amount":20`, `"amount":20.0`},
		{"an amount with an exponent", `"amount":20`, `"amount":2e1`},
		{"an amount as text", `"amount":20`, `"amount":"20"`},
		{"a minus alone", `"amount":20`, `"amount":-`},
		{"an amount beyond 64 bits", `"amount":20`, `"amount":9223372036854775808`},
		{"an amount below 64 bits", `"amount":20`, `"amount":-9223372036854775809`},
		{"an amount of twenty digits", `"amount":20`, `"amount":10000000000000000000`},
		{"an escape that is not needed", `"t1"`, `"\u0074\u0031"`},
		{"another escape of the same letter", `\"sorry\"`, `\u0022sorry\"`},
		{"a text that does not end", `"op","amount":20,"balance":0}]`, `"op`},
		{"a text that ends in an escape", `"op","amount":20,"balance":0}]`, `"op\`},
		{"a raw control character", `"t1"`, "\"t\x01\""},
		{"invalid UTF-8", `"t1"`, "\"t\xff\""},
		{"half a surrogate pair", `"t1"`, `"\ud83d"`},
		{"a text that is a number", `"t1"`, `1`},
		{"a text that is null", `"t1"`, `null`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if strings.Count(both, c.old) != 1 {
				t.Fatalf("the postings have %q %d times", c.old, strings.Count(both, c.old))
			}
			text := strings.Replace(both, c.old, c.replacement, 1)
			if got, err := ledger.ParsePostings([]byte(text), "acct-1", nil); err == nil || len(got) != 0 {
				t.Errorf("%s\nis read as %+v, %v", text, got, err)
			}
		})
	}
}

func TestTheErrorNamesThePlace(t *testing.T) {
	_, err := ledger.ParsePostings([]byte("["+clawbackText+`,{"number":4,"at":"yesterday"`), "acct-1", nil)
	const want = `journal of account acct-1: posting 2: expected a time in UTC such as 2026-01-05T10:00:00Z at byte 362, found "yesterday\""`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestEveryPostingIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		postings := rapid.SliceOfN(rapid.Custom(drawPosting), 0, 4).Draw(t, "postings")
		for i := range postings {
			postings[i].Account = "acct-1"
		}
		text := ledger.AppendPostings(nil, postings)
		if !json.Valid(text) {
			t.Fatalf("%s is not JSON", text)
		}
		got, err := ledger.ParsePostings(text, "acct-1", nil)
		if err != nil || !slices.Equal(got, postings) {
			t.Fatalf("%s\n%v\ngot  %+v\nwant %+v", text, err, got, postings)
		}
	})
}

// drawPosting draws any posting that there could be, likely or not.
func drawPosting(t *rapid.T) reward.Posting {
	amount := rapid.OneOf(rapid.Int64(), rapid.Int64Range(-500, 500), rapid.SampledFrom([]int64{math.MinInt64, math.MaxInt64}))
	positive := rapid.OneOf(rapid.Int64Range(0, math.MaxInt64), rapid.Just[int64](0))
	text := rapid.OneOf(rapid.Just(""), rapid.StringN(1, 8, -1), rapid.StringMatching(`[ -~]{1,12}`), rapid.SampledFrom([]string{"core", "t1", `\`, `"`}))
	p := reward.Posting{
		Number: rapid.Int64Range(1, math.MaxInt64).Draw(t, "number"),
		At:     reward.Instant(rapid.Int64Range(int64(reward.EarliestInstant), int64(reward.LatestInstant)).Draw(t, "at")),
		Cycle:  rapid.Custom(drawCycle).Draw(t, "cycle"),
		Kind:   reward.Kind(rapid.Uint8Range(uint8(reward.Grant), uint8(reward.ExpiryRestored)).Draw(t, "kind")),
		Source: text.Draw(t, "source"), Event: text.Draw(t, "event"),
		Transaction: text.Draw(t, "transaction"), Fact: text.Draw(t, "fact"),
		Program: text.Draw(t, "program"), Rule: text.Draw(t, "rule"),
		Version: rapid.Int32Range(0, math.MaxInt32).Draw(t, "version"),
		Reason:  text.Draw(t, "reason"), Actor: text.Draw(t, "actor"), Approver: text.Draw(t, "approver"),
		Amount:  amount.Filter(func(n int64) bool { return n != 0 }).Draw(t, "amount"),
		Balance: amount.Draw(t, "balance"),
	}
	if rapid.Bool().Draw(t, "formula") {
		p.Formula = reward.Formula{
			Method:   rapid.SampledFrom([]reward.ClawbackMethod{reward.Proportional, reward.Rerate}).Draw(t, "method"),
			Purchase: positive.Draw(t, "purchase"), Reversed: positive.Draw(t, "reversed"), Base: positive.Draw(t, "base"),
			Original: positive.Draw(t, "original"), Before: positive.Draw(t, "before"), After: positive.Draw(t, "after"),
			Rate: reward.Rate(rapid.Int64Range(0, int64(reward.MaxRate)).Draw(t, "rate")),
			Cap:  rapid.Int64Range(reward.NoCap, math.MaxInt64).Draw(t, "cap"),
			Used: positive.Draw(t, "used"),
		}
	}
	return p
}

func drawCycle(t *rapid.T) reward.Cycle {
	return reward.Cycle(rapid.Int32Range(int32(reward.CycleAt(reward.EarliestInstant)), int32(reward.CycleAt(reward.LatestInstant))).Draw(t, "cycle"))
}

func TestRealJournalsAreReadBack(t *testing.T) {
	for _, a := range play(t) {
		expectPostings(t, string(ledger.AppendPostings(nil, a.postings)), a.ID(), a.postings)
	}
}

// FuzzParsePostings: what is read is written as it was.
func FuzzParsePostings(f *testing.F) {
	f.Add("")
	f.Add("[]")
	f.Add("[" + clawbackText + "," + adjustmentText + "]")
	f.Add("[" + adjustmentText + "," + clawbackText + "]")
	f.Add("[" + strings.Replace(adjustmentText, `"op"`, `"op","approver":"chief"`, 1) + "]")
	f.Add("[" + strings.NewReplacer(`"rerate"`, `"proportional"`, `"cap":5000,`, ``, `"e7"`, `"\\\t☃\u0001"`).Replace(clawbackText) + "]")
	f.Fuzz(func(t *testing.T, text string) {
		postings, err := ledger.ParsePostings([]byte(text), "acct-1", nil)
		if err != nil {
			if len(postings) != 0 || err.Error() == "" {
				t.Errorf("%q: %d postings with the error %q", text, len(postings), err)
			}
			return
		}
		if again := string(ledger.AppendPostings(nil, postings)); again != text && text != "" {
			t.Errorf("%q is written as\n%q", text, again)
		}
	})
}

func expectPostings(t *testing.T, text, account string, want []reward.Posting) {
	t.Helper()
	got, err := ledger.ParsePostings([]byte(text), account, nil)
	if err != nil || len(got) != len(want) {
		t.Errorf("%.2000s\ngives %d postings, %v; want %d", text, len(got), err, len(want))
		return
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("got  %+v\nwant %+v", got[i], want[i])
		}
	}
}

func BenchmarkAppendPostings(b *testing.B) {
	postings := []reward.Posting{clawback}
	var text []byte
	b.ReportAllocs()
	for b.Loop() {
		text = ledger.AppendPostings(text[:0], postings)
	}
}

func BenchmarkParsePostings(b *testing.B) {
	text := []byte("[" + clawbackText + "]")
	var postings []reward.Posting
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if postings, err = ledger.ParsePostings(text, "acct-1", postings[:0]); err != nil {
			b.Fatal(err)
		}
	}
}
