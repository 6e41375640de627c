package reward_test

import (
	"cmp"
	"testing"

	"pgregory.net/rapid"

	"recoup/reward"
)

// judged is an account of the engine beside what the judge knows of it.
type judged struct {
	*judgeAccount
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
	j.unsettled = j.unsettled || e.Type == reward.RefundPending || r.Outcome == reward.Parked
	if r.Outcome == reward.Applied {
		j.told(e, j.account().Now())
	}
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
	lines := map[string]reward.TransactionState{}
	for _, l := range s.Transactions {
		lines[l.ID] = l
		if p := j.byID[l.ID]; p != nil {
			p.reversed = l.Reversed
		}
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
	if !j.unsettled && j.program.Timing.Grant == reward.GrantAtSettlement && s.Expiring == nil { // of what expires less may be held
		if s.Tiers != nil && !levelled {
			return // what is paid may be of another basket
		}
		if want := j.held(&s, lines, due, now); s.Held != want {
			t.Errorf("%d is held, the judge says %d", s.Held, want)
		}
	}
}

// compareRewards: each layer of each purchase, each bonus, and all together.
func (j *judged) compareRewards(t rapid.TB, s *reward.State, lines map[string]reward.TransactionState, due *judgeWorth) {
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
			got[place{id, 0}] = l.Retained
			continue
		}
		for i, x := range l.Rewards {
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
// above what mature purchases alone earn.
func (j *judged) held(s *reward.State, lines map[string]reward.TransactionState, due *judgeWorth, now reward.Instant) (sum int64) {
	ripe := j.worth(func(p *judgePurchase) bool { return j.young(p, now) })
	retained := func(e *judgeEntry) int64 {
		l := lines[e.of.id]
		if len(e.of.layers) == 1 {
			return l.Retained
		}
		return l.Rewards[e.layer].Retained
	}
	for name, b := range due.baskets {
		var paid, value int64
		for _, e := range b.entries {
			paid += retained(e)
		}
		if r := ripe.baskets[name]; r != nil {
			value = r.sum
		}
		sum += max(0, paid-value)
	}
	for _, b := range s.Bonuses {
		sum += max(0, b.Reward-ripe.bonuses[[2]string{b.Bonus, b.Period}].worth)
	}
	return sum
}

// TestTheJudgeAgreesWithEngineAndModel plays random traces of random terms to three who do not know
// one another: the engine, the model, and a judge who computes everything from the net purchases.
func TestTheJudgeAgreesWithEngineAndModel(t *testing.T) {
	for name, draw := range map[string]func(*rapid.T) *reward.Program{"without tiers": drawPromisedTerms, "with tiers": drawTieredTerms} {
		t.Run(name, func(t *testing.T) { threeAgree(t, draw) })
	}
}

func threeAgree(t *testing.T, draw func(*rapid.T) *reward.Program) {
	rapid.Check(t, func(t *rapid.T) {
		program := draw(t)
		model, subject := newNaive(program), newReal(program)
		accounts := map[string]*judged{}
		var told story
		at := func(id string) *judged {
			if accounts[id] == nil {
				accounts[id] = &judged{judgeAccount: newJudge(program), subject: subject, id: id}
			}
			return accounts[id]
		}
		fail := func(account string) {
			t.Helper()
			if t.Failed() {
				t.Fatalf("under %s\nafter\n%s", describe(program), told.of(account))
			}
		}
		for _, e := range drawTrace(t, program, 40) {
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
				j := cmp.Or(accounts[e.Account], &judged{judgeAccount: newJudge(c.Program), subject: subject, id: e.Account})
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
