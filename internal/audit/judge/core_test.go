package judge_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"recoup/internal/audit/judge"
	"recoup/internal/flaw"
	"recoup/internal/intake/history"
	"recoup/internal/traffic"
	"recoup/reward"
)

// journal plays traffic through the core and returns each account's facts with the
// core's postings as reward rows, which name their purchase if asked to; so do all
// refunds, for those that do not are left out.
func journal(p *reward.Program, o traffic.Options, named, linked bool) (list []*history.History, end reward.Instant) {
	accounts := map[string]*reward.Account{}
	histories := map[string]*history.History{}
	amounts := map[string]int64{}
	var order []string
	post := func(h *history.History, postings []reward.Posting) {
		for _, q := range postings {
			r := history.Row{Kind: history.Reward, Account: h.Account, Amount: q.Amount, At: q.At}
			switch q.Kind {
			case reward.RedemptionPaid, reward.RedemptionReturned:
				r.Kind, r.Amount = history.Redemption, -q.Amount
			case reward.Adjustment:
				r.Kind = history.Adjustment
			default:
				if named {
					r.Transaction = q.Transaction
				}
			}
			h.Rows = append(h.Rows, r)
		}
	}
	for e := range traffic.Generate(o) {
		if linked && e.Type == reward.RefundPosted && e.Transaction == "" {
			continue
		}
		a, h := accounts[e.Account], histories[e.Account]
		if a == nil {
			a, h = reward.NewAccount(e.Account, p), &history.History{Account: e.Account}
			accounts[e.Account], histories[e.Account] = a, h
			order = append(order, e.Account)
		}
		if e.Time > end {
			closeMonths(accounts, order, end, e.Time, func(id string, postings []reward.Posting) { post(histories[id], postings) })
			end = e.Time
		}
		result, postings := a.Apply(&e, nil)
		r := history.Row{Account: e.Account, ID: e.Fact, Transaction: e.Transaction, Amount: e.Amount, At: end, Merchant: e.Merchant, MCC: e.MCC, Category: e.Category}
		switch e.Type {
		case reward.TransactionSettled:
			r.Kind, r.ID, r.Transaction = history.Purchase, e.Transaction, ""
			amounts[e.Transaction] = e.Amount
		case reward.RefundPosted:
			r.Kind = history.Refund
			amounts["refund "+e.Fact] = e.Amount
		case reward.ChargebackPosted:
			r.Kind = history.Chargeback
			if r.Amount == 0 {
				r.Amount = amounts[e.Transaction]
			}
			amounts["chargeback "+e.Fact] = r.Amount
		case reward.RefundReversed:
			r.Kind, r.Amount = history.RefundReversed, amounts["refund "+e.Fact]
		case reward.ChargebackReversed:
			r.Kind, r.Amount = history.ChargebackReversed, amounts["chargeback "+e.Fact]
		case reward.TransactionReversed:
			r.Kind, r.ID, r.Amount = history.Refund, "withdrawal-"+e.Transaction, amounts[e.Transaction]
		}
		if r.Kind != 0 && r.Amount != 0 && result.Outcome != reward.Rejected {
			h.Rows = append(h.Rows, r)
		}
		post(h, postings)
	}
	for i, id := range order {
		_, postings := accounts[id].Apply(&reward.Event{ID: "end" + strconv.Itoa(i), Account: id, Time: end, Type: reward.CycleClosed}, nil)
		post(histories[id], postings)
		history.Sort(histories[id].Rows)
		list = append(list, histories[id])
	}
	return list, end
}

// closeMonths closes the months that end between two moments, on time.
func closeMonths(accounts map[string]*reward.Account, order []string, from, to reward.Instant, post func(string, []reward.Posting)) {
	if from == 0 {
		return
	}
	for c := reward.CycleAt(from); c.End() <= to; c++ {
		for _, id := range order {
			_, postings := accounts[id].Apply(&reward.Event{ID: "close " + c.String(), Account: id, Time: c.End(), Type: reward.CycleClosed}, nil)
			post(id, postings)
		}
	}
}

var timings = []reward.Timing{
	{Grant: reward.GrantAtSettlement, Clawback: reward.ClawbackAtRefund},
	{Grant: reward.GrantAtSettlement, Clawback: reward.ClawbackAtStatement},
	{Grant: reward.GrantAtStatement, Clawback: reward.ClawbackAtStatement},
	{Grant: reward.GrantAtStatement, Clawback: reward.ClawbackAtRefund},
}

// Of what Recoup itself does with refunds that name their purchase, no flaw shows
// and nothing leaks, if rewards name theirs or come and go at once. What remains is exposure
// that instant rewards bring about (G13).
func TestRecoupShowsNothing(t *testing.T) {
	for seed := range uint64(200) {
		dice := rand.New(rand.NewPCG(seed, 1))
		p := *everyday()
		p.Timing = timings[dice.IntN(len(timings))]
		p.Method = reward.ClawbackMethod(dice.IntN(2))
		o := traffic.Options{
			Accounts: 1 + dice.IntN(6), Events: 1 + dice.IntN(500), Seed: seed, Program: &p, Days: 30 + dice.IntN(370), ReturnShare: 1 + dice.IntN(400),
		}
		named := p.Timing != timings[0] || dice.IntN(2) == 0
		list, end := journal(&p, o, named, true)
		j := judge.New(&p, judge.Options{ReturnDays: 30, End: end})
		for _, h := range list {
			a, err := j.Account(h)
			if err != nil {
				t.Fatal(err)
			}
			if f := a.Figures; p.Timing.Clawback == reward.ClawbackAtRefund && f.Leakage != 0 {
				t.Errorf("seed %d, account %s: leakage %d", seed, h.Account, f.Leakage)
			}
			for _, s := range a.Signs {
				if s.Shown && s.Flaw != flaw.G13 {
					t.Errorf("seed %d, account %s: %s shows: %+v\n%s", seed, h.Account, s.Flaw, s.Example, write(h))
				}
			}
			checkIdentities(t, h, a)
		}
	}
}

// Where neither rewards nor refunds name their purchase, rows can be read in several
// ways. Of all opportunities no more than one in twenty is misread.
func TestRecoupWithUnlinkedRefunds(t *testing.T) {
	accounts, events := 20, 4_000
	if os.Getenv("RECOUP_LONG") != "" {
		accounts, events = 40, 12_000
	}
	for _, timing := range timings {
		for _, method := range []reward.ClawbackMethod{reward.Proportional, reward.Rerate} {
			for _, named := range []bool{false, true} {
				p := *everyday()
				p.Timing, p.Method = timing, method
				s := &tally{shown: map[flaw.Code]int{}, could: map[flaw.Code]int{}, examples: map[flaw.Code]*judge.Example{}}
				o := traffic.Options{Accounts: accounts, Events: events, Seed: 3, Program: &p, Days: 300, ReturnShare: 200, OverRefunds: 50}
				list, end := journal(&p, o, named, false)
				j := judge.New(&p, judge.Options{ReturnDays: 30, End: end})
				for _, h := range list {
					a, err := j.Account(h)
					if err != nil {
						t.Fatal(err)
					}
					s.add(a)
				}
				for code, n := range s.shown {
					if code != flaw.G13 && n > 1+s.could[code]/20 {
						t.Errorf("timing %v, method %v, named %t: %s shows %d times of %d: %+v", timing, method, named, code, n, s.could[code], s.examples[code])
					}
				}
			}
		}
	}
}

// Whatever the rows, the figures agree with each other.
func TestIdentities(t *testing.T) {
	p := everyday()
	rapid.Check(t, func(t *rapid.T) {
		h := &history.History{Account: "acct-1"}
		from, end := at("2026-01-01 00:00"), at("2026-07-01 00:00")
		id := func(prefix, label string) string { return prefix + strconv.Itoa(rapid.IntRange(1, 6).Draw(t, label)) }
		for range rapid.IntRange(0, 40).Draw(t, "rows") {
			r := history.Row{
				Kind: history.Kind(rapid.IntRange(int(history.Purchase), int(history.Redemption)).Draw(t, "kind")), Account: h.Account,
				At:     from + reward.Instant(rapid.Int64Range(0, int64(end-from)).Draw(t, "at")),
				Amount: rapid.Int64Range(1, 100_00).Draw(t, "amount"),
			}
			switch r.Kind {
			case history.Purchase:
				r.ID, r.Merchant, r.Amount = id("t", "purchase"), id("m", "merchant"), r.Amount*20
				r.Category = rapid.SampledFrom([]string{"", "GROCERY"}).Draw(t, "category")
			case history.Refund, history.Chargeback:
				r.ID, r.Amount = id("r", "refund"), r.Amount*20
				if rapid.Bool().Draw(t, "linked") || r.Kind == history.Chargeback {
					r.Transaction = id("t", "of")
				} else {
					r.Merchant = id("m", "at")
				}
			case history.RefundReversed, history.ChargebackReversed:
				r.ID = id("r", "undone")
			default:
				if rapid.Bool().Draw(t, "below zero") {
					r.Amount = -r.Amount
				}
				if r.Kind == history.Reward && rapid.Bool().Draw(t, "named") {
					r.Transaction = id("t", "for")
				}
			}
			h.Rows = append(h.Rows, r)
		}
		history.Sort(h.Rows)
		a, err := judge.New(p, judge.Options{ReturnDays: 30, End: end}).Account(h)
		if err != nil {
			t.Fatal(err)
		}
		checkIdentities(t, h, a)
	})
}

func checkIdentities(t rapid.TB, h *history.History, a *judge.Account) {
	f := a.Figures
	expect := func(what string, got, want int64) {
		if got != want {
			t.Errorf("account %s: %s is %d, want %d", h.Account, what, got, want)
		}
	}
	expect("balance", f.Balance, f.Granted-f.TakenBack+f.Adjustments-f.Redeemed)
	expect("net reward", f.NetReward, f.Granted-f.TakenBack)
	expect("net reward by balance", f.NetReward, f.Balance+f.Redeemed-f.Adjustments)
	expect("debt", f.Debt, max(0, -f.Balance))
	expect("simulated net reward", a.Simulation.NetReward, a.Simulation.Granted-a.Simulation.TakenBack)
	expect("cases", int64(len(a.Refunds)), f.Refunds)
	if f.NotDue < 0 || f.NotDue > f.Entitlement {
		t.Errorf("account %s: %d of an entitlement of %d is not due", h.Account, f.NotDue, f.Entitlement)
	}
	var m judge.Month
	for i, n := range a.Months {
		m.Spend += n.Spend
		m.Refunded += n.Refunded
		m.Granted += n.Granted
		m.TakenBack += n.TakenBack
		m.Redeemed += n.Redeemed
		m.Leakage += n.Leakage
		if i > 0 && n.Cycle <= a.Months[i-1].Cycle {
			t.Errorf("account %s: month %s comes after %s", h.Account, n.Cycle, a.Months[i-1].Cycle)
		}
	}
	expect("spend by month", m.Spend, f.Spend)
	expect("refunded by month", m.Refunded, f.Refunded)
	expect("granted by month", m.Granted, f.Granted)
	expect("taken back by month", m.TakenBack, f.TakenBack)
	expect("redeemed by month", m.Redeemed, f.Redeemed)
	// What debts were lifted by, by hand, counts as if it had never been taken back, as far as
	// hands gave anything.
	lifted, byHand := m.Leakage-(f.NetReward-f.Entitlement), int64(0)
	for _, r := range h.Rows {
		if r.Kind == history.Adjustment {
			byHand += max(0, r.Amount)
		}
	}
	if lifted < f.Forgiven || lifted > byHand {
		t.Errorf("account %s: leakage by month is %d of %d, where hands gave %d and %d is forgiven", h.Account, m.Leakage, f.NetReward-f.Entitlement, byHand, f.Forgiven)
	}
	expect("leakage", f.Leakage, max(0, f.NetReward+lifted-f.Entitlement-f.Beyond))
	expect("short-payment", f.ShortPaid, max(0, f.Entitlement-f.NotDue-f.NetReward-lifted))
	var unrecovered int64
	for i, c := range a.Refunds {
		unrecovered += c.Unrecovered
		if c.Unrecovered < 0 || c.Expected < 0 || c.Taken < 0 {
			t.Errorf("account %s: case %+v is below zero", h.Account, c)
		}
		if i > 0 && c.RefundedAt < a.Refunds[i-1].RefundedAt {
			t.Errorf("account %s: case %d is out of order", h.Account, i)
		}
	}
	for _, s := range a.Signs {
		if s.Amount < 0 || !s.Shown && (s.Amount != 0 || s.Example != nil) {
			t.Errorf("account %s: sign %+v", h.Account, s)
		}
	}
	for _, w := range a.Waits {
		if w.Amount <= 0 || w.Days < 0 {
			t.Errorf("account %s: wait %+v", h.Account, w)
		}
	}
	if f.RedeemedOpen < 0 || f.FloatDays < 0 {
		t.Errorf("account %s: redeemed open %d, float %d", h.Account, f.RedeemedOpen, f.FloatDays)
	}
}

// Amounts at the edge of what events may have do not overflow, and more is refused.
func TestLargeAmounts(t *testing.T) {
	h := &history.History{Account: "acct-1"}
	add := func(day reward.Instant, r history.Row) {
		r.Account, r.At = h.Account, at("2026-01-01 00:00")+day*reward.Day
		h.Rows = append(h.Rows, r)
	}
	add(0, history.Row{Kind: history.Purchase, ID: "t1", Amount: reward.MaxAmount, Merchant: "m1"})
	add(0, history.Row{Kind: history.Reward, Amount: reward.MaxAmount})
	add(1, history.Row{Kind: history.Refund, ID: "r1", Transaction: "t1", Amount: reward.MaxAmount})
	add(40000, history.Row{Kind: history.Reward, Transaction: "t1", Amount: -reward.MaxAmount})
	j := judge.New(everyday(), judge.Options{ReturnDays: 30, End: h.Rows[3].At})
	if _, err := j.Account(h); err != nil {
		t.Fatal(err)
	}
	for range reward.MaxVolume / reward.MaxAmount {
		add(40000, history.Row{Kind: history.Reward, Amount: reward.MaxAmount})
	}
	if _, err := j.Account(h); err == nil {
		t.Error("no error about amounts that add up to more than MaxVolume")
	}
}
