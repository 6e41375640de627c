package reward_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"recoup/reward"
)

// casesFolder has the conformance cases.
const casesFolder = "../testdata/cases"

// casesEnd is the time to which every case is replayed.
var casesEnd = reward.At(time.Date(2027, 6, 1, 0, 0, 0, 0, time.UTC))

// conformanceCase is a program, what was delivered, and what must come of it.
type conformanceCase struct {
	Name     string
	Program  *reward.Program
	Events   []reward.Event
	Outcomes []reward.Result
	Final    []naiveState
}

func TestNaiveModelMeetsTheConformanceCases(t *testing.T) {
	for _, c := range conformanceCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			model := newNaive(c.Program)
			for i := range c.Events {
				got := model.apply(&c.Events[i])
				if want := c.Outcomes[i]; got != want {
					t.Errorf("event %s (%s): %s %s, want %s %s",
						c.Events[i].ID, c.Events[i].Type, got.Outcome, got.Code, want.Outcome, want.Code)
				}
			}
			model.advance(casesEnd)
			compareStates(t, model.state(), c.Final)
		})
	}
}

// compareStates reports every account and transaction that differs.
func compareStates(t rapid.TB, got, want []naiveState) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d accounts, want %d", len(got), len(want))
	}
	for i := range got {
		g, w := got[i], want[i]
		for j := range max(len(g.Transactions), len(w.Transactions)) {
			if j >= len(g.Transactions) || j >= len(w.Transactions) || !reflect.DeepEqual(g.Transactions[j], w.Transactions[j]) {
				t.Errorf("account %s: transactions\n got %+v\nwant %+v", g.Account, linesFrom(g.Transactions, j), linesFrom(w.Transactions, j))
				break
			}
		}
		g.Transactions, w.Transactions = nil, nil
		if !reflect.DeepEqual(g, w) {
			gotText, _ := json.Marshal(g)
			wantText, _ := json.Marshal(w)
			t.Errorf("account %s\n got %s\nwant %s", g.Account, gotText, wantText)
		}
	}
}

func linesFrom(lines []naiveLine, from int) []naiveLine {
	return lines[min(from, len(lines)):]
}

// conformanceCases reads all cases.
func conformanceCases(t testing.TB) []conformanceCase {
	t.Helper()
	entries, err := os.ReadDir(casesFolder)
	noError(t, err)
	var cases []conformanceCase
	for _, entry := range entries {
		if entry.IsDir() {
			cases = append(cases, readCase(t, entry.Name()))
		}
	}
	if len(cases) != 200 {
		t.Fatalf("%d conformance cases in %s, want 200", len(cases), casesFolder)
	}
	sort.Slice(cases, func(i, j int) bool { return caseNumber(cases[i].Name) < caseNumber(cases[j].Name) })
	return cases
}

func caseNumber(name string) int {
	n, _ := strconv.Atoi(name)
	return n
}

func readCase(t testing.TB, name string) conformanceCase {
	t.Helper()
	c := conformanceCase{Name: name}
	folder := filepath.Join(casesFolder, name)

	text, err := os.ReadFile(filepath.Join(folder, "program.yaml"))
	noError(t, err)
	c.Program = readProgram(t, text)

	readLines(t, filepath.Join(folder, "events.jsonl"), func(line []byte) {
		c.Events = append(c.Events, readEvent(t, line))
	})
	readLines(t, filepath.Join(folder, "outcomes.jsonl"), func(line []byte) {
		c.Outcomes = append(c.Outcomes, readResult(t, line))
	})
	if len(c.Events) != len(c.Outcomes) {
		t.Fatalf("case %s: %d events but %d outcomes", name, len(c.Events), len(c.Outcomes))
	}

	text, err = os.ReadFile(filepath.Join(folder, "expected.json"))
	noError(t, err)
	var final struct{ Accounts []naiveState }
	noError(t, json.Unmarshal(text, &final))
	c.Final = final.Accounts
	for i := range c.Final {
		c.Final[i].Reservations = "[]" // none of the cases has any
	}
	return c
}

func readLines(t testing.TB, path string, each func([]byte)) {
	t.Helper()
	file, err := os.Open(path)
	noError(t, err)
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		each(lines.Bytes())
	}
	noError(t, lines.Err())
}

// readProgram reads the cases' programs, which are YAML that is also JSON.
func readProgram(t testing.TB, text []byte) *reward.Program {
	t.Helper()
	var file struct {
		ID             string
		Currency       string
		Timing         struct{ Grant, Clawback string }
		ClawbackMethod string `json:"clawback_method"`
		MaturityDays   int    `json:"maturity_days"`
		Refunds        struct {
			PendingDays int `json:"pending_days"`
			MatchDays   int `json:"match_days"`
			ParkDays    int `json:"park_days"`
			WindowDays  int `json:"window_days"`
			FirmDays    int `json:"firm_days"`
			Movable     int
		}
		Redemption struct {
			MinimumBalance int64 `json:"minimum_balance"`
			GraceDays      int   `json:"grace_days"`
			AfterClosing   bool  `json:"after_closing"`
		}
		Rules []struct {
			ID    string
			Match struct{ Category, Merchant []string }
			Rate  string
			Cap   *struct{ Reward int64 }
		}
	}
	file.Refunds.PendingDays, file.Refunds.MatchDays, file.Refunds.ParkDays = 30, 10, 30
	file.Refunds.WindowDays, file.Refunds.FirmDays, file.Refunds.Movable = 400, 180, 32
	noError(t, json.Unmarshal(text, &file))
	p := &reward.Program{
		ID: file.ID, Currency: file.Currency, Categories: builtInCategory, MaturityDays: file.MaturityDays,
		Refunds:    reward.RefundTerms(file.Refunds),
		Redemption: reward.RedemptionTerms(file.Redemption),
	}
	if file.Timing.Grant == "statement" {
		p.Timing.Grant = reward.GrantAtStatement
	}
	if file.Timing.Clawback == "statement" {
		p.Timing.Clawback = reward.ClawbackAtStatement
	}
	if file.ClawbackMethod == "rerate" {
		p.Method = reward.Rerate
	}
	for _, r := range file.Rules {
		rate, err := reward.ParseRate(r.Rate)
		noError(t, err)
		rule := reward.Rule{ID: r.ID, Rate: rate, Cap: reward.NoCap, Match: reward.Match{Categories: r.Match.Category}}
		if r.Cap != nil {
			rule.Cap = r.Cap.Reward
		}
		for _, m := range r.Match.Merchant {
			if rule.Match.Merchants == nil {
				rule.Match.Merchants = map[string]bool{}
			}
			rule.Match.Merchants[m] = true
		}
		p.Rules = append(p.Rules, rule)
	}
	return p
}

func readEvent(t testing.TB, line []byte) reward.Event {
	t.Helper()
	var wire struct {
		ID, Source, Type, Subject string
		Time                      time.Time
		Data                      struct {
			Transaction, Refund, Chargeback, Redemption, Adjustment string
			Amount                                                  *int64
			Currency, Merchant, MCC, Category                       string
			Method, Reason, Actor, Approver                         string
		}
	}
	noError(t, json.Unmarshal(line, &wire))
	kind, ok := reward.ParseType(wire.Type)
	if !ok {
		t.Fatalf("event %s: unknown type %q", wire.ID, wire.Type)
	}
	d := wire.Data
	e := reward.Event{
		Source: wire.Source, ID: wire.ID, Account: wire.Subject, Time: reward.At(wire.Time), Type: kind,
		Transaction: d.Transaction, Fact: d.Refund + d.Chargeback + d.Redemption + d.Adjustment,
		Currency: d.Currency, Merchant: d.Merchant, Category: d.Category,
		Method: d.Method, Reason: d.Reason, Actor: d.Actor, Approver: d.Approver,
	}
	if d.Amount != nil {
		e.Amount, e.HasAmount = *d.Amount, true
	}
	if d.MCC != "" {
		if e.MCC, ok = reward.ParseMCC(d.MCC); !ok {
			t.Fatalf("event %s: mcc %q is not four digits", wire.ID, d.MCC)
		}
	}
	return e
}

func readResult(t testing.TB, line []byte) reward.Result {
	t.Helper()
	var wire struct{ Outcome, Code string }
	noError(t, json.Unmarshal(line, &wire))
	outcome, named := reward.ParseOutcome(wire.Outcome)
	code, known := reward.ParseCode(wire.Code)
	if !named || !known {
		t.Fatalf("unknown outcome %s", line)
	}
	return reward.Result{Outcome: outcome, Code: code}
}

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
