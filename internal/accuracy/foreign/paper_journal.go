package foreign

import (
	"errors"
	"time"

	"recoup/internal/issuer"
)

// paperJournal is event-sourced: every command that is admitted becomes an event of the
// account's journal, and fold, which is all the reward logic, turns events into entries.
// A purchase's reward is recorded once; a return takes back its share of that record.
type paperJournal struct {
	paperRoll[paperJournalAcct]
}

type paperJournalAcct struct {
	paperBooks
	desk   paperDesk
	events []paperJournalEvent
}

type paperJournalEvent struct {
	at   time.Time
	what string // buy, back, undo
	buy  issuer.Settlement
	back paperBack
}

func paperJournalRate(category string) int {
	switch category {
	case "GROCERY":
		return 300
	case "DINING":
		return 200
	}
	return 100
}

func (a *paperJournalAcct) record(ev paperJournalEvent) {
	a.events = append(a.events, ev)
	a.fold(ev)
}

func (a *paperJournalAcct) fold(ev paperJournalEvent) {
	switch ev.what {
	case "buy":
		b := paperBought(ev.buy, paperJournalRate(ev.buy.Category), ev.at)
		b.orig = paperOf(b.amount, int64(b.rank), 10000)
		b.kept = b.orig
		a.write(ev.at, Earned, b.orig, b.id, "", "cash back")
		a.reverse(ev.at, a.desk.put(b))
	case "back":
		r := ev.back
		a.desk.admit(&r)
		a.reverse(ev.at, a.desk.take(r))
	case "undo":
		for _, b := range a.desk.undo(ev.back.key) {
			a.value(ev.at, b, ev.back.ref)
		}
	}
}

func (a *paperJournalAcct) reverse(at time.Time, shares []paperShare) {
	for _, s := range shares {
		a.value(at, s.buy, s.ref)
	}
}

// value brings what the purchase keeps to its share of the recorded reward.
func (a *paperJournalAcct) value(at time.Time, b *paperBuy, ref string) {
	want := paperOf(b.orig, b.rest(), b.amount)
	switch {
	case want < b.kept:
		a.write(at, Reversed, want-b.kept, b.id, ref, "return")
	case want > b.kept:
		a.write(at, Adjusted, want-b.kept, b.id, ref, "return taken back")
	}
	b.kept = want
}

func (e *paperJournal) Open(account string) error { return e.enrol(account, &paperJournalAcct{}) }

func (e *paperJournal) SetClock(now time.Time) error {
	e.forward(now)
	return nil
}

func (e *paperJournal) Settle(s issuer.Settlement) error {
	a, err := e.of(s.Account)
	if err != nil || s.Transaction == "" {
		return errors.Join(err, paperNeed(s.Transaction))
	}
	if s.Amount > 0 && !a.desk.known(s.Transaction) {
		a.record(paperJournalEvent{at: e.now, what: "buy", buy: s})
	}
	return nil
}

func paperNeed(id string) error {
	if id == "" {
		return errPaperNoID
	}
	return nil
}

func (e *paperJournal) give(account, id string, r paperBack) error {
	a, err := e.of(account)
	if err != nil || id == "" {
		return errors.Join(err, paperNeed(id))
	}
	probe := paperDesk{seen: a.desk.seen}
	if a.desk.seen == nil {
		a.desk.seen = map[string]string{}
		probe.seen = a.desk.seen
	}
	r2 := r
	if probe.admit(&r2) {
		delete(a.desk.seen, r2.key) // fold admits it
		a.record(paperJournalEvent{at: e.now, what: "back", back: r})
	}
	return nil
}

func (e *paperJournal) Refund(r issuer.Refund) error {
	return e.give(r.Account, r.Refund, paperRefundBack(r))
}

func (e *paperJournal) Chargeback(c issuer.Chargeback) error {
	return e.give(c.Account, c.Chargeback, paperDisputeBack(c))
}

// Withdraw takes back a clearing: a return of all that is left of it.
func (e *paperJournal) Withdraw(account, txn string) error {
	return e.give(account, txn, paperBack{key: "w:" + txn, txn: txn, whole: true})
}

func (e *paperJournal) takeBack(account, key, id string) error {
	a, err := e.of(account)
	if err != nil {
		return err
	}
	if _, ok := a.desk.seen[key]; !ok {
		return errors.New("paper: no such return")
	}
	a.record(paperJournalEvent{at: e.now, what: "undo", back: paperBack{key: key, ref: id}})
	return nil
}

// ReverseRefund takes back a refund that bounced.
func (e *paperJournal) ReverseRefund(account, refund string) error {
	return e.takeBack(account, "r:"+refund, refund)
}

// ReverseChargeback takes back a dispute that was lost.
func (e *paperJournal) ReverseChargeback(account, chargeback string) error {
	return e.takeBack(account, "c:"+chargeback, chargeback)
}

func (e *paperJournal) CloseStatement(account string) error {
	_, err := e.of(account)
	return err
}

func (e *paperJournal) Redeem(r issuer.Redemption) (bool, error) {
	a, err := e.of(r.Account)
	if err != nil {
		return false, err
	}
	return a.redeem(r, 1, a.bal)
}

func (e *paperJournal) Balance(account string) (issuer.Balance, error) {
	a, err := e.of(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return a.show(1, a.bal), nil
}

// Postings are the entries that folding the journal gave.
func (e *paperJournal) Postings(account string) []Posting {
	if a := e.byName[account]; a != nil {
		return a.copied()
	}
	return nil
}
