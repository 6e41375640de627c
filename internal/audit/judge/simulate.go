package judge

import "recoup/reward"

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
		t.turn(j.rows[i].At)
		t.row(&j.rows[i], i)
		s.count(t)
		s.HeldMost = max(s.HeldMost, t.account.Balances().Held)
	}
	end := j.end()
	t.closeOnTime(end)
	t.close(end)
	s.count(t)
	b := t.account.Balances()
	s.Held, s.NetReward, s.Refused, s.RefusedAmount = b.Held, b.NetReward, t.refused, t.unpaid
	waits := t.program.Timing.Grant == reward.GrantAtStatement || t.program.Timing.Clawback == reward.ClawbackAtStatement
	if next := t.program.CycleStart(t.program.CycleAt(end) + 1); (t.closes || waits) && next <= reward.LatestInstant {
		t.close(next)
		s.NextClose = t.account.Balances().NetReward - b.NetReward
	}
	if other {
		t.end(end)
		j.entitled = t.account.Summary()
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
