package foreign

import "time"

// mistralSouq knows one number a night and writes down by how much it moved.
var mistralSouq = Design{
	Name:   "mistral-souq",
	Source: "from memory: the style of Gulf bank cashback cards with a monthly grocery limit; no bank's rules in particular",
	Published: "5 % on groceries up to KD 15 a calendar month, 2 % online, 1 % on everything else. Booked every night as one sum. " +
		"What you return earns nothing; room that it frees under the limit goes to your other groceries of that month. " +
		"A return whose purchase we do not know counts at 5 %.",
	How: "At 02:00 in Kuwait the rewards of all that is left of all purchases are reckoned anew, less 5 % of the loose returns, not below zero; " +
		"one row, which names nothing and has either sign, is the difference from what is posted. Until then nothing can be redeemed that a return known by now takes.",
	Class:    "robust",
	Currency: "KWD",
	New: func() Engine {
		return mistralNew(func(a *mistralAccount) mistralBook { return &mistralSouqBook{a: a} })
	},
}

var mistralKuwait = mistralZone("Asia/Kuwait")

const (
	mistralSouqTop = 500   // basis points
	mistralSouqCap = 15000 // fils a month
)

type mistralSouqBook struct {
	a     *mistralAccount
	stale bool // something has come since the last night
	count int  // purchases that the last night knew
}

// worth is what the first n purchases delivered are due. A return costs at most the top rate of
// it, with the limit less; and all returns together cost no more than there was.
func (b *mistralSouqBook) worth(n int) int64 {
	var sum int64
	groceries := map[int]int64{}
	for _, p := range b.a.purchases[:n] {
		switch p.category {
		case "GROCERY":
			month := mistralMonth(p.at, mistralKuwait)
			more := min(mistralShare(p.left(), mistralSouqTop), mistralSouqCap-groceries[month])
			groceries[month] += more
			sum += more
		case "ONLINE":
			sum += mistralShare(p.left(), 200)
		default:
			sum += mistralShare(p.left(), 100)
		}
	}
	return max(0, sum-b.a.looseWorth(mistralSouqTop))
}

func (b *mistralSouqBook) settled(*mistralPurchase, time.Time) { b.stale = true }

func (b *mistralSouqBook) returned(*mistralReturn, time.Time) { b.stale = true }

func (b *mistralSouqBook) next(after time.Time) time.Time {
	t := after.In(mistralKuwait)
	at := mistralDate(t.Year(), t.Month(), t.Day(), 2, mistralKuwait)
	if !at.After(after) {
		at = mistralDate(t.Year(), t.Month(), t.Day()+1, 2, mistralKuwait)
	}
	return at
}

func (b *mistralSouqBook) job(at time.Time) {
	if !b.stale {
		return
	}
	b.stale, b.count = false, len(b.a.purchases)
	d := b.worth(b.count) - b.a.posted
	b.a.post(Posting{At: at, Kind: mistralSigned(d), Amount: d, Note: "Nightly cashback"})
}

// sure is the number of the last night, by what is known of its purchases now.
func (b *mistralSouqBook) sure(time.Time) int64 {
	return min(b.a.posted, b.worth(b.count)) - b.a.redeemed
}
