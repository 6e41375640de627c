package scenario_test

import (
	"strings"
	"testing"
	"time"

	"recoup/internal/issuer"
	"recoup/internal/scenario"
	"recoup/reward"
)

// head is lines 1 to 6 of the files below.
const head = `# A comment.
title: A test
program:
  currency: USD
  rules:
    - {id: base, rate: 5%}
`

func TestWhatAFileSays(t *testing.T) {
	s, err := scenario.Parse("folder/case.txt", []byte(`# First line of it,
#   and the second.
title: The title   # not this
shows: V1, G4

program:
  id: mine
  currency: USD
# a comment at the margin
  maturity_days: 30

  rules:
    - {id: base, rate: 5%}

# Not about the file any more.
2026-01-05 10:00  settle t1 1,000.00 at m1 GROCERY mcc 5411 dated 2026-01-04 09:30
                  expect balance 50.00 redeemable -0.01
                  # in between
                  expect at A, Literal (instant): leak 0.00
2026-01-06  redeem d1 50.00 -> accepted   # and so on
`))
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "case" || s.File != "folder/case.txt" || s.Title != "The title" ||
		strings.Join(s.Shows, "|") != "V1|G4" || s.About != "First line of it,\nand the second." {
		t.Errorf("head: %+v", s)
	}
	if p := s.Program; p.ID != "mine" || p.Currency != "USD" || p.MaturityDays != 30 || len(p.Rules) != 1 {
		t.Errorf("program: %+v", p)
	}
	if got := strings.Join(s.Designs(), "|"); got != "Recoup|A|Literal (instant)" {
		t.Errorf("designs: %s", got)
	}
	if len(s.Steps) != 2 {
		t.Fatalf("%d steps", len(s.Steps))
	}
	settle, redeem := s.Steps[0], s.Steps[1]
	if settle.Line != 16 || !settle.At.Equal(time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)) {
		t.Errorf("line %d at %s", settle.Line, settle.At)
	}
	if want := (scenario.Move{
		Kind: scenario.Settle, ID: "t1", Amount: 100000, Merchant: "m1", MCC: "5411", Category: "GROCERY",
		Happened: time.Date(2026, 1, 4, 9, 30, 0, 0, time.UTC),
	}); !same(settle.Move, want) {
		t.Errorf("settle: %+v", settle.Move)
	}
	if settle.Text != "settle t1 1,000.00 at m1 GROCERY mcc 5411 dated 2026-01-04 09:30" || redeem.Text != "redeem d1 50.00" {
		t.Errorf("texts %q, %q", settle.Text, redeem.Text)
	}
	expectations(t, settle, []scenario.Expectation{
		{Line: 17, Design: "Recoup", Quantity: scenario.Balance, Amount: 5000},
		{Line: 17, Design: "Recoup", Quantity: scenario.Redeemable, Amount: -1},
		{Line: 19, Design: "A", Quantity: scenario.Leak},
		{Line: 19, Design: "Literal (instant)", Quantity: scenario.Leak},
	})
	expectations(t, redeem, []scenario.Expectation{{Line: 20, Design: "Recoup", Answer: scenario.Accepted}})
}

func expectations(t *testing.T, step scenario.Step, want []scenario.Expectation) {
	t.Helper()
	if len(step.Expect) != len(want) {
		t.Fatalf("line %d: %+v, expected %+v", step.Line, step.Expect, want)
	}
	for i, e := range step.Expect {
		if e != want[i] {
			t.Errorf("line %d: %+v, expected %+v", step.Line, e, want[i])
		}
	}
}

func same(a, b scenario.Move) bool {
	if len(a.Really) != len(b.Really) {
		return false
	}
	for i := range a.Really {
		if a.Really[i] != b.Really[i] {
			return false
		}
	}
	a.Really, b.Really = nil, nil
	at := a.Happened.Equal(b.Happened)
	a.Happened, b.Happened = time.Time{}, time.Time{}
	return at && a.Kind == b.Kind && a.ID == b.ID && a.Amount == b.Amount && a.Of == b.Of && a.Merchant == b.Merchant &&
		a.MCC == b.MCC && a.Category == b.Category && a.As == b.As && a.Again == b.Again && a.Another == b.Another
}

func TestMoves(t *testing.T) {
	noon := time.Date(2026, 1, 9, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]scenario.Move{
		"settle t1 10.00":                 {Kind: scenario.Settle, ID: "t1", Amount: 1000, Happened: noon},
		"settle t1 10 HOME at m:1":        {Kind: scenario.Settle, ID: "t1", Amount: 1000, Merchant: "m:1", Category: "HOME", Happened: noon},
		"authorize t1 10.00 mcc 0742":     {Kind: scenario.Authorize, ID: "t1", Amount: 1000, MCC: "0742", Happened: noon},
		"cancel t1":                       {Kind: scenario.Cancel, ID: "t1"},
		"withdraw t1":                     {Kind: scenario.Withdraw, ID: "t1"},
		"refund r1 4.00 of t1":            {Kind: scenario.Refund, ID: "r1", Amount: 400, Of: "t1", Happened: noon},
		"refund r1 4.00 at m1":            {Kind: scenario.Refund, ID: "r1", Amount: 400, Merchant: "m1", Happened: noon},
		"refund r1 4.00 dated 2026-01-01": {Kind: scenario.Refund, ID: "r1", Amount: 400, Happened: noon.AddDate(0, 0, -8).Add(-12 * time.Hour)},
		"refund r1 4.00 really s1":        {Kind: scenario.Refund, ID: "r1", Amount: 400, Really: []scenario.Part{{"s1", 400}}, Happened: noon},
		"refund r1 4.00 really s1 3.00":   {Kind: scenario.Refund, ID: "r1", Amount: 400, Really: []scenario.Part{{"s1", 300}}, Happened: noon},
		"refund r1 4.00 really s1 3.00 and s2 1.00 of t9": {Kind: scenario.Refund, ID: "r1", Amount: 400, Of: "t9",
			Really: []scenario.Part{{"s1", 300}, {"s2", 100}}, Happened: noon},
		"announce r1 4.00 of t1":   {Kind: scenario.Announce, ID: "r1", Amount: 400, Of: "t1", Happened: noon},
		"cancel refund r1":         {Kind: scenario.CancelRefund, ID: "r1"},
		"undo refund r1":           {Kind: scenario.UndoRefund, ID: "r1"},
		"chargeback c1 of t1":      {Kind: scenario.Chargeback, ID: "c1", Of: "t1", Happened: noon},
		"chargeback c1 4.00 of t1": {Kind: scenario.Chargeback, ID: "c1", Amount: 400, Of: "t1", Happened: noon},
		"chargeback c1 4.00 of s1 really s1 1.00 and s2 1.00": {Kind: scenario.Chargeback, ID: "c1", Amount: 400, Of: "s1",
			Really: []scenario.Part{{"s1", 100}, {"s2", 100}}, Happened: noon},
		"count refund r1 as r2": {Kind: scenario.CountRefund, ID: "r1", As: "r2"},
		"undo chargeback c1":    {Kind: scenario.UndoChargeback, ID: "c1"},
		"redeem d1 5.00":        {Kind: scenario.Redeem, ID: "d1", Amount: 500},
		"redeem d1 -5.00":       {Kind: scenario.Redeem, ID: "d1", Amount: -500},
		"redeem d1 0":           {Kind: scenario.Redeem, ID: "d1"},
		"close":                 {Kind: scenario.CloseStatement},
		"close account":         {Kind: scenario.CloseAccount},
		"wait":                  {Kind: scenario.Wait},
		"again settle s1":       {Kind: scenario.Settle, ID: "s1", Amount: 100, Happened: noon.Add(-12 * time.Hour), Again: true},
	} {
		s, err := scenario.Parse("x.txt", []byte(head+"2026-01-09 settle s1 1.00\n2026-01-09 settle s2 1.00\n2026-01-09 12:00 "+text))
		if err != nil {
			t.Error(err)
			continue
		}
		if got := s.Steps[2].Move; !same(got, want) {
			t.Errorf("%s: %+v, expected %+v", text, got, want)
		}
	}
}

func TestErrorsNameFileAndLine(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"empty", "", `x.txt:1: expected at least one step, such as "2026-01-05 10:00  settle t1 100.00"`},
		{"no steps", head, `x.txt:7: expected at least one step, such as "2026-01-05 10:00  settle t1 100.00"`},
		{"not text", "\xff", `x.txt: not UTF-8 text`},
		{"too long", strings.Repeat("#", 1<<20+1), `x.txt: 1048577 bytes; a scenario has at most 1048576`},
		{"unknown head", "author: me", `x.txt:1: "author: me": expected "title:", "shows:", "program:" or a step, which begins with its date`},
		{"head twice", "title: a\ntitle: b", `x.txt:2: title: given before, on line 1`},
		{"empty head", "title:", `x.txt:1: title: expected a text behind the colon`},
		{"empty label", "shows: V1,,G1", `x.txt:1: shows: expected labels separated by commas, such as "V1, G4"`},
		{"program on the line", "program: {}", `x.txt:1: program: expected it indented on the lines below`},
		{"indented nothing", "title: a\n  b", `x.txt:2: indented without anything that it could belong to: expected a head such as "title:" at the margin`},
		{"no title", "program:\n  currency: USD\n2026-01-05 close", `x.txt:3: expected "title:" before the first step`},
		{"no program", "title: a\n2026-01-05 close", `x.txt:2: expected "program:" before the first step`},
		{"head after the steps", head + "2026-01-05 close\nshows: V1", `x.txt:8: date "shows:": expected one such as 2026-01-05, from 1971 to 2190`},
		{"date", head + "2026-02-30 close", `x.txt:7: date "2026-02-30": expected one such as 2026-01-05, from 1971 to 2190`},
		{"early", head + "1969-02-03 close", `x.txt:7: date "1969-02-03": expected one such as 2026-01-05, from 1971 to 2190`},
		{"time of day", head + "2026-01-05 24:00 close", `x.txt:7: time of day "24:00": expected one such as 09:30`},
		{"short time", head + "2026-01-05 9:30 close", `x.txt:7: time of day "9:30": expected one such as 09:30`},
		{"backwards", head + "2026-01-05 close\n2026-01-04 close", `x.txt:8: before the step on line 7: expected steps in order of time`},
		{"no move", head + "2026-01-05", `x.txt:7: nothing: expected a move: announce, authorize, cancel, cancel refund, chargeback, close, close account, count refund, itemize, redeem, refund, set, settle, undo chargeback, undo refund, unset, wait, withdraw`},
		{"unknown move", head + "2026-01-05 buy t1", `x.txt:7: "buy": expected a move: announce, authorize, cancel, cancel refund, chargeback, close, close account, count refund, itemize, redeem, refund, set, settle, undo chargeback, undo refund, unset, wait, withdraw`},
		{"no id", head + "2026-01-05 settle", `x.txt:7: settle: expected an id, got ""; it has up to 64 letters, digits and -_.:/`},
		{"wrong id", head + "2026-01-05 settle t*1 1.00", `x.txt:7: settle: expected an id, got "t*1"; it has up to 64 letters, digits and -_.:/`},
		{"no amount", head + "2026-01-05 settle t1", `x.txt:7: settle t1: amount "": expected a number such as 1234, 1,234.50 or -3`},
		{"decimals", head + "2026-01-05 settle t1 1.005", `x.txt:7: settle t1: amount "1.005": expected at most 2 decimals, as USD has`},
		{"zero", head + "2026-01-05 settle t1 0.00", `x.txt:7: settle t1: expected an amount above zero`},
		{"negative", head + "2026-01-05 refund r1 -5.00 of t1", `x.txt:7: refund r1: expected an amount above zero`},
		{"too much", head + "2026-01-05 redeem d1 -10000000000000.01", `x.txt:7: redeem d1: amount "-10000000000000.01": expected at most $10,000,000,000,000.00`},
		{"trailing", head + "2026-01-05 settle t1 1.00 here", `x.txt:7: settle t1: unexpected "here"`},
		{"trailing close", head + "2026-01-05 close it", `x.txt:7: close: unexpected "it"`},
		{"clause twice", head + "2026-01-05 settle t1 1.00 at m1 at m2", `x.txt:7: settle t1: it has "at" twice`},
		{"category twice", head + "2026-01-05 settle t1 1.00 HOME GAS", `x.txt:7: settle t1: it has "category" twice`},
		{"no place", head + "2026-01-05 settle t1 1.00 of t2", `x.txt:7: settle t1: it has no "of"`},
		{"no category", head + "2026-01-05 redeem d1 1.00 GAS", `x.txt:7: redeem d1: it has no "category"`},
		{"merchant", head + "2026-01-05 settle t1 1.00 at", `x.txt:7: settle t1: expected a merchant behind "at", got ""; it has up to 64 letters, digits and -_.:/`},
		{"mcc", head + "2026-01-05 settle t1 1.00 mcc 541", `x.txt:7: settle t1: mcc "541": expected four digits`},
		{"of nothing", head + "2026-01-05 chargeback c1", `x.txt:7: chargeback c1: expected "of" and a purchase`},
		{"dated later", head + "2026-01-05 settle t1 1.00 dated 2026-01-06", `x.txt:7: settle t1: dated after it is delivered`},
		{"dated never", head + "2026-01-05 settle t1 1.00 dated", `x.txt:7: expected a date such as 2026-01-05`},
		{"really unknown", head + "2026-01-05 refund r1 1.00 really t1", `x.txt:7: refund r1: really t1, which is settled nowhere in the file`},
		{"really too much", head + "2026-01-05 refund r1 1.00 really t1 0.60 and t2 0.60", `x.txt:7: refund r1: more came back really than was refunded`},
		{"really without amounts", head + "2026-01-05 refund r1 1.00 really t1 and t2", `x.txt:7: refund r1: expected an amount behind t1, one of several purchases`},
		{"really without the last", head + "2026-01-05 refund r1 1.00 really t1 0.50 and t2", `x.txt:7: refund r1: expected an amount behind t2, one of several purchases`},
		{"really zero", head + "2026-01-05 refund r1 1.00 really t1 0.00", `x.txt:7: refund r1: expected an amount above zero`},
		{"again unknown", head + "2026-01-05 again refund r1", `x.txt:7: again refund r1: it has not been delivered before`},
		{"again needless", head + "2026-01-05 again withdraw t1", `x.txt:7: again withdraw: write it without again`},
		{"again with content", head + "2026-01-05 settle t1 1.00\n2026-01-05 again settle t1 1.00", `x.txt:8: settle t1: unexpected "1.00"`},
		{"not again", head + "2026-01-05 settle t1 1.00\n2026-01-05 settle t1 2.00", `x.txt:8: settle t1: delivered on line 7 already; "again settle t1" delivers it once more`},
		{"another unknown", head + "2026-01-05 another refund r1 1.00", `x.txt:7: another refund r1: write it without another, it is the first of that name`},
		{"another settlement", head + "2026-01-05 settle t1 1.00\n2026-01-05 another settle t1 1.00", `x.txt:8: another settle: only a refund can be another one of the same name`},
		{"count as nothing", head + "2026-01-05 count refund r1", `x.txt:7: count refund r1: expected "as" and the name to count it under`},
		{"really of a whole chargeback", head + "2026-01-05 settle t1 1.00\n2026-01-05 chargeback c1 of t1 really t1", `x.txt:8: chargeback c1: expected an amount of it before what was really of it`},
		{"version first", "title: a\nprogram from 2026-02:\n  currency: USD", `x.txt:2: program from 2026-02: expected "program:" before it, which is in force until then`},
		{"version of a day", head + "program from 2026-02-01:", `x.txt:7: program from "2026-02-01": expected a month such as 2026-02, from 1971 to 2190`},
		{"version on the line", head + "program from 2026-02: {}", `x.txt:7: program from 2026-02: expected it indented on the lines below`},
		{"version earlier", head + "program from 2026-02:\n  currency: USD\nprogram from 2026-02:", `x.txt:9: program from 2026-02: expected a later month than on line 7`},
		{"version in another currency", head + "program from 2026-02:\n  currency: EUR\n  rules: []\n2026-01-05 close", `x.txt:7: program from 2026-02: expected the id and the currency of the one before it, scenario and USD`},
		{"version's program", head + "program from 2026-02:\n  currency: USD\n  rules: 5\n2026-01-05 close", `x.txt:9: rules: expected a list of rules, not 5`},
		{"review of nothing", head + "2026-01-05 close\n  expect review", `x.txt:8: expect review: expected the name of what is under review`},
		{"wrong answer", head + "2026-01-05 redeem d1 1.00 -> closed", `x.txt:7: redeem d1: expected behind "->" accepted or denied of a redemption, closed or refused of closing the account`},
		{"answer of none", head + "2026-01-05 close -> closed", `x.txt:7: close: expected behind "->" accepted or denied of a redemption, closed or refused of closing the account`},
		{"no answer", head + "2026-01-05 redeem d1 1.00 ->", `x.txt:7: redeem d1: expected behind "->" accepted or denied of a redemption, closed or refused of closing the account`},
		{"behind the answer", head + "2026-01-05 redeem d1 1.00 -> denied at m1", `x.txt:7: redeem d1: unexpected "at"`},
		{"indented move", head + "2026-01-05 close\n  settle t1 1.00", `x.txt:8: "settle": expected "expect" below a step, or a step at the margin`},
		{"expect nothing", head + "2026-01-05 close\n  expect", `x.txt:8: expect: expected a quantity with its amount, such as "balance 5.00", a review or an answer`},
		{"expect nothing at A", head + "2026-01-05 close\n  expect at A:", `x.txt:8: expect: expected a quantity with its amount, such as "balance 5.00", a review or an answer`},
		{"no colon", head + "2026-01-05 close\n  expect at A leak 0.00", `x.txt:8: expect at: expected a colon behind the designs, as in "expect at C, F: leak 0.00"`},
		{"no design", head + "2026-01-05 close\n  expect at A, : leak 0.00", `x.txt:8: expect at: expected the names of designs separated by commas, as in "expect at C, F: leak 0.00"`},
		{"unknown quantity", head + "2026-01-05 close\n  expect points 5", `x.txt:8: expect "points": expected one of balance, redeemable, redeemed, net_reward, entitlement, leak, a bonus, a review or an answer`},
		{"no quantity's amount", head + "2026-01-05 close\n  expect balance", `x.txt:8: expect balance: expected an amount`},
		{"quantity's decimals", head + "2026-01-05 close\n  expect balance 1.234", `x.txt:8: expect balance: amount "1.234": expected at most 2 decimals, as USD has`},
		{"expected answer", head + "2026-01-05 close\n  expect accepted", `x.txt:8: expect accepted: "close" is not answered so`},
		{"too many steps", head + strings.Repeat("2026-01-05 close\n", 1001), `x.txt:1007: more than 1000 steps`},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := scenario.Parse("x.txt", []byte(test.text))
			if err == nil {
				t.Fatalf("parsed as %+v", s)
			}
			if err.Error() != test.want {
				t.Errorf("got:      %s\nexpected: %s", err, test.want)
			}
		})
	}
}

func TestErrorsInTheProgramNameTheLineOfTheFile(t *testing.T) {
	for text, want := range map[string]string{
		"title: a\nprogram:\n  currency: USD\n  rules: 5\n2026-01-05 close":                                     "x.txt:4: rules: ",
		"title: a\nprogram:\n\n  # none\n  currency: USD\n  grace: 5\nshows: V1\n2026-01-05 close":              "x.txt:6: grace: ",
		"title: a\nprogram:\n  id: mine\n  currency: USD\n  id: yours\n2026-01-05 close":                        "x.txt:5: id: ",
		"title: a\nprogram:\n2026-01-05 close":                                                                  "x.txt:2: currency: ",
		"title: a\nprogram:\n  currency: USD\n  rules: [{id: a, rate: 1%}]\n\tid: x\n2026-01-05 close":          "x.txt:",
		"# " + "\ntitle: a\nprogram:\n  currency: USD\n# margin\n  rules: [{id: a, rat: 1%}]\n2026-01-05 close": "x.txt:6: rules[0].rat: ",
	} {
		s, err := scenario.Parse("x.txt", []byte(text))
		if err == nil {
			t.Errorf("%q parsed as %+v", text, s)
		} else if !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, expected %s…", text, err, want)
		}
	}
}

// An authorisation may come again with another amount; the last one counts.
func TestAnAuthorisationMayComeAgain(t *testing.T) {
	if _, err := scenario.Parse("x.txt", []byte(head+"2026-01-05 authorize t1 1.00\n2026-01-05 authorize t1 2.00")); err != nil {
		t.Error(err)
	}
}

func TestLinesMayEndAsOnWindows(t *testing.T) {
	text := strings.ReplaceAll(head+"2026-01-05 settle t1 1.00\n  expect balance 0.05\n", "\n", "\r\n")
	if _, err := scenario.Parse("x.txt", []byte(text)); err != nil {
		t.Error(err)
	}
}

// Whatever parses can be played, and is in order.
func FuzzParse(f *testing.F) {
	for _, s := range scenario.Catalogue() {
		var text strings.Builder
		text.WriteString(head)
		for _, step := range s.Steps {
			text.WriteString(step.At.Format("2006-01-02 15:04  ") + step.Text + "\n  expect balance 1.00\n")
		}
		f.Add(text.String())
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := scenario.Parse("x.txt", []byte(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "x.txt:") {
				t.Errorf("%q does not name the file", err)
			}
			return
		}
		for i, step := range s.Steps {
			if i > 0 && (step.At.Before(s.Steps[i-1].At) || step.Line <= s.Steps[i-1].Line) {
				t.Errorf("line %d is out of order", step.Line)
			}
			if step.Move.Happened.After(step.At) || step.Move.Amount > reward.MaxAmount {
				t.Errorf("line %d: %+v", step.Line, step.Move)
			}
		}
		transcript, err := scenario.Play(s, &flat{})
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range transcript.Lines {
			if line.Entitlement < 0 || line.Leak() < 0 {
				t.Errorf("line %d: entitlement %d, leak %d", line.Step.Line, line.Entitlement, line.Leak())
			}
		}
		scenario.Check(transcript, scenario.Recoup)
	})
}

var _ issuer.Issuer = (*flat)(nil)
