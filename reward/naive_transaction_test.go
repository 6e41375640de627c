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
		case s.Amount != e.Amount || s.Merchant != e.Merchant || s.MCC != e.MCC || s.Category != e.Category:
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
	}
	t.settlement = e
	t.postedAt = b.now
	t.cycle = reward.CycleAt(e.Time)
	t.terms = b.latest.In(t.cycle)
	t.merchant = told.Merchant
	t.kind = naiveKind(&told, t.terms)
	t.rule = naiveRuleFor(&told, t.terms)
	t.earns = t.rule != nil && !b.closed
	b.posted = append(b.posted, t)
	if t.terms.Timing.Grant == reward.GrantAtSettlement {
		b.grant(t, e.Amount)
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

// naiveRuleFor is the first rule that holds for what the event says of its shop.
func naiveRuleFor(e *reward.Event, terms *reward.Program) *reward.Rule {
	category := naiveCategory(e, terms)
	for i := range terms.Rules {
		m := &terms.Rules[i].Match
		holds := m.Merchants == nil || m.Merchants[e.Merchant]
		if m.Categories != nil {
			found := false
			for _, c := range m.Categories {
				found = found || c == category
			}
			holds = holds && found
		}
		if m.MCCs != nil {
			found := false
			for _, r := range m.MCCs {
				found = found || r.First <= e.MCC && e.MCC <= r.Last
			}
			holds = holds && found
		}
		if holds {
			return &terms.Rules[i]
		}
	}
	return nil
}
