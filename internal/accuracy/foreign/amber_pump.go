package foreign

import "time"

var amberPump = Design{
	Name: "amber-pump",
	Source: "After the public rules of American warehouse clubs' and filling stations' cards (Sam's Club, BJ's, rotating quarters of " +
		"other issuers: 5% on fuel with a cap); from memory.",
	Published: "5% on fuel (category FUEL), at most USD 75.00 in a calendar quarter; 1% on all other purchases, without limit. Cash " +
		"back is credited when a purchase clears and can be redeemed at once. A return takes back the share of the reward that " +
		"its purchase got; what is owed stays owed; room that it frees is for later purchases of that quarter. A return that names no purchase, or none that clears within 30 days, " +
		"takes, at once or from later rewards, 5%.",
	How: "Each account has a counter of fuel rewards per quarter. A purchase gets what the counter of its own quarter leaves. A return " +
		"takes back its share of the original reward, in a row that names both, and lowers the counter of the quarter in which it " +
		"arrives, whichever quarter its purchase was of.",
	Class: "other",
	Leak: "A return of last quarter's fuel makes room under this quarter's cap: fuel of USD 1,500 in March (USD 75.00) and USD 1,500 on 2 " +
		"April (USD 75.00, the cap). On 5 April March's is returned: USD -75.00, and April's counter is at 0 again. USD 1,500 more on 10 " +
		"April pay USD 75.00 beyond the cap: USD 150.00 where the second quarter's purchases, all that is kept, earn USD 75.00.",
	Currency: "USD",
	New: amberNew("America/Chicago", func(f *amberFile) amberHouse {
		return &amberPumpHouse{f: f, original: map[*amberBuy]int64{}, used: map[int]int64{}}
	}),
}

// amberPumpCap is what fuel earns in a quarter at most.
const amberPumpCap = 7_500

// amberPumpHouse counts fuel rewards by quarter.
type amberPumpHouse struct {
	amberIdle
	f        *amberFile
	original map[*amberBuy]int64 // as granted; never changed
	used     map[int]int64       // by quarter
	earned   int64
}

func (h *amberPumpHouse) quarter(at time.Time) int { return amberQuarter(at, h.f.zone) }

func (h *amberPumpHouse) bought(b *amberBuy) {
	reward := b.amount / 100
	if b.category == "FUEL" {
		q := h.quarter(b.at)
		reward = max(0, min(b.amount*5/100, amberPumpCap-h.used[q]))
		h.used[q] += reward
	}
	h.original[b] = reward
	h.earned += reward
	h.f.post(Earned, reward, b.id, "", "cash back")
}

// amberPumpShare is what a purchase keeps of its original reward.
func amberPumpShare(original, net, amount int64) int64 { return original * net / amount }

func (h *amberPumpHouse) returned(b *amberBuy, r *amberBack, part int64) {
	was := amberPumpShare(h.original[b], b.net()+part, b.amount)
	back := was - amberPumpShare(h.original[b], b.net(), b.amount)
	h.earned -= back
	h.f.post(Reversed, -back, b.id, r.id, "cash back of a return")
	if b.category == "FUEL" {
		q := h.quarter(h.f.now) // the flaw: not that of b.at
		h.used[q] = max(0, h.used[q]-back)
	}
}

func (h *amberPumpHouse) level(r *amberBack) {
	refund := ""
	if r != nil {
		refund = r.id
	}
	h.f.withhold(h.f.debt(func(amount int64) int64 { return amberUp(amount*5, 100) }), h.earned, refund)
}

func (h *amberPumpHouse) free() int64 { return h.f.balance() }
