package e2e_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"recoup/e2e/browser"
)

// A program is changed: the line that is wrong is marked, the difference is seen by
// rule, and what was previewed is published from the beginning of a month.
func consolePrograms(t *testing.T, s *service) {
	p := s.page(t, browser.Options{})
	be(p, "admin", "/console/programs")
	p.Click("travel")
	p.See("Version 1 in force")
	p.Click("Write a new version")
	p.See("Which purchases")
	p.Axe()
	p.Fits()
	p.Fill("Matures after days", "14")
	p.Click("Advanced: edit the file")
	if document := p.Value("Program file"); !strings.Contains(document, "maturity_days: 14\n") {
		t.Fatalf("the form has not changed the file:\n%s", document)
	}
	p.Click("Edit as a form")
	p.Fill("Matures after days", "")
	p.Fill("What happens", "buy 80 at mcc 4511 on Saturday, return half")
	p.Click("Play it under the draft")
	p.See("$40.00 of purchase 1 comes back")
	p.Fill("Name of the draft", "a third less")
	p.Click("Save draft")
	p.See("The draft is saved.")
	p.Click("Advanced: edit the file")
	document := p.Value("Program file")
	if !strings.Contains(document, "rate: 3%\n") {
		t.Fatalf("the draft begins without a rate of 3%%:\n%s", document)
	}
	line := 1 + strings.Count(document[:strings.Index(document, "rate: 3%")], "\n")

	p.Expect(422)
	p.Fill("Program file", strings.Replace(document, "rate: 3%", "rate: plenty", 1))
	p.Click("Preview")
	p.See(fmt.Sprintf("Line %d", line))
	p.Within("#wrong").See("rate: plenty")
	if marked := p.Within("#wrong").Text("th"); marked != strconv.Itoa(line) {
		t.Errorf("line %s is marked, want %d", marked, line)
	}
	p.Axe()

	p.Fill("Program file", strings.Replace(document, "rate: 3%", "rate: 2%", 1))
	p.Fill("Compare on at least", "100 purchases")
	p.Click("Preview")
	p.See("What the draft would have changed")
	p.See("the cost of a year under the draft")
	p.See("What the terms say differently from version 1")
	differences := p.Within("[aria-label='By rule'] tbody").Texts("td:last-child")
	rules := p.Within("[aria-label='By rule'] tbody").Texts("th")
	sum := 0
	for i, text := range differences {
		n := cents(t, text)
		if sum += n; rules[i] == "on-the-road" && n >= 0 || rules[i] == "base" && n != 0 {
			t.Errorf("with a third less, rule %s makes a difference of %s", rules[i], text)
		}
	}
	if all := p.Within("[aria-label='By rule'] tfoot").Text("td:last-child"); cents(t, all) != sum || sum >= 0 {
		t.Errorf("the differences of the rules, %q, add up to %d, and in all they are %s", differences, sum, all)
	}
	p.Axe()

	// Who may look at a draft may not publish it.
	viewer := s.page(t, browser.Options{NoScript: true})
	be(viewer, "viewer", "/console/program/draft?id=travel")
	viewer.Click("Preview")
	viewer.See("Publishing needs the role admin.")

	from := p.Value("In force from the beginning of")
	if change := p.Texts("label[for=typed] b"); len(change) == 1 { // more than a fifth
		p.Fill("#typed", change[0])
	}
	p.Click("Publish this draft")
	p.See("The version waits for another person, who has to approve it.")
	p.See("Yours: another person has to approve it.")
	anna := s.page(t, browser.Options{NoScript: true})
	be(anna, "approver", "/console/adjustments")
	anna.Within("table.proposals tbody tr:has(a[href*=proposed])").Click("Approve")
	anna.See("It is approved, and done.")
	p.Open("/console/program?id=travel&version=2")
	p.See("Version 2 upcoming")
	p.See("Published by Ada (admin), approved by Anna (approver)")
	p.See("2%")
	p.Within("[aria-label=Versions]").See("version 2 upcoming")
	p.Within("[aria-label=Versions]").See("version 1 in force")
	p.Open("/console/programs")
	month, year, _ := strings.Cut(from, " ")
	p.Within("tr:has(a[href='/console/program?id=travel'])").See(fmt.Sprintf("version 2 from %s 1, %s", month[:3], year))
}

// cents reads an amount in dollars as the console writes it.
func cents(t testing.TB, text string) int {
	t.Helper()
	n, err := strconv.ParseFloat(strings.NewReplacer("$", "", ",", "", "−", "-", "+", "").Replace(text), 64)
	noError(t, err)
	return int(math.Round(n * 100))
}
