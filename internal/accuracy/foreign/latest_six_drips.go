package foreign

import (
	"container/heap"
	"time"

	"recoup/internal/issuer"
)

var latestESixDrips = Design{
	Name: "latest-six-drips",
	Source: "Own, after programs that credit a reward over time: Brazilian cards that credit the points of a purchase " +
		"with each of its instalments, and carriers' device offers paid as monthly bill credits; the return rule is section 5.3.1 (Issuer C).",
	Published: "3% back on all purchases. The reward of a purchase is 3% of it in whole cents, a half cent going to the even cent. " +
		"At most $60.00 of rewards for the purchases of one calendar quarter (UTC, by the date of the purchase); earlier purchases use the limit first. " +
		"The reward of a purchase is credited in six parts, 30, 60, 90, 120, 150 and 180 days after the purchase: after k parts you have been credited " +
		"k sixths of it, cents rounded down, so that all of it is there after 180 days. What has been credited can be redeemed at once, in any amount. " +
		"If all or a part of a purchase is returned or charged back, its reward becomes what it would have been for the part that you keep: what was credited beyond " +
		"that is taken back at once, the parts still to come get smaller, and the quarter's limit is free again for the other purchases of that quarter. " +
		"Your balance may become negative and is then made up by later rewards. A refund above the price counts as one of the price. A refund without its purchase is set against your latest purchases at that merchant, then against others.",
	How: "A queue of jobs ordered by time: each purchase has six, and each raises the number of parts that are due of it. After every fact the rewards of the purchase's " +
		"quarter are shared out again in order of purchase from what is left of each, and every purchase is brought to the sixths that are due, up or down, in one posting.",
	Class:    "robust",
	Currency: "USD",
	New:      func() Engine { return &latestEDripEngine{accounts: map[string]*latestEDripAccount{}} },
}

const (
	latestEDripParts = 6
	latestEDripStep  = 30 * 24 * time.Hour
	latestEDripCap   = 6000
)

// latestEDrip is the reward side of a purchase.
type latestEDrip struct {
	sale   *latestESale
	reward int64 // of what is left, within the quarter's limit
	due    int64 // parts that are due
	paid   int64
}

type latestEDripAccount struct {
	latestETill
	book  *latestEBook
	drips map[*latestESale]*latestEDrip
}

// latestEDripJob credits one part of one purchase.
type latestEDripJob struct {
	at      time.Time
	number  int // keeps the order of jobs that are due together
	account *latestEDripAccount
	drip    *latestEDrip
}

type latestEDripQueue []latestEDripJob

func (q latestEDripQueue) Len() int { return len(q) }
func (q latestEDripQueue) Less(i, j int) bool {
	if !q[i].at.Equal(q[j].at) {
		return q[i].at.Before(q[j].at)
	}
	return q[i].number < q[j].number
}
func (q latestEDripQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *latestEDripQueue) Push(x any)   { *q = append(*q, x.(latestEDripJob)) }
func (q *latestEDripQueue) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}

type latestEDripEngine struct {
	now      time.Time
	accounts map[string]*latestEDripAccount
	queue    latestEDripQueue
	jobs     int
}

func (e *latestEDripEngine) Open(account string) error {
	if e.accounts[account] == nil {
		e.accounts[account] = &latestEDripAccount{book: latestENewBook(), drips: map[*latestESale]*latestEDrip{}}
	}
	return nil
}

func (e *latestEDripEngine) SetClock(now time.Time) error {
	if now.After(e.now) {
		e.now = now
	}
	e.work()
	return nil
}

// work does the jobs that are due, each at its own time.
func (e *latestEDripEngine) work() {
	for len(e.queue) > 0 && !e.queue[0].at.After(e.now) {
		job := heap.Pop(&e.queue).(latestEDripJob)
		job.drip.due++
		job.account.bring(job.drip, job.at, "", "part of a reward")
	}
}

// bring posts what is missing to the parts that are due, or what is too much.
func (a *latestEDripAccount) bring(d *latestEDrip, at time.Time, refund, note string) {
	target := latestEDown(d.reward, d.due, latestEDripParts)
	kind := Earned
	if target < d.paid {
		kind = Reversed
	}
	a.post(Posting{At: at, Kind: kind, Amount: target - d.paid, Transaction: d.sale.id, Refund: refund, Note: note})
	d.paid = target
}

func latestEQuarter(t time.Time) int { return latestEMonth(t) / 3 }

// share shares the limit of a purchase's quarter out again, the earliest purchase first.
func (a *latestEDripAccount) share(about *latestESale, at time.Time, refund, note string) {
	quarter := latestEQuarter(about.at)
	left := int64(latestEDripCap)
	for _, sale := range a.book.order {
		if latestEQuarter(sale.at) != quarter {
			continue
		}
		d := a.drips[sale]
		d.reward = min(left, latestEHalfEven(sale.net(), 3, 100))
		left -= d.reward
		if sale == about {
			a.bring(d, at, refund, note)
		} else {
			a.bring(d, at, "", "limit of the quarter")
		}
	}
}

func (e *latestEDripEngine) Settle(s issuer.Settlement) error {
	a, err := latestEFind(e.accounts, s.Account)
	if err != nil {
		return err
	}
	sale := a.book.settle(s, e.now)
	if sale == nil {
		return nil
	}
	d := &latestEDrip{sale: sale}
	a.drips[sale] = d
	a.share(sale, e.now, "", "")
	for k := 1; k <= latestEDripParts; k++ {
		e.jobs++
		at := sale.at.Add(time.Duration(k) * latestEDripStep)
		if at.Before(e.now) {
			at = e.now // a purchase that was late to arrive catches up now
		}
		heap.Push(&e.queue, latestEDripJob{at: at, number: e.jobs, account: a, drip: d})
	}
	e.work()
	return nil
}

func (e *latestEDripEngine) Refund(r issuer.Refund) error {
	a, err := latestEFind(e.accounts, r.Account)
	if err != nil {
		return err
	}
	for _, sale := range a.book.refund(r) {
		a.share(sale, e.now, r.Refund, "returned")
	}
	return nil
}

func (e *latestEDripEngine) Chargeback(c issuer.Chargeback) error {
	a, err := latestEFind(e.accounts, c.Account)
	if err != nil {
		return err
	}
	for _, sale := range a.book.chargeback(c) {
		a.share(sale, e.now, c.Chargeback, "charged back")
	}
	return nil
}

// CloseStatement does nothing: parts fall due by the clock.
func (e *latestEDripEngine) CloseStatement(account string) error {
	_, err := latestEFind(e.accounts, account)
	return err
}

func (e *latestEDripEngine) Redeem(r issuer.Redemption) (bool, error) {
	a, err := latestEFind(e.accounts, r.Account)
	if err != nil {
		return false, err
	}
	return a.redeem(r, max(0, a.balance)), nil
}

func (e *latestEDripEngine) Balance(account string) (issuer.Balance, error) {
	a, err := latestEFind(e.accounts, account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.balance, Redeemable: max(0, a.balance)}, nil
}

func (e *latestEDripEngine) Postings(account string) []Posting {
	if a := e.accounts[account]; a != nil {
		return append([]Posting(nil), a.postings...)
	}
	return nil
}
