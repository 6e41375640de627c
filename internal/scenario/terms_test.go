package scenario_test

import (
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"recoup/internal/issuer"
	"recoup/internal/scenario"
	"recoup/reward"
)

// headOfTerms is lines 1 to 9 of the files below.
const headOfTerms = `title: A test
program:
  currency: USD
  reward: {unit: PTS, decimals: 1}
  clawback_method: rerate
  rules: [{id: everything, rate: 1 per 10}]
  bonuses:
    - {id: stamps, match: {merchant: [bean]}, per: month, purchases: [{from: 2, reward: 400}]}

`

func TestWhatTermsAskFor(t *testing.T) {
	s, err := scenario.Parse("x.txt", []byte(headOfTerms+`2026-01-05  authorize t1 10.00 channel=app
2026-01-05  settle t1 10.00 at m1 HOME channel=app spot=7/b item pan 6.00 mcc 5411 KITCHEN sale=yes item tea 4.00
2026-01-06  set a1 plan=gold
2026-01-06  unset a1
2026-01-07  refund r1 4.00 of t1 item tea 4.00
2026-01-08  settle t2 10.00
2026-01-08  itemize t2 item x 10.00
2026-01-09  redeem d1 7.5 -> accepted
            expect balance 2.5 bonus stamps 0.0
`))
	if err != nil {
		t.Fatal(err)
	}
	labels := func(pairs ...string) reward.Labels {
		byName := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			byName[pairs[i]] = pairs[i+1]
		}
		return reward.MakeLabels(byName)
	}
	settle := s.Steps[1].Move
	if settle.Merchant != "m1" || settle.Category != "HOME" || settle.MCC != "" || settle.Labels != labels("channel", "app", "spot", "7/b") {
		t.Errorf("settle: %+v", settle)
	}
	// An MCC counts from one, so that zero is none.
	if want := []reward.Item{{ID: "pan", Amount: 600, MCC: 5412, Category: "KITCHEN", Labels: labels("sale", "yes")}, {ID: "tea", Amount: 400}}; !reflect.DeepEqual(settle.Items, want) {
		t.Errorf("items: %+v, want %+v", settle.Items, want)
	}
	if set := s.Steps[2].Move; set.ID != "a1" || set.Labels != labels("plan", "gold") {
		t.Errorf("set: %+v", set)
	}
	if redeem := s.Steps[7]; redeem.Move.Amount != 75 || redeem.Expect[1].Amount != 25 || redeem.Expect[2].Bonus != "stamps" {
		t.Errorf("rewards are in points with one decimal: %+v", redeem)
	}
}

func TestErrorsAboutTermsNameTheLine(t *testing.T) {
	for step, want := range map[string]string{
		"redeem d1 1.0 a=b":                      `redeem d1: it has no labels`,
		"settle t1 1.00 a=":                      `settle t1: label "a=": expected a name and a value, such as channel=app`,
		"settle t1 1.00 a=b a=c":                 `settle t1: it has the label "a" twice`,
		"settle t1 1.00 item a 0.50":             `settle t1: its items come to another amount than it: expected all of it`,
		"settle t1 1.00 item a 0.50 item a 0.50": `settle t1: it has the item "a" twice`,
		"settle t1 1.00 item a":                  `settle t1: amount "": expected a number such as 1234, 1,234.50 or -3`,
		"settle t1 1.00 item a 1.00 HOME GAS":    `settle t1: it has "category" twice`,
		"authorize t1 1.00 item a 1.00":          `authorize t1: it has no "item"`,
		"itemize t1":                             `itemize t1: expected items, such as "item pan 39.50"`,
		"itemize t1 at m1 item a 1.00":           `itemize t1: it has no "at"`,
		"set a1":                                 `set a1: expected what it sets, such as plan=gold`,
		"set a1 plan=gold spring=on":             `set a1: it sets "spring" as well: expected one name and value`,
		"wait\n  expect bonus welcome 1.0":       `expect bonus "welcome": expected one of the program's: stamps`,
		"wait\n  expect bonus stamps":            `expect bonus stamps: expected an amount`,
		"wait\n  expect balance 1.25":            `expect balance: amount "1.25": expected at most 1 decimals, as PTS has`,
		"refund r1 1.00 of t1 really t1/pan":     `refund r1: really t1/pan, which is settled nowhere in the file`,
	} {
		_, err := scenario.Parse("x.txt", []byte(headOfTerms+"2026-01-05 "+step))
		got := ""
		if err != nil {
			got = err.Error()
		}
		line := 10 + strings.Count(step, "\n")
		if want != "" {
			want = fmt.Sprintf("x.txt:%d: %s", line, want)
		}
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", step, got, want)
		}
	}
}

// knowing is an issuer with all that terms need.
type knowing struct{ full }

var (
	_ issuer.Member   = (*knowing)(nil)
	_ issuer.Itemizer = (*knowing)(nil)
	_ issuer.Promoter = (*knowing)(nil)
)

func (k *knowing) SetAttribute(a issuer.Attribute) error {
	return k.call("Set %s %s=%s %s", a.Attribute, a.Name, a.Value, a.At.Format(time.DateOnly))
}
func (k *knowing) WithdrawAttribute(_, id string) error { return k.call("Unset %s", id) }
func (k *knowing) Itemize(_, id string, items []reward.Item) error {
	return k.call("Itemize %s %d", id, len(items))
}
func (k *knowing) Bonus(_, id string) (int64, error) { return 400, k.call("Bonus %s", id) }

func TestWhatTermsAskForReachesThePort(t *testing.T) {
	s, err := scenario.Parse("x.txt", []byte(headOfTerms+`2026-01-06  set a1 plan=gold dated 2026-01-02
2026-01-06  unset a1
2026-01-08  itemize t2 item x 10.00
            expect bonus stamps 41.0
`))
	if err != nil {
		t.Fatal(err)
	}
	k := &knowing{}
	mismatches := scenario.Check(play(t, s, k), scenario.Recoup)
	if len(mismatches) != 1 || mismatches[0].String() != "x.txt:13: at Recoup: expected bonus stamps PTS 41.0, got PTS 40.0" {
		t.Errorf("mismatches: %v", mismatches)
	}
	calls := strings.Join(k.calls, "\n")
	for _, want := range []string{"Set a1 plan=gold 2026-01-02", "Unset a1", "Itemize t2 1", "Bonus stamps"} {
		if !strings.Contains(calls, want) {
			t.Errorf("%q is not among the calls:\n%s", want, calls)
		}
	}
	for _, line := range play(t, s, &flat{}).Lines {
		if !line.NoSuchPath || line.Bonuses != nil {
			t.Errorf("%s: at an issuer without, no such path %t, bonuses %v", line.Step.Text, line.NoSuchPath, line.Bonuses)
		}
	}
}

// What a design cannot say is an answer, and no failure.
func TestAnIssuerMayRefuseTheTerms(t *testing.T) {
	iss := &flat{fail: map[string]error{"Open": fmt.Errorf("no bonuses: %w", issuer.ErrUnsupported)}}
	if _, err := scenario.Play(parse(t, "2026-01-05 wait"), iss); !errors.Is(err, issuer.ErrUnsupported) {
		t.Errorf("%v, want ErrUnsupported", err)
	}
}

// Of a plain program, what is due is a sum that anybody can work out: over rules and
// months, min(cap, Σ rate · (amount − reversed)), rounded down (paper, section 4.1). Here
// it is worked out without any engine.
func TestWhatIsDueOfAPlainProgram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rates := rapid.SliceOfN(rapid.Int64Range(0, int64(reward.MaxRate)/4), 2, 2).Draw(t, "rates")
		caps := rapid.SliceOfN(rapid.SampledFrom([]int64{reward.NoCap, 0, 700, 3000}), 2, 2).Draw(t, "caps")
		p := &reward.Program{ID: "p", Currency: "USD"}
		for i, category := range []string{"A", "B"} {
			p.Rules = append(p.Rules, reward.Rule{ID: category, Match: reward.Match{Categories: []string{category}}, Rate: reward.Rate(rates[i]), Cap: caps[i]})
		}
		life, back := scenario.NewLife(p), map[string]int64{}
		type bucket struct{ rule, month int }
		kept := map[bucket]int64{}
		for i := range rapid.IntRange(0, 12).Draw(t, "purchases") {
			b := bucket{rapid.IntRange(0, 2).Draw(t, "kind"), rapid.IntRange(1, 3).Draw(t, "month")}
			amount := rapid.Int64Range(1, 50_000).Draw(t, "amount")
			id := fmt.Sprint("t", i)
			back[id] = rapid.SampledFrom([]int64{0, 0, amount / 3, amount, amount + 5}).Draw(t, "back")
			life.Add(reward.Event{
				Type: reward.TransactionSettled, Transaction: id, Amount: amount, HasAmount: true, Currency: "USD", Category: []string{"A", "B", "C"}[b.rule],
				Time: reward.At(time.Date(2026, time.Month(b.month), 1+i, 0, 0, 0, 0, time.UTC)),
			})
			if b.rule < 2 {
				kept[b] += max(0, amount-back[id])
			}
		}
		total := new(big.Rat)
		for b, spend := range kept {
			earned := big.NewRat(spend*rates[b.rule], int64(reward.MaxRate))
			if limit := big.NewRat(caps[b.rule], 1); caps[b.rule] != reward.NoCap && earned.Cmp(limit) > 0 {
				earned = limit
			}
			total.Add(total, earned)
		}
		want := new(big.Int).Quo(total.Num(), total.Denom()).Int64()
		due := life.Due(back, 0)
		if due.Exact != want {
			t.Errorf("%d is due, want %d", due.Exact, want)
		}
		if short := due.Exact - due.Rounded; short < 0 || short > 12 {
			t.Errorf("%d with each purchase rounded down, %d in all: expected up to a unit a purchase below it", due.Rounded, due.Exact)
		}
	})
}

// What was used in time does not expire, what was not does; nobody is entitled to it.
func TestWhatHasExpiredIsNotDue(t *testing.T) {
	p := &reward.Program{ID: "p", Currency: "USD", ExpiryMonths: 2, Rules: []reward.Rule{{ID: "all", Rate: reward.MaxRate / 100, Cap: reward.NoCap}}}
	for used, want := range map[int64]int64{0: 0, 300: 300, 1000: 1000} {
		life := scenario.NewLife(p)
		at := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
		life.Add(reward.Event{Type: reward.TransactionSettled, Transaction: "t1", Amount: 1000_00, HasAmount: true, Currency: "USD", Time: reward.At(at)})
		life.Use(used, reward.At(at.AddDate(0, 1, 0)))
		if due := life.Due(nil, reward.At(at.AddDate(0, 2, 0))); due.Exact != 1000 {
			t.Errorf("%d used: %d due in time, want 1000", used, due.Exact)
		}
		if due := life.Due(nil, reward.At(at.AddDate(0, 3, 0))); due.Exact != want || due.Rounded != want {
			t.Errorf("%d used: %+v due when the rest has expired, want %d", used, due, want)
		}
	}
}
