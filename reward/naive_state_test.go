package reward_test

import (
	"sort"

	"recoup/reward"
)

// naiveState is what a replay prints of one account. Amounts are in minor units.
type naiveState struct {
	Account      string           `json:"account"`
	Status       string           `json:"status"`
	Balance      int64            `json:"balance"`
	Held         int64            `json:"held"`
	Reserved     int64            `json:"reserved"`
	Available    int64            `json:"available"`
	Redeemed     int64            `json:"redeemed"`
	Adjustments  int64            `json:"adjustments"`
	NetSpend     int64            `json:"net_spend"`
	NetReward    int64            `json:"net_reward"`
	Entitlement  int64            `json:"entitlement"`
	HoldUntil    *string          `json:"hold_until"`
	Reservations string           `json:"-"` // in words, what ends first first
	Transactions []naiveLine      `json:"transactions"`
	Bonuses      []naiveBonusLine `json:"bonuses,omitempty"`
	Tiers        []naiveTierLine  `json:"tiers,omitempty"`
	Expired      int64            `json:"expired"`
	Expiring     []naiveExpiring  `json:"expiring,omitempty"`
}

// naiveLine is what a replay prints of one transaction.
type naiveLine struct {
	ID       string `json:"id"`
	Status   string `json:"status"`
	Amount   int64  `json:"amount"`
	Reversed int64  `json:"reversed"`
	Original int64  `json:"reward_original"`
	Retained int64  `json:"reward_retained"`

	Rewards []naiveLayerLine `json:"rewards,omitempty"`
	Items   []naiveItemLine  `json:"items,omitempty"`
}

// naiveLayerLine is what a replay prints of a purchase's reward in one of several layers.
type naiveLayerLine struct {
	Layer    string  `json:"layer"`
	Rule     *string `json:"rule"`
	Original int64   `json:"original"`
	Retained int64   `json:"retained"`
}

// naiveBonusLine is what a replay prints of a bonus.
type naiveBonusLine struct {
	Bonus     string `json:"bonus"`
	Period    string `json:"period"`
	Spend     int64  `json:"spend"`
	Purchases int64  `json:"purchases"`
	Reward    int64  `json:"reward"`
}

func (t *naiveTransaction) original() (sum int64) {
	for _, s := range t.shares {
		sum += s.original
	}
	return sum
}

func (t *naiveTransaction) retained() (sum int64) {
	for _, s := range t.shares {
		sum += s.retained
	}
	return sum
}

// layerLines are the purchase's rewards by layer, nil if there is only one.
func (b *naiveBook) layerLines(t *naiveTransaction, a *naiveAllocation) []naiveLayerLine {
	if len(t.terms.Layers) < 2 {
		return nil
	}
	var lines []naiveLayerLine
	for i, l := range t.terms.Layers {
		line := naiveLayerLine{Layer: l.ID}
		for _, s := range t.shares {
			if s.layer == i {
				line.Original, line.Retained = s.original, s.retained
				if rule := b.applies(s, naiveView{a.left, granted}); rule != nil {
					line.Rule = &rule.ID
				}
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// state is what a replay prints: accounts and transactions sorted by id.
func (n *naive) state() []naiveState {
	states := []naiveState{}
	for _, b := range n.books {
		states = append(states, b.state())
	}
	sort.Slice(states, func(i, j int) bool { return states[i].Account < states[j].Account })
	return states
}

func (b *naiveBook) state() naiveState {
	a := b.allocate()
	s := naiveState{
		Account: b.account, Status: "open",
		Balance: b.balance(), Held: b.held(), Reserved: b.reserved(), Reservations: b.promised(), Redeemed: b.redeemed(), Adjustments: b.adjusted(),
		NetSpend: b.netSpend(a), Entitlement: b.entitlement(a),
		Transactions: []naiveLine{},
	}
	s.Bonuses = b.bonusLines(a)
	s.Tiers = b.tierLines(a)
	if b.closed {
		s.Status = "closed"
	}
	s.Available = s.Balance - s.Held - s.Reserved
	s.Expired, s.Expiring = b.expired(b.lots()), b.expiring()
	s.NetReward = s.Balance + s.Redeemed + s.Expired - s.Adjustments
	if b.holdUntil != noHold {
		until := b.holdUntil.String()
		s.HoldUntil = &until
	}
	for _, t := range b.transactions {
		if t.onlyHeardOf() {
			continue
		}
		s.Transactions = append(s.Transactions, b.line(t, a))
	}
	sort.Slice(s.Transactions, func(i, j int) bool { return s.Transactions[i].ID < s.Transactions[j].ID })
	return s
}

func (b *naiveBook) line(t *naiveTransaction, a *naiveAllocation) naiveLine {
	line := naiveLine{ID: t.id, Status: b.status(t, a), Original: t.original(), Retained: t.retained()}
	switch {
	case t.settlement != nil:
		line.Rewards = b.layerLines(t, a)
		line.Amount, line.Reversed = t.settlement.Amount, a.reversed[t]
		b.itemLines(t, &line, a)
	case t.authorisation != nil:
		line.Amount = t.authorisation.Amount
	}
	return line
}

func (b *naiveBook) status(t *naiveTransaction, a *naiveAllocation) string {
	switch {
	case t.settlement == nil && t.canceled:
		return "REFUNDED"
	case t.settlement == nil:
		return "PENDING"
	case b.isChargedBack(t.id):
		return "CHARGEBACK"
	case t.terms.Timing.Grant == reward.GrantAtStatement && t.cycle >= b.openCycle:
		return "PENDING"
	case a.takenBack(t) == 0:
		return "SETTLED"
	case a.takenBack(t) == t.settlement.Amount:
		return "REFUNDED"
	}
	return "PART_REF"
}

// netSpend is what was bought and kept, as far as the facts tell.
func (b *naiveBook) netSpend(a *naiveAllocation) int64 {
	var sum int64
	for _, t := range b.posted {
		sum += a.left(t)
	}
	for _, u := range b.facts().unlinked {
		sum -= a.rest(u.refund)
	}
	return sum
}

// entitlement is the right-hand side of Reward Integrity, rounded down.
func (b *naiveBook) entitlement(a *naiveAllocation) int64 {
	return naiveFloor(a.worthOf(b.pots(), everyPurchase))
}
