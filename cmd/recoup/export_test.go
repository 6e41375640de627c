package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"recoup/internal/cli"
	"recoup/internal/engine"
	"recoup/internal/kit/pgtest"
	"recoup/internal/service/programs"
	"recoup/internal/store/durable"
	"recoup/internal/store/memory"
	"recoup/internal/traffic"
	"recoup/program"
	"recoup/reward"
)

// matured is everyday with two weeks to maturity and clawbacks at the statement.
const matured = everyday + "maturity_days: 14\ntiming: {clawback: statement}\n"

// runExport runs the export command.
func runExport(args ...string) (stdout, stderr string, err error) {
	return recoup(append([]string{"export"}, args...)...)
}

// journalSender is the principal who sent the events of the account tokyo of journalOf;
// nobody is known to have sent the others.
const journalSender = "abcdefgh2345"

// journalOf fills a database with traffic, and with one account of another
// program, and returns what the traffic leaves in memory.
func journalOf(t *testing.T, url string) *memory.Store {
	t.Helper()
	ctx := context.Background()
	db, err := openOrCreate(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	programs, err := programs.Open(ctx, db)
	if err != nil {
		t.Fatal(err)
	}
	put := func(id, document string) {
		t.Helper()
		if _, _, err := programs.Put(ctx, id, []byte(document), 0, "test"); err != nil {
			t.Fatal(err)
		}
	}
	put("everyday", matured) // the default, since it is the first
	put("yen", strings.NewReplacer("everyday", "yen", "USD", "JPY").Replace(everyday))
	p, err := program.Parse("everyday", []byte(matured))
	if err != nil {
		t.Fatal(err)
	}
	p.Version = 1
	kept := memory.New(p)
	database := engine.New(durable.Over(db, durable.Options{Programs: programs, Now: func() reward.Instant { return reward.At(time.Now()) }}))
	apply := func(ctx context.Context, en *engine.Engine, events []reward.Event) {
		t.Helper()
		if _, err := en.Apply(ctx, events, nil); err != nil {
			t.Fatal(err)
		}
	}
	events := slices.Collect(traffic.Generate(traffic.Options{
		Accounts: 300, Events: 2000, Seed: 9, Program: p, ReturnShare: 300, OverRefunds: 100, Duplicates: 20, Disorder: 50,
	}))
	apply(ctx, engine.New(kept), events)
	apply(ctx, database, events)
	at := events[0].Time
	apply(engine.By(ctx, journalSender), database, []reward.Event{
		{Source: "core", ID: "o", Account: "tokyo", Time: at, Type: reward.AccountOpened, Fact: "yen"},
		{Source: "core", ID: "t", Account: "tokyo", Time: at, Type: reward.TransactionSettled, Transaction: "t", Amount: 20_000, HasAmount: true, Currency: "JPY"},
	})
	return kept
}

func TestExportedJournalTiesOutWithTheDatabase(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, url := range map[string]string{"pebble": "data", "postgres": pgtest.Shared(t).NewDatabase(t)} {
		t.Run(name, func(t *testing.T) {
			kept := journalOf(t, url)
			want := map[string]int64{"JPY expenses:rewards": 200, "JPY liabilities:cardholder rewards:available": -200}
			accounts := 1
			for id := range kept.Accounts() {
				accounts++
				s := kept.Account(id).Summary()
				want["USD expenses:rewards"] += s.NetReward
				want["USD expenses:adjustments"] += s.Adjustments
				want["USD assets:redemption clearing"] -= s.Redeemed
				want["USD assets:receivable from cardholders"] += max(-s.Balance, 0)
				want["USD liabilities:cardholder rewards:pending"] -= s.Held
				want["USD liabilities:cardholder rewards:available"] -= max(s.Balance, 0) - s.Held
			}
			stdout, stderr, err := runExport("journal", "--db", url, "--format", "csv")
			if err != nil || !strings.HasSuffix(stderr, fmt.Sprintf(" of %d accounts\n", accounts)) || accounts <= 256 {
				t.Fatalf("export of %d accounts: %v, %q", accounts, err, stderr)
			}
			table, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range table[1:] {
				if sender, tokyo := row[slices.Index(table[0], "principal")], row[slices.Index(table[0], "cardholder")] == "tokyo"; tokyo != (sender == journalSender) || tokyo == (sender == "") {
					t.Errorf("%q was sent by %q", row, sender)
				}
				for column, sign := range map[int]int64{3: -1, 4: 1} {
					if row[column] == "" {
						continue
					}
					n, err := program.ParseDecimal(row[column], row[5])
					if err != nil {
						t.Fatal(err)
					}
					want[row[5]+" "+row[2]] += sign * n
				}
			}
			for account, left := range want {
				if left != 0 {
					t.Errorf("%s is off by %d", account, left)
				}
			}

			for format, check := range map[string][]string{"hledger": {"hledger", "check", "--strict", "-f"}, "beancount": {"bean-check"}} {
				if _, _, err := runExport("journal", "--db", url, "--format", format, "-o", "rewards."+format); err != nil {
					t.Fatal(err)
				}
				if _, err := exec.LookPath(check[0]); err != nil {
					t.Fatalf("%v: apt-get install hledger beancount, as make test does", err)
				}
				cmd := exec.Command(check[0], append(check[1:], "rewards."+format)...)
				cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%v: %v\n%s", check, err, out)
				}
			}

			stdout, stderr, err = runExport("journal", "--db", url, "--format", "hledger", "--account", "tokyo")
			if err != nil || stderr != "1 transactions of 1 accounts\n" || !strings.Contains(stdout, "    ; principal: "+journalSender+"\n    expenses:rewards  200 JPY\n") {
				t.Errorf("the account tokyo is exported as %q (%q, %v)", stdout, stderr, err)
			}
		})
	}
}

func TestExportStopsWhereTheLogIsNotWhatItsEventsGive(t *testing.T) {
	t.Chdir(t.TempDir())
	journalOf(t, "data")
	insider{t, "data"}.records("programs", "rate: 1%", "rate: 2%")
	before := folder(t)
	_, _, err := runExport("journal", "--db", "data", "--format", "csv", "-o", "rewards.csv")
	if err == nil || cli.ExitCode(err) != cli.Violation || !strings.Contains(err.Error(), "posting") || !strings.Contains(err.Error(), "account") {
		t.Errorf("the export of a changed database ends with %v", err)
	}
	if after := folder(t); !slices.Equal(before, after) {
		t.Errorf("the folder had %q and has %q", before, after)
	}
}

func TestExportRefusesBadUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	for says, args := range map[string][]string{
		`required flag(s) "db", "format" not set`:           {},
		`--format: format "ledger": expected hledger, bean`: {"--db", "data", "--format", "ledger"},
		`--from "yesterday": expected a date between`:       {"--db", "data", "--format", "csv", "--from", "yesterday"},
		`--to 2026-01-01: expected a date after --from`:     {"--db", "data", "--format", "csv", "--from", "2026-01-01", "--to", "2026-01-01"},
		`--until "2026": expected an RFC 3339 time`:         {"--db", "data", "--format", "csv", "--until", "2026"},
	} {
		_, _, err := runExport(append([]string{"journal"}, args...)...)
		if err == nil || cli.ExitCode(err) != cli.BadInput || !strings.Contains(err.Error(), says) {
			t.Errorf("export journal %v ends with %v, want %q", args, err, says)
		}
	}
	if left := folder(t); len(left) > 0 {
		t.Errorf("bad usage leaves %q", left)
	}
	journalOf(t, "data")
	_, _, err := runExport("journal", "--db", "data", "--format", "csv", "--account", "nobody")
	if err == nil || cli.ExitCode(err) != cli.BadInput || !strings.Contains(err.Error(), `account "nobody": there is none`) {
		t.Errorf("the export of an account that is not there ends with %v", err)
	}
}
