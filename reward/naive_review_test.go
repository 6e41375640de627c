package reward_test

import (
	"cmp"
	"slices"

	"recoup/reward"
)

// naiveMatter is a refund, chargeback or purchase that somebody may look into.
type naiveMatter struct {
	part reward.PartKind
	fact string
}

// naiveReview is one open question about a matter.
type naiveReview struct {
	naiveMatter
	why    reward.ReviewKind
	amount int64
}

// naiveRefusals are the deliveries about a matter that were not taken.
type naiveRefusals struct{ list []*naiveRefusal }

type naiveRefusal struct {
	delivery reward.Event
	why      reward.ReviewKind
	decided  bool // somebody dismissed it or had it count
}

// refuse keeps what was not taken, so that somebody can have it count after all.
func (n *naiveRefusals) refuse(e *reward.Event, with reward.Result) reward.Result {
	why := reward.Contested
	if with == naiveGone {
		why = reward.ReversedBefore
	}
	n.list = append(n.list, &naiveRefusal{delivery: *e, why: why})
	return with
}

// latestPosting is the latest refused posting that nobody has decided about, or
// else the latest of all; nil if there was none.
func (n *naiveRefusals) latestPosting() *naiveRefusal {
	var latest *naiveRefusal
	for _, f := range n.list {
		if f.delivery.Type == reward.RefundPosted && (latest == nil || latest.decided || !f.decided) {
			latest = f
		}
	}
	return latest
}

// isDismissed says whether somebody dismissed the matter, as it still stands: what
// is refused later has them look at all of it again.
func (b *naiveBook) isDismissed(m naiveMatter, refused *naiveRefusals) bool {
	then, ever := b.dismissed[m]
	return ever && then == len(refused.list)
}

// isOpen says whether there is something to look into.
func (b *naiveBook) isOpen(m naiveMatter) bool {
	return slices.ContainsFunc(b.reviews(), func(r naiveReview) bool { return r.naiveMatter == m })
}

// reviews lists what is open, by part, id and reason.
func (b *naiveBook) reviews() []naiveReview {
	var list []naiveReview
	a := b.allocate()
	for _, r := range b.refunds {
		list = append(list, b.about(naiveMatter{reward.RefundPart, r.id}, &r.naiveRefusals, b.doubtsOf(r, a))...)
	}
	for _, c := range b.chargebacks {
		var doubts []naiveReview
		switch {
		case c.posting == nil:
			doubts = append(doubts, naiveReview{why: reward.WaitsForFact})
		case c.active() && !b.isPosted(c.posting.Transaction):
			doubts = append(doubts, naiveReview{why: reward.WaitsForTransaction, amount: c.posting.Amount})
		}
		list = append(list, b.about(naiveMatter{reward.ChargebackPart, c.id}, &c.naiveRefusals, doubts)...)
	}
	for _, p := range b.promises {
		if p.awaits() && !p.dismissed {
			list = append(list, naiveReview{naiveMatter: naiveMatter{reward.RedemptionPart, p.id}, why: reward.WaitsForAuthorization, amount: p.capture.Amount})
		}
	}
	for _, x := range b.attributes {
		if x.early && !x.came && !x.dismissed {
			list = append(list, naiveReview{naiveMatter: naiveMatter{reward.AttributePart, x.id}, why: reward.WaitsForAttribute})
		}
	}
	for _, t := range b.transactions {
		var doubts []naiveReview
		if t.settlement != nil && b.linkedTo(t) > t.settlement.Amount {
			doubts = append(doubts, naiveReview{why: reward.OverRefunded, amount: b.linkedTo(t) - t.settlement.Amount})
		}
		if p := t.parked; p != nil {
			doubts = append(doubts, naiveReview{why: reward.WaitsForTransaction, amount: naiveTotal(p.Items)})
		}
		if b.isWithdrawn(t.id) && !b.isPosted(t.id) {
			doubts = append(doubts, naiveReview{why: reward.WaitsForTransaction})
		}
		list = append(list, b.about(naiveMatter{reward.TransactionPart, t.id}, &t.naiveRefusals, doubts)...)
	}
	for _, id := range b.withdrawn {
		if b.transaction(id) == nil {
			waits := []naiveReview{{why: reward.WaitsForTransaction}}
			list = append(list, b.about(naiveMatter{reward.TransactionPart, id}, &naiveRefusals{}, waits)...)
		}
	}
	slices.SortFunc(list, func(x, y naiveReview) int {
		return cmp.Or(cmp.Compare(x.part, y.part), cmp.Compare(x.fact, y.fact), cmp.Compare(x.why, y.why))
	})
	return list
}

// about puts together what is open on a matter: doubts that the facts raise, as
// long as nobody dismissed them, and each delivery that was refused.
func (b *naiveBook) about(m naiveMatter, refused *naiveRefusals, doubts []naiveReview) []naiveReview {
	var list []naiveReview
	if !b.isDismissed(m, refused) {
		list = doubts
	}
	for _, f := range refused.list {
		if !f.decided {
			list = append(list, naiveReview{why: f.why, amount: f.delivery.Amount})
		}
	}
	for i := range list {
		list[i].naiveMatter = m
	}
	return list
}

// doubtsOf are what the facts leave open about a refund.
func (b *naiveBook) doubtsOf(r *naiveRefund, a *naiveAllocation) []naiveReview {
	switch {
	case r.known() == knownAnnulled || r.known() == knownCanceled && r.announcement == nil:
		return []naiveReview{{why: reward.WaitsForFact}}
	case r.active() && b.isParked(r):
		return []naiveReview{{why: reward.WaitsForTransaction, amount: r.posting.Amount}}
	case !b.isUnlinked(r):
		return nil
	}
	var list []naiveReview
	rest := a.rest(r)
	if rest > 0 {
		list = append(list, naiveReview{why: reward.FoundNoSpend, amount: rest})
	}
	if placed := r.posting.Amount - rest; placed > 0 {
		why := reward.MatchedWithoutLink
		switch {
		case r.doubted:
			why = reward.DoubtedLink
		case b.isCertain(r, a):
			why = reward.CertainWithoutLink
		}
		list = append(list, naiveReview{why: why, amount: placed})
	}
	return list
}

// isCertain says whether the refund is of what facts leave of the one purchase that it
// may be of by its merchant and kind, and lies on it.
func (b *naiveBook) isCertain(r *naiveRefund, a *naiveAllocation) bool {
	u := b.asUnlinked(r)
	claim := naiveClaim{refund: r, time: u.time, earliest: u.time, merchant: u.merchant, kind: u.kind}
	var only *naiveTransaction
	for _, t := range b.posted {
		if b.atHomeOn(t) >= t.settlement.Amount || !claim.suits(t, 1) || !claim.inWindow(t, b.terms().Refunds) {
			continue
		}
		if only != nil {
			return false
		}
		only = t
	}
	var there int64
	for _, p := range a.placed[r] {
		if p.on == only {
			there += p.amount
		}
	}
	return only != nil && only.settlement.Amount-b.atHomeOn(only) == r.posting.Amount && there == r.posting.Amount
}
