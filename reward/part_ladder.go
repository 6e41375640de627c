package reward

import "strconv"

// Rungs are kept among buckets, as baskets are, so that a basket of any length is read
// and written a few rungs at a time.

// mostPlaces is more than a basket can have.
const mostPlaces = 1 << 40

// rungOf is a rung that was handed out for change, with its basket.
type rungOf struct {
	basket *basket
	rung   *rung
}

// rungID names a rung within its account.
func (b *basket) rungID(storey, number int) string {
	return b.key().id() + "/" + strconv.Itoa(storey) + "/" + strconv.Itoa(number)
}

// rungPart writes a rung down.
func (b *basket) rungPart(r *rung) Part {
	w := writer{make([]byte, 0, 16*rungSize)}
	w.int(layeredEncoding)
	w.int(int64(len(r.sums)))
	for i, sum := range r.sums {
		w.int(sum.count)
		w.int(sum.spend)
		w.int(sum.floors)
		if r.storey == 0 {
			w.text(r.ids[i])
		}
	}
	return Part{Kind: BucketPart, ID: b.rungID(r.storey, r.number), Data: w.b}
}

// read has a rung at hand.
func (l *ladder) read(storey, number int) *rung {
	id := l.of.rungID(storey, number)
	r := newReader(l.kept.account, BucketPart, id, l.kept.shelf.Find(BucketPart, id))
	x := &rung{storey: storey, number: number}
	for range r.count() {
		x.sums = append(x.sums, tally{r.int(), r.int(), r.int()})
		if storey == 0 {
			x.ids = append(x.ids, r.text())
		}
	}
	if storey > 0 {
		x.below = make([]*rung, len(x.sums))
	}
	if begin, end := number<<(rungBits*(storey+1)), l.places; len(x.sums) != min(rungSize, (end-begin+1<<(rungBits*storey)-1)>>(rungBits*storey)) {
		r.fail("it has not the places that its basket has")
	}
	r.end()
	return x
}

// hand hands a rung out for change.
func (l *ladder) hand(r *rung) {
	if l.kept != nil && !r.handed {
		r.handed = true
		l.kept.rungs = append(l.kept.rungs, rungOf{l.of, r})
	}
}

// each yields the rungs that are at hand.
func (r *rung) each(yield func(*rung) bool) bool {
	if r == nil {
		return true
	}
	for _, x := range r.below {
		if !x.each(yield) {
			return false
		}
	}
	return yield(r)
}
