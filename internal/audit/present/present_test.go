package present_test

import (
	"encoding/json"
	"errors"
	stdhtml "html"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"recoup/internal/audit"
	"recoup/internal/audit/judge"
	"recoup/internal/audit/present"
	"recoup/internal/flaw"
	"recoup/internal/intake"
	"recoup/reward"
)

func table(t *testing.T, r *audit.Report) string {
	t.Helper()
	var b strings.Builder
	if err := present.WriteTable(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func html(t *testing.T, r *audit.Report) string {
	t.Helper()
	var b strings.Builder
	if err := present.WriteHTML(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// section is one section of the page.
func section(t *testing.T, page, id string) string {
	t.Helper()
	_, rest, found := strings.Cut(page, `<section id="`+id+`">`)
	if !found {
		t.Fatalf("no section %s", id)
	}
	text, _, _ := strings.Cut(rest, "</section>")
	return text
}

func has(t *testing.T, where, text string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			t.Errorf("%s: no %q in\n%s", where, want, text)
		}
	}
}

func hasNot(t *testing.T, where, text string, unwanted ...string) {
	t.Helper()
	for _, not := range unwanted {
		if strings.Contains(text, not) {
			t.Errorf("%s: %q in\n%s", where, not, text)
		}
	}
}

// The first lines of a table, and the head of a page, say it all.
func TestTheVerdictComesFirst(t *testing.T) {
	want := []string{
		"Class V2. Refunds take the reward back only in the cycle of their purchase. Of 9878 refunds in a later cycle, 9876 took nothing. Also: a refund above what is left of the purchase is ignored, whole (G2, occasional).",
		"From 1 January 2026 to 30 June 2026, $78,111.22 more in rewards was kept or redeemed than the published terms promise on net spend, by 7,301 of 45,678 accounts: 3.32% of the $2,345,678.90 that was granted in all, or $158,392.00 a year.",
		"What sets the refunds apart that took too little: of those in a later cycle than their purchase's, 9,876 of 9,878 took nothing or too little, $76,000.00 in all.",
		"12 accounts are short of what was promised by more than rounding can be; with what rounding may be of others, it is $86.64 together.",
		"$43,555.67 is exposed at the end of the exports: $345.67 owed by negative balances and $43,210.00 redeemed on purchases that can still be returned.",
	}
	if got := table(t, leaky()); !strings.HasPrefix(got, strings.Join(want, "\n")+"\n") {
		t.Errorf("the table begins\n%.900s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	head, _, _ := strings.Cut(html(t, leaky()), "</header>")
	has(t, "head of the page", head, "<h1>Audit of the reward program everyday</h1>", want[0], want[1], "What sets the refunds apart that took too little", want[3], want[4])
	for _, tile := range []string{
		`<div class="tile bad"><b>$78,111.22</b><span>leakage`, `<div class="tile part"><b>$86.64</b><span>short-payment`,
		`<div class="tile bad"><b>$43,555.67</b><span>exposure`, `<div class="tile bad"><b>$30,000.00</b><span>float`,
	} {
		has(t, "tiles", head, tile)
	}
}

func TestClasses(t *testing.T) {
	for class, want := range map[flaw.Class]string{
		flaw.V1:     "Class V1. It is so. ",
		flaw.V3a:    "Class V3(a). It is so. ",
		flaw.Robust: "No class of the paper, but it leaks: $158,392.00 a year. It is so. ",
		flaw.Other:  "No class of the paper, but it leaks: $158,392.00 a year. It is so. ",
		"":          "It is so. ",
	} {
		r := leaky()
		r.Verdict.Class, r.Verdict.Summary = class, "It is so."
		if got := table(t, r); !strings.HasPrefix(got, want) {
			t.Errorf("class %q: the table begins %.80q, want %q", class, got, want)
		}
	}
}

func TestNothingFound(t *testing.T) {
	text := table(t, sound())
	has(t, "table", text,
		"Robust: Reward Integrity and Refund Reward Consistency hold on this data. Refunds take the reward back in whichever cycle they fall.\n",
		"none of 45,678 accounts has more in rewards than the published terms promise",
		"✓ satisfied", "Looked for and not found: V2 (none of 9,878).", "none was bad.")
	hasNot(t, "table", text, "violated", "bad rows", "short of what", "exposed at the end", "Under Recoup")
	page := html(t, sound())
	has(t, "page", page, "None of the flaws that exports can show was found.", "No account&#39;s history looks like", `<div class="tile good"><b>$0.00</b><span>leakage`)
	hasNot(t, "page", page, `class="tile bad"`, `<section id="changes">`, `<section id="simulation">`, "Rows left out")
}

// Where leakage rests on which purchase a refund is of, it is said as a range, and what is
// robust is so by a reading.
func TestWhatIsInQuestion(t *testing.T) {
	has(t, "table", table(t, inQuestion()),
		"hold on this data if refunds that name no purchase are read as the program may read them.",
		"up to $76.91 more in rewards was kept or redeemed than the published terms promise on net spend, by 16 of 45,678 accounts",
		" It is between $2.16 and that, depending on which purchase a refund is of that names none; by these terms, $1.10 of it is there even if such refunds need take nothing.")
	has(t, "tiles", html(t, inQuestion()), `<b>$2.16 to $76.91</b><span>leakage`)
	unfit := inQuestion()
	unfit.LeakageByTerms = 2_00
	has(t, "table", table(t, unfit), "It is between $0.16 and that, depending on which purchase a refund is of that names none, and on how far the program grants by the terms given; by these terms,")
}

// Too few refunds are no acquittal, and it is said.
func TestNotEnoughToTell(t *testing.T) {
	r := sound()
	r.Verdict = audit.Verdict{Summary: "Not enough refunds to tell: 2 with a reward at stake in the cycle of their purchase, 5 needed."}
	r.Findings = []audit.Finding{found(flaw.CodeOf(flaw.V1), audit.TooFew, 0, 2, 0, 0)}
	r.Arrival = audit.Arrival{}
	text := table(t, r)
	has(t, "table", text,
		"Not enough refunds to tell: 2 with a reward at stake in the cycle of their purchase, 5 needed.\n",
		"exports of a longer time may tell: V1 (none of 2).", "Not enough refunds to tell: of none is the purchase known.",
		"│ Class                     │ not enough to tell", "│ Reward Integrity          │ not enough to tell")
	page := html(t, r)
	has(t, "page", section(t, page, "findings"), "Not enough to tell", "Too few refunds in these exports could have shown these flaws.", "none of 2")
	has(t, "page", section(t, page, "arrival"), "Not enough refunds to tell")
	hasNot(t, "page", section(t, page, "arrival"), "<svg")
}

func TestTableTellsAll(t *testing.T) {
	has(t, "table", table(t, leaky()),
		// behaviour
		"│ Reward timing             │ instant", "│ Refund Reward Consistency │ × violated", "│ never taken                          │           0 │       9,876 │",
		// figures
		"│ Net spend            │ $92,641,975.32 │ bought less returned", "│ Unexplained leakage  │        $111.22 │", "amount × days is $5,400,000.00",
		// findings
		"│ found      │     9,876 of 9,878 │ $76,000.00 │", "CWE-841, class 7 of OWASP's Business Logic Abuse Top 10; STRIDE: tampering impacted",
		"│ in a later cycle than their purchase's       │             9,876 of 9,878 │ $76,000.00 │", "│             every one of 3 │    $300.00 │", "│ all others ",
		"Looked for and not found: G4 (none of 1,234,567), compounding (none of 4,321).", "exports of a longer time may tell: V3(b) (none of 2).",
		"Seen in 12 of 310 cases that could show it. It came to $2,000.00.",
		// examples
		"Example 1, account acct-7: $50.00. Expected: $50.00 taken back by 1 March 2026. Found: nothing was taken back by 30 June 2026.\n",
		"│ 2026-02-02 │  28 │ refund r-p-1   │ $1,000.00 │", "To change: Take late refunds in at every close",
		// arrival, simulation, suspects, input
		"│ 99.0%                 │        74 days │            74 │ 27 (not enough) │       $76,900.00 │                       51.0 days │",
		"net rewards would have been $78,024.58 lower.", "│ Redemptions refused             │             — │           812 │",
		"│ acct-7                                       │     12 │    95.9% │", "These are 2 of 31.", "These are 2 of 7,301.",
		"1,299,999 rows from 2 files were read; 3 rows were left out as bad, less than 0.1% of all.", "T.csv:17, T.csv:99, T.csv:1024")
}

func TestPageTellsAll(t *testing.T) {
	page := html(t, leaky())
	for id, figures := range map[string][]string{
		"behaviour":  {`<td class="bad">× violated</td>`, "$76,010.00", "9,876"},
		"money":      {"Leakage so far, by month", "2026-06, leakage up to the end of the month: $78,000.00", "<td class=\"n\">$86.64</td>", `<td class="n">$26,000.00</td><td class="n">$78,000.00</td>`},
		"findings":   {"V2: only some refunds take the reward back", "Example 1, account acct-7: $50.00. Expected: $50.00 taken back by 1 March 2026. Found: nothing", "Example 5, account acct-11: $50.00", "CWE-1284; STRIDE", "Looked for and not found", "none of 1,234,567", "What sets them apart"},
		"changes":    {"2 temporal", "Take late refunds in at every close", "1 prevention"},
		"arrival":    {"90% by day 24", "95% by day 31", "99% by day 74", "76–79, refunded value: $8,000.00", "27 (not enough)", "12.3 days"},
		"simulation": {"$78,024.58 lower", "$41,000.00"},
		"accounts":   {"31 accounts bought", "These are 2 of 31.", "acct-7: $600.00 above entitlement, 12 rounds", "12 rounds of buying", "acct-31", "refund r-p-3"},
		"input":      {"F.csv.zst", "T.csv:17", "amount: expected an integer above zero", "and intent:"},
	} {
		has(t, "section "+id, section(t, page, id), figures...)
	}
}

// What ends two flaws comes once, prevention before what only recovers.
func TestChangesAreByTier(t *testing.T) {
	r := leaky()
	r.Findings = []audit.Finding{
		found(flaw.CodeOf(flaw.V3a), audit.Found, 9, 9, 700, 3_00), found(flaw.G13, audit.Found, 9, 9, 700, 1_00),
		found(flaw.Compounding, audit.Occasional, 1, 9, 20, 2_00), found(flaw.G1, audit.NotFound, 0, 9, 700, 0),
		found(flaw.G13, audit.Found, 9, 9, 700, 1_00),
	}
	r.Findings[1].Remedy, r.Findings[1].Tier = r.Findings[0].Remedy, r.Findings[0].Tier
	changes := section(t, html(t, r), "changes")
	if tiers := regexp.MustCompile(`<th scope="row" class="w">([^<]*)`).FindAllStringSubmatch(changes, -1); len(tiers) != 3 || tiers[0][1] != "1 prevention" || tiers[1][1] != "3 recovery" || tiers[2][1] != "beyond the tiers" {
		t.Errorf("tiers %q, want prevention, recovery once, then what is in no tier", tiers)
	}
	has(t, "changes", changes, "V3(a), G13", "$4.00")
}

// A reader's browser may have no network, and the page must not phone home.
func TestPageFetchesAndRunsNothing(t *testing.T) {
	page := html(t, leaky())
	for _, pattern := range []string{`(?i)https?:`, `(?i)\bsrc\s*=`, `(?i)<link\b`, `(?i)@import`, `(?i)url\(`, `(?i)<script`, `(?i)<iframe`, `(?i)\son\w+\s*=`, `(?i)javascript:`} {
		if found := regexp.MustCompile(pattern).FindString(page); found != "" {
			t.Errorf("the page has %q", found)
		}
	}
	links := regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(page, -1)
	if len(links) != 8 {
		t.Errorf("%d links, want one to every section", len(links))
	}
	for _, link := range links {
		if target, ok := strings.CutPrefix(link[1], "#"); !ok || !strings.Contains(page, `id="`+target+`"`) {
			t.Errorf("link to %q: expected a section of the page", link[1])
		}
	}
}

// everywhere is a report in which every text that others chose is the nasty one.
func everywhere() *audit.Report {
	r := leaky()
	r.Program, r.Verdict.RewardTiming = nasty, nasty
	for i := range r.Findings {
		for n := range r.Findings[i].Examples {
			e := &r.Findings[i].Examples[n]
			e.Account, e.Purchase, e.Expected, e.Found = nasty, nasty, nasty, nasty
			for s := range e.Steps {
				e.Steps[s].What = nasty
			}
		}
	}
	for _, list := range [][]audit.Suspect{r.Suspects, r.Worst} {
		for i := range list {
			list[i].Account, list[i].Evidence = nasty, []string{nasty}
			for n := range list[i].Rounds {
				list[i].Rounds[n].Purchase = nasty
			}
			for n := range list[i].Timeline {
				list[i].Timeline[n].What = nasty
			}
		}
	}
	for i := range r.Input.Files {
		r.Input.Files[i].Name = nasty
	}
	for i := range r.Input.ByWhy {
		r.Input.ByWhy[i].Reason, r.Input.ByWhy[i].First = nasty, []string{nasty}
	}
	for i := range r.Input.LeftByWhy {
		r.Input.LeftByWhy[i].Reason, r.Input.LeftByWhy[i].First = nasty, []string{nasty}
	}
	return r
}

// Identifiers are what somebody chose who may want to run code in the auditor's
// browser, or have the terminal show something else.
func TestIdentifiersDoNothing(t *testing.T) {
	page, text := html(t, everywhere()), table(t, everywhere())
	hasNot(t, "page", page, "<script")
	const visible = "<script>alert(1)</script><U+001B>[2J<U+202E>"
	if n := strings.Count(stdhtml.UnescapeString(page), visible); n < 50 {
		t.Errorf("the page shows the identifier %d times", n)
	}
	for name, output := range map[string]string{"page": page, "table": text, "JSON": asJSON(t, everywhere())} {
		for _, r := range output {
			if r != '\n' && !unicode.IsPrint(r) {
				t.Errorf("the %s has %U", name, r)
				break
			}
		}
	}
	has(t, "table", text, "account "+visible)
}

func asJSON(t *testing.T, r *audit.Report) string {
	t.Helper()
	var b strings.Builder
	if err := present.WriteJSON(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Programs read identifiers as they are, and times as people write them.
func TestJSON(t *testing.T) {
	r := leaky()
	r.Suspects[1].Account += "\U000e0041\u009b\"\\"
	text := asJSON(t, r)
	var got struct {
		Verdict struct {
			Class string
			CWE   string
		}
		Findings []struct {
			Code     string
			Title    string
			Shown    int64
			Examples []struct{ Steps []struct{ At string } }
		}
		Suspects []struct{ Account string }
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if got.Suspects[1].Account != r.Suspects[1].Account {
		t.Errorf("account %q, want %q", got.Suspects[1].Account, r.Suspects[1].Account)
	}
	if got.Verdict.Class != "V2" || got.Verdict.CWE != "CWE-841" || got.Findings[0].Code != "V2" || got.Findings[0].Title == "" || got.Findings[0].Shown != 9_876 {
		t.Errorf("%+v", got)
	}
	if at := got.Findings[0].Examples[0].Steps[3].At; at != "2026-02-02T10:00:00Z" {
		t.Errorf("the refund is at %s", at)
	}
}

// Bytes that are no UTF-8 cannot be in JSON; the rest of the report still is.
func TestJSONOfBrokenText(t *testing.T) {
	r := leaky()
	r.Suspects[0].Account = "a\xff"
	has(t, "JSON", asJSON(t, r), `"account": "a`+"\uFFFD"+`"`)
}

// What is drawn is also said, to those who cannot see it, and stays in its frame.
func TestChartsHaveTitlesAndFrames(t *testing.T) {
	page := html(t, leaky())
	chart := regexp.MustCompile(`(?s)<svg viewBox="0 0 (\d+) (\d+)" role="img"><title>([^<]+)</title>(.*?)</svg>`)
	number := regexp.MustCompile(`\b(x|x1|x2|cx|y|y1|y2|cy)="(-?\d+)"`)
	charts := chart.FindAllStringSubmatch(page, -1)
	if want := strings.Count(page, `role="img"`); len(charts) != want || want < 2 {
		t.Errorf("%d of %d charts have a title, want at least 2", len(charts), want)
	}
	for _, c := range charts {
		for _, found := range number.FindAllStringSubmatch(c[4], -1) {
			limit, _ := strconv.Atoi(c[1])
			if strings.Contains(found[1], "y") {
				limit, _ = strconv.Atoi(c[2])
			}
			if n, _ := strconv.Atoi(found[2]); n < 0 || n > limit {
				t.Errorf("%s: %s lies outside of %s by %s", c[3], found[0], c[1], c[2])
			}
		}
	}
}

// An empty report, and one of amounts as large as they get, have a page too.
func TestExtremes(t *testing.T) {
	empty := &audit.Report{Program: "p", Currency: "USD"}
	has(t, "table", table(t, empty), "0 rows from 0 files were read; none was bad.")
	has(t, "page", html(t, empty), "Audit of the reward program p")

	const most = 1<<63 - 1
	r := leaky()
	r.Figures = judge.Figures{Spend: most, Refunded: most, Granted: most, TakenBack: most, NetReward: most, Leakage: most, FloatDays: most, Redeemed: most, Balance: -most}
	r.Months[0].Leakage, r.Months[1].Leakage = -5, -7
	r.Arrival.Value, r.Arrival.Buckets[0].Value, r.Arrival.Buckets[1].Value = most, most/2, 1
	has(t, "table", table(t, r), "$92,233,720,368,547,758.07")
	has(t, "page", html(t, r), "<b>$92,233,720,368.54M</b>", "no column where that is less than nothing")
}

func TestSimulation(t *testing.T) {
	for under, want := range map[int64]string{
		2_258_000_00: "Under Recoup with this program, net rewards would have been $24.58 lower.",
		2_258_024_58: "Under Recoup with this program, net rewards would have been the same.",
		2_258_025_00: "Under Recoup with this program, net rewards would have been $0.42 higher: customers were promised more than they got.",
	} {
		r := leaky()
		r.Simulation.NetReward = under
		has(t, "table", table(t, r), want)
		has(t, "page", section(t, html(t, r), "simulation"), want)
	}
}

// Rows that are not bad and were not read all the same may be what is missing: a
// wrong currency leaves out everything.
func TestRowsLeftOutAreShown(t *testing.T) {
	r := leaky()
	r.Input.Files = append(r.Input.Files, intake.File{Name: "T.csv", Table: "refunds", Rows: 5, Skipped: 1_234, OtherCurrency: 77})
	has(t, "table", table(t, r), "from 2 files were read", "4,007 rows were left out by the mapping, or for another currency than the program's", "left out as the mapping says", "T.csv:2")
	has(t, "page", section(t, html(t, r), "input"), "4,007 rows were left out by the mapping", ">1,234<", ">77<", "left out as the mapping says")
	r.Input.Left, r.Input.LeftByWhy = 0, nil
	hasNot(t, "table", table(t, r), "another currency")
	hasNot(t, "page", section(t, html(t, r), "input"), "Rows that were not wanted")
}

// One of something is not several.
func TestOneIsSingular(t *testing.T) {
	r := leaky()
	r.Accounts.Below, r.Accounts.ShortBeyond, r.Input.Bad, r.Suspects[0].RoundsInAll = 1, 1, 1, 1
	has(t, "table", table(t, r), "1 account is short of what was promised", "1 row was left out as bad")
	has(t, "page", html(t, r), "$600.00 above entitlement, 1 round<")
}

// The last days have no end, and a share may only be reached in them.
func TestLateRefunds(t *testing.T) {
	r := leaky()
	r.Arrival.Buckets = []audit.ArrivalBucket{{From: 0, To: 0, Refunds: 1, Value: 90_00}, {From: 1, To: 90, Refunds: 1, Value: 5_00}, {From: 91, Refunds: 1, Value: 5_00}}
	r.Arrival.Coverage = []audit.Coverage{{Permille: 990, Days: 400, MaturityDays: 400, GraceDays: 27}}
	has(t, "arrival", section(t, html(t, r), "arrival"), ">0</text>", ">1–90</text>", ">91 or more</text>", "99% by day 400")
}

// Days are those of the calendar, not of 24 hours.
func TestDaysOfSteps(t *testing.T) {
	r := leaky()
	steps := r.Findings[0].Examples[0].Steps
	steps[1].At = steps[0].At + 20*reward.Day/24 // at six in the morning of the next day
	has(t, "table", table(t, r), "│ 2026-01-06 │   1 │ reward granted │    $50.00 │")
}

type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestAFullDiskIsAnError(t *testing.T) {
	for name, write := range map[string]func() error{
		"page": func() error { return present.WriteHTML(full{}, leaky()) },
		"JSON": func() error { return present.WriteJSON(full{}, leaky()) },
	} {
		if err := write(); !errors.Is(err, errFull) {
			t.Errorf("%s: error %v, want %v", name, err, errFull)
		}
	}
}

// What rounding may be is no short-payment, and a leak that may be none is said as one.
func TestTheHeadlineSaysNoMoreThanTheFigures(t *testing.T) {
	r := leaky()
	r.Accounts.ShortBeyond = 0
	has(t, "table", table(t, r), "Nobody is short-paid: what 12 accounts have below the terms, $86.64 together, is on each no more than rounding can be")
	hasNot(t, "a leak", table(t, r), "which rounding can be")
	r.Verdict.Class, r.Verdict.Found, r.Figures.Leakage, r.Figures.Unexplained = flaw.Robust, false, 1_000_000, 0
	r.Figures.Rounding = 1_000_000
	has(t, "rounding", table(t, r), "a year. It is no more than a minor unit for each purchase and refund, which rounding can be.")
	hasNot(t, "more than rounding", table(t, func() *audit.Report { r.Figures.Rounding--; return r }()), "which rounding can be.")
	r.Figures.Rounding, r.Rounding = 1_000_000, "half-up, each purchase"
	has(t, "rounding that is stated", table(t, r), "It is no more than a minor unit for each refund, which rounding can be.")
	has(t, "rounding that is stated", table(t, r), "rounded half-up, each purchase")
	r = leaky()
	r.Accounts.ShortBeyond = 5
	has(t, "table", table(t, r), "5 accounts are short of what was promised by more than rounding can be; with what rounding may be of others, it is $86.64 together.")

	r.Verdict.Class, r.Verdict.Summary = flaw.Other, "One leak: only some refunds take the reward back, by the cycle they fall in (V2, $76,000.00)."
	hasNot(t, "a leak that the summary has", table(t, r), "Also: only some refunds")
	r.Figures.InQuestion = 100
	has(t, "a range", table(t, r), "No class of the paper, but it leaks: up to $158,392.00 a year. One leak")
	r.Figures.InQuestion, r.Figures.Leakage, r.LeakagePerYear = 0, 0, 0
	has(t, "a flaw without leakage", table(t, r), "No class of the paper, and nothing above the terms is left, but there is a flaw. One leak")
}

// References between the files are counted where some lead nowhere.
func TestReferencesAreCounted(t *testing.T) {
	r := leaky()
	hasNot(t, "all are there", table(t, r), "named and not there")
	r.Figures.RewardsNaming, r.Figures.RewardsAstray, r.Figures.RefundsNaming, r.Figures.RefundsAstray, r.Accounts.Strange = 1000, 20, 300, 1, 2
	has(t, "some are not", table(t, r), "Purchases that are named and not there: by 20 of 1,000 reward rows and 1 of 300 refunds that name one. Accounts without a purchase: 2 of 45,678.")
}
