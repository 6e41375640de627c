package foreign

import (
	"sort"
	"time"

	"recoup/internal/issuer"
)

// This program collects stamps. It is built from a journal: facts are written down first,
// and a reader of the journal keeps what follows from them. Whoever doubts the reader can
// have the journal read again from its start.

const (
	newestAStampWorth = 50 // cents
	newestAStampPrice = 10_00
	newestAStampSheet = 10 // stamps to a reward
	newestAStampHold  = 14 * 24 * time.Hour

	newestAWelcomeDays   = 90 * 24 * time.Hour
	newestAWelcomeSpend  = 150_00
	newestAWelcomeStamps = 10
)

var newestAStamps = Design{
	Name: "newest-stamp-sheet",
	Source: "Barnes & Noble Rewards: a stamp for every $10 spent in a purchase, ten stamps are a $5 reward (barnesandnoble.com/membership), returns that leave " +
		"a purchase with fewer tens cost its stamps (help.barnesandnoble.com, 'How Returns Affect Stamps Issuance and Rewards Redemption'); welcome bonus taken back on " +
		"returns as American Express does (thepointsguy.com, 'Do refunds count against spending toward a sign-up bonus?')",
	Published: "You collect one stamp for every full $10 of a purchase, two on Tuesdays (UTC). A stamp is worth 50 cents. Stamps show on your account " +
		"14 days after the purchase. Rewards are taken in full sheets of ten stamps, $5, $10 and so on. New members get ten stamps 104 days after joining if " +
		"their purchases of the first 90 days, less returns, come to $150. A return leaves you the stamps that the rest of the purchase would have " +
		"got by itself: of $31 with $10 returned two stamps remain. It can cost you the welcome stamps as well, even later. Stamps that are missing are owed, and later ones fill " +
		"the gap first. Returns without reference are taken from your latest purchases, first those at the same store.",
	How: "Facts go into a journal; its reader computes each purchase's stamps from its net amount and posts the difference to what it posted before, from " +
		"14 days after the purchase. The welcome stamps are one more such item. Only full sheets of a positive balance can be redeemed.",
	Class:    "robust",
	Currency: "USD",
	New:      func() Engine { return &newestASheets{} },
}

type newestASheets struct {
	newestAOffice[newestASheet]
}

// newestAFact is a line of the journal; one of the four is set, or none if only time passed.
type newestAFact struct {
	now        time.Time // the clock when it was written
	at         time.Time
	joined     bool
	settlement *issuer.Settlement
	refund     *issuer.Refund
	chargeback *issuer.Chargeback
	redemption *issuer.Redemption
}

// newestASheet is what the reader of an account's journal keeps.
type newestASheet struct {
	newestAFile
	journal []newestAFact
	joined  time.Time
	read    time.Time        // the clock of the last fact that was read
	stamps  map[string]int64 // stamps posted by purchase
	welcome int64
}

func newestANewSheet() *newestASheet {
	return &newestASheet{newestAFile: newestANewFile(), stamps: map[string]int64{}}
}

// write adds a fact to the journal and reads it.
func (a *newestASheet) write(f newestAFact) (bool, error) {
	a.journal = append(a.journal, f)
	return a.apply(f)
}

// replay reads the journal from its start into a new account.
func (a *newestASheet) replay() *newestASheet {
	b := newestANewSheet()
	for _, f := range a.journal {
		// Facts that were refused are refused again.
		_, _ = b.write(f)
	}
	return b
}

func (a *newestASheet) apply(f newestAFact) (bool, error) {
	a.pass(f.now)
	switch {
	case f.joined:
		a.joined = f.at
	case f.settlement != nil:
		sale, _, err := a.sell(*f.settlement, f.at)
		if sale == nil {
			return false, err
		}
		if a.joined.IsZero() {
			a.joined = f.at
		}
		a.grade(sale, f.now, "")
		a.greet(f.now, "")
	case f.refund != nil:
		hits, err := a.refund(*f.refund)
		a.regrade(hits, f.now)
		return false, err
	case f.chargeback != nil:
		hits, err := a.chargeback(*f.chargeback)
		a.regrade(hits, f.now)
		return false, err
	case f.redemption != nil:
		// A sheet is redeemed whole or not at all.
		if f.redemption.Amount%(newestAStampSheet*newestAStampWorth) != 0 {
			return false, nil
		}
		return a.redeem(*f.redemption, a.redeemable()), nil
	}
	return false, nil
}

func (a *newestASheet) regrade(hits []newestAHit, now time.Time) {
	for _, h := range hits {
		a.grade(h.sale, now, h.by)
		a.greet(now, h.by)
	}
}

// pass posts what became due since the last fact, in the order of its days.
func (a *newestASheet) pass(now time.Time) {
	was := a.read
	a.read = now
	if a.joined.IsZero() {
		a.joined = now
	}
	due := append([]*newestASale(nil), a.order...)
	sort.SliceStable(due, func(i, j int) bool { return due[i].at.Before(due[j].at) })
	greeting := a.greeting()
	for _, s := range due {
		ripe := s.at.Add(newestAStampHold)
		if !ripe.After(was) || ripe.After(now) {
			continue
		}
		if greeting.After(was) && greeting.Before(ripe) {
			a.greet(greeting, "")
		}
		a.grade(s, ripe, "")
	}
	if greeting.After(was) && !greeting.After(now) {
		a.greet(greeting, "")
	}
}

// grade posts the difference that a purchase's stamps have come to, once they show.
func (a *newestASheet) grade(s *newestASale, at time.Time, by string) {
	if s.at.Add(newestAStampHold).After(at) {
		return
	}
	stamps := s.net() / newestAStampPrice
	if s.at.UTC().Weekday() == time.Tuesday {
		stamps *= 2
	}
	delta := stamps - a.stamps[s.id]
	a.stamps[s.id] = stamps
	a.correct(at, delta*newestAStampWorth, s.id, by, "stamps")
}

// greeting is when the welcome stamps are due.
func (a *newestASheet) greeting() time.Time {
	return a.joined.Add(newestAWelcomeDays + newestAStampHold)
}

func (a *newestASheet) greet(at time.Time, by string) {
	if a.greeting().After(at) {
		return
	}
	var net, stamps int64
	for _, s := range a.order {
		if s.at.Before(a.joined.Add(newestAWelcomeDays)) {
			net += s.net()
		}
	}
	if net >= newestAWelcomeSpend {
		stamps = newestAWelcomeStamps
	}
	delta := stamps - a.welcome
	a.welcome = stamps
	a.correct(at, delta*newestAStampWorth, "", by, "welcome stamps")
}

// redeemable is what makes full sheets.
func (a *newestASheet) redeemable() int64 {
	const sheet = newestAStampSheet * newestAStampWorth
	return max(0, a.balance()/sheet*sheet)
}

func (e *newestASheets) Open(account string) error {
	a := newestANewSheet()
	if err := e.add(account, a); err != nil {
		return err
	}
	_, err := a.write(newestAFact{now: e.now, at: e.now, joined: true})
	return err
}

func (e *newestASheets) SetClock(now time.Time) error {
	if _, err := e.tick(now); err != nil {
		return err
	}
	for _, name := range e.names {
		if _, err := e.files[name].write(newestAFact{now: now}); err != nil {
			return err
		}
	}
	return nil
}

func (e *newestASheets) Settle(s issuer.Settlement) error {
	a, err := e.file(s.Account)
	if err == nil {
		_, err = a.write(newestAFact{now: e.now, at: e.when(s.At), settlement: &s})
	}
	return err
}

func (e *newestASheets) Refund(r issuer.Refund) error {
	a, err := e.file(r.Account)
	if err == nil {
		_, err = a.write(newestAFact{now: e.now, refund: &r})
	}
	return err
}

func (e *newestASheets) Chargeback(c issuer.Chargeback) error {
	a, err := e.file(c.Account)
	if err == nil {
		_, err = a.write(newestAFact{now: e.now, chargeback: &c})
	}
	return err
}

func (e *newestASheets) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.file(r.Account)
	if err != nil {
		return false, err
	}
	return a.write(newestAFact{now: e.now, redemption: &r})
}

func (e *newestASheets) Balance(account string) (issuer.Balance, error) {
	a, err := e.file(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: a.balance(), Redeemable: a.redeemable()}, nil
}

func (e *newestASheets) Postings(account string) []Posting {
	if a := e.files[account]; a != nil {
		return append([]Posting(nil), a.postings...)
	}
	return nil
}
