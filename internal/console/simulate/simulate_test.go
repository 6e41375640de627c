package simulate_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"recoup/internal/console/locale"
	"recoup/internal/console/simulate"
	"recoup/program"
	"recoup/reward"
)

// monday is when stories begin: at noon on 15 June 2026.
var monday = reward.At(time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC))

func terms(t testing.TB, document string) *reward.Program {
	t.Helper()
	p, err := program.Parse("program", []byte(document))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// run plays a story as a page in English does.
func run(p *reward.Program, story string, begin reward.Instant) (*simulate.Played, error) {
	return simulate.Run(p, story, begin, program.Telling(p), locale.Match("en"))
}

// told is a story as a page tells it.
func told(t *testing.T, p *reward.Program, story string) string {
	t.Helper()
	played, err := run(p, story, monday)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, s := range played.Steps {
		fmt.Fprintf(&b, "%s %s", s.At.Time().Format("Jan 2"), s.Said)
		if s.Result.Outcome != reward.Applied && s.Result != (reward.Result{}) {
			fmt.Fprintf(&b, " [%v %v]", s.Result.Outcome, s.Result.Code)
		}
		for _, posting := range s.Postings {
			fmt.Fprintf(&b, " (%d: %s)", posting.Amount, posting.Says)
		}
		fmt.Fprintf(&b, " = %d, held %d, redeemed %d\n", s.Balance, s.Held, s.Redeemed)
	}
	return b.String()
}

func mustTell(t *testing.T, text string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains(text, line) {
			t.Errorf("%q is not in\n%s", line, text)
		}
	}
}

func TestAStoryIsPlayedAndExplained(t *testing.T) {
	text := told(t, program.Everyday(), "buy $80 at mcc 5411 on Saturday, return half")
	mustTell(t, text,
		"Jun 15 The account is opened = 0, held 0, redeemed 0\n",
		"Jun 20 Purchase 1 of $80.00, code 5411 (400: Reward for purchase 1 under rule grocery",
		"Jun 20 $40.00 of purchase 1 comes back (-200: $40.00 of purchase 1 came back",
		"= 200, held 0, redeemed 0\n")
}

// Each line is another element of the terms, with what it comes to by hand.
func TestStoriesOfAllTerms(t *testing.T) {
	const head = "id: a\ncurrency: USD\nclawback_method: rerate\n"
	for name, test := range map[string]struct{ document, story, end string }{
		"a weekday":        {head + "rules: [{id: w, match: {weekday: [saturday]}, rate: 10%}]\n", "buy 10 on friday; buy 10 on saturday", "balance 100"},
		"a label":          {head + "rules: [{id: l, match: {label: {channel: [app]}}, rate: 10%}]\n", "buy 10\nbuy 20 with channel=app", "balance 200"},
		"an attribute":     {head + "rules: [{id: a, match: {account: {plan: [gold]}}, rate: 10%}]\n", "buy 10; set plan gold; buy 20", "balance 200"},
		"items":            {head + "rules: [{id: g, match: {category: [GROCERY]}, rate: 10%}, {id: base, rate: 1%}]\n", "buy 50 in GROCERY and 30 at mcc 5912", "balance 530"},
		"points":           {"id: a\ncurrency: USD\nclawback_method: rerate\nreward: {unit: PTS, decimals: 0}\nrules: [{id: p, rate: 3 per 100}]\n", "buy 10, redeem 20", "balance 10"},
		"a sign-up bonus":  {head + "rules: [{id: base, rate: 1%}]\nbonuses: [{id: welcome, match: {within: {days: 90, of: opened}}, per: lifetime, spend: [{from: 50000, reward: 20000}]}]\n", "buy 500; return 1", "balance 499"},
		"the statement":    {head + "timing: {grant: statement, clawback: statement}\nrules: [{id: base, rate: 1%}]\n", "buy 100; wait 20 days; return the rest; close", "balance 0"},
		"maturity":         {head + "maturity_days: 30\nrules: [{id: base, rate: 1%}]\n", "buy 100; redeem; wait 31 days; redeem all", "redeemed 100"},
		"a dispute":        {head + "rules: [{id: base, rate: 1%}]\n", "buy 100 at bean\nbuy 50\ndispute purchase 1", "balance 50"},
		"without a link":   {head + "rules: [{id: base, rate: 1%}]\n", "buy 100 at bean; return 30 unlinked", "balance 70"},
		"more than is had": {head + "rules: [{id: base, rate: 1%}]\n", "buy 100; redeem 5", "redeemed 0"},
		"on a date":        {head + "rules: [{id: d, match: {from: 2026-07-01}, rate: 1%}]\n", "buy 100; buy 100 on 2026-07-01", "balance 100"},
	} {
		played, err := run(terms(t, test.document), test.story, monday)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := fmt.Sprintf("balance %d redeemed %d", played.End.Balance, played.End.Redeemed); !strings.Contains(got, test.end) {
			t.Errorf("%s: it ends with %s, want %s", name, got, test.end)
		}
		var sum int64
		for _, s := range played.Steps {
			for _, p := range s.Postings {
				sum += p.Amount
				if p.Says == "" {
					t.Errorf("%s: a posting of %d is not explained", name, p.Amount)
				}
			}
		}
		if sum != played.End.Balance {
			t.Errorf("%s: the postings come to %d, the balance is %d", name, sum, played.End.Balance)
		}
	}
}

func TestWhatIsNotUnderstood(t *testing.T) {
	for story, want := range map[string]string{
		"steal $5":                        `line 1, "steal $5": expected buy, return`,
		"buy 5\nbuy much":                 `line 2, "buy much": "much": expected an amount`,
		"buy 0":                           "above zero",
		"buy -5":                          "expected an amount from 0",
		"buy 1.234":                       "at most 2 decimals",
		"buy 5 at mcc 54":                 "four digits",
		"buy 5 on someday":                "expected a weekday",
		"buy 5 loudly":                    `"loudly" is not understood`,
		"return half":                     "nothing was bought before it",
		"buy 5; return all; return all":   "nothing of purchase 1 is left",
		"buy 5; return 1 of purchase 2":   "there is no purchase 2",
		"wait 0 days":                     "expected wait N days",
		"wait 3660 days; wait 2 days":     "more than 3660 days",
		"set plan":                        "expected set NAME VALUE",
		strings.Repeat("buy 1; ", 41):     "at most 40",
		strings.Repeat("buy 1;  ", 1<<10): "bytes",
		"buy 5 at":                        "expected a merchant",
		"buy 99999999999999999999":        "too large",
	} {
		if _, err := run(program.Everyday(), story, monday); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", story, err, want)
		}
	}
}

func FuzzStory(f *testing.F) {
	f.Add("buy $80 at mcc 5411 on Saturday, return half")
	f.Add("buy 50 in GROCERY and 30 label a=b\nset plan gold then close\nredeem all")
	p := program.Everyday()
	f.Fuzz(func(t *testing.T, story string) { _, _ = run(p, story, monday) })
}
