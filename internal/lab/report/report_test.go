package report_test

import (
	"bytes"
	"context"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"recoup/internal/lab/attack"
	"recoup/internal/lab/compare"
	"recoup/internal/lab/report"
)

// handMade is a comparison whose figures are easy to find on a page.
func handMade() *compare.Comparison {
	return &compare.Comparison{
		Program: "five & dime", Currency: "USD", Events: 1_234_567, Accounts: 890, Refunds: 7_654, UnlinkedRefunds: 321, Purchased: 4_321_00, NetSpend: 1_000_00, Entitlement: 50_00,
		Designs: []compare.Figures{
			{Design: "<script>alert(1)</script>", Granted: 216_05, Redeemed: 216_05, NetReward: 216_05, Leakage: 166_05, AccountsAbove: 7},
			{Design: "Recoup", Granted: 216_05, ClawedBack: 166_05, NetReward: 50_00, Debt: 12_34},
		},
	}
}

// narrow bounds are searched in no time.
var narrow = attack.Bounds{Cycles: 2, PurchasesPerCycle: 1, Days: []int{1, 16}, Amounts: []int64{1000_00}, ReturnDays: 30}

// whole is the report with everything in it, which several tests look at.
var whole = sync.OnceValues(func() (string, error) {
	r, err := report.New(context.Background(), narrow, handMade())
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	err = r.Write(&out)
	return out.String(), err
})

func wholeReport(t *testing.T) string {
	t.Helper()
	html, err := whole()
	if err != nil {
		t.Fatal(err)
	}
	return html
}

// A committee's browser may have no network, and the page must not phone home.
func TestReportFetchesNothing(t *testing.T) {
	html := wholeReport(t)
	for _, pattern := range []string{`(?i)https?:`, `(?i)\bsrc\s*=`, `(?i)<link\b`, `(?i)@import`, `(?i)url\(`, `(?i)<script`, `(?i)<iframe`} {
		if found := regexp.MustCompile(pattern).FindString(html); found != "" {
			t.Errorf("the page has %q", found)
		}
	}
	for _, link := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(html, -1) {
		if target, ok := strings.CutPrefix(link[1], "#"); !ok || !strings.Contains(html, `id="`+target+`"`) {
			t.Errorf("link to %q: expected a section of the page", link[1])
		}
	}
}

func TestReportEscapesWhatItIsGiven(t *testing.T) {
	html := wholeReport(t)
	if n := strings.Count(html, "&lt;script&gt;alert(1)&lt;/script&gt;"); n < 3 {
		t.Errorf("the design's name is there %d times escaped, want it in the chart, its title and the table", n)
	}
	if !strings.Contains(html, "five &amp; dime") {
		t.Error("the program's name is not escaped, or not there")
	}
}

func TestReportShowsTheComparison(t *testing.T) {
	html := wholeReport(t)
	for _, want := range []string{"1,234,567 events of 890 accounts", "$4,321.00", "$1,000.00", "$50.00", "$216.05", "$166.05", "$12.34", "Of 7,654 refunds, 321 did not say"} {
		if !strings.Contains(html, want) {
			t.Errorf("no %q on the page", want)
		}
	}
}

func TestReportShowsWhatTheLabFound(t *testing.T) {
	html := wholeReport(t)
	for id, figures := range map[string][]string{
		"issuers":  {`<th scope="row">V3(a)</th>`, `<td class="c bad">×</td>`, `<td class="c part">~</td>`, `<td class="c good">✓</td>`, "CWE-841", "Class 7"},
		"exposure": {"$600.00", "The best attack on each design", "takes $100.00, goes on", "Nothing is to be had at Recoup (mature)."},
		"attacks":  {"keeps $100.00", "owes $50.00", "nothing lost", "<b>3</b>12 Jan returns for $1,000.00"},
		"tiers":    {"1 prevention, 2 temporal, 3 recovery", "event-driven", "batch cycle", "$600.00 a year"},
		"gaps":     {`<th scope="row">G1</th>`, `<th scope="row">M14</th>`, "leaks $1.20"},
		"impact":   {"100,000 users", "0.06", "300.0", "the paper, A, B"},
	} {
		_, section, found := strings.Cut(html, `<section id="`+id+`">`)
		if !found {
			t.Errorf("no section %s", id)
			continue
		}
		section, _, _ = strings.Cut(section, "</section>")
		for _, figure := range figures {
			if !strings.Contains(section, figure) {
				t.Errorf("section %s: no %q", id, figure)
			}
		}
	}
	for _, tile := range []string{`<div class="tile bad"><b>3 of 6</b>`, `<div class="tile bad"><b>$600.00</b>`, `<div class="tile good"><b>$0.00</b>`, `<div class="tile bad"><b>$166.05</b>`} {
		if !strings.Contains(html, tile) {
			t.Errorf("no tile %s", tile)
		}
	}
}

func TestReportLeavesOutWhatItHasNot(t *testing.T) {
	var out bytes.Buffer
	if err := new(report.Report).Write(&out); err != nil {
		t.Fatal(err)
	}
	if sections := regexp.MustCompile(`<section id="(\w+)">`).FindAllStringSubmatch(out.String(), -1); len(sections) != 1 || sections[0][1] != "attacks" {
		t.Errorf("sections %v, want only that of the scenarios", sections)
	}
}

// What is drawn is also said, to those who cannot see it.
func TestReportChartsHaveTitles(t *testing.T) {
	html := wholeReport(t)
	charts := strings.Count(html, `role="img"`)
	if charts < 12 {
		t.Errorf("%d charts", charts)
	}
	if titled := len(regexp.MustCompile(`role="img"><title>[^<]+</title>`).FindAllString(html, -1)); titled != charts {
		t.Errorf("%d of %d charts have a title", titled, charts)
	}
	for _, want := range []string{
		// Case I at A and at Recoup, as the scenario says.
		"A, V3(a), Literal (hybrid): ends with a balance of $0.00, paid out $100.00, entitled to $0.00",
		"Recoup: ends with a balance of -$50.00, paid out $50.00, entitled to $0.00",
	} {
		if !strings.Contains(html, want) {
			t.Errorf("no chart is titled %q", want)
		}
	}
}

// Nothing is drawn outside a chart, and no area is empty or inside out.
func TestReportChartsStayInTheirFrames(t *testing.T) {
	chart := regexp.MustCompile(`(?s)<svg viewBox="0 0 (\d+) (\d+)" role="img">(.*?)</svg>`)
	position := regexp.MustCompile(`\b(?:x|x1|x2|cx)="(-?\d+)"`)
	height := regexp.MustCompile(`\b(?:y|y1|y2|cy)="(-?\d+)"`)
	across, down := regexp.MustCompile(`[MH](-?\d+)`), regexp.MustCompile(`(?:V|M-?\d+ )(-?\d+)`)
	size := regexp.MustCompile(`\b(?:width|height)="(-?\d+)"`)
	for _, c := range chart.FindAllStringSubmatch(wholeReport(t), -1) {
		for axis, limit := range map[*regexp.Regexp]string{position: c[1], across: c[1], height: c[2], down: c[2]} {
			most, _ := strconv.Atoi(limit)
			for _, found := range axis.FindAllStringSubmatch(c[3], -1) {
				if n, _ := strconv.Atoi(found[1]); n < 0 || n > most {
					t.Errorf("%s lies outside of %s by %s", found[0], c[1], c[2])
				}
			}
		}
		for _, found := range size.FindAllStringSubmatch(c[3], -1) {
			if n, _ := strconv.Atoi(found[1]); n <= 0 {
				t.Errorf("an area has %s", found[0])
			}
		}
	}
}
