package foreign

import (
	"cmp"
	"slices"
	"time"

	"recoup/internal/issuer"
)

// Open opens a file, once.
func (d *quarryDesk) Open(account string) error {
	if d.files[account] != nil {
		return nil
	}
	f := &quarryFile{zone: d.zone, opened: d.now, now: d.now, number: map[string]int{},
		seen: map[quarryBackKey]bool{}, named: map[string]int64{}, redeemed: map[string]int64{}}
	f.book = d.open(f)
	d.files[account], d.order = f, append(d.order, account)
	return nil
}

// SetClock runs whatever was due in between, at its own time.
func (d *quarryDesk) SetClock(now time.Time) error {
	if now.Before(d.now) {
		return nil
	}
	first := d.now.IsZero() // before that there was no time in which anything was due
	d.now = now
	for _, name := range d.order {
		f := d.files[name]
		if first {
			f.opened, f.now = now, now
		}
		f.advance(now)
	}
	return nil
}

// advance runs batches and gives parked returns up, in the order of time.
func (f *quarryFile) advance(now time.Time) {
	for {
		due, lost := f.book.next(f.now), time.Time{}
		if len(f.parked) > 0 {
			lost = f.backs[f.parked[0]].came.Add(quarryPark)
		}
		switch {
		case !lost.IsZero() && !lost.After(now) && (due.IsZero() || !lost.After(due)):
			k := f.parked[0]
			f.now, f.parked = lost, f.parked[1:]
			f.giveUp(k)
		case !due.IsZero() && !due.After(now):
			f.now = due
			f.book.run(due)
		default:
			f.now = now
			return
		}
	}
}

// giveUp takes the name of a return for wrong. A dispute of the whole of a purchase that
// nobody knows is of no amount.
func (f *quarryFile) giveUp(k int) {
	if f.backs[k].amount == quarryAll {
		return
	}
	f.backs[k].lost = true
	f.search(k)
	f.book.returned(k)
}

// search puts a return among the nameless.
func (f *quarryFile) search(k int) {
	f.nameless = append(f.nameless, k)
	slices.SortStableFunc(f.nameless, func(a, b int) int {
		x, y := &f.backs[a], &f.backs[b]
		return cmp.Or(cmp.Compare(x.rank(), y.rank()), x.at.Compare(y.at))
	})
}

// Settle files a purchase. What has no money in it is nothing to an engine of rewards.
func (d *quarryDesk) Settle(s issuer.Settlement) error {
	f := d.files[s.Account]
	switch {
	case f == nil:
		return errQuarryAccount
	case s.Transaction == "":
		return errQuarryFact
	}
	if _, twice := f.number[s.Transaction]; twice || s.Amount <= 0 {
		return nil
	}
	at := d.when(s.At)
	local := at.In(d.zone)
	i := len(f.buys)
	f.buys = append(f.buys, quarryBuy{id: s.Transaction, amount: s.Amount, merchant: s.Merchant, mcc: s.MCC, category: s.Category,
		at: at, month: local.Year()*12 + int(local.Month()) - 1, day: local.Day(), weekday: local.Weekday()})
	f.number[s.Transaction] = i
	other := func(k int) bool { return f.backs[k].buy == s.Transaction }
	f.parked = slices.DeleteFunc(f.parked, other)
	f.nameless = slices.DeleteFunc(f.nameless, other)
	for k := range f.backs {
		f.backs[k].lost = f.backs[k].lost && f.backs[k].buy != s.Transaction
	}
	f.book.bought(i)
	return nil
}

// when is a fact's time: that of the clock if it has none.
func (d *quarryDesk) when(at time.Time) time.Time {
	if at.IsZero() {
		return d.now
	}
	return at
}
