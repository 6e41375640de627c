package overview_test

import (
	"cmp"
	"maps"
	"slices"
	"testing"
	"time"

	"recoup/internal/console/risk"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// risks returns what risk says of a currency.
func (h *house) risks(at time.Time, currency string) risk.Currency {
	h.Helper()
	f := h.figures(at)
	if f.Risk == nil || !f.Risk.AsOf.Equal(at) {
		h.Fatalf("risk is as of %+v, want %v", f.Risk, at)
	}
	return f.Risk.Of(currency)
}

// naiveExposure is what would be owed besides if everything of the last days came back:
// by day and by rule, cent by cent, those of the latest purchase being the ones that are
// still there.
func (n *naive) naiveExposure(at reward.Instant, days int) (byDay map[reward.Instant]int64, total, exposing int64) {
	byDay = make(map[reward.Instant]int64)
	for id := range n.Accounts() {
		type earned struct{ settled, amount int64 }
		var list []earned
		for _, t := range n.Account(id).State().Transactions {
			if d, _ := n.Account(id).Detail(t.ID); d.Retained > 0 && int64(d.Settled) >= int64(at)-int64(days)*int64(reward.Day) {
				list = append(list, earned{int64(d.Settled), d.Retained})
			}
		}
		slices.SortFunc(list, func(x, y earned) int { return cmp.Compare(x.settled, y.settled) })
		var all int64
		for _, x := range list {
			all += x.amount
		}
		gone := all - max(0, min(all, n.Account(id).State().Balance))
		if total += gone; gone > 0 {
			exposing++
		}
		for _, x := range list {
			part := min(gone, x.amount)
			gone -= part
			byDay[reward.Instant(x.settled-x.settled%int64(reward.Day))] += part
		}
	}
	maps.DeleteFunc(byDay, func(_ reward.Instant, amount int64) bool { return amount == 0 })
	return byDay, total, exposing
}

// naiveMonth follows all journals to the end of a month.
func (n *naive) naiveMonth(m reward.Cycle) (want risk.Month) {
	want.Month = m
	within := func(at reward.Instant) bool { return at >= m.Start() && at < m.End() }
	for id, journal := range n.journals {
		balance := int64(0)
		for _, p := range journal {
			if p.At < m.End() {
				balance += p.Amount
			}
		}
		want.Owed, want.Debt = want.Owed+max(0, balance), want.Debt+max(0, -balance)
		for _, c := range n.cents(id) {
			if within(c.since) {
				want.Arisen++
			}
			switch {
			case c.paidBy == "" || !within(c.paid):
			case c.paidBy == "by hand":
				want.Forgiven++
			default:
				want.Repaid++
			}
		}
	}
	return want
}

// naiveRecovery counts the cents that are old enough, and those that were repaid in time.
func (n *naive) naiveRecovery(at reward.Instant, days int) (arisen, repaid int64) {
	within := reward.Instant(days) * reward.Day
	for id := range n.journals {
		for _, c := range n.cents(id) {
			if at-c.since < within {
				continue
			}
			arisen++
			if c.paidBy != "" && c.paidBy != "by hand" && c.paid-c.since <= within {
				repaid++
			}
		}
	}
	return arisen, repaid
}

// naiveDips looks at every refund, payout and purchase, from the purchases: whether or not a
// refund names the one that it lies on.
func (n *naive) naiveDips(events []reward.Event, days int) (byAccount map[string]int, dips int64) {
	byAccount = make(map[string]int)
	for id := range n.Accounts() {
		a := n.Account(id)
		told := make(map[string]bool)
		for _, t := range a.State().Transactions {
			d, _ := a.Detail(t.ID)
			for _, r := range d.Reversals {
				if r.Kind != reward.RefundPart || told[r.ID] || r.Status != reward.ReversalPosted {
					continue
				}
				quick := false
				for _, p := range n.journals[id] {
					back := slices.ContainsFunc(n.journals[id], func(q reward.Posting) bool { return q.Kind == reward.RedemptionReturned && q.Fact == p.Fact })
					sinceBought, untilSent := p.At-d.Settled, r.At-p.At
					quick = quick || p.Kind == reward.RedemptionPaid && !back && sinceBought >= 0 && untilSent >= 0 && untilSent <= reward.Instant(days)*reward.Day
				}
				if told[r.ID] = quick; quick {
					byAccount[id]++
					dips++
				}
			}
		}
	}
	return byAccount, dips
}

// TestRiskIsWhatTheEventsAddUpTo holds every figure against one from the whole of the
// accounts, worked out another way.
func TestRiskIsWhatTheEventsAddUpTo(t *testing.T) {
	onEveryDatabase(t, func(t *testing.T, h *house) {
		events := streamOf(t, everyday, "", 3, h.traffic)
		h.deliver(events...)
		at := events[len(events)-1].Time
		for i := range events {
			at = max(at, events[i].Time)
		}
		at += reward.Day
		c := h.risks(at.Time(), "USD")
		n := playNaively(t, everyday, events)

		byDay, total, exposing := n.naiveExposure(at, 90)
		days := make(map[reward.Instant]int64)
		for _, d := range c.Days {
			if d.Amount > 0 {
				days[d.Day] = d.Amount
			}
		}
		if c.Exposed != total || c.Exposing != exposing || !maps.Equal(days, byDay) || total == 0 || len(c.Days) != 91 {
			t.Errorf("exposed are %d of %d accounts on %v, want %d of %d on %v", c.Exposed, c.Exposing, days, total, exposing, byDay)
		}
		if len(c.Rules) != 1 || c.Rules[0].Rule != "base" || c.Rules[0].Amount != total {
			t.Errorf("by rule that is %+v", c.Rules)
		}
		for _, m := range c.Months {
			want := n.naiveMonth(m.Month)
			if want.Dips, want.Taken, want.Lost = m.Dips, m.Taken, m.Lost; m != want { // dips are counted below
				t.Errorf("%v has %+v, want %+v", m.Month, m, want)
			}
		}
		var everRepaid int64
		for _, r := range c.Recovery {
			arisen, repaid := n.naiveRecovery(at, r.Days)
			if r.Arisen != arisen || r.Repaid != repaid {
				t.Errorf("within %d days %d of %d were repaid, want %d of %d", r.Days, r.Repaid, r.Arisen, repaid, arisen)
			}
			everRepaid += repaid
		}
		var given int64
		for id := range n.journals {
			for _, x := range n.cents(id) {
				if x.paidBy == "by hand" {
					given++
				}
			}
		}
		if c.Forgiven != given || c.Stranded != 0 || everRepaid == 0 {
			t.Errorf("forgiven are %d, want %d; stranded are %d; repaid were %d", c.Forgiven, given, c.Stranded, everRepaid)
		}
		byAccount, dips := n.naiveDips(events, 7)
		repeaters := 0
		for id, times := range byAccount {
			i := slices.IndexFunc(c.Dippers, func(d risk.Dipper) bool { return d.Account == id })
			if times > 1 {
				repeaters++
				if i < 0 || c.Dippers[i].Times != times {
					t.Errorf("%s dipped %d times, and is told otherwise", id, times)
				}
			} else if i >= 0 {
				t.Errorf("%s dipped once, and is listed", id)
			}
		}
		if c.Dips != dips || int(c.Repeaters) != repeaters || dips == 0 {
			t.Errorf("%d dips and %d repeaters, want %d and %d", c.Dips, c.Repeaters, dips, repeaters)
		}
	})
}

// What somebody earns, is paid out and sends back, again and again.
func TestRepeatDippers(t *testing.T) {
	h := onPebble(t)
	h.owe("once", day(2026, 1, 10), 100)
	dip := func(n string, on time.Time, paid, sent int) {
		h.buys("again", "t"+n, on, 1_000)
		h.redeems("again", "d"+n, on.AddDate(0, 0, paid), 50)
		h.returns("again", "t"+n, "r"+n, on.AddDate(0, 0, paid+sent), 600)
	}
	h.buys("again", "before", day(2026, 1, 1), 9_000)
	dip("1", day(2026, 1, 2), 1, 3)
	dip("2", day(2026, 2, 2), 2, 7)
	dip("3", day(2026, 3, 2), 2, 8)                            // too late
	h.returns("again", "before", "r0", day(2026, 3, 5), 1_000) // quick after the payout of the 4th
	h.buys("again", "after", day(2026, 3, 6), 1_000)
	h.returns("again", "after", "r4", day(2026, 3, 7), 1_000) // bought after the last payout
	h.buys("slow", "t1", day(2026, 1, 1), 1_000)
	h.redeems("slow", "d1", day(2026, 1, 2), 100)
	h.returns("slow", "t1", "r1", day(2026, 1, 9).Add(time.Nanosecond), 1_000)
	c := h.risks(day(2026, 4, 1), "USD")
	if c.Dips != 4 || c.Taken != 60+60+100+100 || c.Repeaters != 1 || len(c.Dippers) != 1 {
		t.Fatalf("there are %d dips with %d, by %+v", c.Dips, c.Taken, c.Dippers)
	}
	d := c.Dippers[0]
	if d.Account != "again" || d.Times != 3 || d.Paid != 150 || d.Taken != 220 || d.Latest != reward.At(day(2026, 3, 5)) || d.Bought != 2 || d.Returned != 3 || d.Owes != 0 {
		t.Errorf("it is told as %+v", d)
	}
	if len(c.Latest) != 4 || c.Latest[0].Account != "again" || c.Latest[0].Refund != "r0" || c.Latest[0].Quick() != reward.Day || c.Latest[3].Account != "again" || c.Latest[2].Account != "once" {
		t.Errorf("the latest are %+v", c.Latest)
	}
	// A refund that was undone is none, and neither is one after a payout that failed.
	h.does("again", day(2026, 4, 2), reward.RefundReversed, reward.Applied, reward.Event{Fact: "r1"})
	h.does("again", day(2026, 4, 2), reward.RedemptionReversed, reward.Applied, reward.Event{Fact: "d2"})
	if c = h.risks(day(2026, 4, 3), "USD"); c.Dips != 2 || c.Repeaters != 0 {
		t.Errorf("there are %d dips by %+v", c.Dips, c.Dippers)
	}
}

// A refund that names no purchase is of the one that the ledger has it on.
func TestUnnamedRefundsAreDips(t *testing.T) {
	onEveryDatabase(t, func(t *testing.T, h *house) {
		for _, n := range []string{"1", "2"} {
			on := day(2026, 1, 2)
			if n == "2" {
				on = day(2026, 2, 2)
			}
			h.buys("again", "t"+n, on, 1_000)
			h.redeems("again", "d"+n, on.AddDate(0, 0, 1), 50)
			h.returns("again", "", "r"+n, on.AddDate(0, 0, 3), 1_000)
		}
		h.buys("later", "t1", day(2026, 1, 2), 1_000)
		h.redeems("later", "d1", day(2026, 1, 3), 100)
		h.returns("later", "", "r1", day(2026, 1, 11), 1_000)
		c := h.risks(day(2026, 4, 1), "USD")
		if c.Dips != 2 || c.Repeaters != 1 || len(c.Dippers) != 1 || c.Dippers[0].Account != "again" || c.Dippers[0].Times != 2 {
			t.Fatalf("there are %d dips, by %+v", c.Dips, c.Dippers)
		}
		if d := c.Dippers[0].Dips; d[0].Transaction != "t2" || d[0].Refund != "r2" || d[1].Transaction != "t1" || d[0].Taken != 100 || d[1].Taken != 100 {
			t.Errorf("they are %+v", d)
		}
		// A person says that the second is of nothing here.
		h.does("again", day(2026, 4, 2), reward.RefundReversed, reward.Applied, reward.Event{Fact: "r2"})
		if c = h.risks(day(2026, 4, 3), "USD"); c.Dips != 1 || c.Repeaters != 0 {
			t.Errorf("there are %d dips by %+v", c.Dips, c.Dippers)
		}
	})
}

func TestRecoveryProvisionAndLoss(t *testing.T) {
	onEveryDatabase(t, func(t *testing.T, h *house) {
		h.owe("repays", day(2026, 1, 10), 100)
		h.buys("repays", "t2", day(2026, 1, 20), 600) // 60 after 10 days
		h.buys("repays", "t3", day(2026, 3, 1), 400)  // 40 after 50 days
		h.owe("forgiven", day(2026, 1, 10), 100)
		h.adjusts("forgiven", day(2026, 2, 1), 80)
		h.adjusts("forgiven", day(2026, 2, 2), -30)
		h.buys("closed", "t1", day(2026, 1, 8), 1_000)
		h.redeems("closed", "d1", day(2026, 1, 8), 100)
		h.does("closed", day(2026, 1, 9), reward.AccountClosed, reward.Applied, reward.Event{})
		h.returns("closed", "t1", "r1", day(2026, 1, 10), 1_000)
		h.owe("late", day(2026, 4, 1), 100)
		c := h.risks(day(2026, 4, 20), "USD")
		for i, want := range []risk.Recovered{
			{Days: 7, Debts: 4, Arisen: 400}, {Days: 14, Debts: 4, Arisen: 400, Repaid: 60, Share: 150}, {Days: 30, Debts: 3, Arisen: 300, Repaid: 60, Share: 150},
			{Days: 60, Debts: 3, Arisen: 300, Repaid: 100, Share: 291}, {Days: 90, Debts: 3, Arisen: 300, Repaid: 100, Share: 291}, {Days: 180, Share: 291}, {Days: 365, Share: 291},
		} {
			if got := c.Recovery[i]; got.Days != want.Days || got.Debts != want.Debts || got.Arisen != want.Arisen || got.Repaid != want.Repaid || got.Share != want.Share {
				t.Errorf("the curve has %+v, want %+v", got, want)
			}
		}
		if c.Forgiven != 50 || c.Stranded != 100 || c.Lost() != 150 {
			t.Errorf("forgiven are %d and stranded %d", c.Forgiven, c.Stranded)
		}
		// By the 14th day 60 of 400 were repaid, so 85 % is owed; nothing until the 30th; by the
		// 60th 40 of the 240 that were owed of debts as old, so 70.83 % is. Of a new debt 70.9 %
		// is lost; of what is owed after 30 days 83.4 %, of what is after 60 all.
		ages := []risk.DebtAge{{From: 0, To: 30, Accounts: 1, Debt: 100, Permille: 709, Provision: 71}, {From: 31, To: 60, Permille: 834}, {From: 61, To: 90, Permille: 1000}, {From: 91, To: 180, Accounts: 1, Debt: 50, Permille: 1000, Provision: 50}, {From: 181, Permille: 1000}}
		if !slices.Equal(c.Ages, ages) || c.Closed != (risk.DebtAge{Accounts: 1, Debt: 100, Permille: 1000, Provision: 100}) || c.Provision() != 221 || c.Debt() != 250 {
			t.Errorf("the ages are\n%+v, want\n%+v; closed %+v", c.Ages, ages, c.Closed)
		}
		month := func(of time.Month) risk.Month { return c.Months[len(c.Months)-1-int(time.April-of)] }
		if m := month(time.January); m.Debt != 240 || m.Arisen != 300 || m.Repaid != 60 || m.Lost != 100 || m.Dips != 3 || m.Taken != 300 {
			t.Errorf("January is %+v", m)
		}
		if m := month(time.February); m.Debt != 190 || m.Lost != 150 || m.Forgiven != 50 || m.Repaid != 0 {
			t.Errorf("February is %+v", m)
		}
		if m := month(time.April); m.Debt != 250 || m.Lost != 150 || m.Arisen != 100 {
			t.Errorf("April is %+v", m)
		}
	})
}

// One account whose log cannot be read leaves the figures of the others.
func TestAnUnreadableLogLeavesTheOthers(t *testing.T) {
	h := onPebble(t)
	h.owe("a", day(2026, 1, 10), 100)
	h.owe("b", day(2026, 1, 10), 20)
	h.driver.damage = func(e *durable.EventRow) {
		if e.Account == "a" && e.Postings != nil {
			e.Postings = []byte("x")
		}
	}
	if f := h.figures(day(2026, 2, 1)); f.Risk.Unread != 1 || f.Risk.Accounts != 1 || f.Risk.Currencies[0].Debt() != 20 {
		t.Errorf("risk is %+v", f.Risk)
	}
}
