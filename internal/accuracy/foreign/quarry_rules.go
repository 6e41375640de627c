package foreign

var quarryRules = Design{
	Name:   "quarry-rules",
	Source: "after Canadian cashback cards with a limit on groceries (BMO CashBack, Tangerine Money-Back), from memory",
	Published: "4% on groceries (GROCERY), at most CAD 20 in a calendar month; 2% on petrol (GAS), at most CAD 5 in a calendar month; 0.5% on everything else. " +
		"Cash back can be used as a statement credit at once. Limits are those of the month of the purchase. " +
		"Returns take back what was earned on them, below zero if it has been used, and what is owed comes off later cash back.",
	How: "A rules engine knows grants. Whatever changes a purchase voids its grant, which frees the month's limit, and fires the rules anew for what is left of it; then " +
		"purchases of that month that the limit had cut are voided and fired anew, too, while there is room. A correction is a run of its own, with an accumulator that " +
		"begins at nothing: its grant is held against the limit, but not against what the month's other purchases have used of it.",
	Class: "other",
	Leak: "In March buy groceries for CAD 500.00 (CAD 20.00, the month's limit) and for CAD 400.00 (nothing). On April 2 the second shop refunds CAD 1.00 for a broken egg: " +
		"its grant of nothing is voided, and the rules fire for the other CAD 399.00 as if they were March's only groceries: CAD 15.96. " +
		"March has paid CAD 35.96 of the CAD 20.00 that it can, and so with each further purchase above the limit of which a trifle returns.",
	Currency: "CAD",
	New: func() Engine {
		return newQuarryDesk("America/Toronto", func(f *quarryFile) quarryBook {
			return &quarryRulesBook{f: f, used: map[quarryRulesLimit]int64{}}
		})
	},
}

// quarryRule is in thousandths; a limit of 0 is none.
type quarryRule struct {
	category    string
	rate, limit int64
}

var quarryRuleBase = []quarryRule{{"GROCERY", 40, 2000}, {"GAS", 20, 500}, {"", 5, 0}}

// quarryRulesLimit is a rule in a month.
type quarryRulesLimit struct{ rule, month int }

// quarryGrant is what a purchase has at present.
type quarryGrant struct {
	limit  quarryRulesLimit
	amount int64
	of     int64 // what was left of the purchase
}

type quarryRulesBook struct {
	quarryPlain
	f      *quarryFile
	links  quarryLinks
	grants []quarryGrant // one for each purchase
	used   map[quarryRulesLimit]int64
}

func (b *quarryRulesBook) redeemable() int64 { return b.f.balance }

func (b *quarryRulesBook) bought(i int) {
	b.grants = append(b.grants, quarryGrant{})
	b.fire(i, b.f.kept(i), b.used[b.limit(i)], "")
	b.change("") // returns without a name that waited for it
}

func (b *quarryRulesBook) returned(k int) {
	refund, _ := b.f.backs[k].row()
	b.change(refund)
}

// worth is what a purchase's grant is of it, so that nameless returns take most.
func (b *quarryRulesBook) worth(i int) int64 {
	g := b.grants[i]
	return g.amount * 100000 / max(1, g.of)
}

// change voids and renews the grants of purchases of which something else is left.
func (b *quarryRulesBook) change(refund string) {
	b.links.link(b.f, b.worth)
	for i, x := range b.links.left(b.f) {
		if b.grants[i].of == x {
			continue
		}
		limit := b.grants[i].limit
		b.void(i, refund)
		b.fire(i, x, 0, refund) // the flaw: a correction begins with nothing used
		b.pass(limit)
	}
}

// pass has what has become free of a limit go to purchases that it had cut.
func (b *quarryRulesBook) pass(limit quarryRulesLimit) {
	r := quarryRuleBase[limit.rule]
	for i, g := range b.grants {
		if r.limit > b.used[limit] && g.limit == limit && g.amount < r.rate*g.of/1000 {
			b.void(i, "")
			b.fire(i, g.of, b.used[limit], "")
		}
	}
}

func (b *quarryRulesBook) void(i int, refund string) {
	g := b.grants[i]
	b.used[g.limit] -= g.amount
	b.f.post(b.f.now, Reversed, -g.amount, b.f.buys[i].id, refund, "grant voided")
}

// fire grants what the purchase's rule says, within what its limit has left.
func (b *quarryRulesBook) fire(i int, left, used int64, refund string) {
	limit := b.limit(i)
	r := quarryRuleBase[limit.rule]
	g := quarryGrant{limit: limit, amount: r.rate * left / 1000, of: left}
	if r.limit > 0 {
		g.amount = max(0, min(g.amount, r.limit-used))
	}
	b.used[limit] += g.amount
	b.grants[i] = g
	b.f.post(b.f.now, Earned, g.amount, b.f.buys[i].id, refund, "grant")
}

// limit is of the first rule that applies, in the month of the purchase.
func (b *quarryRulesBook) limit(i int) quarryRulesLimit {
	buy, n := b.f.buys[i], 0
	for quarryRuleBase[n].category != "" && quarryRuleBase[n].category != buy.category {
		n++
	}
	return quarryRulesLimit{n, buy.month}
}
