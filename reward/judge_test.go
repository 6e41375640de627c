package reward_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"recoup/reward"
)

// judged is an account of the engine beside what the judge knows of it.
type judged struct {
	*judgeAccount
	*judgeUses
	subject *real
	id      string
	// unsettled is whether a refund was announced or waits for its purchase: what is held then
	// goes by an allocation that the account does not show.
	unsettled bool
}

// hear plays an event and takes in what was applied.
func (j *judged) hear(t rapid.TB, e reward.Event) reward.Result {
	r := j.subject.apply(t, e)
	j.heard(&e, r)
	return r
}

func (j *judged) heard(e *reward.Event, r reward.Result) {
	if r.Outcome == reward.Parked {
		switch e.Type {
		case reward.TransactionItemized:
			j.itemised[e.Transaction] = e.Items
		case reward.RedemptionCaptured:
			j.awaited[e.Fact] = *e
		case reward.RedemptionReversed:
			delete(j.awaited, e.Fact)
		case reward.RefundPosted, reward.RefundCounted, reward.ChargebackPosted, reward.TransactionReversed, reward.RefundReversed, reward.RefundCanceled:
			j.unsettled = true
		}
	}
	j.unsettled = j.unsettled || e.Type == reward.RefundPending
	if r.Outcome == reward.Applied {
		j.told(e, j.account().Now())
		j.used(e, j.cycle(j.account().Now()))
	}
}

// judgeOf is an account of which nothing is known yet.
func judgeOf(p *reward.Program, subject *real, id string) *judged {
	return &judged{judgeAccount: newJudge(p), judgeUses: newJudgeUses(), subject: subject, id: id}
}

// judgeLine is what an account says of a purchase or an item.
type judgeLine struct {
	reversed, retained int64
	layers             []reward.LayerState // where there are several
}

func judgeLines(s *reward.State) map[string]judgeLine {
	lines := map[string]judgeLine{}
	for _, l := range s.Transactions {
		if l.Items == nil {
			lines[l.ID] = judgeLine{l.Reversed, l.Retained, l.Rewards}
		}
		for _, x := range l.Items {
			lines[l.ID+"/"+x.Item] = judgeLine{x.Reversed, x.Retained, x.Rewards}
		}
	}
	return lines
}

// paid is what an entry of a basket has been paid.
func (l judgeLine) paid(e *judgeEntry) int64 {
	if len(e.of.layers) == 1 || l.layers == nil {
		return l.retained
	}
	return l.layers[e.layer].Retained
}

func (j *judged) account() *reward.Account { return j.subject.store.Account(j.id) }

// granted reports whether a purchase's grant is due: its statement, if that grants, is over.
func (j *judged) granted(p *judgePurchase, now reward.Instant) bool {
	return j.program.Timing.Grant == reward.GrantAtSettlement || j.period(reward.PerCycle, p.posted) < j.period(reward.PerCycle, now)
}

// young reports whether a purchase's reward has not matured.
func (j *judged) young(p *judgePurchase, now reward.Instant) bool {
	days := j.program.In(j.program.CycleAt(p.settled)).MaturityDays
	return now < p.posted+reward.Instant(days)*reward.Day
}

func (j *judged) worth(skip func(*judgePurchase) bool) *judgeWorth {
	return judge(j.zone(), j.program.StatementDay, j.purchases, skip)
}

// compare holds the account to what the text says of it, and reports how much of it could be judged:
// levelled is whether everything known is posted.
func (j *judged) compare(t rapid.TB, levelled bool) {
	t.Helper()
	a := j.account()
	if a == nil || !a.Exists() {
		return
	}
	now, s := a.Now(), a.State()
	lines := judgeLines(&s)
	for id, p := range j.byID {
		p.reversed = lines[id].reversed
	}
	all := j.worth(func(*judgePurchase) bool { return false })
	if want := down(all.exact); s.Entitlement != want {
		t.Errorf("the entitlement is %d, the judge says %d", s.Entitlement, want)
	}
	if levelled && s.NetReward > s.Entitlement {
		t.Errorf("net reward is %d, and %d is promised", s.NetReward, s.Entitlement)
	}
	if j.program.Method != reward.Rerate {
		return
	}
	due := j.worth(func(p *judgePurchase) bool { return !j.granted(p, now) })
	if levelled {
		j.compareRewards(t, &s, lines, due)
	}
	if s.Tiers != nil && !levelled {
		j.turned = true
		return // what is paid may be of another basket
	}
	lots := j.lots(&s, lines, due)
	if lots != nil {
		j.compareExpiry(t, &s, lots, now)
	}
	if !j.unsettled && j.program.Timing.Grant == reward.GrantAtSettlement {
		holds := j.held(&s, lines, due, lots, now)
		if want := j.falls(lots, holds, now); (lots != nil || !j.expires()) && s.Held != want {
			t.Errorf("%d is held, the judge says %d", s.Held, want)
		}
	}
}

// compareRewards: each layer of each purchase, each bonus, and all together.
func (j *judged) compareRewards(t rapid.TB, s *reward.State, lines map[string]judgeLine, due *judgeWorth) {
	t.Helper()
	type place struct {
		id    string
		layer int
	}
	got, want, under := map[place]int64{}, map[place]int64{}, map[place]string{}
	var sum int64
	for id, p := range j.byID {
		l := lines[id]
		if len(p.layers) == 1 {
			got[place{id, 0}] = l.retained
			continue
		}
		for i, x := range l.layers {
			got[place{id, i}] = x.Retained
			under[place{id, i}] = x.Rule
		}
	}
	for _, b := range due.baskets {
		sum += b.sum
		for _, e := range b.entries {
			at := place{e.of.id, e.layer}
			want[at] = e.f
			if rule, told := under[at]; told && rule != e.rule.ID {
				t.Errorf("%s is under %q in layer %d, the judge says %q", at.id, rule, at.layer, e.rule.ID)
			}
		}
	}
	for at, v := range got {
		if want[at] != v {
			t.Errorf("%s has %d in layer %d, the judge says %d", at.id, v, at.layer, want[at])
		}
		delete(want, at)
	}
	for at, v := range want {
		if v != 0 {
			t.Errorf("%s has nothing in layer %d, the judge says %d", at.id, at.layer, v)
		}
	}
	bonuses := map[[2]string]judgeBonus{}
	for _, b := range s.Bonuses {
		bonuses[[2]string{b.Bonus, b.Period}] = judgeBonus{b.Spend, b.Purchases, b.Reward}
	}
	for in, so := range due.bonuses {
		sum += so.worth
		if bonuses[in] != so {
			t.Errorf("the bonus %v is %+v, the judge says %+v", in, bonuses[in], so)
		}
		delete(bonuses, in)
	}
	for in, so := range bonuses {
		t.Errorf("there is a bonus %v of %+v, of which the judge knows nothing", in, so)
	}
	if s.NetReward != sum || s.Balance != sum+s.Adjustments-s.Redeemed-s.Expired {
		t.Errorf("net reward is %d and the balance %d, the judge says %d in all", s.NetReward, s.Balance, sum)
	}
}

// held is section 8, where all that is known is on the account: by basket and bonus what was paid
// above what mature purchases alone earn, by the cycle whose rewards it is of.
func (j *judged) held(s *reward.State, lines map[string]judgeLine, due *judgeWorth, lots *judgeLots, now reward.Instant) map[int]int64 {
	ripe, holds := j.worth(func(p *judgePurchase) bool { return j.young(p, now) }), map[int]int64{}
	hold := func(name string, per reward.Period, day time.Time, amount int64) {
		for _, x := range slices.Backward(j.lifetimes[name]) { // of a lifetime's the latest first
			part := min(amount, x.amount)
			holds[x.cycle] += part
			amount -= part
		}
		holds[j.lastCycle(per, day)] += amount
	}
	for name, b := range due.baskets {
		if r := ripe.baskets[name]; lots != nil && !b.rule.Whole && !strings.Contains(name, " alone ") {
			for c, amount := range j.lost(b, r, lines, lots, now) {
				holds[c] += amount
			}
			continue
		}
		var paid, value int64
		for _, e := range b.entries {
			paid += lines[e.of.id].paid(e)
		}
		if r := ripe.baskets[name]; r != nil {
			value = r.sum
		}
		if strings.Contains(name, " alone ") {
			holds[j.cycle(b.entries[0].of.settled)] += max(0, paid-value)
		} else {
			hold(name, b.rule.Per, b.day, max(0, paid-value))
		}
	}
	for _, b := range s.Bonuses {
		in := [2]string{b.Bonus, b.Period}
		hold(b.Bonus, due.goals[in].Per, due.goals[in].day, max(0, b.Reward-ripe.bonuses[in].worth))
	}
	return holds
}

// TestTheJudgeAgreesWithEngineAndModel plays random traces of random terms to three who do not know
// one another: the engine, the model, and a judge who computes everything from the net purchases.
func TestTheJudgeAgreesWithEngineAndModel(t *testing.T) {
	for _, c := range []struct {
		name  string
		draw  func(*rapid.T) *reward.Program
		trace func(*rapid.T, *reward.Program, int) []reward.Event
	}{
		{"without tiers", drawPromisedTerms, drawTrace},
		{"with tiers", drawTieredTerms, drawTrace},
		{"with items, tiers and expiry", drawExpiringTerms, drawItemTrace},
	} {
		t.Run(c.name, func(t *testing.T) { threeAgree(t, c.draw, c.trace) })
	}
}

func threeAgree(t *testing.T, draw func(*rapid.T) *reward.Program, trace func(*rapid.T, *reward.Program, int) []reward.Event) {
	rapid.Check(t, func(t *rapid.T) {
		program := draw(t)
		model, subject := newNaive(program), newReal(program)
		accounts := map[string]*judged{}
		var told story
		at := func(id string) *judged {
			if accounts[id] == nil {
				accounts[id] = judgeOf(program, subject, id)
			}
			return accounts[id]
		}
		fail := func(account string) {
			t.Helper()
			if t.Failed() {
				t.Fatalf("under %s\nafter\n%s", describe(program), told.of(account))
			}
		}
		for _, e := range trace(t, program, 40) {
			j := at(e.Account)
			r := j.hear(t, e)
			told = append(told, told.line(&e, r))
			if want := model.apply(&e); r != want {
				t.Fatalf("%v, the model says %v\nunder %s\nafter\n%s", r, want, describe(program), told.of(e.Account))
			}
			j.compare(t, program.Timing.Clawback == reward.ClawbackAtRefund)
			fail(e.Account)
		}
		model.advance(tracesEnd)
		subject.advance(t, tracesEnd)
		compareStates(t, subject.state(), model.state())
		for id, j := range accounts {
			j.unsettled = false
			j.compare(t, true)
			fail(id)
		}
	})
}

// TestTheJudgeAgreesWithTheTermsCases plays the cases that were worked by hand.
func TestTheJudgeAgreesWithTheTermsCases(t *testing.T) {
	for _, c := range termsCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			subject := newReal(c.Program)
			accounts := map[string]*judged{}
			for _, e := range c.Events {
				j := cmp.Or(accounts[e.Account], judgeOf(c.Program, subject, e.Account))
				accounts[e.Account] = j
				j.hear(t, e)
				j.compare(t, c.Program.Timing.Clawback == reward.ClawbackAtRefund)
			}
			subject.advance(t, casesEnd)
			for _, j := range accounts {
				j.compare(t, true)
			}
		})
	}
}
