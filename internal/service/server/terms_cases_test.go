package server_test

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"recoup/internal/engine"
	"recoup/reward"
)

// casesEnd is the time to which the cases are played.
var casesEnd = time.Date(2027, 6, 1, 0, 0, 0, 0, time.UTC)

// caseState is what a case expects of an account, as far as an answer says it.
type caseState struct {
	Account      string
	Status       string
	Balance      int64
	Held         int64
	Available    int64
	Redeemed     int64
	Adjustments  int64
	NetSpend     int64  `json:"net_spend"`
	HoldUntil    string `json:"hold_until"`
	Transactions []casePurchase
	Bonuses      []caseBonus
}

type casePurchase struct {
	ID, Status       string
	Amount, Reversed int64
	Original         int64 `json:"reward_original"`
	Retained         int64 `json:"reward_retained"`
	Rewards          []caseReward
	Items            []caseItem
}

type caseItem struct {
	Item               string
	Amount, Reversed   int64
	Original, Retained int64
	Rewards            []caseReward
}

type caseReward struct {
	Layer              string
	Rule               *string
	Original, Retained int64
}

type caseBonus struct {
	Bonus, Period            string
	Spend, Purchases, Reward int64
}

// The cases of docs/terms.md and of line items pass through the interface as they do in the library:
// the program is put, the events are sent, and what is read is what the case expects.
func TestTheCasesOfTermsThroughTheInterface(t *testing.T) {
	for sort, count := range map[string]int{"cases-terms": 120, "cases-items": 31, "cases-links": 17} {
		folders, err := filepath.Glob("../../../testdata/" + sort + "/*")
		if err != nil || len(folders) != count {
			t.Fatalf("%d %s, want %d: %v", len(folders), sort, count, err)
		}
		for _, folder := range folders {
			t.Run(sort+" "+filepath.Base(folder), func(t *testing.T) {
				t.Parallel()
				playCase(t, folder)
			})
		}
	}
}

// caseID is the first id of a document, that of its program.
var caseID = regexp.MustCompile(`^{\s*"id": "[a-z]+"`)

func readCase(t *testing.T, folder, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func playCase(t *testing.T, folder string) {
	document := caseID.ReplaceAllString(readCase(t, folder, "program.yaml"), `{"id": "everyday"`)
	f := newServiceOf(t, document)
	f.clock.now = casesEnd
	f.call("admin", "PUT", "/v1/programs/everyday", "application/yaml", document).status200() // it is there
	events := readCase(t, folder, "events.jsonl")
	got := f.call("op", "POST", "/v1/events", lines, events).status200()
	answers := strings.Split(strings.TrimSpace(got.body), "\n")
	var outcomes []string
	for line := range strings.Lines(readCase(t, folder, "outcomes.jsonl")) {
		outcomes = append(outcomes, got.outcome(line))
	}
	if len(answers) != len(outcomes) {
		t.Fatalf("%d answers, want %d: %s", len(answers), len(outcomes), got.body)
	}
	for i := range outcomes {
		if is := got.outcome(answers[i]); is != outcomes[i] {
			t.Errorf("event %d: %s, want %s", i+1, is, outcomes[i])
		}
	}
	if _, err := engine.New(f.ledger).CloseDue(context.Background(), reward.At(casesEnd), f.ledger.Due); err != nil {
		t.Fatal(err)
	}

	var final struct{ Accounts []caseState }
	if err := json.Unmarshal([]byte(readCase(t, folder, "expected.json")), &final); err != nil {
		t.Fatal(err)
	}
	for _, want := range final.Accounts {
		if want.HoldUntil != "" && want.HoldUntil <= casesEnd.Format(time.RFC3339) {
			want.HoldUntil = "" // it is over, and said no more
		}
		slices.SortStableFunc(want.Bonuses, byBonus)
		want.Bonuses = append([]caseBonus(nil), want.Bonuses...)
		is, _ := json.Marshal(f.caseState(want.Account))
		if expected, _ := json.Marshal(want); string(is) != string(expected) {
			t.Errorf("account %s is\n%s, want\n%s", want.Account, is, expected)
		}
	}
}

// byBonus orders bonuses as the interface lists them.
func byBonus(x, y caseBonus) int {
	return cmp.Or(cmp.Compare(x.Bonus, y.Bonus), cmp.Compare(x.Period, y.Period))
}

// caseState reads an account as a case has it.
func (f *service) caseState(account string) (s caseState) {
	f.Helper()
	path := "/v1/accounts/" + url.PathEscape(account)
	f.get(path).status200().read(&s)
	s.Bonuses = nil // those of the present periods are there; all are in a list of their own
	f.pagesWith("read", path+"/transactions", 3, func(a *answer) []string {
		var page caseState
		a.read(&page)
		s.Transactions = append(s.Transactions, page.Transactions...)
		return make([]string, len(page.Transactions))
	})
	f.pagesWith("read", path+"/bonuses", 2, func(a *answer) []string {
		var page caseState
		a.read(&page)
		s.Bonuses = append(s.Bonuses, page.Bonuses...)
		return make([]string, len(page.Bonuses))
	})
	return s
}
