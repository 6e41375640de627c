package foreign

import "time"

// mistralDividend pays once a year, by a cheque that nobody asks for.
var mistralDividend = Design{
	Name:   "mistral-dividend",
	Source: "from memory: the style of British co-operatives' yearly dividend; no society's rules in particular",
	Published: "1 % of what you buy in a calendar year, fuel aside; 2 % of all of it from £3,000, 3 % from £8,000. On your quarterly notice 1 % is shown in advance. " +
		"The dividend is declared on 1 February and can be taken as vouchers; what is left is paid by cheque on 15 March if it is £10 or more. " +
		"What you return counts in no year, and a dividend already paid is set off against the next. A return without a receipt counts against every year that it may be of.",
	How: "At each quarter's end one nameless row brings the year to 1 % of what is left of it; on 1 February another to the dividend. A return in a declared year takes what it lowers the dividend by at once; " +
		"one in a year not declared waits for the quarter's row, as nothing of that year can be redeemed. Purchases of a declared year that clear late are granted with the next quarter's row. The cheque is a row (paid).",
	Class:    "robust",
	Currency: "GBP",
	New: func() Engine {
		return mistralPayer{mistralNew(func(a *mistralAccount) mistralBook {
			return &mistralDividendBook{a: a, shown: map[int]int64{}}
		})}
	},
}

var mistralLondon = mistralZone("Europe/London")

const mistralDividendCheque = 1000

type mistralDividendBook struct {
	a     *mistralAccount
	shown map[int]int64 // what is posted of each year
}

// declared says whether a year's dividend has been.
func (b *mistralDividendBook) declared(year int, now time.Time) bool {
	return !now.Before(mistralDate(year+1, time.February, 1, 0, mistralLondon))
}

// worth is what a year is due: its dividend, or 1 % in advance. A loose return may be of any
// year that was not yet to come; since a purchase can clear after its refund, a year begins
// three months early for that. If it lowers the rate it does so for all that was bought.
func (b *mistralDividendBook) worth(year int, now time.Time) int64 {
	begin := mistralDate(year, time.January, 1, 0, mistralLondon)
	var spend, loose int64
	for _, p := range b.a.purchases {
		if b.counts(p, year) {
			spend += p.left()
		}
	}
	var returns []*mistralReturn
	for _, r := range b.a.loose() {
		if !r.known.AddDate(0, 3, 0).Before(begin) {
			returns = append(returns, r)
			loose += r.amount
		}
	}
	rate := int64(100)
	switch s := spend - loose; {
	case !b.declared(year, now):
	case s >= 800000:
		rate = 300
	case s >= 300000:
		rate = 200
	}
	var sum int64
	for _, p := range b.a.purchases {
		if b.counts(p, year) {
			sum += mistralShare(p.left(), rate)
		}
	}
	for _, r := range returns {
		sum -= mistralCeil(r.amount*rate, 10000)
	}
	return max(0, sum)
}

func (b *mistralDividendBook) counts(p *mistralPurchase, year int) bool {
	return p.category != "FUEL" && p.at.In(mistralLondon).Year() == year
}

// years are those in which anything was bought, with what is posted of them.
func (b *mistralDividendBook) years() []int {
	for _, p := range b.a.purchases {
		b.shown[p.at.In(mistralLondon).Year()] += 0
	}
	return mistralKeys(b.shown)
}

// settled may find that a return which was laid on every year is of one of them: what the
// others gain, as what this purchase earns, waits for the quarter's row.
func (b *mistralDividendBook) settled(_ *mistralPurchase, now time.Time) { b.take("", now) }

func (b *mistralDividendBook) returned(r *mistralReturn, now time.Time) { b.take(r.id, now) }

// take lowers declared dividends that have become less.
func (b *mistralDividendBook) take(refund string, now time.Time) {
	for _, y := range b.years() {
		if b.declared(y, now) {
			if d := b.worth(y, now) - b.shown[y]; d < 0 {
				b.shown[y] += d
				b.a.post(Posting{At: now, Kind: Reversed, Amount: d, Refund: refund, Note: "Dividend returned"})
			}
		}
	}
}

// next is a quarter's first day, or the first of February, or the fifteenth of March.
func (b *mistralDividendBook) next(after time.Time) time.Time {
	y := after.In(mistralLondon).Year()
	for _, day := range [][2]int{{1, 1}, {2, 1}, {3, 15}, {4, 1}, {7, 1}, {10, 1}} {
		if at := mistralDate(y, time.Month(day[0]), day[1], 0, mistralLondon); at.After(after) {
			return at
		}
	}
	return mistralDate(y+1, time.January, 1, 0, mistralLondon)
}

func (b *mistralDividendBook) job(at time.Time) {
	if at.In(mistralLondon).Month() == time.March {
		if pay := b.sure(at); pay >= mistralDividendCheque {
			b.a.post(Posting{At: at, Kind: Paid, Amount: -pay, Note: "Dividend cheque"})
		}
		return
	}
	for _, y := range b.years() {
		d := b.worth(y, at) - b.shown[y]
		b.shown[y] += d
		b.a.post(Posting{At: at, Kind: mistralSigned(d), Amount: d, Note: "Dividend account"})
	}
}

// sure is what has been declared and not taken: years that have become worth less were
// lowered at once.
func (b *mistralDividendBook) sure(now time.Time) int64 {
	sum := -mistralPaid(b.a) - b.a.redeemed
	for _, y := range b.years() {
		if b.declared(y, now) {
			sum += b.shown[y]
		}
	}
	return sum
}
