package foreign

import (
	"sort"
	"time"
)

var velvetKaede = Design{
	Name: "velvet-kaede",
	Source: "after Japanese shopping cards (Rakuten, EPOS, Orico: points on the total of a month's statement), " +
		"as their public rules say, from memory",
	Published: "1 point for each full 100 yen of a statement's total, and 2 more for each full 100 yen of its ONLINE " +
		"total, of these 3,000 a statement at most. A point is a yen. Statements run from the 11th to the 10th (Tokyo); their " +
		"points are booked when they close and can be used at once. What comes back lowers the statement in " +
		"which it had been bought, also after that has closed: the statement is reckoned anew at once, and points that were used " +
		"already are owed. A return that names no purchase takes what the dearest possible purchase had earned.",
	How: "Nothing is kept by purchase. A closed statement has one row; if its totals change, that row is reversed whole and " +
		"one with the new points is booked at once. Rows name no purchase and no refund. Returns without a purchase " +
		"have a running total of their own, reckoned in units of 100 yen rounded up.",
	Class:    "robust",
	Currency: "JPY",
	New:      velvetNew(func(a *velvetAccount) velvetProgram { return &velvetKaedeBooks{a: a, booked: map[int64]int64{}} }),
}

var velvetTokyo = velvetZone("Asia/Tokyo")

// velvetKaedeBooks reckons whole statements, since the promise is one about totals: what a
// purchase has earned by itself nobody can say.
type velvetKaedeBooks struct {
	velvetOnRequest
	a       *velvetAccount
	booked  map[int64]int64 // points on the books, by the statement's first instant
	unnamed int64           // what unnamed returns have cost so far
}

func (k *velvetKaedeBooks) bought(p *velvetPurchase) {
	p.begin, p.end = velvetStatement(p.at, velvetTokyo, 11)
	k.level()
}

func (k *velvetKaedeBooks) returned(r *velvetReturn) {
	k.a.count(r)
	k.level()
}

func (k *velvetKaedeBooks) next(after time.Time) time.Time {
	_, end := velvetStatement(after, velvetTokyo, 11)
	return end
}

func (k *velvetKaedeBooks) run(time.Time) { k.level() }

// level brings the rows of all closed statements to what their totals earn now.
func (k *velvetKaedeBooks) level() {
	type totals struct{ all, online int64 }
	statements := map[int64]totals{}
	for _, p := range k.a.purchases {
		begin := p.begin.Unix()
		if p.granted = !p.end.After(k.a.now); !p.granted {
			continue
		}
		t := statements[begin]
		t.all += p.left()
		if p.category == "ONLINE" {
			t.online += p.left()
		}
		statements[begin] = t
	}
	begins := make([]int64, 0, len(statements))
	for begin := range statements {
		begins = append(begins, begin)
	}
	sort.Slice(begins, func(i, j int) bool { return begins[i] < begins[j] })
	var sum int64
	for _, begin := range begins {
		t := statements[begin]
		points := t.all/100 + min(3000, 2*(t.online/100))
		sum += points
		if old := k.booked[begin]; old != points {
			month := time.Unix(begin, 0).In(velvetTokyo).Format("2006-01")
			k.a.book(Reversed, -old, "", "", "statement "+month+" cancelled")
			k.a.book(Earned, points, "", "", "statement "+month)
			k.booked[begin] = points
		}
	}
	k.charge(sum)
}

// charge brings the running total of unnamed returns to what they can have earned at most,
// in statements that are closed: of others nothing is on the books yet.
func (k *velvetKaedeBooks) charge(limit int64) {
	costs := k.a.unnamedCosts(velvetSuspicion{
		may: func(_ *velvetReturn, p *velvetPurchase) bool { return p.granted },
		cost: func(_ *velvetReturn, p *velvetPurchase, part int64) int64 {
			if p.category == "ONLINE" {
				return 3 * ((part + 99) / 100)
			}
			return (part + 99) / 100
		},
	}, limit)
	var total int64
	for _, cost := range costs {
		total += cost
	}
	if total != k.unnamed {
		k.a.bookChange(k.unnamed-total, "", "", "returns without a purchase")
		k.unnamed = total
	}
}
