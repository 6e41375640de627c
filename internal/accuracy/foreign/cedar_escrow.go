package foreign

import "time"

var cedarEscrow = Design{
	Name:   "cedar-escrow",
	Source: "After British shopping portals, which pay once the shop has confirmed, in instalments (from memory)",
	Published: "4 % on online purchases, up to GBP 12 a calendar month (London), 2 % on groceries, 1 % on all else. " +
		"Two fifths of a purchase's reward are released to you 30 days after it, the rest 90 days after it. If you return " +
		"something, what is too much is held from that moment and is forfeited with the next month's settlement.",
	How: "What is not released is in no row. A return takes nothing back: it makes a later instalment smaller; where that " +
		"is not enough, the surplus cannot be redeemed, and leaves the books on the first of the next month. Room that " +
		"a return frees under the cap goes to other purchases' instalments to come, or is settled on such a first too.",
	Class:    "robust",
	Currency: "GBP",
	New: cedarNew(func(a *cedarAccount) cedarPlan {
		return &cedarRelease{a: a, stage: map[string]int64{}, granted: map[string]int64{}}
	}),
}

var (
	cedarLondon    = cedarZone("Europe/London")
	cedarEscrowPay = &cedarTariff{of: 100, rest: 1, per: map[string]int64{"ONLINE": 4, "GROCERY": 2}}
)

const (
	cedarEscrowCap = 1200 // online, a month
	cedarFirst     = 30 * 24 * time.Hour
	cedarSecond    = 90 * 24 * time.Hour
)

// cedarRelease knows how far each purchase has been released.
type cedarRelease struct {
	a       *cedarAccount
	stage   map[string]int64 // fifths that were released: 0, 2 or 5
	granted map[string]int64
	unnamed int64 // forfeited for credits without a name
}

// cedarStage is how many fifths of a purchase may be released.
func cedarStage(p *cedarPurchase, at time.Time) int64 {
	switch age := at.Sub(p.at); {
	case age >= cedarSecond:
		return 5
	case age >= cedarFirst:
		return 2
	}
	return 0
}

// next is the next first of a month at four, or the next instalment before it.
func (r *cedarRelease) next(after time.Time) time.Time {
	next := cedarMonthly(after, cedarLondon, 1, 4)
	for _, p := range r.a.purchases {
		for _, age := range []time.Duration{cedarFirst, cedarSecond} {
			if at := p.at.Add(age); at.After(after) && at.Before(next) {
				next = at
			}
		}
	}
	return next
}

// worth is what each purchase may have at its stage, by everything known.
func (r *cedarRelease) worth() []int64 {
	worth, used := make([]int64, len(r.a.purchases)), map[int]int64{}
	for i, p := range r.a.purchases {
		amount := cedarEscrowPay.earns(p.category, r.a.left(p))
		if p.category == "ONLINE" {
			month := cedarMonth(p.at, cedarLondon)
			amount = min(amount, cedarEscrowCap-used[month])
			used[month] += amount
		}
		worth[i] = amount * r.stage[p.id] / 5
	}
	return worth
}

// heard releases a purchase that is so late that an instalment is due. That a return
// must be held needs no row.
func (r *cedarRelease) heard(at time.Time, _ *cedarReturn) { r.release(at) }

func (r *cedarRelease) run(at time.Time) {
	r.release(at)
	if at.Equal(cedarMonthly(at.Add(-time.Second), cedarLondon, 1, 4)) {
		r.settle(at)
	}
}

// release posts what comes due of purchases that reach a stage.
func (r *cedarRelease) release(at time.Time) {
	var due []int
	for i, p := range r.a.purchases {
		if stage := cedarStage(p, at); stage != r.stage[p.id] {
			r.stage[p.id] = stage
			due = append(due, i)
		}
	}
	if due == nil {
		return
	}
	worth := r.worth()
	for _, i := range due {
		p := r.a.purchases[i]
		if amount := worth[i] - r.granted[p.id]; amount > 0 {
			r.granted[p.id] += amount
			r.a.write(Posting{At: at, Kind: Earned, Amount: amount, Transaction: p.id, Note: "instalment"})
		}
	}
}

// settle brings all that was released to its worth: the end of each hold.
func (r *cedarRelease) settle(at time.Time) {
	var total int64
	for i, amount := range r.worth() {
		p := r.a.purchases[i]
		post := Posting{At: at, Kind: Adjusted, Amount: amount - r.granted[p.id], Transaction: p.id, Note: "forfeited"}
		if post.Amount > 0 {
			post.Kind, post.Note = Earned, "late release"
		}
		r.a.write(post)
		r.granted[p.id] = amount
		total += amount
	}
	unnamed := min(total, cedarEscrowPay.worst(r.a, r.a.loose()))
	r.a.write(Posting{At: at, Kind: Adjusted, Amount: r.unnamed - unnamed, Note: "credits that name no purchase"})
	r.unnamed = unnamed
}

// sure leaves out all that is held: what a purchase has above its worth, and what
// credits without a name can have cost.
func (r *cedarRelease) sure() int64 {
	var sum int64
	for i, amount := range r.worth() {
		sum += min(amount, r.granted[r.a.purchases[i].id])
	}
	return sum - min(sum, cedarEscrowPay.worst(r.a, r.a.loose()))
}
