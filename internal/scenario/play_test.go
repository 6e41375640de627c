package scenario_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"recoup/internal/issuer"
	"recoup/internal/scenario"
)

// flat is a small honest issuer: five percent of everything that was bought and
// not refunded. It implements the port and none of its options, and can be told
// to fail.
type flat struct {
	account  string
	now      time.Time
	calls    []string
	spent    map[string]int64
	returned map[string]int64
	paid     map[string]int64
	fail     map[string]error // by call
}

func (f *flat) call(format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	f.calls = append(f.calls, text)
	name, _, _ := strings.Cut(text, " ")
	return f.fail[name]
}

func (f *flat) Open(account string) error {
	f.account, f.spent, f.returned, f.paid = account, map[string]int64{}, map[string]int64{}, map[string]int64{}
	return f.call("Open %s", account)
}

func (f *flat) SetClock(now time.Time) error {
	if now.Before(f.now) {
		return errors.New("the clock went back")
	}
	f.now = now
	return nil
}

func (f *flat) Settle(s issuer.Settlement) error {
	f.spent[s.Transaction] = s.Amount
	return f.call("Settle %s %s %d %q %q %q %s", s.Account, s.Transaction, s.Amount, s.Merchant, s.MCC, s.Category, s.At.Format("01-02T15:04"))
}

func (f *flat) Refund(r issuer.Refund) error {
	f.returned[r.Transaction] = min(f.spent[r.Transaction], f.returned[r.Transaction]+r.Amount)
	return f.call("Refund %s %s %q %d %q %q %q %s", r.Account, r.Refund, r.Transaction, r.Amount, r.Merchant, r.MCC, r.Category, r.At.Format("01-02T15:04"))
}

func (f *flat) Chargeback(c issuer.Chargeback) error {
	f.returned[c.Transaction] = f.spent[c.Transaction]
	return f.call("Chargeback %s %s %s %d %s", c.Account, c.Chargeback, c.Transaction, c.Amount, c.At.Format("01-02T15:04"))
}

func (f *flat) CloseStatement(account string) error { return f.call("CloseStatement %s", account) }

func (f *flat) balance() int64 {
	var balance int64
	for id, amount := range f.spent {
		balance += (amount - f.returned[id]) / 20
	}
	for _, amount := range f.paid {
		balance -= amount
	}
	return balance
}

func (f *flat) Redeem(r issuer.Redemption) (bool, error) {
	_, again := f.paid[r.Redemption]
	accepted := again || r.Amount > 0 && r.Amount <= f.balance()
	if accepted {
		f.paid[r.Redemption] = r.Amount
	}
	return accepted, f.call("Redeem %s %s %d", r.Account, r.Redemption, r.Amount)
}

func (f *flat) Balance(string) (issuer.Balance, error) {
	return issuer.Balance{Balance: f.balance(), Redeemable: max(0, f.balance())}, f.fail["Balance"]
}

// full adds the port's options to flat.
type full struct{ flat }

var (
	_ issuer.Authorizer = (*full)(nil)
	_ issuer.Withdrawer = (*full)(nil)
	_ issuer.Undoer     = (*full)(nil)
	_ issuer.Announcer  = (*full)(nil)
	_ issuer.Closer     = (*full)(nil)
	_ issuer.Reviewer   = (*full)(nil)
	_ issuer.Resolver   = (*full)(nil)
)

func (f *full) Authorize(s issuer.Settlement) error {
	return f.call("Authorize %s %d %q", s.Transaction, s.Amount, s.Category)
}
func (f *full) Cancel(_, id string) error            { return f.call("Cancel %s", id) }
func (f *full) Withdraw(_, id string) error          { return f.call("Withdraw %s", id) }
func (f *full) ReverseRefund(_, id string) error     { return f.call("ReverseRefund %s", id) }
func (f *full) ReverseChargeback(_, id string) error { return f.call("ReverseChargeback %s", id) }
func (f *full) AnnounceRefund(r issuer.Refund) error {
	return f.call("AnnounceRefund %s %s %d", r.Refund, r.Transaction, r.Amount)
}
func (f *full) CountRefund(_, id, as string) error { return f.call("CountRefund %s %s", id, as) }
func (f *full) UnderReview(string) ([]string, error) {
	return []string{"r1", "t9"}, f.fail["UnderReview"]
}
func (f *full) CancelRefund(_, id string) error       { return f.call("CancelRefund %s", id) }
func (f *full) CloseAccount(id string) (bool, error)  { return true, f.call("CloseAccount %s", id) }
func (f *full) PaidOut(account string) (int64, error) { return 700, f.call("PaidOut %s", account) }

// parse reads steps below the head of the parser's tests: 5 % on everything.
func parse(t testing.TB, steps string) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Parse("x.txt", []byte(head+steps))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func play(t testing.TB, s *scenario.Scenario, iss issuer.Issuer) *scenario.Transcript {
	t.Helper()
	transcript, err := scenario.Play(s, iss)
	if err != nil {
		t.Fatal(err)
	}
	return transcript
}

func TestATranscriptHasTheAccountAfterEveryStep(t *testing.T) {
	transcript := play(t, parse(t, `
2026-01-05  settle t1 100.00
2026-01-06  redeem d1 5.00
2026-01-07  refund r1 40.00 of t1
2026-01-08  redeem d2 1.00
`), &flat{})
	for i, want := range []struct {
		answer                                                          scenario.Answer
		balance, redeemable, redeemed, netReward, entitlement, leakAnds int64
	}{
		{scenario.NoAnswer, 500, 500, 0, 500, 500, 0},
		{scenario.Accepted, 0, 0, 500, 500, 500, 0},
		{scenario.NoAnswer, -200, 0, 500, 300, 300, 0},
		{scenario.Denied, -200, 0, 500, 300, 300, 0},
	} {
		line := transcript.Lines[i]
		for q, amount := range map[scenario.Quantity]int64{
			scenario.Balance: want.balance, scenario.Redeemable: want.redeemable, scenario.Redeemed: want.redeemed,
			scenario.NetReward: want.netReward, scenario.Entitlement: want.entitlement, scenario.Leak: want.leakAnds,
		} {
			if got := line.Amount(q); got != amount {
				t.Errorf("%s: %s %d, expected %d", line.Step.Text, q, got, amount)
			}
		}
		if line.Answer != want.answer || line.NoSuchPath {
			t.Errorf("%s: answered %q", line.Step.Text, line.Answer)
		}
	}
	if transcript.Last() != &transcript.Lines[3] {
		t.Error("Last is not the last line")
	}
}

func TestEveryMoveReachesThePort(t *testing.T) {
	iss := &full{}
	play(t, parse(t, `
2026-01-05 10:00  authorize t1 120.00 at m1 GROCERY
2026-01-05 11:00  settle t1 100.00 at m1 mcc 5411 GROCERY dated 2026-01-04 09:30
2026-01-05 12:00  again settle t1
2026-01-06  refund r1 40.00 of t1
2026-01-06  refund r2 10.00 at m2 mcc 5411 GROCERY really t1
2026-01-07  again refund r1
2026-01-07  another refund r1 5.00 of t1
2026-01-07  count refund r1 as r1-2
2026-01-08  announce r3 4.00 of t1
2026-01-08  cancel refund r3
2026-01-08  undo refund r1
2026-01-09  chargeback c1 of t1
2026-01-09  chargeback c2 5.00 of t1
2026-01-09  undo chargeback c1
2026-01-10  cancel t2
2026-01-10  withdraw t1
2026-01-10  redeem d1 -5.00
2026-02-01  close
2026-02-02  wait
2026-02-03  close account
`), iss)
	var got []string
	for _, call := range iss.calls {
		if call != "PaidOut x" {
			got = append(got, call)
		}
	}
	want := []string{
		`Open x`,
		`Authorize t1 12000 "GROCERY"`,
		`Settle x t1 10000 "m1" "5411" "GROCERY" 01-04T09:30`,
		`Settle x t1 10000 "m1" "5411" "GROCERY" 01-04T09:30`,
		`Refund x r1 "t1" 4000 "" "" "" 01-06T00:00`,
		`Refund x r2 "" 1000 "m2" "5411" "GROCERY" 01-06T00:00`,
		`Refund x r1 "t1" 4000 "" "" "" 01-06T00:00`,
		`Refund x r1 "t1" 500 "" "" "" 01-07T00:00`,
		`CountRefund r1 r1-2`,
		`AnnounceRefund r3 t1 400`,
		`CancelRefund r3`,
		`ReverseRefund r1`,
		`Chargeback x c1 t1 0 01-09T00:00`,
		`Chargeback x c2 t1 500 01-09T00:00`,
		`ReverseChargeback c1`,
		`Cancel t2`,
		`Withdraw t1`,
		`Redeem x d1 -500`,
		`CloseStatement x`,
		`CloseAccount x`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("calls:\n%s\nexpected:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// What the issuer cannot be told of happens all the same.
func TestAMissingPathIsNotedAndTheMoneyMoves(t *testing.T) {
	const steps = `
2026-01-05  settle t1 100.00
2026-01-06  withdraw t1
2026-01-06  authorize t2 1.00
2026-01-06  cancel t2
2026-01-06  undo refund r1
2026-01-06  undo chargeback c1
2026-01-06  announce r1 1.00 of t1
2026-01-06  cancel refund r1
2026-01-06  count refund r1 as r2
2026-01-06  close account -> closed
2026-01-06  settle t3 100.00
`
	transcript := play(t, parse(t, steps), &flat{})
	for i, line := range transcript.Lines {
		if want := i > 0 && i < 10; line.NoSuchPath != want || line.Answer != scenario.NoAnswer {
			t.Errorf("%s: no such path %t, answer %q", line.Step.Text, line.NoSuchPath, line.Answer)
		}
	}
	if line := transcript.Lines[1]; line.Entitlement != 0 || line.Leak() != 500 {
		t.Errorf("withdrawn: entitlement %d, leak %d", line.Entitlement, line.Leak())
	}
	// The account that could not be closed is open, and entitles to more.
	if line := transcript.Last(); line.Entitlement != 500 {
		t.Errorf("entitlement %d, expected 500", line.Entitlement)
	}
	mismatches := scenario.Check(transcript, scenario.Recoup)
	if len(mismatches) != 1 || mismatches[0].String() != "x.txt:17: at Recoup: expected closed, got no answer: there is no such path" {
		t.Errorf("mismatches: %v", mismatches)
	}
}

func TestAnUnsupportedCallIsAMissingPath(t *testing.T) {
	iss := &flat{fail: map[string]error{
		"Redeem": fmt.Errorf("over HTTP: %w", issuer.ErrUnsupported), "Chargeback": issuer.ErrUnsupported,
	}}
	transcript := play(t, parse(t, "2026-01-05 settle t1 100.00\n2026-01-05 redeem d1 1.00\n2026-01-05 chargeback c1 of t1"), iss)
	for _, line := range transcript.Lines[1:] {
		if !line.NoSuchPath || line.Answer != scenario.NoAnswer {
			t.Errorf("%s: no such path %t, answer %q", line.Step.Text, line.NoSuchPath, line.Answer)
		}
	}
}

func TestAnErrorEndsThePlay(t *testing.T) {
	down := errors.New("connection refused")
	for call, want := range map[string]string{
		"Open":    "x.txt: opening account x: connection refused",
		"Settle":  "x.txt:7: settle t1 100.00: connection refused",
		"Redeem":  "x.txt:8: redeem d1 1.00: connection refused",
		"Balance": "x.txt:7: settle t1 100.00: reading the balance: connection refused",
		"PaidOut": "x.txt:7: settle t1 100.00: reading what was paid out: connection refused",

		"UnderReview": "x.txt:7: settle t1 100.00: reading the reviews: connection refused",
	} {
		iss := &full{flat{fail: map[string]error{call: down}}}
		_, err := scenario.Play(parse(t, "2026-01-05 settle t1 100.00\n2026-01-05 redeem d1 1.00"), iss)
		if !errors.Is(err, down) || err.Error() != want {
			t.Errorf("%s: %v, expected %s", call, err, want)
		}
	}
}

func TestPayoutsByTheIssuerItselfAreRedeemed(t *testing.T) {
	transcript := play(t, parse(t, "2026-01-05 settle t1 100.00\n2026-01-05 redeem d1 1.00"), &full{})
	if got := transcript.Last().Redeemed; got != 700+100 {
		t.Errorf("redeemed %d, expected 800", got)
	}
}

// A repeated redemption is a second payout only if the balance falls again.
func TestARepeatedRedemptionCountsByTheBalance(t *testing.T) {
	s := parse(t, "2026-01-05 settle t1 100.00\n2026-01-05 redeem d1 2.00\n2026-01-05 again redeem d1")
	if got := play(t, s, &flat{}).Last(); got.Redeemed != 200 || got.NetReward() != 500 {
		t.Errorf("answered: redeemed %d, net reward %d", got.Redeemed, got.NetReward())
	}
	if got := play(t, s, &forgetful{}).Last(); got.Redeemed != 400 || got.NetReward() != 500 {
		t.Errorf("paid twice: redeemed %d, net reward %d", got.Redeemed, got.NetReward())
	}
}

// forgetful pays a redemption whenever it is asked to.
type forgetful struct{ flat }

func (f *forgetful) Redeem(r issuer.Redemption) (bool, error) {
	f.paid[fmt.Sprint(len(f.paid))] = r.Amount
	return true, nil
}

// No money is collected for a negative redemption, whatever the ledger says.
func TestANegativeRedemptionPaysNothing(t *testing.T) {
	got := play(t, parse(t, "2026-01-05 settle t1 100.00\n2026-01-05 redeem d1 -3.00"), &forgetful{}).Last()
	if got.Balance != 800 || got.Redeemed != 0 || got.Leak() != 300 {
		t.Errorf("balance %d, redeemed %d, leak %d", got.Balance, got.Redeemed, got.Leak())
	}
}

func TestCheckComparesWhatIsExpectedOfTheDesign(t *testing.T) {
	transcript := play(t, parse(t, `
2026-01-05  settle t1 100.00
            expect balance 5.00
            expect at B: balance 4.00
2026-01-06  redeem d1 6.00 -> accepted
            expect at B: denied leak 0.01
`), &flat{})
	for design, want := range map[string]string{
		"Recoup": "x.txt:11: at Recoup: expected accepted, got denied",
		"B":      "x.txt:10: at B: expected balance $4.00, got $5.00\nx.txt:12: at B: expected leak $0.01, got $0.00",
		"C":      "",
	} {
		var got []string
		for _, m := range scenario.Check(transcript, design) {
			got = append(got, m.String())
		}
		if strings.Join(got, "\n") != want {
			t.Errorf("%s:\n%s\nexpected:\n%s", design, strings.Join(got, "\n"), want)
		}
	}
}

// What must be under review is looked for by name, at whoever shows such a list.
func TestCheckLooksForReviews(t *testing.T) {
	s := parse(t, `
2026-01-05  settle t1 100.00
            expect review r1 balance 5.00 review t9 review r2
`)
	for _, test := range []struct {
		iss  issuer.Issuer
		want string
	}{
		{&full{}, "x.txt:9: at Recoup: expected r2 under review, got r1, t9"},
		{&flat{}, "x.txt:9: at Recoup: expected r1 under review, got nothing"},
	} {
		mismatches := scenario.Check(play(t, s, test.iss), scenario.Recoup)
		if len(mismatches) == 0 || mismatches[0].String() != test.want {
			t.Errorf("%v, expected %s", mismatches, test.want)
		}
	}
}
