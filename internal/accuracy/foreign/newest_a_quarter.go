package foreign

import (
	"time"

	"recoup/internal/issuer"
)

// This program works off a queue of jobs. Purchases are graded by the run of the third
// night, returns at once; both ask a counter of the quarter how much of the cap is used.

const (
	newestAQuarterCap  = 600_00
	newestAQuarterWait = 3 // nights
)

var newestAQuarter = Design{
	Name: "newest-quarter-queue",
	Source: "Chase Freedom and Discover it: 5% on a capped amount of purchases a quarter (peterswar.net, 'How does Discover it cash back work'; visualfoodie.com, 'Common credit card cash back " +
		"rules'); the cap given back to the wrong period is what section 6 of the paper warns of after Algorithm 2",
	Published: "Supermarkets and fuel earn 5% on the first $600 of such purchases in a calendar quarter (UTC), in the order of their grading, and 1% beyond; everything else earns 1%. Cash back is " +
		"rounded to the nearest cent, half a cent up, once a purchase. It is granted by the run at 02:00 UTC on the third night after the purchase reached us and can be redeemed from then " +
		"on. A return at any time takes back the cash back that the returned part was granted, in proportion, and gives its part of the $600 back to the quarter of its purchase; earlier " +
		"purchases are not graded anew. It may make the balance negative; later cash back pays that off first. Returns without reference are taken from your latest purchases, " +
		"first those at the same merchant.",
	How: "A purchase is graded three nights after delivery by what is then left of the cap of the purchase's quarter. A return takes back exactly its share, but the cap it " +
		"gives back is that of the quarter in which the return posts, whenever the purchase was, and so that quarter can have more than $600 at 5%.",
	Class: "other",
	Leak: "Returns from the last quarter make the cap of this one larger. Buy fuel for $600.00 on 20 December, get $30.00; return it on 2 January and the $30.00 go. " +
		"Buy groceries for $1,200.00 in January: all of it earns 5%, $60.00, where $36.00 are promised. $24.00 gained by a purchase that was returned; it can be had every quarter " +
		"and as large as one likes.",
	Currency: "USD",
	New:      func() Engine { return &newestAQueues{} },
}

type newestAQueues struct {
	newestAOffice[newestAQueued]
}

// newestAGrade is what a purchase was granted, and the part of it that used the cap.
type newestAGrade struct {
	granted, taken int64
	capped         int64 // amount at the high rate
	restored       int64 // of it, what has been given back
	base           int64 // what of the purchase was there to be graded
	due            time.Time
	done           bool
}

type newestAQueued struct {
	newestAFile
	queue  []*newestASale // to be graded, in the order of delivery and so of their nights
	grades map[string]*newestAGrade
	used   map[int]int64 // of the cap, by quarter
}

func newestAQuarterOf(at time.Time) int { return newestAMonth(at) / 3 }

func (e *newestAQueues) Open(account string) error {
	return e.add(account, &newestAQueued{newestAFile: newestANewFile(), grades: map[string]*newestAGrade{}, used: map[int]int64{}})
}

// newestANight is the run that takes up what was delivered at a time.
func newestANight(at time.Time) time.Time {
	at = at.UTC()
	return time.Date(at.Year(), at.Month(), at.Day()+newestAQuarterWait, 2, 0, 0, 0, time.UTC)
}

func (e *newestAQueues) SetClock(now time.Time) error {
	if _, err := e.tick(now); err != nil {
		return err
	}
	for _, name := range e.names {
		a := e.files[name]
		for len(a.queue) > 0 {
			g := a.grades[a.queue[0].id]
			if g.due.After(now) {
				break
			}
			a.grade(a.queue[0], g)
			a.queue = a.queue[1:]
		}
	}
	return nil
}

// grade grants what is left of a purchase its cash back.
func (a *newestAQueued) grade(s *newestASale, g *newestAGrade) {
	g.done = true
	g.base = s.net()
	quarter := newestAQuarterOf(s.at)
	if kind := newestAKind(s.mcc, s.category); kind == "grocery" || kind == "fuel" {
		g.capped = max(0, min(g.base, newestAQuarterCap-a.used[quarter]))
		a.used[quarter] += g.capped
	}
	g.granted = newestAHalfUp(5*g.capped+(g.base-g.capped), 1, 100)
	a.correct(g.due, g.granted, s.id, "", "cash back")
}

func (e *newestAQueues) Settle(s issuer.Settlement) error {
	a, err := e.file(s.Account)
	if err != nil {
		return err
	}
	sale, _, err := a.sell(s, e.when(s.At))
	if sale == nil {
		return err
	}
	delivered := e.now
	if delivered.IsZero() {
		// Nobody has told the time yet; the purchase's own has to do.
		delivered = sale.at
	}
	a.grades[sale.id] = &newestAGrade{due: newestANight(delivered)}
	// The queue is in the order of the nights, which is that of delivery except
	// before the clock was first set.
	at := len(a.queue)
	for at > 0 && a.grades[a.queue[at-1].id].due.After(a.grades[sale.id].due) {
		at--
	}
	a.queue = append(a.queue[:at], append([]*newestASale{sale}, a.queue[at:]...)...)
	return nil
}

// takeBack takes the share of what came back. What is not graded yet has none: its
// grading will see the smaller purchase.
func (e *newestAQueues) takeBack(a *newestAQueued, hits []newestAHit) {
	for _, h := range hits {
		g := a.grades[h.sale.id]
		if g == nil || !g.done {
			continue
		}
		back := g.base - h.sale.net()
		taken := newestAHalfUp(g.granted, back, g.base)
		restored := newestADown(g.capped, back, g.base)
		a.used[newestAQuarterOf(e.now)] -= restored - g.restored
		delta := taken - g.taken
		g.taken, g.restored = taken, restored
		a.correct(e.now, -delta, h.sale.id, h.by, "return")
	}
}

func (e *newestAQueues) Refund(r issuer.Refund) error {
	a, err := e.file(r.Account)
	if err != nil {
		return err
	}
	hits, err := a.refund(r)
	e.takeBack(a, hits)
	return err
}

func (e *newestAQueues) Chargeback(c issuer.Chargeback) error {
	a, err := e.file(c.Account)
	if err != nil {
		return err
	}
	hits, err := a.chargeback(c)
	e.takeBack(a, hits)
	return err
}

func (e *newestAQueues) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.file(r.Account)
	if err != nil {
		return false, err
	}
	return a.redeem(r, max(0, a.balance())), nil
}

func (e *newestAQueues) Balance(account string) (issuer.Balance, error) {
	a, err := e.file(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.balance(), Redeemable: max(0, a.balance())}, nil
}

func (e *newestAQueues) Postings(account string) []Posting {
	if a := e.files[account]; a != nil {
		return append([]Posting(nil), a.postings...)
	}
	return nil
}
