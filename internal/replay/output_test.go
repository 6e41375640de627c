package replay_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"recoup/event"
	"recoup/internal/traffic"
	"recoup/program"
	"recoup/reward"
)

// TestStateIsAsInTheContract has the example of contract.md, to the byte but for
// line breaks: who reads the members in order may rely on it.
func TestStateIsAsInTheContract(t *testing.T) {
	const want = `{"accounts":[{"account":"acct-1","status":"open","balance":500,"held":0,"available":500,"redeemed":0,"adjustments":0,` +
		`"net_spend":10000,"net_reward":500,"entitlement":500,"hold_until":null,` +
		`"transactions":[{"id":"t1","status":"SETTLED","amount":10000,"reversed":0,"reward_original":500,"reward_retained":500}]}]}`
	r := play(t, program.Everyday(), 0, `{"specversion":"1.0","id":"e1","source":"core","type":"transaction.settled","time":"2026-01-05T10:00:00Z","subject":"acct-1",`+
		`"data":{"transaction":"t1","amount":10000,"currency":"USD","merchant":"m1","mcc":"5411","category":"GROCERY"}}`)
	if got := strings.ReplaceAll(r.state(t), "\n", ""); got != want {
		t.Errorf("the state is\n%s, want\n%s", got, want)
	}
	const outcome = `{"id":"e1","source":"core","account":"acct-1","outcome":"applied","code":null}` + "\n"
	if got := r.outcomes.String(); got != outcome {
		t.Errorf("the outcome is\n%s, want\n%s", got, outcome)
	}
}

// TestStateOfAReservation: what is reserved is there where anything is, and nothing of it
// elsewhere.
func TestStateOfAReservation(t *testing.T) {
	events := line("e1", "transaction.settled", "01-05", `"transaction":"t1","amount":10000,"currency":"USD","category":"GROCERY"`) +
		line("e2", "redemption.authorized", "01-06", `"redemption":"d1","amount":300,"currency":"USD"`) +
		line("e3", "redemption.authorized", "01-06", `"redemption":"d2","amount":100,"currency":"USD","expires":"2026-01-08T00:00:00Z"`)
	const want = `"balance":500,"held":0,"available":100,"redeemed":0,"adjustments":0,"net_spend":10000,"net_reward":500,"entitlement":500,` +
		`"reserved":400,"reservations":[{"redemption":"d2","amount":100,"expires":"2026-01-08T00:00:00Z"},{"redemption":"d1","amount":300,"expires":"2026-01-13T10:00:00Z"}],"hold_until":null,`
	if got := play(t, program.Everyday(), 0, events).state(t); !strings.Contains(got, want) {
		t.Errorf("the state is\n%s, want in it\n%s", got, want)
	}
	if got := play(t, program.Everyday(), on(time.January, 14), events).state(t); strings.Contains(got, "reserv") || !strings.Contains(got, `"available":500`) {
		t.Errorf("all has expired, and the state is\n%s", got)
	}
}

func TestAnEmptyReplay(t *testing.T) {
	r := play(t, program.Everyday(), on(time.June, 1), "")
	if got := strings.ReplaceAll(r.state(t), "\n", ""); got != `{"accounts":[]}` {
		t.Errorf("the state is %s", got)
	}
	if r.outcomes.Len() > 0 || r.journal.Len() > 0 {
		t.Errorf("outcomes %q, journal %q", &r.outcomes, &r.journal)
	}
}

// Accounts and transactions are in byte order, an account a line; there are
// enough of them to be printed side by side.
func TestStateIsSorted(t *testing.T) {
	var lines strings.Builder
	for _, id := range []string{"t2", "t10", "T3", "\u00e9", "t1"} {
		lines.WriteString(line("e-"+id, "transaction.settled", "01-05", `"transaction":"`+id+`","amount":100,"currency":"USD"`))
	}
	for n := range 1000 {
		lines.WriteString(strings.Replace(line("e1", "account.closed", "01-05", ""), `"subject":"a"`, fmt.Sprintf(`"subject":"a%d"`, 999-n), 1))
	}
	state := play(t, program.Everyday(), 0, lines.String()).state(t)
	rows := strings.Split(strings.TrimSpace(state), "\n")
	if len(rows) != 1003 || rows[0] != `{"accounts":[` || rows[1002] != "]}" {
		t.Fatalf("%d lines, from %s to %s", len(rows), rows[0], rows[len(rows)-1])
	}
	var all struct {
		Accounts []struct {
			Account      string
			Transactions []struct{ ID string }
		}
	}
	if err := json.Unmarshal([]byte(state), &all); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(all.Accounts); i++ {
		if before, after := all.Accounts[i-1].Account, all.Accounts[i].Account; before >= after {
			t.Fatalf("account %s comes before %s", before, after)
		}
	}
	if got, want := fmt.Sprint(all.Accounts[0]), "{a [{T3} {t1} {t10} {t2} {\u00e9}]}"; got != want {
		t.Errorf("the first account has %s, want %s", got, want)
	}
}

// posting is one line of the journal.
type posting struct {
	Account     string
	Number      int64
	Time        time.Time
	Kind        string
	Amount      int64
	Balance     int64
	Transaction string
	Fact        string
	Program     string
	Rule        string
	Source      string
	Event       string
	Explanation string
}

// TestTheJournalGivesTheBalances replays traffic and adds up what each posting
// says: the journal alone must lead to every balance, and tell why.
func TestTheJournalGivesTheBalances(t *testing.T) {
	for _, p := range []*reward.Program{
		program.Everyday(),
		parseProgram(t, "{id: p, currency: JPY, timing: {grant: statement, clawback: statement}, clawback_method: rerate, rules: [{id: all, rate: 2.5%, cap: {reward: 900, per: cycle}}]}"),
	} {
		var lines []byte
		for e := range traffic.Generate(traffic.Options{Accounts: 30, Events: 10_000, Seed: 5, Program: p, ReturnShare: 200, OverRefunds: 100, Duplicates: 20, Disorder: 50}) {
			lines = append(event.Append(lines, &e), '\n')
		}
		r := play(t, p, 0, string(lines))
		type account struct{ postings, balance int64 }
		accounts := make(map[string]account)
		decoder := json.NewDecoder(&r.journal)
		decoder.DisallowUnknownFields()
		for decoder.More() {
			var row posting
			if err := decoder.Decode(&row); err != nil {
				t.Fatal(err)
			}
			a := accounts[row.Account]
			a.postings++
			a.balance += row.Amount
			accounts[row.Account] = a
			if row.Number != a.postings || row.Balance != a.balance {
				t.Fatalf("posting %+v: want number %d, which leaves %d", row, a.postings, a.balance)
			}
			if row.Source != traffic.Source || row.Event == "" || row.Program != p.ID || row.Time.IsZero() {
				t.Fatalf("posting %+v does not say what caused it", row)
			}
			names, amount := row.Transaction+row.Fact, program.FormatAmount(max(row.Amount, -row.Amount), p.Currency)
			if row.Kind == "adjustment" { // which may lower the balance
				amount = program.FormatAmount(row.Amount, p.Currency)
			}
			if names == "" || !strings.Contains(row.Explanation, names) || !strings.Contains(row.Explanation, amount) {
				t.Fatalf("posting %+v: the explanation lacks %q or %q", row, names, amount)
			}
		}
		for id := range r.Store.Accounts() {
			if want := r.Store.Account(id).State().Balance; accounts[id].balance != want {
				t.Errorf("%s: the journal gives %d, the balance is %d", id, accounts[id].balance, want)
			}
		}
	}
}

// story is a purchase that the cap cuts, half of it returned, the rest paid
// out, and what happens around it.
var story = line("e1", "transaction.settled", "01-05", `"transaction":"t1","amount":200000,"currency":"USD","category":"GROCERY"`) +
	line("e2", "refund.posted", "01-08", `"refund":"r1","transaction":"t1","amount":100000,"currency":"USD"`) +
	line("e3", "redemption.requested", "01-09", `"redemption":"d1","amount":2000,"currency":"USD","method":"bank"`) +
	line("e4", "refund.reversed", "01-10", `"refund":"r1"`) +
	line("e5", "redemption.reversed", "01-11", `"redemption":"d1"`) +
	line("e6", "adjustment.posted", "01-12", `"adjustment":"j1","amount":-150,"currency":"USD","reason":"goodwill given twice","actor":"clerk"`) +
	line("e7", "transaction.settled", "01-13", `"transaction":"t1","amount":200000,"currency":"USD","category":"GROCERY"`)

func TestTheJournalTellsTheStory(t *testing.T) {
	r := play(t, program.Everyday(), 0, story)
	const start = `{"account":"a","number":`
	want := []string{
		`1,"time":"2026-01-05T10:00:00Z","kind":"grant","amount":5000,"balance":5000,"transaction":"t1","rule":"grocery","program":"everyday","source":"core","event":"e1",` +
			`"explanation":"Reward for purchase t1 under rule grocery: 5% of $2,000.00 is $100.00, rounded down; the cycle's cap of $50.00 leaves $50.00."}`,
		`2,"time":"2026-01-08T10:00:00Z","kind":"clawback","amount":-2500,"balance":2500,"transaction":"t1","rule":"grocery","program":"everyday","source":"core","event":"e2",` +
			`"explanation":"$1,000.00 of purchase t1 came back: its reward of $50.00 × $1,000.00 ÷ $2,000.00 leaves $25.00, rounded down. $25.00 is taken back."}`,
		`3,"time":"2026-01-09T10:00:00Z","kind":"redemption","amount":-2000,"balance":500,"fact":"d1","program":"everyday","source":"core","event":"e3",` +
			`"explanation":"Redemption d1 paid out $20.00."}`,
		`4,"time":"2026-01-10T10:00:00Z","kind":"restore","amount":2500,"balance":3000,"transaction":"t1","rule":"grocery","program":"everyday","source":"core","event":"e4",` +
			`"explanation":"A return of purchase t1 was undone, $0.00 of it stays returned: its reward of $50.00 × $2,000.00 ÷ $2,000.00 leaves $50.00, rounded down. $25.00 is given back."}`,
		`5,"time":"2026-01-11T10:00:00Z","kind":"redemption_reversal","amount":2000,"balance":5000,"fact":"d1","program":"everyday","source":"core","event":"e5",` +
			`"explanation":"Redemption d1 came back: $20.00."}`,
		`6,"time":"2026-01-12T10:00:00Z","kind":"adjustment","amount":-150,"balance":4850,"fact":"j1","program":"everyday","source":"core","event":"e6",` +
			`"explanation":"Adjustment j1 by clerk, goodwill given twice: -$1.50."}`,
	}
	got := strings.Split(strings.TrimSpace(r.journal.String()), "\n")
	if len(got) != len(want) {
		t.Fatalf("%d postings, want %d:\n%s", len(got), len(want), &r.journal)
	}
	for i := range want {
		if got[i] != start+want[i] {
			t.Errorf("posting %d is\n%s, want\n%s", i+1, got[i], start+want[i])
		}
	}
}

func TestReviewsListWhatIsOpen(t *testing.T) {
	r := play(t, program.Everyday(), 0, strings.Join([]string{
		line("e1", "refund.posted", "01-05", `"refund":"early","transaction":"t9","amount":700,"currency":"USD"`),
		line("e2", "refund.posted", "01-06", `"refund":"nobody's","amount":800,"currency":"USD"`),
		line("e3", "refund.reversed", "01-07", `"refund":"unheard of"`),
		line("e4", "chargeback.reversed", "01-08", `"chargeback":"lost"`),
		line("e5", "transaction.reversed", "01-09", `"transaction":"t8"`),
		line("e6", "chargeback.posted", "01-10", `"chargeback":"disputed","transaction":"t7"`),
		line("e7", "transaction.settled", "02-10", `"transaction":"t1","amount":5000,"currency":"USD","merchant":"m1"`),
		line("e8", "refund.posted", "02-11", `"refund":"too much","transaction":"t1","amount":5500,"currency":"USD"`),
		line("e9", "transaction.settled", "02-12", `"transaction":"t2","amount":1000,"currency":"USD","merchant":"m2"`),
		line("e10", "refund.posted", "02-13", `"refund":"guessed","amount":400,"currency":"USD","merchant":"m2"`),
	}, ""))
	var b bytes.Buffer
	if err := r.WriteReviews(&b); err != nil {
		t.Fatal(err)
	}
	const want = `{"account":"a","review":"waits_for_transaction","fact":"early","transaction":"t9","amount":700,"since":"2026-01-05T10:00:00Z"}
{"account":"a","review":"unmatched","fact":"nobody's","transaction":"","amount":800,"since":"2026-01-06T10:00:00Z"}
{"account":"a","review":"waits_for_fact","fact":"unheard of","transaction":"","amount":0,"since":"2026-01-07T10:00:00Z"}
{"account":"a","review":"waits_for_fact","fact":"lost","transaction":"","amount":0,"since":"2026-01-08T10:00:00Z"}
{"account":"a","review":"waits_for_transaction","fact":"","transaction":"t8","amount":0,"since":"2026-01-09T10:00:00Z"}
{"account":"a","review":"waits_for_transaction","fact":"disputed","transaction":"t7","amount":0,"since":"2026-01-10T10:00:00Z"}
{"account":"a","review":"over_refunded","fact":"","transaction":"t1","amount":500,"since":"2026-02-10T10:00:00Z"}
{"account":"a","review":"matched_without_link","fact":"guessed","transaction":"","amount":400,"since":"2026-02-13T10:00:00Z"}
`
	if got := b.String(); got != want {
		t.Errorf("the reviews are\n%swant\n%s", got, want)
	}
}
