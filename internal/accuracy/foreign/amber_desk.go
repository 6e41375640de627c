package foreign

import (
	"errors"
	"fmt"
	"time"
	_ "time/tzdata" // zones must not depend on the machine

	"recoup/internal/issuer"
)

// amberDesigns are eight co-brand programs of airlines, filling stations and supermarkets.
var amberDesigns = []Design{
	amberSakura, amberOverland, amberLarder, // sound
	amberBasket, amberJetstream, amberDhow, amberPump, amberFjord,
}

// amberPatience is how long a return that names a purchase which has not cleared waits
// before it is treated like one that names none.
const amberPatience = 30 * 24 * time.Hour

// amberMost bounds the amount of a message, so that no product of it overflows.
const amberMost = int64(1e10)

var errAmberRange = errors.New("amber: amount out of range")

// amberHouse is what one account's program does with the facts that the desk has recorded.
// The desk keeps what happened, the house what it earned.
type amberHouse interface {
	// next is the first instant after the given one at which the house acts by itself; zero
	// if there is none.
	next(after time.Time) time.Time
	// due acts by itself, at the file's time.
	due()
	// bought and returned hear of a clearing, and of the part of a purchase that came back.
	bought(b *amberBuy)
	returned(b *amberBuy, r *amberBack, part int64)
	// level follows every fact: nameless returns may weigh more or less than before. r is the
	// return that caused it, if one did.
	level(r *amberBack)
	// free is what could be redeemed; below zero counts as nothing.
	free() int64
}

// amberIdle is a house that never acts by itself and does nothing with what it hears.
type amberIdle struct{}

func (amberIdle) next(time.Time) time.Time              { return time.Time{} }
func (amberIdle) due()                                  {}
func (amberIdle) bought(*amberBuy)                      {}
func (amberIdle) returned(*amberBuy, *amberBack, int64) {}
func (amberIdle) level(*amberBack)                      {}

// amberDesk is the engine that all designs share: it keeps the files and knows no rate.
type amberDesk struct {
	zone  *time.Location
	build func(*amberFile) amberHouse
	now   time.Time
	files map[string]*amberFile
	order []*amberFile // as opened, so that nothing depends on a map's order
}

// amberNew makes the constructor of a design in a zone.
func amberNew(zone string, build func(*amberFile) amberHouse) func() Engine {
	return func() Engine {
		loc, err := time.LoadLocation(zone)
		if err != nil {
			panic(err) // zones are embedded: a misspelt one is a bug of the design
		}
		return &amberDesk{zone: loc, build: build, files: map[string]*amberFile{}}
	}
}

func (d *amberDesk) file(account string) (*amberFile, error) {
	if f := d.files[account]; f != nil {
		return f, nil
	}
	return nil, fmt.Errorf("amber: no account %q", account)
}

// Open opens an account; opening it again changes nothing.
func (d *amberDesk) Open(account string) error {
	if d.files[account] != nil {
		return nil
	}
	f := &amberFile{zone: d.zone, now: d.now, opened: d.now, byTx: map[string]*amberBuy{}, seen: map[string]bool{}}
	f.house = d.build(f)
	d.files[account] = f
	d.order = append(d.order, f)
	return nil
}

// SetClock moves time on and does what fell due in between.
func (d *amberDesk) SetClock(now time.Time) error {
	if now.Before(d.now) {
		return errors.New("amber: the clock does not go back")
	}
	first := d.now.IsZero()
	d.now = now
	for _, f := range d.order {
		if first { // the account was opened before there was a time
			f.now, f.opened = now, now
			continue
		}
		f.advance(now)
	}
	return nil
}

// Settle records a purchase, and the returns of it that came first.
func (d *amberDesk) Settle(s issuer.Settlement) error {
	f, err := d.file(s.Account)
	if err != nil {
		return err
	}
	if s.Amount > amberMost {
		return errAmberRange
	}
	if s.Amount <= 0 || !f.once("t", s.Transaction) {
		return nil
	}
	b := &amberBuy{id: s.Transaction, amount: s.Amount, category: s.Category, at: f.when(s.At)}
	f.buys = append(f.buys, b)
	f.house.bought(b)
	if b.id != "" {
		f.byTx[b.id] = b
		for _, r := range f.backs {
			if r.buy == nil && r.tx == b.id {
				f.giveBack(b, r)
			}
		}
	}
	f.house.level(nil)
	return nil
}

// Refund records a refund.
func (d *amberDesk) Refund(r issuer.Refund) error {
	f, err := d.file(r.Account)
	if err != nil {
		return err
	}
	if r.Amount > amberMost {
		return errAmberRange
	}
	if r.Amount > 0 && f.once("r", r.Refund) {
		f.take(&amberBack{id: r.Refund, tx: r.Transaction, amount: r.Amount, at: f.when(r.At), seen: f.now})
	}
	return nil
}

// Chargeback records a dispute that was won.
func (d *amberDesk) Chargeback(c issuer.Chargeback) error {
	f, err := d.file(c.Account)
	if err != nil {
		return err
	}
	if c.Amount > amberMost {
		return errAmberRange
	}
	if c.Amount >= 0 && f.once("c", c.Chargeback) {
		f.take(&amberBack{id: c.Chargeback, tx: c.Transaction, amount: c.Amount, all: c.Amount == 0, at: f.when(c.At), seen: f.now})
	}
	return nil
}

// CloseStatement has nothing left to do: statements close by the clock.
func (d *amberDesk) CloseStatement(account string) error {
	_, err := d.file(account)
	return err
}

// Redeem pays out at most what is free. A request that was paid is answered as before.
func (d *amberDesk) Redeem(r issuer.Redemption) (bool, error) {
	f, err := d.file(r.Account)
	if err != nil {
		return false, err
	}
	if r.Redemption != "" && f.seen["p"+r.Redemption] {
		return true, nil
	}
	if r.Amount <= 0 || r.Amount > f.house.free() {
		return false, nil
	}
	f.once("p", r.Redemption)
	f.spent += r.Amount
	return true, nil
}

// Balance shows the books, and what is free of them.
func (d *amberDesk) Balance(account string) (issuer.Balance, error) {
	f, err := d.file(account)
	if err != nil {
		return issuer.Balance{}, err
	}
	return issuer.Balance{Balance: f.balance(), Redeemable: max(0, f.house.free())}, nil
}

// PaidOut is what the program paid without being asked.
func (d *amberDesk) PaidOut(account string) (int64, error) {
	f, err := d.file(account)
	if err != nil {
		return 0, err
	}
	return f.paid, nil
}

// Postings are a copy of the account's books.
func (d *amberDesk) Postings(account string) []Posting {
	f := d.files[account]
	if f == nil {
		return nil
	}
	return append([]Posting(nil), f.rows...)
}
