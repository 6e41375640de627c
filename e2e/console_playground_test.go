package e2e_test

import (
	"fmt"
	"strings"
	"testing"

	"recoup/e2e/browser"
	"recoup/internal/scenario"
)

// Sides of the playground, and what a cardholder has there beyond the terms.
const (
	left, right = "section[aria-labelledby=left-name]", "section[aria-labelledby=right-name]"
	leaked      = ".leak dd:not(.moved)"
	cashGone    = ".gone dd:not(.moved)"
)

// leaks is what has leaked on both sides.
func leaks(p *browser.Page) (string, string) {
	return p.Within(left).Text(leaked), p.Within(right).Text(leaked)
}

// The double dip, played against issuer A and Recoup as somebody would who has read
// nothing: step by step as it is told, and then by hand. Without scripts it is by hand alone
// where there is no time for all, and then nobody plays the bonus, which console does over HTTP.
func consolePlayground(t *testing.T, s *service) {
	for name, o := range map[string]browser.Options{"with scripts": {}, "without scripts": {NoScript: true}} {
		t.Run(name, func(t *testing.T) {
			t.Run("by hand", func(t *testing.T) { playByHand(t, s, s.page(t, o)) })
			if o.NoScript && !long() {
				return
			}
			t.Run("told", func(t *testing.T) { playTold(t, s.page(t, o)) })
			if long() {
				t.Run("the sign-up bonus", func(t *testing.T) { playBonus(t, s.page(t, o)) })
			}
		})
	}
}

// playTold makes the first attack step by step.
func playTold(t *testing.T, p *browser.Page) {
	p.Open("/console/playground")
	p.See("The four-phase double dip")
	p.See("Before the first step")
	steps := len(p.Texts(".track li"))
	for n := 1; n <= steps; n++ {
		p.Click("Next step")
		p.See(fmt.Sprintf("Step %d of %d,", n, steps))
		a, recoup := leaks(p)
		if recoup != "$0.00" {
			t.Errorf("after step %d, %s has leaked at Recoup", n, recoup)
		}
		if want := map[int]string{1: "$0.00", 3: "$0.00", 4: "$50.00", steps: "$100.00"}[n]; want != "" && a != want {
			t.Errorf("after step %d, %s has leaked at A, want %s", n, a, want)
		}
	}
	p.See("What came of it:")
	p.Axe()
	p.Click("Back")
	p.See(fmt.Sprintf("Step %d of %d,", steps-1, steps))
	p.Click("Start over")
	p.See("Before the first step")
	p.Click("Next step")
	p.See(fmt.Sprintf("Step 1 of %d,", steps))
}

// playByHand buys, redeems, returns and waits for the statement, and hands the run
// on: as a link, and as a file.
func playByHand(t *testing.T, s *service, p *browser.Page) {
	p.Open("/console/playground")
	p.Within(".attacks").Click("Begin with an empty account")
	p.See("What does the cardholder do?")

	p.Click("Do something else")
	buy := p.Within("fieldset:has(#buy-amount)")
	buy.Fill("Amount in USD", "100")
	buy.Fill("What", "Groceries")
	buy.Click("Buy")
	p.See("Step 1 of 1,")
	p.Within(".moves").Click("Redeem $5.00")
	p.See("Step 2 of 2,")
	p.Within(".moves").Click("Return the groceries in full")
	p.See("Step 3 of 3,")
	p.Within(".moves").Click("Go to the end of January")
	p.See("Step 4 of 4,")

	played := func(p *browser.Page) {
		t.Helper()
		if a, recoup := leaks(p); a != "$5.00" || recoup != "$0.00" {
			t.Errorf("%s has leaked at A and %s at Recoup, want $5.00 and $0.00", a, recoup)
		}
		p.Within(right).See("−$5.00")
		// The books are even at Recoup and the cash has gone, so nothing there is green.
		if cash := p.Within(right).Text(cashGone); cash != "$5.00" || len(p.Texts("section.mood-good")) != 0 {
			t.Errorf("%s of cash has gone at Recoup, want $5.00, and %d sides are green", cash, len(p.Texts("section.mood-good")))
		}
		p.See("A paid $5.00 for goods that went back and does not take it back; Recoup took the reward back on the same day and is owed $5.00.")
	}
	played(p)

	link := p.Value("The address of this run")
	other := s.page(t, browser.Options{Phone: true})
	other.Open(link)
	played(other)

	name, file := p.Download("Download as a scenario file")
	if name != "playground.txt" {
		t.Errorf("the file is called %q", name)
	}
	got, err := scenario.Parse(name, file)
	noError(t, err)
	if last := got.Steps[len(got.Steps)-1].Expect; len(last) == 0 {
		t.Errorf("the file does not say what is to come of it:\n%s", file)
	}
	// The file leads back to the run.
	other.Open("/console/playground")
	other.Click("Play a scenario file")
	other.Fill("The text of the file", string(file))
	other.Click("Play it")
	other.See("Step 4 of 4,")
	played(other)
	// One that is no scenario is not lost, and it is said where it goes wrong.
	other.Expect(422)
	other.Click("Play a scenario file")
	other.Fill("The text of the file", strings.Replace(string(file), "redeem", "reddem", 1))
	other.Click("Play it")
	other.See("This file cannot be played.")
	other.See("reddem")
	other.Axe()
	other.Fits()

	// Another design shows the same moves.
	p.Fill("Another design on the left", "C: instant rewards, immediate clawback, indefinite negative balance")
	if at := p.Texts(left + " button"); len(at) > 0 {
		p.Within(left).Click("Change")
	}
	p.Within(left).See("indefinite negative balance")
	p.See("Step 4 of 4,")
	p.Await(`new URLSearchParams(location.search).get("left") === "c"`)
	if c, recoup := leaks(p); c != "$0.00" || recoup != "$0.00" {
		t.Errorf("%s has leaked at C and %s at Recoup, want nothing", c, recoup)
	}
}

// playBonus chooses a program of the gallery and makes its double dip: buy to reach the
// bonus, redeem, send it back.
func playBonus(t *testing.T, p *browser.Page) {
	p.Open("/console/playground")
	p.Click("#gallery summary")
	p.Fill("A program of the gallery", "signup-bonus: $200 for $500 of spend in the first 90 days, and 1 % on everything")
	if len(p.Texts("#gallery button")) > 0 { // a script follows the choice by itself
		p.Click("Begin with it")
	}
	p.See("Before the first step")
	p.See("$200.00 once they come to $500.00")
	for n, move := range []string{"Buy something for $500.00", "Go to the end of January", "Go to the end of February", "Redeem $205.00", "Return the headphones in full"} {
		p.Within(".moves").Click(move)
		p.See(fmt.Sprintf("Step %d of %d,", n+1, n+1))
	}
	if kept, recoup := leaks(p); kept != "$200.00" || recoup != "$0.00" {
		t.Errorf("%s has leaked where the bonus stays and %s at Recoup, want $200.00 and $0.00", kept, recoup)
	}
	p.Within(right).See("owed back, not collected")
	p.Axe()
	p.Fits()
}
