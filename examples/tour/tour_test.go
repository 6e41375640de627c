// Package tour keeps the worked example of docs/tour.md true: its events, under its
// terms, as a program outside would play them, give the course that the tour quotes.
package tour

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"recoup/event"
	"recoup/program"
	"recoup/reward"
)

// course plays the events and tells, after each, how the account stands and why.
func course(t *testing.T, account *reward.Account) string {
	t.Helper()
	lines, err := os.ReadFile("events.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	money := func(minor int64) string { return program.FormatAmount(minor, "USD") }
	decoder := event.NewDecoder()
	var b strings.Builder
	for line := range bytes.Lines(lines) {
		var e reward.Event
		if err := decoder.Decode(line, &e); err != nil {
			t.Fatal(err)
		}
		result, postings := account.Apply(&e, nil)
		said := strings.TrimSpace(fmt.Sprintf("%v %v", result.Outcome, result.Code))
		s := account.Balances()
		fmt.Fprintf(&b, "%s %s %v: %s; balance %s, held %s\n", e.ID, e.Time.String()[:10], e.Type, said, money(s.Balance), money(s.Held))
		for i := range postings {
			fmt.Fprintf(&b, "    %s\n", postings[i].Explain(reward.Telling{Spend: money, Reward: money}))
		}
	}
	if wrong := account.Check(); len(wrong) > 0 {
		t.Error(wrong)
	}
	s := account.State()
	fmt.Fprintf(&b, "net spend %s, net reward %s, entitlement %s\n", money(s.NetSpend), money(s.NetReward), money(s.Entitlement))
	return b.String()
}

// TestCourse: what the engine does with the events, under the terms as they are and with
// the other method, is in course.txt and rerate.txt. Where it is to differ, RECOUP_UPDATE=1
// writes the files anew; then read docs/tour.md again.
func TestCourse(t *testing.T) {
	for file, method := range map[string]reward.ClawbackMethod{"course.txt": reward.Proportional, "rerate.txt": reward.Rerate} {
		p, err := program.Load("program.yaml")
		if err != nil {
			t.Fatal(err)
		}
		p.Method = method
		got := course(t, reward.NewAccount("acct-1", p))
		if os.Getenv("RECOUP_UPDATE") != "" {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s says\n%swhere the engine does\n%s", file, want, got)
		}
	}
}
