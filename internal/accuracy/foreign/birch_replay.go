package foreign

import "time"

var birchReplay = Design{
	Name:   "birch-replay",
	Source: "after department-store point cards of Japan whose registers void and ring up again (from memory)",
	Published: "1 point for every full 100 yen of a purchase, and 4 more for the first eight purchases of a calendar month online. " +
		"Points are there at once. On a return of any part the month is counted again as if that part had not been bought; the place of an online purchase that came back goes to the next.",
	How: "The month's grants are a stack. A return unwinds it down to the purchase that came back: every later purchase of the month, of whatever shop, is reversed row by row, " +
		"the newest first, under its own name and the refund's; then all are granted anew. Refunds without a name are charged at the most they could mean, in a row that is " +
		"released and charged again whenever that changes. Nothing waits.",
	Class:    "robust",
	Currency: "JPY",
	New:      birchNew(birchReplayBooks{}),
}

var birchReplayTerms = birchTerms{zone: birchZone("Asia/Tokyo"), day: 1, layers: [][]birchRule{
	{{num: 1, den: 100, unit: 100}},
	{{categories: []string{"ONLINE"}, num: 4, den: 100, unit: 100, places: 8}},
}}

// birchReplayBooks books everything at once and has nothing that falls due.
type birchReplayBooks struct{}

func (birchReplayBooks) next(t time.Time) time.Time { return t.AddDate(1, 0, 0) }

func (birchReplayBooks) run(*birchAccount, time.Time) {}

// heard unwinds and replays each month that the fact concerns: the one of the purchase that
// came back, and any in which a purchase is worth something else now.
func (b birchReplayBooks) heard(a *birchAccount, now time.Time, f birchFact) {
	target := b.sure(a)
	months := map[time.Time][]*birchPurchase{}
	var order []time.Time
	var refund, back string
	if f.back != nil {
		refund, back = f.back.id, f.back.transaction
	}
	for _, p := range a.purchases {
		month := birchReplayTerms.start("month", p.at)
		hit := p.share != p.booked || p.id == back
		if hit && months[month] == nil {
			order = append(order, month)
		}
		if hit || months[month] != nil {
			months[month] = append(months[month], p)
		}
	}
	for _, month := range order {
		b.replay(a, months[month], now, refund)
	}
	b.charge(a, now, target, refund)
}

// replay takes the stack off and puts it on again.
func (birchReplayBooks) replay(a *birchAccount, stack []*birchPurchase, at time.Time, refund string) {
	for i := len(stack) - 1; i >= 0; i-- {
		p := stack[i]
		a.post(Posting{At: at, Kind: Reversed, Amount: -p.booked, Transaction: p.id, Refund: refund, Note: "void"})
	}
	for _, p := range stack {
		p.booked = p.share
		a.post(Posting{At: at, Kind: Earned, Amount: p.booked, Transaction: p.id, Note: "points"})
	}
}

// charge brings the charge for refunds without a name to what it must be: the books have all
// shares by now, so it is what they have above the target.
func (birchReplayBooks) charge(a *birchAccount, at time.Time, target int64, refund string) {
	if a.sum == target {
		return
	}
	due := a.sum + a.nameless - target
	a.post(Posting{At: at, Kind: Adjusted, Amount: a.nameless, Note: "return without receipt, released"})
	a.post(Posting{At: at, Kind: Reversed, Amount: -due, Refund: refund, Note: "return without receipt"})
	a.nameless = due
}

func (birchReplayBooks) sure(a *birchAccount) int64 {
	loose := a.count(time.Time{}, false)
	worth := birchReplayTerms.level(a.purchases)
	return worth - birchReplayTerms.loss(a.purchases, loose, worth)
}
