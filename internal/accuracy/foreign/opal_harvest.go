package foreign

import "time"

var opalHarvestDesign = Design{
	Name:   "opal-harvest",
	Source: "after American cards with a bonus category by the quarter (Discover it, Chase Freedom), from memory of their public rules",
	Published: "5% on GROCERY and FUEL on up to $1,500 of combined purchases in a calendar quarter (New York time), 1% on what is beyond and on everything else. " +
		"Cash back is credited when a purchase clears and can be redeemed at once. You earn on purchases minus returns: what is returned counts as not bought, and cash back owed is taken from later cash back. " +
		"Amounts are rounded down when credited and up when taken back. A refund above the price counts as one of the price.",
	How: "Each quarter has one counter of net bonus spend. A purchase raises the counter of the quarter it was made in, a refund lowers that of the quarter in which the refund posts, and either is worth what " +
		"the schedule says between the counter's old and new state. Counters may be below zero, at 5%. Rows name the purchase or the refund. Debts stay. Refunds without a purchase go by their own category, " +
		"and are bonus spend if they have none.",
	Class: "other",
	Leak: "A refund is taken back at the rate at which the quarter of the refund stands, not at that which its purchase earned. Buy groceries for $1,500 in March: $75. Buy $3,000 in April, which one keeps: $90. Return March's in May: " +
		"April to June now stands at $1,500, and only $15 are taken back. $150 stay for purchases that earn $90.",
	Currency: "USD",
	New: opalNew(func() opalScheme {
		return &opalHarvest{spend: map[int]int64{}, guessed: map[*opalBack]opalHarvestGuess{}}
	}),
}

var opalNewYork = opalZone("America/New_York")

const opalHarvestLimit = 150000

// opalHarvest has the counters by quarter, and what refunds without a purchase took.
type opalHarvest struct {
	spend   map[int]int64
	guessed map[*opalBack]opalHarvestGuess
}

// opalHarvestGuess is how a refund was booked that had no purchase yet.
type opalHarvestGuess struct {
	bonus bool
	cost  int64
}

func opalHarvestBonus(category string) bool { return category == "GROCERY" || category == "FUEL" }

// opalHarvestWorth is what a counter is worth, in hundredths of a cent.
func opalHarvestWorth(spend int64) int64 {
	return 5*min(spend, opalHarvestLimit) + max(0, spend-opalHarvestLimit)
}

// earn is what a purchase brings.
func (s *opalHarvest) earn(at time.Time, bonus bool, amount int64) int64 {
	if !bonus {
		return amount / 100
	}
	quarter := opalQuarter(at, opalNewYork)
	before := s.spend[quarter]
	s.spend[quarter] += amount
	return (opalHarvestWorth(before+amount) - opalHarvestWorth(before)) / 100
}

// lose is what a refund takes.
func (s *opalHarvest) lose(at time.Time, bonus bool, amount int64) int64 {
	if !bonus {
		return opalCeil(amount, 100)
	}
	quarter := opalQuarter(at, opalNewYork)
	before := s.spend[quarter]
	s.spend[quarter] -= amount
	return opalCeil(opalHarvestWorth(before)-opalHarvestWorth(before-amount), 100)
}

func (s *opalHarvest) changed(a *opalAccount, at time.Time, buy *opalBuy, back *opalBack) {
	switch {
	case buy != nil:
		a.post(Posting{At: at, Kind: Earned, Amount: s.earn(buy.at, opalHarvestBonus(buy.category), buy.amount), Transaction: buy.id})
	case back.buy != nil:
		s.undo(a, at, back)
		a.post(Posting{At: at, Kind: Reversed, Amount: -s.lose(back.at, opalHarvestBonus(back.buy.category), back.taken), Refund: back.id})
	default:
		s.tick(a, at)
	}
}

// undo takes a guess back when the refund's purchase turns up.
func (s *opalHarvest) undo(a *opalAccount, at time.Time, back *opalBack) {
	guess, ok := s.guessed[back]
	if !ok {
		return
	}
	delete(s.guessed, back)
	if guess.bonus {
		s.spend[opalQuarter(back.at, opalNewYork)] += back.amount
	}
	a.post(Posting{At: at, Kind: Adjusted, Amount: guess.cost, Refund: back.id, Note: "return matched to its purchase"})
}

func (s *opalHarvest) due(a *opalAccount, after time.Time) time.Time { return a.parkEnds(after) }

// tick books refunds that have no purchase and wait for none any more.
func (s *opalHarvest) tick(a *opalAccount, at time.Time) {
	for _, r := range a.loose(at) {
		if _, ok := s.guessed[r]; ok {
			continue
		}
		bonus := r.category == "" || opalHarvestBonus(r.category)
		cost := s.lose(r.at, bonus, r.amount)
		s.guessed[r] = opalHarvestGuess{bonus, cost}
		a.post(Posting{At: at, Kind: Reversed, Amount: -cost, Refund: r.id, Note: "return without a purchase"})
	}
}

func (s *opalHarvest) redeemable(a *opalAccount, _ time.Time) int64 { return max(0, a.balance()) }
