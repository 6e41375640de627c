package foreign

import (
	"slices"
	"time"
)

// freshTracked is a shopping portal: a nightly batch over claims, and four cheques a year.
type freshTracked struct {
	freshDesk[freshTrackedBook]
}

// freshTrackedBook is what the batch goes through.
type freshTrackedBook struct {
	night     time.Time // the next
	inbox     []freshTrackedNews
	waiting   []*freshTrackedClaim // not confirmed yet, in the order of clearing
	confirmed map[string]*freshTrackedClaim
}

// freshTrackedNews is what the day has brought for the night.
type freshTrackedNews struct {
	p  *freshPurchase
	by *freshReturn
}

// freshTrackedClaim is a purchase that is tracked. Its reward is in the books once it is
// confirmed.
type freshTrackedClaim struct {
	p       *freshPurchase
	confirm time.Time
	booked  int64
}

const (
	freshTrackedHold  = 60 * 24 * time.Hour
	freshTrackedLeast = 501
)

var freshTrackedDesign = Design{
	Name: "fresh-tracked",
	Source: "Rakuten Rewards (US), rakuten.com/help, Getting Paid (paid by itself on 15 February, May, August and November if $5.01 or more are confirmed, else carried over; " +
		"pending until the store confirms, 20 to 100 days); rates and limits per purchase are ours",
	Published: "Cash back by category: DINING 5%, ONLINE 4%, TRAVEL 2%, everything else 1%, of each purchase, rounded down to the cent. " +
		"A purchase of less than $5 earns nothing, and no purchase earns more than $50. " +
		"Cash back is confirmed in the night (00:00 UTC) in which 60 days have passed since the purchase cleared, and only then in your balance. " +
		"Your whole balance is paid to you by itself at the beginning of 15 February, 15 May, 15 August and 15 November, if it is $5.01 or more; otherwise it waits. You cannot draw on it yourself. " +
		"Returns and chargebacks: the purchase earns on what you keep of it, as if it had been of that price: less than $5 kept earns nothing. Before confirmation that lowers what will be confirmed; afterwards it is taken off your balance in the night after the return posts, before anything is paid, at any time, years later too. " +
		"A balance below zero stays so until new cash back makes it good. " +
		freshGuessExact,
	How: "The day only fills an inbox. At midnight a batch works it off: returns lower claims that wait or post a reversal for claims that are confirmed; claims of 60 days are confirmed and posted; on four nights a year a balance of $5.01 or more is paid out. " +
		"If the clock jumps, each night between is run by itself.",
	Class:    "robust",
	Currency: "USD",
	New: func() Engine {
		e := &freshTracked{}
		e.house, e.exact = e, true
		return e
	},
}

func (e *freshTracked) opened(f *freshFile[freshTrackedBook]) {
	f.own = freshTrackedBook{night: freshDay(f.opened).AddDate(0, 0, 1), confirmed: map[string]*freshTrackedClaim{}}
}

// freshTrackedReward is what a purchase earns on what is kept of it.
func freshTrackedReward(p *freshPurchase) int64 {
	kept, percent := p.kept(), int64(1)
	if kept < 500 {
		return 0
	}
	switch p.category {
	case "DINING":
		percent = 5
	case "ONLINE":
		percent = 4
	case "TRAVEL":
		percent = 2
	}
	return min(5000, kept*percent/100)
}

func (e *freshTracked) moved(f *freshFile[freshTrackedBook], cleared *freshPurchase, others []*freshPurchase, by *freshReturn) {
	if cleared != nil {
		f.own.waiting = append(f.own.waiting, &freshTrackedClaim{p: cleared, confirm: cleared.cleared.Add(freshTrackedHold)})
	}
	for _, p := range others {
		f.own.inbox = append(f.own.inbox, freshTrackedNews{p, by})
	}
}

// run runs the batch of each night that has begun.
func (e *freshTracked) run(f *freshFile[freshTrackedBook]) {
	for ; !e.now.Before(f.own.night); f.own.night = f.own.night.AddDate(0, 0, 1) {
		e.returns(f)
		e.confirm(f)
		if night := f.own.night; night.Day() == 15 && night.Month()%3 == 2 && f.balance >= freshTrackedLeast {
			f.post(Posting{At: night, Kind: Paid, Amount: -f.balance, Note: "cheque"})
		}
	}
}

// returns works the inbox off. What is not confirmed has nothing to be taken back.
func (e *freshTracked) returns(f *freshFile[freshTrackedBook]) {
	for _, news := range f.own.inbox {
		if claim := f.own.confirmed[news.p.id]; claim != nil {
			e.book(f, claim, news.by, "return")
		}
	}
	f.own.inbox = nil
}

// confirm confirms what is due.
func (e *freshTracked) confirm(f *freshFile[freshTrackedBook]) {
	f.own.waiting = slices.DeleteFunc(f.own.waiting, func(claim *freshTrackedClaim) bool {
		if claim.confirm.After(f.own.night) {
			return false
		}
		f.own.confirmed[claim.p.id] = claim
		e.book(f, claim, nil, "confirmed")
		return true
	})
}

func (e *freshTracked) book(f *freshFile[freshTrackedBook], claim *freshTrackedClaim, by *freshReturn, note string) {
	due := freshTrackedReward(claim.p)
	f.change(f.own.night, due-claim.booked, claim.p.id, by, note)
	claim.booked = due
}

// spendable: nobody can draw on it.
func (e *freshTracked) spendable(*freshFile[freshTrackedBook]) int64 { return 0 }
