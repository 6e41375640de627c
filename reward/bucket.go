package reward

import (
	"iter"
	"slices"
)

// bucket is the paper's MonthlyUsed, for one rule and the cycle in which its
// purchases settled, so that a reversal in a later cycle frees room where the
// reward had taken it.
type bucket struct {
	before  *bucket  // the account's next older one
	program *Program // the version in force in its cycle
	rule    *Rule
	number  int32 // of the rule
	cycle   Cycle
	handed  bool // it was handed out for change since it was last written down
	place   int  // among the account's buckets, while they are checked

	used      int64 // Σ retained: never above the cap
	net       int64 // Σ amount − reversed over its posted transactions
	soft      int64 // Σ of what may still move, so net + soft is Σ after home and firm places
	ungranted int64 // Σ after home and firm places over those that are not granted yet
	young     int64 // Σ retained over those that have not matured
	risk      int64 // of a pooled bucket: what of used would be taken if all were posted
	held      int64 // of a pooled bucket: what of used may not be redeemed yet

	unread bool  // its ranking is kept elsewhere and has not been read
	edge   *edge // who is how far under the cap; nil while that is of no account
}

// edge is where the cap cuts a bucket's rewards.
type edge struct {
	// waiting, under Proportional, are transactions whose retained reward is
	// below what their facts allow, for want of room. In posting order.
	waiting []*transaction
	// ranking, under Rerate with a cap, is every granted transaction in posting
	// order. Those before rank whole keep all their rewards, whose sum is
	// wholeSum; the one at whole keeps what room is left, those after it nothing.
	ranking  []*transaction
	whole    int
	wholeSum int64
}

func (b *bucket) edges() *edge {
	if b.edge == nil {
		b.edge = new(edge)
	}
	return b.edge
}

// bucketIn returns the bucket of a rule in a cycle, a new one if there is none.
func (a *Account) bucketIn(rule int32, cycle Cycle) *bucket {
	if b := a.findBucket(rule, cycle); b != nil {
		return b
	}
	p := a.newest.In(cycle)
	b := &bucket{program: p, rule: &p.Rules[rule], number: rule, cycle: cycle}
	a.shelve(b)
	return b
}

// buckets yields every bucket, the newest first.
func (a *Account) buckets() iter.Seq[*bucket] {
	return func(yield func(*bucket) bool) {
		for b := a.latest; b != nil && yield(b); b = b.before {
		}
	}
}

// capped reports whether the bucket has a cap.
func (b *bucket) capped() bool { return b.rule.Cap != NoCap }

// room is what the cap leaves for further rewards.
func (b *bucket) room() int64 {
	if !b.capped() {
		return MaxVolume
	}
	return b.rule.Cap - b.used
}

// bound is min(cap, Σ rate·x) in units of 1/rateScale, for a spend of x.
func (b *bucket) bound(x int64) uint128 {
	full := mul64(int64(b.rule.Rate), x)
	if !b.capped() {
		return full
	}
	return full.min(mul64(b.rule.Cap, rateScale))
}

// byOrder compares transactions of an account by posting order.
func byOrder(s, t *transaction) int {
	if s.order != t.order {
		return int(s.order) - int(t.order)
	}
	return int(s.item) - int(t.item)
}

// due is what a transaction earns on the amount that levelling last saw.
func (t *transaction) due() int64 { return t.bucket.rule.Rate.Of(t.amount - t.levelled) }

// rerate brings the ranking of a capped bucket up to date with its changed
// transactions and returns, in posting order, those whose retained reward may
// have to change. Besides the changed ones it visits those between the old and
// the new edge of the cap, so its cost is that of the postings it leads to
// (and of transactions at the edge that earn nothing), not of the bucket.
func (a *Account) rerate(b *bucket, changedOnes []*transaction) []*transaction {
	a.readRanking(b)
	e := b.edges()
	from := e.whole
	for _, t := range changedOnes {
		before := int64(0)
		if t.is(ranked) {
			before = t.due()
		} else {
			t.set(ranked)
			at, _ := slices.BinarySearchFunc(e.ranking, t, byOrder)
			e.ranking = slices.Insert(e.ranking, at, t)
			if at < e.whole {
				e.whole++
			}
			if at <= from {
				from++
			}
		}
		inside := e.inside(t)
		t.levelled = t.reversed()
		if inside {
			e.wholeSum += t.due() - before
		}
	}
	b.moveEdge()
	low, high := min(from, e.whole), max(from, e.whole)
	moved := e.ranking[low:min(high+1, len(e.ranking))]
	all := append(slices.Clone(changedOnes), moved...)
	slices.SortFunc(all, byOrder)
	return slices.Compact(all)
}

// moveEdge finds the edge of the cap from where it was.
func (b *bucket) moveEdge() {
	e := b.edge
	for e.wholeSum > b.rule.Cap {
		e.whole--
		e.wholeSum -= e.ranking[e.whole].due()
	}
	for e.whole < len(e.ranking) && e.wholeSum+e.ranking[e.whole].due() <= b.rule.Cap {
		e.wholeSum += e.ranking[e.whole].due()
		e.whole++
	}
}

// inside reports whether a ranked transaction keeps all its reward.
func (e *edge) inside(t *transaction) bool {
	return e.whole == len(e.ranking) || byOrder(t, e.ranking[e.whole]) < 0
}

// share is f_i of a ranked transaction: what is left of it by the edge.
func (b *bucket) share(t *transaction) int64 {
	switch e := b.edge; {
	case e.inside(t):
		return t.due()
	case t == e.ranking[e.whole]:
		return b.rule.Cap - e.wholeSum
	}
	return 0
}
