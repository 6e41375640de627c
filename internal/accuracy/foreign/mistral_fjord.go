package foreign

import "time"

// mistralFjord takes back more than it must at once and says sorry with the statement.
var mistralFjord = Design{
	Name:   "mistral-fjord",
	Source: "from memory: the style of Nordic bank cards with grocery cashback; no bank's rules in particular",
	Published: "4 % on groceries, 2 % on fuel, 0.5 % on everything else, at once and without a limit. " +
		"For any return we first take back 4 % of it, whatever it was; with your statement on the 12th you get back what was too much. " +
		"A return without a receipt counts as one of what earned most among what you have bought.",
	How: "A purchase has a row when it clears. A return of any kind has a row of 4 % of what it returns, rounded up, which names the return alone. " +
		"At the statement one nameless row brings the ledger up to the rewards of what is left of each purchase, less the most that returns without a known purchase can have cost.",
	Class:    "robust",
	Currency: "NOK",
	New: func() Engine {
		return mistralNew(func(a *mistralAccount) mistralBook { return &mistralFjordBook{a: a} })
	},
}

var mistralOslo = mistralZone("Europe/Oslo")

// mistralFjordTop is the highest rate in basis points: no return can cost more.
const mistralFjordTop = 400

func mistralFjordRate(category string) int64 {
	switch category {
	case "GROCERY":
		return mistralFjordTop
	case "FUEL":
		return 200
	}
	return 50
}

// mistralFjordBook never has posted more than is due; what it has posted less is settled at
// the statement.
type mistralFjordBook struct {
	a   *mistralAccount
	due int64 // what was due after the last fact
}

// worth is what the account is due by the facts known: what is left of each purchase earns,
// and loose returns are laid on what earns most. Each of them may cost a unit more than its
// share, as the purchases it is of were rounded one by one; none costs more than the top rate.
func (b *mistralFjordBook) worth() int64 {
	var sum, loose, n int64
	left := map[int64]int64{}
	for _, p := range b.a.purchases {
		rate := mistralFjordRate(p.category)
		sum += mistralShare(p.left(), rate)
		left[rate] += p.left()
	}
	for _, r := range b.a.loose() {
		loose += r.amount
		n++
	}
	var cost int64
	for _, rate := range []int64{mistralFjordTop, 200, 50} {
		x := min(loose, left[rate])
		cost += x * rate
		loose -= x
	}
	return sum - min(mistralCeil(cost, 10000)+n, b.a.looseWorth(mistralFjordTop))
}

// settled grants what the purchase earns. If loose returns can now be laid on it, less is
// due; if one of them was its own, more is, which waits for the statement.
func (b *mistralFjordBook) settled(p *mistralPurchase, now time.Time) {
	due := b.worth()
	grant := max(0, min(due-b.due, mistralShare(p.left(), mistralFjordRate(p.category))))
	b.a.post(Posting{At: now, Kind: Earned, Amount: grant, Transaction: p.id, Note: "Cashback"})
	b.keep(due, now)
}

func (b *mistralFjordBook) returned(r *mistralReturn, now time.Time) {
	x := r.amount
	if r.purchase != nil {
		x = r.took
	}
	b.a.post(Posting{At: now, Kind: Reversed, Amount: -mistralCeil(x*mistralFjordTop, 10000), Refund: r.id, Note: "Return, provisionally at 4 %"})
	b.keep(b.worth(), now)
}

// keep remembers what is due and sees to it that no more is posted.
func (b *mistralFjordBook) keep(due int64, now time.Time) {
	b.due = due
	b.a.post(Posting{At: now, Kind: Adjusted, Amount: min(0, due-b.a.posted), Note: "Return without receipt"})
}

func (b *mistralFjordBook) next(after time.Time) time.Time {
	t := after.In(mistralOslo)
	at := mistralDate(t.Year(), t.Month(), 12, 0, mistralOslo)
	if !at.After(after) {
		at = mistralDate(t.Year(), t.Month()+1, 12, 0, mistralOslo)
	}
	return at
}

func (b *mistralFjordBook) job(at time.Time) {
	b.a.post(Posting{At: at, Kind: Adjusted, Amount: b.due - b.a.posted, Note: "Statement: too much taken for returns"})
}

func (b *mistralFjordBook) sure(time.Time) int64 { return b.a.posted - b.a.redeemed }
