package reward_test

import "recoup/reward"

func (b *naiveBook) transaction(id string) *naiveTransaction {
	for _, t := range b.transactions {
		if t.id == id {
			return t
		}
	}
	return nil
}

func (b *naiveBook) transactionOrNew(id string) *naiveTransaction {
	t := b.transaction(id)
	if t == nil {
		t = &naiveTransaction{id: id}
		b.transactions = append(b.transactions, t)
	}
	return t
}

func (b *naiveBook) isPosted(id string) bool {
	t := b.transaction(id)
	return t != nil && t.settlement != nil
}

func (b *naiveBook) authorise(e *reward.Event) reward.Result {
	t := b.transactionOrNew(e.Transaction)
	if t.canceled || t.settlement != nil {
		return naiveFinal
	}
	t.authorisation = e
	t.authorisations = append(t.authorisations, e)
	return naiveApplied
}

func (b *naiveBook) cancel(e *reward.Event) reward.Result {
	t := b.transactionOrNew(e.Transaction)
	switch {
	case t.settlement != nil:
		return naiveFinal
	case t.canceled:
		return naiveDuplicate
	}
	t.canceled = true
	return naiveApplied
}

func (b *naiveBook) settle(e *reward.Event) (reward.Result, bool) {
	t := b.transactionOrNew(e.Transaction)
	if s := t.settlement; s != nil {
		switch {
		case s.Amount != e.Amount || s.Merchant != e.Merchant || s.MCC != e.MCC || s.Category != e.Category || s.Labels != e.Labels || s.Purchased != e.Purchased || s.Items != e.Items:
			return t.refuse(e, naiveRejected(reward.TransactionConflict)), false
		case b.isWithdrawn(t.id):
			return t.refuse(e, naiveGone), false
		}
		return naiveDuplicate, false
	}
	told := *e
	if a := t.authorisation; a != nil {
		if told.Merchant == "" {
			told.Merchant = a.Merchant
		}
		if told.MCC == 0 {
			told.MCC = a.MCC
		}
		if told.Category == "" {
			told.Category = a.Category
		}
		if told.Labels == "" {
			told.Labels = a.Labels
		}
	}
	t.settlement = e
	t.postedAt = b.now
	t.cycle = naiveCycle(b.latest, e.Time)
	t.terms = b.latest.In(t.cycle)
	t.merchant = told.Merchant
	t.kind = naiveKind(&told, t.terms)
	t.counts = !b.closed
	b.posted = append(b.posted, t)
	for _, r := range b.refunds {
		if r.transaction() == t.id {
			b.doubt(r)
		}
	}
	t.told = told
	if items := b.itemsToPost(t); items != "" {
		b.splitUp(t, items)
	} else {
		t.sortOutAs(b, &told, t.bought(e))
	}
	if t.terms.Timing.Grant == reward.GrantAtSettlement {
		b.grant(t, e.Amount)
		for _, x := range t.items {
			b.grant(x, x.settlement.Amount)
		}
	}
	return naiveApplied, b.isWithdrawn(t.id) || b.isChargedBack(t.id)
}

func (b *naiveBook) isWithdrawn(transaction string) bool {
	for _, id := range b.withdrawn {
		if id == transaction {
			return true
		}
	}
	return false
}

func (b *naiveBook) withdraw(e *reward.Event) (reward.Result, bool) {
	if b.isWithdrawn(e.Transaction) {
		return naiveDuplicate, false
	}
	b.withdrawn = append(b.withdrawn, e.Transaction)
	if !b.isPosted(e.Transaction) {
		return naiveParked(reward.TransactionUnknown), false
	}
	return naiveApplied, true
}

func naiveCategory(e *reward.Event, terms *reward.Program) string {
	if e.Category == "" && e.MCC != 0 && terms.Categories != nil {
		return terms.Categories(e.MCC)
	}
	return e.Category
}

// naiveKind is what an event says of the sort of shop, "" if nothing.
func naiveKind(e *reward.Event, terms *reward.Program) string {
	if category := naiveCategory(e, terms); category != "" {
		return category
	}
	return e.MCC.String()
}

// naiveRuleFor is the first rule of a plain program that holds for what the event says
// of its shop.
func naiveRuleFor(e *reward.Event, terms *reward.Program) *reward.Rule {
	u := &naivePurchase{terms: terms, merchant: e.Merchant, mcc: e.MCC, category: naiveCategory(e, terms)}
	return u.rules()[0]
}

// sortOutAs puts a purchase under the rules that what is told of it calls for.
func (t *naiveTransaction) sortOutAs(b *naiveBook, told *reward.Event, bought reward.Instant) {
	t.sortOut(&naivePurchase{
		book: b, terms: t.terms, merchant: told.Merchant, mcc: told.MCC, category: naiveCategory(told, t.terms),
		labels: naiveLabels(told.Labels), bought: bought,
	})
}

// sortOut decides which rules and bonuses a purchase is under.
func (t *naiveTransaction) sortOut(u *naivePurchase) {
	file := 0
	for i, l := range naiveLayers(u.terms) {
		var share *naiveShare
		for j := range l.Rules {
			r := &l.Rules[j]
			asksTier := r.Match.Purchase != nil && r.Match.Purchase.Tiers != nil
			if u.suits(&r.Match, &r.Except) && (share == nil || share.byTier != nil) {
				if share == nil {
					share = &naiveShare{of: t, layer: i, rule: r, file: file}
					t.shares = append(t.shares, share)
				}
				if asksTier || share.byTier != nil {
					share.byTier = append(share.byTier, r)
				}
				if !asksTier { // it is the last that can apply
					break
				}
			}
			file++
		}
		file = naiveRulesUpTo(u.terms, i)
	}
	for i := range u.terms.Bonuses {
		if b := &u.terms.Bonuses[i]; t.counts && u.suits(&b.Match, &b.Except) {
			t.bonuses = append(t.bonuses, &naiveShare{of: t, bonus: b, file: i})
		}
	}
	for i := range u.terms.Tiers {
		if x := &u.terms.Tiers[i]; t.counts && u.suits(&x.Match, &x.Except) {
			t.tiers = append(t.tiers, &naiveShare{of: t, tier: x, file: i})
		}
	}
}
