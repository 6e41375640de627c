package foreign

import (
	"sort"
	"time"
)

// mistralMarken collects stamps whose batches are rewritten in place.
var mistralMarken = Design{
	Name:   "mistral-marken",
	Source: "from memory: the style of German retailers' stamp and point cards that expire; no retailer's rules in particular",
	Published: "A stamp for every full €10 of a purchase, two for groceries, each worth €0.10; stamps of a month end at €6.00. They are stuck in every night and lapse after the twelfth month that follows theirs; what is oldest is used first. " +
		"What you return has no stamps. A return without its purchase costs two stamps for every €10 begun.",
	How: "A nightly batch has one row for each day. If anything of a day has changed, its row is reversed and granted anew, both with the date of that day's batch, however long ago. " +
		"Loose returns and lapsing are nameless rows (adjusted) of the night; lapsing is reckoned anew from what each month's stamps are now worth. " +
		"What a return takes cannot be redeemed from the moment it is known, nor what came since the last night.",
	Class:    "robust",
	Currency: "EUR",
	New: func() Engine {
		return mistralNew(func(a *mistralAccount) mistralBook {
			return &mistralMarkenBook{a: a, stuck: map[int64]int64{}, lapsed: map[int]int64{}}
		})
	},
}

var mistralBerlin = mistralZone("Europe/Berlin")

const (
	mistralMarkenUnit   = 1000 // cents of spend
	mistralMarkenStamp  = 10   // cents of reward
	mistralMarkenCap    = 600  // cents of reward a month
	mistralMarkenMonths = 12
)

type mistralMarkenBook struct {
	a      *mistralAccount
	stale  bool
	count  int             // purchases that the last night knew
	stuck  map[int64]int64 // what is posted of each day, by the Unix time of its batch
	lapsed map[int]int64   // and as lapsed of each month
	taken  int64           // and for loose returns
}

// mistralMidnight is the local midnight that ends the day of t.
func mistralMidnight(t time.Time, l *time.Location) time.Time {
	t = t.In(l)
	return mistralDate(t.Year(), t.Month(), t.Day()+1, 0, l)
}

// stamps are what the first n purchases delivered are worth, by batch and by month. A month's
// room goes to them in their order; what a return frees goes to those that had been cut.
func (b *mistralMarkenBook) stamps(n int) (batches map[int64]int64, months map[int]int64) {
	batches, months = map[int64]int64{}, map[int]int64{}
	for _, p := range b.a.purchases[:n] {
		worth := p.left() / mistralMarkenUnit * mistralMarkenStamp
		if p.category == "GROCERY" {
			worth *= 2
		}
		month := mistralMonth(p.at, mistralBerlin)
		worth = min(worth, mistralMarkenCap-months[month])
		months[month] += worth
		batches[mistralMidnight(p.at, mistralBerlin).Unix()] += worth
	}
	return batches, months
}

// lapse is what of each month's stamps has lapsed by now. Each redemption lies on the oldest
// stamps that had not lapsed at its time; what finds none, as they have been returned since,
// is a debt that later stamps repay.
func (b *mistralMarkenBook) lapse(months map[int]int64, now time.Time) map[int]int64 {
	out, used, debt := map[int]int64{}, 0, int64(0)
	for _, m := range mistralKeys(months) {
		for used < len(b.a.uses) && mistralMonth(b.a.uses[used].at, mistralBerlin) <= m+mistralMarkenMonths {
			debt += b.a.uses[used].amount
			used++
		}
		if mistralMonth(now, mistralBerlin) > m+mistralMarkenMonths {
			out[m] = max(0, months[m]-debt)
		}
		debt = max(0, debt-months[m])
	}
	return out
}

// loose is the most that loose returns can have cost. It is no use: if it were, it would keep
// older stamps from lapsing.
func (b *mistralMarkenBook) loose() int64 {
	var sum int64
	for _, r := range b.a.loose() {
		sum += mistralCeil(r.amount, mistralMarkenUnit) * 2 * mistralMarkenStamp
	}
	return sum
}

func (b *mistralMarkenBook) settled(*mistralPurchase, time.Time) { b.stale = true }

func (b *mistralMarkenBook) returned(*mistralReturn, time.Time) { b.stale = true }

func (b *mistralMarkenBook) next(after time.Time) time.Time {
	return mistralMidnight(after, mistralBerlin)
}

// job has nothing to do on most nights; on the first of a month something may lapse.
func (b *mistralMarkenBook) job(at time.Time) {
	if !b.stale && at.In(mistralBerlin).Day() != 1 {
		return
	}
	b.stale, b.count = false, len(b.a.purchases)
	batches, months := b.stamps(b.count)
	for _, day := range mistralKeys(batches) {
		if old := b.stuck[day]; old != batches[day] {
			date := time.Unix(day, 0).In(mistralBerlin)
			b.a.post(Posting{At: date, Kind: Reversed, Amount: -old, Note: "Stamps of the day, corrected"})
			b.a.post(Posting{At: date, Kind: Earned, Amount: batches[day], Note: "Stamps of the day"})
			b.stuck[day] = batches[day]
		}
	}
	loose := b.loose()
	b.a.post(Posting{At: at, Kind: Adjusted, Amount: b.taken - loose, Note: "Returns without a purchase"})
	b.taken = loose
	lapsed := b.lapse(months, at)
	for _, m := range mistralKeys(months) {
		b.a.post(Posting{At: at, Kind: Adjusted, Amount: b.lapsed[m] - lapsed[m], Note: "Lapsed stamps"})
		b.lapsed[m] = lapsed[m]
	}
}

func (b *mistralMarkenBook) sure(now time.Time) int64 {
	_, months := b.stamps(b.count)
	sum := -b.loose() - b.a.redeemed
	lapsed := b.lapse(months, now)
	for m, worth := range months {
		sum += worth - lapsed[m]
	}
	return sum
}

// mistralKeys are the keys of a map in their order, for rows must not depend on Go's.
func mistralKeys[K int | int64](m map[K]int64) []K {
	out := make([]K, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Slice(out, func(i, j int) bool { return out[i] < out[j] })
	return out
}
