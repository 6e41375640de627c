package foreign

import "time"

// amberBuy is a cleared purchase.
type amberBuy struct {
	id           string
	amount, back int64 // back: returned so far, never above amount
	category     string
	at           time.Time
}

func (b *amberBuy) net() int64 { return b.amount - b.back }

// amberBack is a refund or a chargeback.
type amberBack struct {
	id, tx   string
	amount   int64
	all      bool // a chargeback of whatever is left
	at, seen time.Time
	buy      *amberBuy // once it is known
}

// amberFile is all that is known of one account.
type amberFile struct {
	zone        *time.Location
	now, opened time.Time
	buys        []*amberBuy // in the order of their clearing's delivery
	byTx        map[string]*amberBuy
	backs       []*amberBack
	seen        map[string]bool // messages that have had their effect
	rows        []Posting
	sum, spent  int64
	paid        int64 // by the engine itself
	withheld    int64 // for nameless returns
	house       amberHouse
}

// post books a row at the file's time; rows of nothing are left out.
func (f *amberFile) post(kind Kind, amount int64, tx, refund, note string) {
	if amount == 0 {
		return
	}
	f.rows = append(f.rows, Posting{At: f.now, Kind: kind, Amount: amount, Transaction: tx, Refund: refund, Note: note})
	f.sum += amount
	if kind == Paid {
		f.paid -= amount
	}
}

func (f *amberFile) balance() int64 { return f.sum - f.spent }

// advance does what is due until now, each at its own time.
func (f *amberFile) advance(now time.Time) {
	for {
		house, stray := f.house.next(f.now), f.nextStray()
		at := house
		if at.IsZero() || !stray.IsZero() && stray.Before(at) {
			at = stray
		}
		if at.IsZero() || at.After(now) {
			break
		}
		f.now = at
		if at.Equal(stray) {
			f.house.level(nil)
		}
		if at.Equal(house) {
			f.house.due()
		}
	}
	f.now = now
}

// once says whether a message is new, and remembers it. One without a name always is.
func (f *amberFile) once(kind, id string) bool {
	if id == "" {
		return true
	}
	key := kind + id
	fresh := !f.seen[key]
	f.seen[key] = true
	return fresh
}

// when is a fact's time: its own if it has one that is not in the future.
func (f *amberFile) when(at time.Time) time.Time {
	if at.IsZero() || at.After(f.now) {
		return f.now
	}
	return at
}

// giveBack takes a return from its purchase, never more than is left of that.
func (f *amberFile) giveBack(b *amberBuy, r *amberBack) {
	part := min(r.amount, b.net())
	if r.all {
		part = b.net()
	}
	r.buy = b
	b.back += part
	if part > 0 {
		f.house.returned(b, r, part)
	}
}

// take records a return, and applies it if its purchase is there.
func (f *amberFile) take(r *amberBack) {
	f.backs = append(f.backs, r)
	if b := f.byTx[r.tx]; b != nil && r.tx != "" {
		f.giveBack(b, r)
	}
	f.house.level(r)
}
