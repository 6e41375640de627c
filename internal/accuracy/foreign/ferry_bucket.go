package foreign

// ferryBucket is where purchases count together: a limit or a goal in one period, or
// a purchase of its own.
type ferryBucket struct {
	name   string
	sum    int64             // what counts in it, all purchases together
	worth  func(int64) int64 // what so much is worth; never falls
	goal   bool              // of no single purchase: in nobody's share
	limit  int64             // above it, where it is not 0, less costs nothing at first
	first  bool              // returns without a name are put here first
	run    int64             // used while shares are reckoned
	posted int64             // its rows so far, where rows are per bucket
}

// ferryPart is one of the things that a purchase counts for.
type ferryPart struct {
	in     *ferryBucket
	counts func(left int64) int64 // what counts of what is left of the purchase
}

// bucket finds the account's bucket of that name, or makes it.
func (a *ferryAccount) bucket(name string, worth func(int64) int64) *ferryBucket {
	for _, k := range a.buckets {
		if k.name == name {
			return k
		}
	}
	k := &ferryBucket{name: name, worth: worth}
	a.buckets = append(a.buckets, k)
	return k
}

// ferryAlone is a part that nothing else counts with.
func ferryAlone(counts func(int64) int64) ferryPart {
	return ferryPart{in: &ferryBucket{worth: ferrySame}, counts: counts}
}

func ferrySame(n int64) int64 { return n }

// ferryRate is a rate in hundredths of a percent, rounded down.
func ferryRate(points int64) func(int64) int64 {
	return func(n int64) int64 { return n * points / 10000 }
}

// ferryUpTo is worth its sum, as far as the limit.
func ferryUpTo(limit int64) func(int64) int64 {
	return func(n int64) int64 { return min(n, limit) }
}

// ferryShares is what each purchase adds to what those before it are worth, in the
// order in which they cleared: what a limit cut off moves up when room is freed.
// Goals are left out.
func ferryShares(buys []*ferryBuy) (shares []int64, total int64) {
	for _, b := range buys {
		for _, p := range b.parts {
			p.in.run = 0
		}
	}
	shares = make([]int64, len(buys))
	for i, b := range buys {
		for _, p := range b.parts {
			if p.in.goal {
				continue
			}
			before := p.in.worth(p.in.run)
			p.in.run += p.counts(b.left())
			shares[i] += p.in.worth(p.in.run) - before
		}
		total += shares[i]
	}
	return shares, total
}
