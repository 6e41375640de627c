package audit_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recoup/internal/audit"
	"recoup/internal/audit/judge"
	"recoup/program"
)

// perMille is the rate of the programs below, of which small tickets leave rests of all kinds.
const perMille = 15

// roundedTo is what so many thousandths of a unit are in whole ones.
func roundedTo(mode string, thousandths int64) int64 {
	whole, rest := thousandths/1000, thousandths%1000
	switch {
	case mode == "up" && rest > 0, mode == "half-up" && rest >= 500,
		mode == "half-even" && (rest > 500 || rest == 500 && whole%2 == 1):
		whole++
	}
	return whole
}

// A program that rounds as it says has neither leaked nor paid too little by a single unit,
// whether it has a cap or not; to nobody else are its figures exact. What it leaves for refunds is
// exact, too.
func TestRoundingThatIsStated(t *testing.T) {
	for _, mode := range []string{"down", "half-up", "half-even", "up"} {
		for _, statement := range []bool{false, true} {
			for limit, timing := range map[int64]string{0: "statement", 300: "settlement"} {
				for _, forgets := range []bool{false, true} {
					rounding := judge.Rounding{Mode: mode, Statement: statement}
					t.Run(fmt.Sprintf("%s,cap=%d,forgets=%t", rounding, limit, forgets), func(t *testing.T) {
						o, leaked := coffees(t, rounding, timing, limit, forgets)
						r, err := audit.Run(t.Context(), o)
						if err != nil {
							t.Fatal(err)
						}
						if f := &r.Figures; f.Leakage != leaked || f.ShortPaid != 0 {
							t.Errorf("leakage %d, short-paid %d: expected %d and nothing", f.Leakage, f.ShortPaid, leaked)
						}
						if found := r.Verdict.Exit == 1; !statement && found != forgets {
							t.Errorf("exit code %d: %s", r.Verdict.Exit, r.Verdict.Summary)
						}
						if r.Rounding != rounding.String() {
							t.Errorf("rounding is said to be %q", r.Rounding)
						}
						o.Rounding = judge.Rounding{}
						if r, err = audit.Run(t.Context(), o); err != nil {
							t.Fatal(err)
						}
						if f := &r.Figures; limit == 0 && !statement && f.Leakage+f.ShortPaid == leaked {
							t.Errorf("without its rounding, the leakage is %d and %d short-paid, too", f.Leakage, f.ShortPaid)
						}
					})
				}
			}
		}
	}
}

// coffees are the exports of a program of small tickets, and what it leaks. Its rewards come with
// each purchase, or for a whole month on its last day; what comes back is reckoned anew there and
// then, unless it forgets.
func coffees(t *testing.T, rounding judge.Rounding, timing string, limit int64, forgets bool) (o audit.Options, leaked int64) {
	t.Helper()
	var transactions, refunds, rewards strings.Builder
	transactions.WriteString("transaction,account,amount,currency,posted_at,merchant,mcc,category\n")
	refunds.WriteString("refund,account,amount,posted_at,transaction,kind\n")
	rewards.WriteString("account,amount,posted_at,transaction,kind\n")
	random := rand.New(rand.NewPCG(1, 2))
	for account := range 12 {
		for month := range 6 {
			start := time.Date(2025, time.Month(1+month), 1, 9, 0, 0, 0, time.UTC)
			var prices, left []int64
			comes := func(left []int64) (each []int64, all int64) {
				for _, amount := range left {
					one := amount * perMille
					if !rounding.Statement {
						one = 1000 * roundedTo(rounding.Mode, one)
					}
					if limit > 0 {
						one = min(one, 1000*limit-all)
					}
					each, all = append(each, one/1000), all+one
				}
				return each, roundedTo(rounding.Mode, all)
			}
			grant := func(at time.Time, of string, amount int64) {
				if amount != 0 {
					fmt.Fprintf(&rewards, "a%d,%d,%s,%s,reward\n", account, amount, at.Format(time.RFC3339), of)
				}
			}
			id := func(n int) string { return fmt.Sprintf("t%d-%d-%d", account, month, n) }
			for n := range 60 {
				at := start.Add(time.Duration(n) * 8 * time.Hour)
				price := int64(90 + random.IntN(900))
				fmt.Fprintf(&transactions, "%s,a%d,%d,USD,%s,Coffee,5814,DINING\n", id(n), account, price, at.Format(time.RFC3339))
				prices, left = append(prices, price), append(left, price)
				if each, _ := comes(left); !rounding.Statement {
					grant(at, id(n), each[n])
				}
			}
			before, sum := comes(left)
			if rounding.Statement {
				grant(start.AddDate(0, 1, -1), "", sum)
			}
			if limit > 0 { // of what a cap has cut, nobody says which part a refund is of: all of it comes back
				clear(left)
			}
			for n := range prices {
				if limit == 0 && n%9 != 4 {
					continue
				}
				at := start.AddDate(0, 1, 2).Add(time.Duration(n) * time.Minute)
				if left[n] > 0 {
					left[n] = random.Int64N(left[n])
				}
				fmt.Fprintf(&refunds, "r%s,a%d,%d,%s,%s,refund\n", id(n), account, prices[n]-left[n], at.Format(time.RFC3339), id(n))
				if after, now := comes(left); forgets && n%2 == 0 {
					continue
				} else if rounding.Statement {
					grant(at, id(n), now-sum)
					sum = now
				} else {
					grant(at, id(n), after[n]-before[n])
				}
			}
			after, now := comes(left)
			switch {
			case !forgets:
			case rounding.Statement:
				leaked += sum - now
			default:
				for n := 0; n < len(prices); n += 2 {
					leaked += before[n] - after[n]
				}
			}
		}
	}
	dir := t.TempDir()
	write := func(name, text string) []string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return []string{file}
	}
	terms := "id: coffee\ncurrency: USD\ntiming: {grant: %s}\nclawback_method: rerate\nrules: [{id: all, rate: 1.5%%%s}]\n"
	most := ""
	if limit > 0 {
		most = fmt.Sprintf(", cap: {reward: %d, per: month}", limit)
	}
	p, err := program.Parse("coffee.yaml", fmt.Appendf(nil, terms, timing, most))
	if err != nil {
		t.Fatal(err)
	}
	return audit.Options{
		Program: p, TempDir: dir, Rounding: rounding,
		Transactions: write("transactions.csv", transactions.String()),
		Refunds:      write("refunds.csv", refunds.String()), Rewards: write("rewards.csv", rewards.String()),
	}, leaked
}

// A rounding that nobody knows is refused.
func TestUnknownRounding(t *testing.T) {
	for r, says := range map[judge.Rounding]string{
		{Mode: "nearest"}: `rounding "nearest": expected down, half-even, half-up, up`,
		{Statement: true}: `rounding "of statements": expected down`,
	} {
		o := exported(t, designC)
		o.Rounding = r
		if _, err := audit.Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

// Shards that were told of different roundings do not merge.
func TestShardsOfOtherRounding(t *testing.T) {
	var parts []*audit.Part
	for i, mode := range []string{"down", "up"} {
		o := exported(t, designC)
		o.Rounding.Mode, o.Shard, o.Of = mode, i+1, 2
		p, err := audit.RunPart(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, p)
	}
	if _, err := audit.Merge(parts...); err == nil || !strings.Contains(err.Error(), "options") {
		t.Errorf("they merge: %v", err)
	}
}
