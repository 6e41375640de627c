package judge

// credit explains a reward row above zero.
func (j *Judge) credit(row int32) {
	r := &j.rows[row]
	if r.Transaction != "" {
		is := j.byID.find(r.Transaction)
		if is == none || !j.creditNamed(is, row) {
			j.leave(row)
		}
		return
	}
	if !j.creditRecent(row) && !j.creditMore(row) && !j.giveBack(row) && !j.creditAgain(row) && !j.creditSingle(row) && !j.explainSum(row) && !j.creditOdd(row) {
		j.leave(row)
	}
}

// creditNamed explains a row that names its purchase: its grant, a part of one, a
// reward that is given back, or the same grant once more.
func (j *Judge) creditNamed(is, row int32) bool {
	p, amount := &j.purchases[is], j.rows[row].Amount
	if j.giveBackTo(is, row) {
		return true
	}
	if !p.granted {
		j.grant(is, amount, row)
		return true
	}
	if p.retained()+amount <= max(p.full(), p.original)+1 {
		if p.taken == 0 {
			j.grantMore(p, amount)
		} else {
			j.returned(p, amount)
		}
		return true
	}
	if near(amount, p.original, 1) || p.copies > 1 {
		j.grantAgain(is, amount, row)
		return true
	}
	return false
}

// grantMore notes a grant that came in parts.
func (j *Judge) grantMore(p *purchase, amount int64) {
	p.original += amount
	p.part = amount
	j.earned(p, amount)
	if p.cut && p.original >= p.rate.Of(p.base)-1 {
		p.cut = false
		j.buckets[p.bucket].cuts--
	}
}

// creditMore takes a row for the rest of a grant of the same moment, of which it makes
// the whole: a bonus on top of the base reward.
func (j *Judge) creditMore(row int32) bool {
	r := &j.rows[row]
	for k := j.arrived - 1; k >= max(0, j.arrived-glance) && j.purchases[k].at >= r.At-together; k-- {
		p := &j.purchases[k]
		if p.granted && !p.inSum && p.taken == 0 && p.original < p.full() && near(p.original+r.Amount, p.full(), 1) {
			j.grantMore(p, r.Amount)
			return true
		}
	}
	return false
}

// grant notes the reward of a purchase, and what it was computed on: what refunds
// had left of it by then or, where it is too much for that, all of it.
func (j *Judge) grant(is int32, amount int64, row int32) {
	p := &j.purchases[is]
	home, soft := p.reversed(), p.soft
	switch {
	case home+soft == 0 || amount <= p.rate.Of(p.left())+1:
	case soft > 0 && amount <= p.rate.Of(p.amount-home)+1:
		soft = 0
	default:
		home, soft = 0, 0
	}
	j.grantOn(is, amount, row, home, soft)
}

// grantOn notes the reward of a purchase which left out so much of what was
// reversed by then: of refunds that name it, and of others.
func (j *Judge) grantOn(is int32, amount int64, row int32, home, soft int64) {
	p := &j.purchases[is]
	p.granted, p.initial, p.original, p.grantRow, p.grantAt = true, amount, amount, row, j.now
	p.base = max(0, p.amount-home-soft)
	if p.bucket != none {
		b := &j.buckets[p.bucket]
		p.cut = b.capped() && amount < p.rate.Of(p.base)-1
		j.checkCut(is, b)
		if p.cut {
			b.cuts++
		}
	}
	j.earned(p, amount)
	for r := p.first; r != none; r = j.refunds[r].next {
		j.granting(r, p, home > 0)
	}
	if p.soft > 0 {
		for _, r := range j.guess.placed {
			if j.refunds[r].of == is {
				j.granting(r, p, soft > 0)
			}
		}
	}
	if !j.closes[row] && j.cycleStart > p.at {
		j.closes[row] = p.cycle == j.book.cycle-1 && p.grantAt < j.cycleStart+closeWithin
	}
}

// granting tells a refund that came before it of the grant, which left it out or
// not.
func (j *Judge) granting(is int32, p *purchase, left bool) {
	rf := &j.refunds[is]
	if !rf.stands() || rf.netted || rf.expected > 0 {
		return
	}
	if left {
		rf.netted, rf.takenAt = true, p.grantAt
		rf.nettedBy = p.rate.Of(p.amount-rf.reversed) - p.rate.Of(p.amount-rf.reversed-rf.part)
		return
	}
	rf.expected = p.keeps(rf.reversed) - p.keeps(rf.reversed+rf.part)
	rf.least = rf.expected
	if rf.expected > 0 {
		j.pending = append(j.pending, is)
		j.takenBefore(is)
	}
}

func (j *Judge) earned(p *purchase, amount int64) {
	if p.bucket == none {
		return
	}
	b := &j.buckets[p.bucket]
	b.granted += amount
	if b.capped() && b.granted-b.taken >= b.cap && b.filledAt == 0 {
		b.filledAt = p.at
	}
}

func (j *Judge) returned(p *purchase, amount int64) {
	p.back += amount
	if p.bucket != none {
		j.buckets[p.bucket].taken -= amount
	}
}

func (j *Judge) grantAgain(is int32, amount int64, row int32) {
	p := &j.purchases[is]
	p.again += amount
	p.againRow = row
	if p.bucket != none {
		b := &j.buckets[p.bucket]
		b.granted += amount
		b.blurred = true
	}
}

// earns reports whether an amount is just what the purchase earns: on all of it or
// on what is left, or what the cap leaves, counted with what was taken back or
// without.
func (j *Judge) earns(p *purchase, amount int64) bool {
	full := p.full()
	if amount == full || amount == p.rate.Of(p.left()) {
		return amount > 0
	}
	if amount > full || p.bucket == none {
		return false
	}
	b := &j.buckets[p.bucket]
	return b.capped() && (amount == b.room() || amount == b.cap-b.granted)
}

// creditRecent looks for the grant among purchases of the last day.
func (j *Judge) creditRecent(row int32) bool {
	r := &j.rows[row]
	found := none
	for k := j.arrived - 1; k >= max(0, j.arrived-glance); k-- {
		p := &j.purchases[k]
		if p.at < r.At-atOnceWithin {
			break
		}
		if p.granted || !j.earns(p, r.Amount) {
			continue
		}
		if found == none {
			found = k
		}
		if r.Amount == p.rate.Of(p.left()) {
			found = k
			break
		}
	}
	if found == none {
		return false
	}
	j.grant(found, r.Amount, row)
	return true
}

// giveBack looks for a refund that did not stand.
func (j *Judge) giveBack(row int32) bool {
	for k := len(j.undone) - 1; k >= max(0, len(j.undone)-glance); k-- {
		rf := &j.refunds[j.undone[k]]
		if rf.of != none && rf.undoneAt > j.rows[row].At-forgotten && j.givenBack(rf, row, 1) {
			return true
		}
	}
	return false
}

// giveBackTo looks for one of the purchase.
func (j *Judge) giveBackTo(is, row int32) bool {
	if len(j.undone) == 0 {
		return false
	}
	for r := j.purchases[is].first; r != none; r = j.refunds[r].next {
		if rf := &j.refunds[r]; rf.undoneAt != 0 && j.givenBack(rf, row, rf.taken) {
			return true
		}
	}
	return false
}

// givenBack notes what a row gives back of what was taken for a refund, if it is
// that up to some difference: what was taken, or what its grant left out.
func (j *Judge) givenBack(rf *refund, row int32, differs int64) bool {
	p, amount := &j.purchases[rf.of], j.rows[row].Amount
	switch missing := rf.taken - rf.back; {
	case rf.netted && rf.back == 0 && near(amount, rf.nettedBy, 1):
		p.original += amount
		p.base = min(p.amount, p.base+rf.part)
		rf.back = amount
		j.earned(p, amount)
	case !rf.netted && missing > 0 && amount <= missing+1 && near(amount, missing, differs):
		rf.back += amount
		j.returned(p, amount)
	default:
		return false
	}
	return true
}

// creditAgain looks for a purchase that was exported twice and granted twice.
func (j *Judge) creditAgain(row int32) bool {
	r := &j.rows[row]
	for k := len(j.copied) - 1; k >= max(0, len(j.copied)-glance); k-- {
		is := j.copied[k]
		if p := &j.purchases[is]; p.granted && p.again == 0 && r.At < p.grantAt+lateRows && near(r.Amount, p.original, 1) {
			j.grantAgain(is, r.Amount, row)
			return true
		}
	}
	return false
}

// creditSingle looks for the grant of one purchase of the open cycle or of the one
// that closed before it.
func (j *Judge) creditSingle(row int32) bool {
	r := &j.rows[row]
	is := j.index.find(j, r.Amount)
	if is == none {
		is = j.upToCap(r.Amount)
	}
	if is == none {
		return false
	}
	j.buckets[j.purchases[is].bucket].blurred = true // it may as well be another's
	j.grant(is, r.Amount, row)
	return true
}

// upToCap looks for the one purchase of the closed cycle that gets what the cap
// leaves.
func (j *Judge) upToCap(amount int64) int32 {
	for i := len(j.buckets) - 1; i >= 0 && j.buckets[i].cycle >= j.book.cycle-1; i-- {
		b := &j.buckets[i]
		if b.cycle != j.book.cycle-1 || !b.capped() || b.room() != amount {
			continue
		}
		for k := j.arrived - 1; k >= 0 && j.purchases[k].cycle >= b.cycle; k-- {
			if p := &j.purchases[k]; p.bucket == int32(i) && !p.granted && p.rate.Of(p.left()) > amount {
				return k
			}
		}
	}
	return none
}

// creditOdd takes a row for the grant of the only purchase of its moment, at
// whatever rate.
func (j *Judge) creditOdd(row int32) bool {
	r := &j.rows[row]
	found := none
	for k := j.arrived - 1; k >= max(0, j.arrived-glance) && j.purchases[k].at >= r.At-together; k-- {
		if !j.purchases[k].granted {
			if found != none {
				return false
			}
			found = k
		}
	}
	if found == none || r.Amount > j.purchases[found].amount/2 {
		return false
	}
	j.grant(found, r.Amount, row)
	return true
}

// checkCut looks whether a grant was cut although its cycle had room, as if what
// the cycle before granted counted.
func (j *Judge) checkCut(is int32, b *bucket) {
	p := &j.purchases[is]
	if !p.cut || p.original <= 0 || b.blurred || b.wrong {
		return
	}
	k := j.findBucket(b.cycle-1, b.rule)
	if k == none {
		return
	}
	before := &j.buckets[k]
	if counted := b.cap - b.granted - before.granted; before.granted > 0 && (p.original == counted || p.original == counted+before.taken) {
		b.wrong, b.wrongAt, b.wrongBy = true, is, min(p.rate.Of(p.base), b.room())-p.original
	}
}

// grantIndex finds purchases without a reward by what they earn. It is built when
// it is first needed, since programs that grant at once do without.
type grantIndex struct {
	by      map[int64]int32 // the latest entry
	entries []grantEntry
	indexed int32 // purchases before it are in the index
}

type grantEntry struct{ purchase, before int32 }

func (x *grantIndex) reset() {
	if len(x.by) > 1<<14 {
		x.by = nil // clearing it would cost every small account
	}
	clear(x.by)
	x.entries, x.indexed = x.entries[:0], 0
}

func (x *grantIndex) add(is int32, amount int64) {
	before, ok := x.by[amount]
	if !ok {
		before = none
	}
	x.by[amount] = int32(len(x.entries))
	x.entries = append(x.entries, grantEntry{is, before})
}

// changed notes that something else is left of a purchase than before.
func (x *grantIndex) changed(j *Judge, is int32) {
	if p := &j.purchases[is]; is < x.indexed && !p.granted {
		if amount := p.rate.Of(p.left()); amount > 0 {
			x.add(is, amount)
		}
	}
}

// find returns a purchase of the open cycle or the one before that earns just the
// amount and has no reward: on what is left of it rather than on all of it.
func (x *grantIndex) find(j *Judge, amount int64) int32 {
	if x.by == nil {
		x.by = make(map[int64]int32)
	}
	for ; x.indexed < j.arrived; x.indexed++ {
		p := &j.purchases[x.indexed]
		if p.granted || p.bucket == none {
			continue
		}
		x.add(x.indexed, p.full())
		if net := p.rate.Of(p.left()); net != p.full() && net > 0 {
			x.add(x.indexed, net)
		}
	}
	gross := none
	at, ok := x.by[amount]
	for n := 0; ok && at != none && n < 8*glance; n++ {
		e := x.entries[at]
		p := &j.purchases[e.purchase]
		if p.cycle < j.book.cycle-1 {
			break
		}
		switch {
		case p.granted:
			if x.by[amount] == at {
				x.by[amount] = e.before // for good
			}
		case amount == p.rate.Of(p.left()):
			return e.purchase
		case gross == none && amount == p.full():
			gross = e.purchase
		}
		at = e.before
	}
	return gross
}
