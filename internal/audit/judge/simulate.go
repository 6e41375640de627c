package judge

import (
	"slices"
	"strconv"

	"recoup/internal/intake/history"
	"recoup/reward"
)

// simulate plays the history under the program as it is written, to the end of the exports
// and then to the next close. Where its timing is another than at once, refunds that name no
// purchase may be placed elsewhere, so that its entitlement counts.
func (j *Judge) simulate() {
	t, s := j.recoup, &j.account.Simulation
	other := j.program.Timing != atOnce
	if len(j.rows) == 0 || !j.options.Simulate && !other {
		return
	}
	t.begin(j.account.ID)
	for i := range j.rows {
		r := &j.rows[i]
		t.turn(r.At)
		if r.Kind == history.Adjustment || r.Kind == history.Redemption {
			s.move(t, r, strconv.Itoa(i)) // they have no id in exports
		} else {
			t.row(r)
		}
		s.count(t)
		s.HeldMost = max(s.HeldMost, t.account.Balances().Held)
	}
	end := j.end()
	t.turn(end)
	t.close(end)
	s.count(t)
	b := t.account.Balances()
	s.Held, s.NetReward = b.Held, b.NetReward
	waits := t.program.Timing.Grant == reward.GrantAtStatement || t.program.Timing.Clawback == reward.ClawbackAtStatement
	if next := t.now.end; (t.closes || waits) && next <= reward.LatestInstant {
		t.close(next)
		s.NextClose = t.account.Balances().NetReward - b.NetReward
	}
	if other {
		t.closeUntil(reward.LatestInstant)
		f, s := &j.account.Figures, t.account.Summary()
		f.NetSpend, f.Entitlement = s.NetSpend, s.Entitlement+j.rests.adds
	}
}

// move plays an adjustment, a redemption, or one that is put back. What the core refused needs
// not be put back.
func (s *Simulation) move(t *player, r *history.Row, number string) {
	e := t.say(r)
	e.Fact, e.Currency = number, t.program.RewardUnit()
	switch {
	case r.Kind == history.Adjustment:
		e.Type = reward.AdjustmentPosted
		t.apply()
	case r.Amount > 0:
		e.Type = reward.RedemptionRequested
		if t.apply(); t.result.Outcome == reward.Applied {
			t.paid = append(t.paid, *e)
			return
		}
		s.Refused++
		s.RefusedAmount += r.Amount
	default:
		for k := len(t.paid) - 1; k >= 0; k-- {
			if t.paid[k].Amount == -r.Amount {
				e.Type, e.Fact = reward.RedemptionReversed, t.paid[k].Fact
				t.apply()
				t.paid = slices.Delete(t.paid, k, k+1)
				return
			}
		}
	}
}

// count adds up what was posted since the last time.
func (s *Simulation) count(t *player) {
	for i := range t.journal {
		switch p := &t.journal[i]; {
		case !isReward(p.Kind):
		case p.Amount > 0:
			s.Granted += p.Amount
		default:
			s.TakenBack -= p.Amount
		}
	}
	t.journal = t.journal[:0]
}
