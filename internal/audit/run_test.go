package audit_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"recoup/internal/audit"
	"recoup/internal/flaw"
	"recoup/internal/intake"
	"recoup/program"
	"recoup/reward"
)

// design is how a made-up program treats the purchases of exported: a purchase of
// $100 of groceries on 10 January, refunded whole on the 20th or on 15 February.
type design struct {
	granted time.Time // when the reward of January's purchases comes
	// clawed says when the clawback of a refund comes; the zero time for never.
	clawed func(refund time.Time) time.Time
	// netted: a refund before the grant leaves nothing to grant.
	netted bool
	// unlinked: one refund in ten does not name its purchase.
	unlinked bool
}

var (
	bought     = time.Date(2026, 1, 10, 10, 0, 0, 0, time.UTC)
	sameCycle  = time.Date(2026, 1, 20, 10, 0, 0, 0, time.UTC)
	laterCycle = time.Date(2026, 2, 15, 10, 0, 0, 0, time.UTC)
	close1     = time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)

	never  = func(time.Time) time.Time { return time.Time{} }
	atOnce = func(refund time.Time) time.Time { return refund }

	designA = design{granted: bought, clawed: never}
	designB = design{granted: close1, clawed: never, netted: true}
	designC = design{granted: bought, clawed: atOnce, unlinked: true}
)

// customers is how many accounts exported writes.
const customers = 60

// exported writes exports of a program of that design and returns the options to
// audit them. In every account one purchase is kept, one refunded; the rewards
// are redeemed in May.
func exported(t testing.TB, d design) audit.Options {
	t.Helper()
	var transactions, refunds, rewards, redemptions strings.Builder
	transactions.WriteString("transaction,account,amount,currency,posted_at,merchant,category\n")
	refunds.WriteString("refund,account,amount,posted_at,transaction,merchant\n")
	rewards.WriteString("account,amount,posted_at,transaction\n")
	redemptions.WriteString("account,amount,posted_at\n")
	at := func(when time.Time) string { return when.Format(time.RFC3339) }
	for i := range customers {
		account, kept, returned := fmt.Sprintf("customer-%03d", i), fmt.Sprintf("purchase-%03d-k", i), fmt.Sprintf("purchase-%03d-r", i)
		buy := func(id string, when time.Time) {
			fmt.Fprintf(&transactions, "%s,%s,10000,USD,%s,shop-%d,GROCERY\n", id, account, at(when), i)
		}
		earn := func(amount int, id string, when time.Time) {
			fmt.Fprintf(&rewards, "%s,%d,%s,%s\n", account, amount, at(when), id)
		}
		buy(returned, bought)
		buy(kept, bought.Add(48*time.Hour))
		earn(500, kept, latest(bought.Add(48*time.Hour), d.granted))
		refunded, names := laterCycle, returned
		if i%2 == 0 {
			refunded = sameCycle
		}
		if d.unlinked && i%10 == 9 {
			names = ""
		}
		fmt.Fprintf(&refunds, "refund-no-%03d,%s,10000,%s,%s,shop-%d\n", i, account, at(refunded), names, i)
		if !d.netted || refunded.After(d.granted) {
			earn(500, returned, d.granted)
			if clawed := d.clawed(refunded); !clawed.IsZero() {
				earn(-500, names, clawed)
			}
		}
		fmt.Fprintf(&redemptions, "%s,%d,%s\n", account, 500, at(time.Date(2026, 5, 20, 0, 0, 0, 0, time.UTC)))
	}
	dir := t.TempDir()
	write := func(name, text string) []string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return []string{path}
	}
	return audit.Options{
		Simulate:     true,
		Program:      program.Everyday(),
		Transactions: write("transactions.csv", transactions.String()),
		Refunds:      write("refunds.csv", refunds.String()),
		Rewards:      write("rewards.csv", rewards.String()),
		Redemptions:  write("redemptions.csv", redemptions.String()),
		TempDir:      dir,
	}
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func run(t testing.TB, o audit.Options) *audit.Report {
	t.Helper()
	r, err := audit.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The file of accounts has the figures of each, which add up to those of the report.
func TestFileOfAccounts(t *testing.T) {
	var file bytes.Buffer
	o := exported(t, designC)
	o.Accounts = &file
	r := run(t, o)
	rows, err := csv.NewReader(&file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != customers+1 || rows[0][0] != "account" {
		t.Fatalf("%d rows under %v, want one for each of %d accounts", len(rows)-1, rows[0], customers)
	}
	for name, want := range map[string]int64{
		"spend": r.Figures.Spend, "granted": r.Figures.Granted, "taken_back": r.Figures.TakenBack, "entitlement": r.Figures.Entitlement,
		"net_reward": r.Figures.NetReward, "redeemed": r.Figures.Redeemed, "debt": r.Figures.Debt, "net_reward_under_recoup": r.Simulation.NetReward,
	} {
		column, sum := slices.Index(rows[0], name), int64(0)
		for _, row := range rows[1:] {
			amount, err := strconv.ParseInt(row[column], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			sum += amount
		}
		if sum != want {
			t.Errorf("%s of all accounts is %d, the report has %d", name, sum, want)
		}
	}
}

func TestRunFindsOutTheDesign(t *testing.T) {
	for _, c := range []struct {
		name    string
		design  design
		class   flaw.Class
		timing  string
		leakage int64
		linked  int64 // refunds
	}{
		{"A", designA, flaw.V1, "Instant", customers * 500, customers},
		{"B", designB, flaw.V2, "Stmt. close", customers / 2 * 500, customers},
		{"C, where one refund in ten names no purchase", designC, flaw.Robust, "Instant", 0, customers * 9 / 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := run(t, exported(t, c.design))
			if r.Verdict.Class != c.class || r.Verdict.Found != (c.class != flaw.Robust) || r.Verdict.RewardTiming != c.timing {
				t.Errorf("class %q, found %t, %s: %s; want %q, %s", r.Verdict.Class, r.Verdict.Found, r.Verdict.RewardTiming, r.Verdict.Summary, c.class, c.timing)
			}
			if r.Figures.Leakage != c.leakage || r.Figures.Unexplained != 0 {
				t.Errorf("leakage %d, unexplained %d; want %d, all explained", r.Figures.Leakage, r.Figures.Unexplained, c.leakage)
			}
			if r.Accounts.All != customers || r.Figures.Purchases != 2*customers || r.Figures.Refunds != customers || r.Figures.Spend != 2*customers*100_00 {
				t.Errorf("accounts %+v, figures %+v", r.Accounts, r.Figures)
			}
			if r.Input.Rows < 4*customers || r.Input.Bad != 0 || len(r.Input.Files) != 4 {
				t.Errorf("read %+v", r.Input)
			}
			if want := bought; !r.From.Equal(want) || !r.To.Equal(time.Date(2026, 5, 20, 0, 0, 0, 0, time.UTC)) {
				t.Errorf("from %v to %v", r.From, r.To)
			}
			if r.Arrival.Refunds != c.linked || r.Arrival.Coverage[0].Days != 36 {
				t.Errorf("arrival %+v; want the refunds that name their purchase, nine in ten by day 36", r.Arrival)
			}
		})
	}
}

// Partitioning by account is exact: the parts of any number of shards, written and
// read again, merge to the report of one run.
func TestShardsMergeToTheWhole(t *testing.T) {
	o := exported(t, designB)
	want := asJSON(t, run(t, o))
	for _, of := range []int{1, 2, 7} {
		if r, err := audit.Merge(shards(t, o, of)...); err != nil {
			t.Errorf("%d shards: %v", of, err)
		} else if got := asJSON(t, r); got != want {
			t.Errorf("%d shards:\n%s\nwhole:\n%s", of, got, want)
		}
	}
}

// shards audits each shard, by way of a file.
func shards(t testing.TB, o audit.Options, of int) (parts []*audit.Part) {
	t.Helper()
	for i := range of {
		o.Shard, o.Of = i+1, of
		p, err := audit.RunPart(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := p.Write(&file); err != nil {
			t.Fatal(err)
		}
		if p, err = audit.ReadPart("part", &file); err != nil {
			t.Fatal(err)
		}
		parts = append(parts, p)
	}
	return parts
}

func TestMergeRefusesPartsOfAnotherAudit(t *testing.T) {
	b := exported(t, designB)
	parts := shards(t, b, 2)
	for _, c := range []struct {
		name   string
		change func(*audit.Options)
		err    string
	}{
		{"another rate", func(o *audit.Options) {
			p := *o.Program
			p.Rules = slices.Clone(p.Rules)
			p.Rules[0].Rate++
			o.Program = &p
		}, "differ in the program"},
		{"another category", func(o *audit.Options) {
			p := *o.Program
			p.Categories = func(reward.MCC) string { return "GROCERY" }
			o.Program = &p
		}, "differ in the program"},
		{"another return window", func(o *audit.Options) { o.ReturnDays = 60 }, "differ in the options"},
		{"pseudonyms", func(o *audit.Options) { o.Pseudonymise, o.Key = true, bytes.Repeat([]byte{1}, 16) }, "differ in the options"},
		{"other exports with as many rows", func(o *audit.Options) {
			data, err := os.ReadFile(o.Redemptions[0])
			if err != nil {
				t.Fatal(err)
			}
			o.Redemptions = []string{filepath.Join(t.TempDir(), "redemptions.csv")}
			if err := os.WriteFile(o.Redemptions[0], bytes.Replace(data, []byte(",500,"), []byte(",400,"), 1), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "differ in the exports"},
	} {
		o := b
		c.change(&o)
		if _, err := audit.Merge(parts[0], shards(t, o, 2)[1]); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.err)
		}
	}
}

// No id of an account, purchase or refund is in a report or a part, in whatever
// text; the figures are those of the report with ids.
func TestPseudonymsLeaveNoID(t *testing.T) {
	for _, d := range []design{designA, designB, designC} {
		o := exported(t, d)
		plain := run(t, o)
		o.Pseudonymise, o.Key = true, []byte("sixteen or more bytes")
		hidden := run(t, o)
		if plain.Figures != hidden.Figures || plain.Verdict != hidden.Verdict || plain.Accounts != hidden.Accounts {
			t.Errorf("with pseudonyms\n%+v\n%+v\nwithout\n%+v\n%+v", hidden.Verdict, hidden.Figures, plain.Verdict, plain.Figures)
		}
		texts := []string{asJSON(t, hidden)}
		for _, p := range shards(t, o, 2) {
			var b bytes.Buffer
			if err := p.Write(&b); err != nil {
				t.Fatal(err)
			}
			texts = append(texts, b.String())
		}
		for _, text := range texts {
			for _, id := range []string{"customer-", "purchase-0", "refund-no-"} {
				if strings.Contains(text, id) {
					t.Errorf("%s… is in the text: %.200s", id, text[strings.Index(text, id):])
				}
			}
		}
		if len(plain.Worst) > 0 && (!strings.HasPrefix(hidden.Worst[0].Account, "acct-") || len(hidden.Worst[0].Account) != len("acct-")+16 || len(hidden.Worst[0].Timeline) == 0) {
			t.Errorf("worst account %q with %d steps, want acct- and 16 letters", hidden.Worst[0].Account, len(hidden.Worst[0].Timeline))
		}
		if again := run(t, o); asJSON(t, again) != texts[0] {
			t.Error("the same key gives other pseudonyms")
		}
		o.Key = nil
		one, other := run(t, o), run(t, o)
		if len(plain.Worst) > 0 && one.Worst[0].Account == other.Worst[0].Account {
			t.Error("keys are to be drawn at random")
		}
	}
}

func TestRunRefusesOptionsThatMakeNoSense(t *testing.T) {
	good := exported(t, designC)
	for _, c := range []struct {
		name   string
		change func(*audit.Options)
		err    string
	}{
		{"no program", func(o *audit.Options) { o.Program = nil }, "no program"},
		{"a shard", func(o *audit.Options) { o.Shard, o.Of = 1, 2 }, "one shard of several"},
		{"a window below zero", func(o *audit.Options) { o.ReturnDays = -1 }, "return window of -1 days"},
		{"a short key", func(o *audit.Options) { o.Pseudonymise, o.Key = true, []byte("short") }, "too short"},
		{"a key for nothing", func(o *audit.Options) { o.Key = bytes.Repeat([]byte{1}, 16) }, "no pseudonyms"},
		{"a file that is not there", func(o *audit.Options) { o.Refunds = []string{"nowhere.csv"} }, "nowhere.csv"},
	} {
		o := good
		c.change(&o)
		if _, err := audit.Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.err)
		}
	}
	for _, c := range []struct {
		shard, of int
		key       bool
		err       string
	}{{3, 2, false, "shard 3 of 2"}, {0, 2, false, "shard 0 of 2"}, {1, 2, true, "the same for all"}} {
		o := good
		o.Shard, o.Of, o.Pseudonymise = c.shard, c.of, c.key
		if _, err := audit.RunPart(t.Context(), o); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("shard %d of %d: got %v, want %q", c.shard, c.of, err, c.err)
		}
	}
}

func TestRunStopsWhenAsked(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := audit.Run(ctx, exported(t, designC)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}

func TestProgressReachesTheEnd(t *testing.T) {
	o := exported(t, designC)
	files := intake.Options{Transactions: o.Transactions, Refunds: o.Refunds, Rewards: o.Rewards, Redemptions: o.Redemptions}
	all, err := files.Size()
	if err != nil {
		t.Fatal(err)
	}
	var bytes, accounts atomic.Int64
	o.Progress = func(p audit.Progress) {
		for _, v := range [...]struct {
			most *atomic.Int64
			now  int64
		}{{&bytes, p.Bytes}, {&accounts, p.Accounts}} {
			for old := v.most.Load(); v.now > old && !v.most.CompareAndSwap(old, v.now); old = v.most.Load() {
			}
		}
	}
	run(t, o)
	if bytes.Load() != all || all == 0 || accounts.Load() != customers {
		t.Errorf("%d of %d bytes, %d accounts; want all, and %d", bytes.Load(), all, accounts.Load(), customers)
	}
}
