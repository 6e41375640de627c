package foreign

import (
	"errors"
	"slices"
	"time"
	_ "time/tzdata" // the designs' zones must not depend on the host
)

// quarryDesigns are eight back offices that share an intake desk and nothing else: the
// desk files what the network says, each once, and every account has a book, which is
// the design.
var quarryDesigns = []Design{
	quarryNightly, quarryStream, quarryQuarter, // robust
	quarryMainframe, quarryLots, quarryJournal, quarryRules, quarryOffers,
}

// quarryLag is how long after a nameless return the purchase that it is of may clear.
const quarryLag = 10 * 24 * time.Hour

// quarryPark is how long a return waits for the purchase that it names. If none has
// cleared by then, the name is taken to be wrong and the return for a nameless one.
const quarryPark = 30 * 24 * time.Hour

// quarryAll is more than any purchase: a dispute of no amount takes all of it.
const quarryAll = int64(1) << 60

var (
	errQuarryAccount = errors.New("quarry: unknown account")
	errQuarryFact    = errors.New("quarry: a fact without a name")
)

// quarryBuy is a purchase that has cleared.
type quarryBuy struct {
	id                      string
	amount                  int64
	merchant, mcc, category string
	at                      time.Time
	month, day              int // local: years·12 + month from 0, and day of the month
	weekday                 time.Weekday
}

// cycle numbers the statement that begins on the given day of a month.
func (b *quarryBuy) cycle(day int) int {
	if b.day < day {
		return b.month - 1
	}
	return b.month
}

// quarryBack is a refund or a dispute that was won.
type quarryBack struct {
	id, buy                 string // buy is empty where its sender knows no purchase
	amount                  int64
	dispute                 bool
	merchant, mcc, category string
	at                      time.Time
	came                    time.Time // when it was delivered
	lost                    bool      // the purchase that it names has not come
}

// nameless says whether its purchase has to be found.
func (r *quarryBack) nameless() bool { return r.buy == "" || r.lost }

// rank orders nameless returns: those that say most about their purchase choose first,
// since the others can still go elsewhere.
func (r *quarryBack) rank() int {
	switch {
	case r.merchant != "":
		return 0
	case r.mcc != "" || r.category != "":
		return 1
	}
	return 2
}

// row names the return as rows do, which have no column for a dispute.
func (r *quarryBack) row() (refund, note string) {
	if r.dispute {
		return "", "dispute " + r.id
	}
	return r.id, "return"
}

// quarryBackKey tells facts apart. The name alone does not: networks use names of
// refunds again, and a return must not get lost because of that.
type quarryBackKey struct {
	id, buy string
	amount  int64
	dispute bool
}

// quarryFile is all that the desk knows of an account, and its rows.
type quarryFile struct {
	zone     *time.Location
	opened   time.Time
	now      time.Time // up to here all that was due has run
	buys     []quarryBuy
	number   map[string]int // of purchases, by name
	backs    []quarryBack
	seen     map[quarryBackKey]bool
	parked   []int            // returns whose purchase has not come, as delivered
	nameless []int            // returns without a purchase, in the order in which they choose
	named    map[string]int64 // what came back by name of purchase, more than its price perhaps
	redeemed map[string]int64
	balance  int64
	paid     int64 // without being asked
	rows     []Posting
	book     quarryBook
}

// post writes a row; of nothing there is none.
func (f *quarryFile) post(at time.Time, kind Kind, amount int64, buy, refund, note string) {
	if amount == 0 {
		return
	}
	f.balance += amount
	if kind == Paid {
		f.paid -= amount
	}
	f.rows = append(f.rows, Posting{At: at, Kind: kind, Amount: amount, Transaction: buy, Refund: refund, Note: note})
}

// level writes the one row that brings what was posted, by change.
func (f *quarryFile) level(at time.Time, change int64, buy, refund, note string) {
	kind := Earned
	if change < 0 {
		kind = Reversed
	}
	f.post(at, kind, change, buy, refund, note)
}

// kept is what is left of a purchase after all returns that name it.
func (f *quarryFile) kept(i int) int64 { return max(0, f.buys[i].amount-f.named[f.buys[i].id]) }

// left is kept of all purchases.
func (f *quarryFile) left() []int64 {
	left := make([]int64, len(f.buys))
	for i := range left {
		left[i] = f.kept(i)
	}
	return left
}

// fits says whether a nameless return may be of the purchase, by what both say.
func (r *quarryBack) fits(b *quarryBuy) bool {
	switch {
	case b.at.After(r.at.Add(quarryLag)):
		return false
	case r.merchant != "" && b.merchant != "":
		return r.merchant == b.merchant
	case r.mcc != "" && b.mcc != "":
		return r.mcc == b.mcc
	case r.category != "" && b.category != "":
		return r.category == b.category
	}
	return true
}

// candidates says which purchases a nameless return may be of: those that fit or, where
// none does (a shop may refund under another name), all that are old enough.
func (f *quarryFile) candidates(r *quarryBack) func(i int) bool {
	fits := func(i int) bool { return r.fits(&f.buys[i]) }
	for i := range f.buys {
		if fits(i) {
			return fits
		}
	}
	late := r.at.Add(quarryLag)
	return func(i int) bool { return !f.buys[i].at.After(late) }
}

// quarryPart is a piece of a nameless return that was set against a purchase.
type quarryPart struct {
	back, buy int
	amount    int64
}

// match sets nameless returns against purchases, those of most worth first and of these
// the newest. It consumes free, what is left of each purchase; rest is what of a return
// is still to be set.
func (f *quarryFile) match(free []int64, rest func(back int) int64, worth func(buy int) int64) []quarryPart {
	var parts []quarryPart
	var order []int
	for _, k := range f.nameless {
		open := rest(k)
		if open <= 0 {
			continue
		}
		if order == nil {
			order = f.byWorth(worth)
		}
		fits := f.candidates(&f.backs[k])
		for _, i := range order {
			if open == 0 {
				break
			}
			if x := min(open, free[i]); x > 0 && fits(i) {
				parts, open, free[i] = append(parts, quarryPart{k, i, x}), open-x, free[i]-x
			}
		}
	}
	return parts
}

// byWorth lists the purchases, those of most worth first and of these the newest.
func (f *quarryFile) byWorth(worth func(buy int) int64) []int {
	order, value := make([]int, len(f.buys)), make([]int64, len(f.buys))
	for i := range order {
		order[i], value[i] = i, worth(i)
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case value[a] > value[b]:
			return -1
		case value[a] < value[b]:
			return 1
		}
		if c := f.buys[b].at.Compare(f.buys[a].at); c != 0 {
			return c
		}
		return b - a
	})
	return order
}

// doubt is the most that nameless returns may have taken, by the worth of purchases: what
// a return of x of one would lose is loss, whatever a cap had cut of it and whichever
// others came back. So where several placings are possible none takes more.
func (f *quarryFile) doubt(left []int64, worth func(buy int) int64, loss func(buy int, x int64) int64) int64 {
	var sum int64
	all := func(k int) int64 { return f.backs[k].amount }
	for _, p := range f.match(slices.Clone(left), all, worth) {
		sum += loss(p.buy, p.amount)
	}
	return sum
}

// quarryUp divides and rounds up.
func quarryUp(x, by int64) int64 { return (x + by - 1) / by }

// quarryNext is the first instant of the next such day of a month.
func quarryNext(zone *time.Location, after time.Time, day int) time.Time {
	t := after.In(zone)
	next := time.Date(t.Year(), t.Month(), day, 0, 0, 0, 0, zone)
	if !next.After(after) {
		next = time.Date(t.Year(), t.Month()+1, day, 0, 0, 0, 0, zone)
	}
	return next
}

// quarryMonth numbers a local month, as purchases do.
func quarryMonth(zone *time.Location, at time.Time) int {
	t := at.In(zone)
	return t.Year()*12 + int(t.Month()) - 1
}

// against is the most that nameless returns may have taken of a set of purchases. A goal
// by spend is reached only if it is so without them.
func (f *quarryFile) against(left []int64, in func(buy int) bool) int64 {
	var sum int64
	for _, k := range f.nameless {
		fits := f.candidates(&f.backs[k])
		var room int64
		for i, x := range left {
			if x > 0 && in(i) && fits(i) {
				room += x
			}
		}
		sum += min(room, f.backs[k].amount)
	}
	return sum
}

// quarryLinks is how the other designs treat nameless returns: they link them for good
// when they come, and anew only where a return by name needs the room.
type quarryLinks struct{ parts []quarryPart }

// link brings the links up to date; worth says what a unit of a purchase has earned.
func (l *quarryLinks) link(f *quarryFile, worth func(buy int) int64) {
	free, set := f.left(), map[int]int64{}
	for j := range l.parts {
		p := &l.parts[j]
		if !f.backs[p.back].nameless() {
			p.amount = 0 // its purchase has come after all
		}
		p.amount = min(p.amount, free[p.buy])
		free[p.buy] -= p.amount
		set[p.back] += p.amount
	}
	rest := func(k int) int64 { return f.backs[k].amount - set[k] }
	l.parts = append(l.parts, f.match(free, rest, worth)...)
}

// left is what is left of the purchases after named and linked returns.
func (l *quarryLinks) left(f *quarryFile) []int64 {
	left := f.left()
	for _, p := range l.parts {
		left[p.buy] -= p.amount
	}
	return left
}

// quarryBook is what makes a design of an account's file.
type quarryBook interface {
	bought(buy int)                 // the purchase is new
	returned(back int)              // the return is new
	next(after time.Time) time.Time // when a batch is due; zero: not before something happens
	run(at time.Time)               // the batch that is due
	redeemable() int64              // below zero counts as nothing
	redeem(amount int64)            // a redemption was paid; the desk has taken it off the balance
}

// quarryPlain has the calls that most books do not need.
type quarryPlain struct{}

func (quarryPlain) next(time.Time) time.Time { return time.Time{} }
func (quarryPlain) run(time.Time)            {}
func (quarryPlain) redeem(int64)             {}

// quarryDesk is the Engine around the books.
type quarryDesk struct {
	zone  *time.Location
	open  func(*quarryFile) quarryBook
	now   time.Time
	files map[string]*quarryFile
	order []string
}

// quarryPayer is a desk whose books also pay by themselves.
type quarryPayer struct{ *quarryDesk }

func newQuarryDesk(zone string, open func(*quarryFile) quarryBook) *quarryDesk {
	z, err := time.LoadLocation(zone)
	if err != nil {
		panic(err) // the database is linked in
	}
	return &quarryDesk{zone: z, open: open, files: map[string]*quarryFile{}}
}
