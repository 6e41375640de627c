package foreign

import "time"

var quarryOffers = Design{
	Name:   "quarry-offers",
	Source: "after merchants' offers in Gulf banking apps (NBK, KFH; Cardlytics' rules of use), from memory",
	Published: "Market (GROCERY): 10% of a purchase of at least KWD 5, at most KWD 3 each, on the first 4 purchases in a calendar month. " +
		"Table (DINING): 15% of a purchase of at least KWD 4, at most KWD 2.500 each, on the first 3 in a calendar month. " +
		"What is returned does not count: the offer is for what is kept, a purchase that falls below the least amount earns nothing, and one that earns nothing gives its place to the next. " +
		"Rewards are paid to the card on the 5th of each month if they are KWD 0.500 or more; what is owed is kept from later ones.",
	How: "An offers platform counts the uses of each offer in a month. A purchase that finds a free use takes one; others wait. A return re-rates its purchase at once " +
		"(rows name the return alone), releases a use of the offer and calls the next that waits. It releases one with each return message, also where the purchase keeps its reward.",
	Class: "other",
	Leak: "In one month buy groceries eight times for KWD 30.000: four earn KWD 3.000 each, four wait. Return KWD 1.000 of each of the first four: they fall to KWD 2.900 each, " +
		"but four uses are released and the other four get KWD 3.000 each. KWD 23.600 is paid where KWD 11.600 was promised; KWD 12.000 too much for four returned tins.",
	Currency: "KWD",
	New: func() Engine {
		return quarryPayer{newQuarryDesk("Asia/Kuwait", func(f *quarryFile) quarryBook {
			return &quarryOffersBook{f: f, uses: map[quarryOfferMonth]int{}}
		})}
	},
}

// quarryOffer is a merchants' campaign.
type quarryOffer struct {
	name, category      string
	percent, least, top int64
	uses                int
}

var quarryOfferList = []quarryOffer{
	{"market", "GROCERY", 10, 5000, 3000, 4},
	{"table", "DINING", 15, 4000, 2500, 3},
}

// reward is what the offer gives for what is left of a purchase.
func (o quarryOffer) reward(left int64) int64 {
	if left < o.least {
		return 0
	}
	return min(o.top, o.percent*left/100)
}

type quarryOfferMonth struct{ offer, month int }

// quarryUse is a purchase to the platform: what it has, and what was left of it then.
type quarryUse struct {
	of        quarryOfferMonth // offer -1: none
	has, left int64
}

type quarryOffersBook struct {
	quarryPlain
	f     *quarryFile
	links quarryLinks
	all   []quarryUse // one for each purchase
	uses  map[quarryOfferMonth]int
}

// redeemable is nothing: the platform pays by itself alone.
func (b *quarryOffersBook) redeemable() int64 { return 0 }

func (b *quarryOffersBook) next(after time.Time) time.Time { return quarryNext(b.f.zone, after, 5) }

func (b *quarryOffersBook) run(at time.Time) {
	if b.f.balance >= 500 {
		b.f.post(at, Paid, -b.f.balance, "", "", "paid to card")
	}
}

func (b *quarryOffersBook) bought(i int) {
	use := quarryUse{of: quarryOfferMonth{-1, b.f.buys[i].month}, left: b.f.kept(i)}
	for n, o := range quarryOfferList {
		if o.category == b.f.buys[i].category {
			use.of.offer = n
		}
	}
	b.all = append(b.all, use)
	b.call(use.of)
	b.change("", "return")
}

func (b *quarryOffersBook) returned(k int) { b.change(b.f.backs[k].row()) }

// call gives free uses to purchases that wait, in the order in which they came.
func (b *quarryOffersBook) call(of quarryOfferMonth) {
	if of.offer < 0 {
		return
	}
	o := quarryOfferList[of.offer]
	for i := range b.all {
		use := &b.all[i]
		if b.uses[of] >= o.uses {
			return
		}
		if reward := o.reward(use.left); use.of == of && use.has == 0 && reward > 0 {
			use.has = reward
			b.uses[of]++
			b.f.post(b.f.now, Earned, reward, b.f.buys[i].id, "", "offer "+o.name)
		}
	}
}

// worth has nameless returns go to purchases that have something.
func (b *quarryOffersBook) worth(i int) int64 { return b.all[i].has * 100000 / max(1, b.all[i].left) }

// change re-rates the purchases of which something else is left.
func (b *quarryOffersBook) change(refund, note string) {
	b.links.link(b.f, b.worth)
	for i, x := range b.links.left(b.f) {
		use := &b.all[i]
		less, more := x < use.left, x > use.left
		use.left = x
		if more && use.has == 0 {
			b.call(use.of) // a nameless return turned out to be of another
		}
		if use.has == 0 {
			continue
		}
		reward := quarryOfferList[use.of.offer].reward(x)
		b.f.level(b.f.now, reward-use.has, "", refund, note)
		use.has = reward
		if less {
			b.uses[use.of] = max(0, b.uses[use.of]-1) // the flaw: also if it keeps a reward
			b.call(use.of)
		}
	}
}
