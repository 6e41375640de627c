package foreign

import "time"

var opalKelpDesign = Design{
	Name:   "opal-kelp",
	Source: "after Australian and New Zealand cashback cards with a welcome offer and a fuel offer, from memory of their public rules",
	Published: "1% on everything, 3% more on the first 4 FUEL purchases of a calendar month (Sydney time). A$150 for new members who spend A$1,500 in their first 90 days. " +
		"Rewards show when a purchase clears and can be redeemed 45 days after it, the welcome offer once purchases of that age reach its spend. What is returned counts as not bought: " +
		"the offer is taken back if the spend is not reached without it, and a fuel purchase that comes back gives its place to the next of that month. Rewards owed are set off against later ones. " +
		"Refunds that name no purchase count against the offer and cost the best rate that they may be of. A refund above the price counts as one of the price.",
	How: "Every fact reckons the account anew and writes a row for each purchase that is worth something else: what rises names the purchase only, what falls the refund only. " +
		"The offer has rows of its own. What can be redeemed is reckoned by the same function with purchases younger than 45 days left out.",
	Class:    "robust",
	Currency: "AUD",
	New:      opalNew(func() opalScheme { return &opalKelp{given: map[*opalBuy]int64{}} }),
}

var opalSydney = opalZone("Australia/Sydney")

const (
	opalKelpPlaces  = 4
	opalKelpMature  = 45 * opal24h
	opalKelpWelcome = 15000
	opalKelpSpend   = 150000
)

// opalKelp has what is booked: by purchase, for the offer, and of loose refunds.
type opalKelp struct {
	given          map[*opalBuy]int64
	welcome, taken int64
}

// opalKelpWorth is what an account is worth.
type opalKelpWorth struct {
	earned         []int64 // by purchase
	welcome, taken int64
}

func (w opalKelpWorth) total() int64 {
	sum := w.welcome - w.taken
	for _, e := range w.earned {
		sum += e
	}
	return sum
}

// rate is in hundredths, the most that a purchase can earn.
func (s *opalKelp) rate(b *opalBuy) int64 {
	if b.category == "FUEL" {
		return 4
	}
	return 1
}

// worth reckons the account from purchases that cleared not after an instant.
func (s *opalKelp) worth(a *opalAccount, at, until time.Time) opalKelpWorth {
	w := opalKelpWorth{earned: make([]int64, len(a.buys))}
	places := map[int]int{}
	qualifies := map[string]int64{} // by merchant
	var spend int64
	for i, b := range a.buys {
		if b.net() == 0 || b.seen.After(until) {
			continue
		}
		w.earned[i] = b.net() / 100
		if month := opalMonth(b.at, opalSydney); b.category == "FUEL" && places[month] < opalKelpPlaces {
			places[month]++
			w.earned[i] += b.net() * 3 / 100
		}
		if opalNewMember(a.opened, b.at, 90) {
			spend += b.net()
			qualifies[b.merchant] += b.net()
		}
	}
	if spend-s.mayBeOf(a, at, qualifies) >= opalKelpSpend {
		w.welcome = opalKelpWelcome
	}
	// One cent more, since a purchase earns two amounts that are rounded each.
	cost := func(amount, rate int64) int64 { return opalCeil(amount*rate, 100) + 1 }
	w.taken = a.deduct(at, w.earned, s.rate, 4, cost)
	return w
}

// mayBeOf is the most that loose refunds can have returned of what qualifies for the offer.
func (s *opalKelp) mayBeOf(a *opalAccount, at time.Time, qualifies map[string]int64) (sum int64) {
	known := map[string]bool{}
	for _, b := range a.buys {
		known[b.merchant] = true
	}
	for _, r := range a.loose(at) {
		part := r.amount
		if r.merchant != "" && known[r.merchant] {
			part = min(part, qualifies[r.merchant])
			qualifies[r.merchant] -= part
		}
		sum += part
	}
	return sum
}

func (s *opalKelp) changed(a *opalAccount, at time.Time, _ *opalBuy, back *opalBack) {
	w := s.worth(a, at, at)
	var refund string
	if back != nil {
		refund = back.id
	}
	for i, b := range a.buys {
		if diff := w.earned[i] - s.given[b]; diff > 0 {
			a.post(Posting{At: at, Kind: Earned, Amount: diff, Transaction: b.id})
		} else {
			a.post(Posting{At: at, Kind: Reversed, Amount: diff, Refund: refund})
		}
		s.given[b] = w.earned[i]
	}
	if w.welcome > s.welcome {
		a.post(Posting{At: at, Kind: Earned, Amount: w.welcome, Note: "welcome offer"})
	} else if w.welcome < s.welcome {
		a.post(Posting{At: at, Kind: Reversed, Amount: -s.welcome, Refund: refund, Note: "welcome offer: spend not reached"})
	}
	s.welcome = w.welcome
	a.level(at, &s.taken, w.taken, "refunds without a purchase")
}

func (s *opalKelp) due(a *opalAccount, after time.Time) time.Time { return a.parkEnds(after) }

func (s *opalKelp) tick(a *opalAccount, at time.Time) { s.changed(a, at, nil, nil) }

// redeemable is what purchases that are old enough would have earned alone, less what was
// redeemed, and no more than the balance.
func (s *opalKelp) redeemable(a *opalAccount, at time.Time) int64 {
	return max(0, min(a.balance(), s.worth(a, at, at.Add(-opalKelpMature)).total()-a.redeemed))
}
