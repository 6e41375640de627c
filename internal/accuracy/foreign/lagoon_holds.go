package foreign

import "time"

// lagoonHolds is a double-entry ledger: what is owed to members on one account, returns that
// are known and not yet settled on another.
var lagoonHolds = Design{
	Name:   "lagoon-holds",
	Source: "from memory, after Canadian cash-back cards with a higher rate beyond a yearly spend; the ledger is the author's guess",
	Published: "1% on net purchases, and 1.5% on what is beyond C$10,000 in a calendar year (Toronto). Cash back can be used as soon as a " +
		"purchase posts. Returns are settled with your statement, on the 21st; your cash back may be below zero then, " +
		"and what you earn next makes up for it.",
	How: "A purchase is booked from promotion expense to the member's account at once. A return is booked to a suspense account, which " +
		"is swept into the member's account at the close of the statement, one entry for all of it, below zero if need " +
		"be. Redemptions look at the member's account alone, and not at what is in suspense.",
	Class: "V3(b)",
	Leak: "Until the statement closes, rewards of purchases known to be returned can still be taken out. Buy for C$2,000 on the 22nd (C$20), return it on " +
		"the 25th, take the C$20 out on the 26th: granted. On the 21st the balance is −C$20; who stops using the card has " +
		"C$20 for nothing bought.",
	Currency: "CAD",
	New: func() Engine {
		return lagoonNewDesk(&lagoonHoldsPlan{zone: lagoonZone("America/Toronto"), swept: map[*lagoonAccount]lagoonSweep{}})
	},
}

const (
	lagoonHoldsDay  = 21
	lagoonHoldsStep = 1000000
)

// The accounts of the ledger. What is on one is on the others, with the other sign.
const (
	lagoonMember   = "liability:member"
	lagoonSuspense = "liability:returns in suspense"
	lagoonExpense  = "expense:promotion"
)

// lagoonSweep is what the last statement has seen.
type lagoonSweep struct {
	returns int // so many of them, in order of delivery
	at      time.Time
}

type lagoonHoldsPlan struct {
	lagoonIdle
	zone  *time.Location
	swept map[*lagoonAccount]lagoonSweep
}

// worth is what purchases are worth less those returns that a sweep knows of. A nameless
// return goes to a year that has reached the higher rate, if there is one.
func (h *lagoonHoldsPlan) worth(a *lagoonAccount, s lagoonSweep) (sum int64) {
	spend := map[int]int64{}
	for _, p := range a.purchases {
		spend[p.at.In(h.zone).Year()] += p.amount
	}
	kept := a.kept(s.at, lagoonMatch{
		rank: func(p *lagoonPurchase) int64 {
			return min(spend[p.at.In(h.zone).Year()], lagoonHoldsStep+1) / (lagoonHoldsStep + 1)
		},
		use: func(r *lagoonReturn) bool { return r.index < s.returns },
	})
	clear(spend)
	for i, p := range a.purchases {
		year := p.at.In(h.zone).Year()
		before := h.scale(spend[year])
		spend[year] += kept[i]
		sum += (h.scale(spend[year]) - before) / 1000
	}
	return sum
}

// scale is what a year's spend earns, in thousandths of a cent.
func (*lagoonHoldsPlan) scale(spend int64) int64 {
	return spend*10 + max(0, spend-lagoonHoldsStep)*5
}

// transfer brings the balance of one account of the ledger to value, against expense.
func (*lagoonHoldsPlan) transfer(a *lagoonAccount, account string, value int64) {
	a.posted[lagoonExpense] -= value - a.posted[account]
	a.posted[account] = value
}

func (h *lagoonHoldsPlan) settled(a *lagoonAccount, p *lagoonPurchase, now time.Time) {
	value := h.worth(a, h.swept[a])
	entry := Posting{At: now, Kind: Earned, Amount: value - a.posted[lagoonMember], Transaction: p.id}
	if entry.Amount < 0 {
		entry.Kind = Reversed // a swept return turns out to be of this purchase
	}
	h.transfer(a, lagoonMember, value)
	a.book(entry)
	h.suspend(a, now)
}

func (h *lagoonHoldsPlan) returned(a *lagoonAccount, _ *lagoonReturn, now time.Time) {
	h.suspend(a, now)
}

// suspend puts into suspense what all returns known by now will take.
func (h *lagoonHoldsPlan) suspend(a *lagoonAccount, now time.Time) {
	h.transfer(a, lagoonSuspense, h.worth(a, lagoonSweep{len(a.returns), now})-a.posted[lagoonMember])
}

func (h *lagoonHoldsPlan) next(after time.Time) time.Time {
	return lagoonMonthly(after, h.zone, lagoonHoldsDay)
}

// due closes a statement: suspense is swept into the member's account.
func (h *lagoonHoldsPlan) due(a *lagoonAccount, at time.Time) {
	h.suspend(a, at)
	h.swept[a] = lagoonSweep{len(a.returns), at}
	entry := Posting{At: at, Kind: Reversed, Amount: a.posted[lagoonSuspense], Note: "Returns settled with this statement"}
	if entry.Amount > 0 {
		entry.Kind, entry.Note = Adjusted, "Returns assigned otherwise"
	}
	h.transfer(a, lagoonMember, a.posted[lagoonMember]+entry.Amount)
	h.transfer(a, lagoonSuspense, 0)
	a.book(entry)
}

func (h *lagoonHoldsPlan) redeemable(a *lagoonAccount, _ time.Time) int64 {
	return max(0, a.posted[lagoonMember]-a.redeemed)
}
