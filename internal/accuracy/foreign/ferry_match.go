package foreign

// ferryMatch says anew what of each purchase has come back. It goes by facts alone and
// by no earlier guess, so a refund whose purchase is known later pushes the guesses
// made there to where there is still room. A refund that names a purchase which has not
// cleared is guessed at until it does.
func ferryMatch(a *ferryAccount, buys []*ferryBuy, backs []*ferryBack) {
	for _, b := range buys {
		b.back = 0
	}
	var unnamed []*ferryBack
	for _, r := range backs {
		if b := a.byID[r.tx]; b == nil || r.tx == "" {
			unnamed = append(unnamed, r)
		} else {
			b.take(r)
		}
	}
	named := make([]int64, len(buys))
	for i, b := range buys {
		named[i] = b.back
	}
	ferryCount(buys, named)
	if len(unnamed) == 0 {
		return
	}
	// One return under a limit that is exceeded may cost nothing, and several much: so
	// each such limit is also tried as the first place for all, and kept if it costs more.
	var tight []*ferryBucket
	for _, k := range a.buckets {
		if k.first = false; k.limit > 0 && k.sum > k.limit {
			tight = append(tight, k)
		}
	}
	most := ferryPlaceAll(buys, unnamed)
	for _, k := range tight {
		k.first = true
		ferryCount(buys, named)
		if cost := ferryPlaceAll(buys, unnamed); cost > most {
			most = cost
		} else {
			k.first = false
		}
	}
	if len(tight) > 0 {
		ferryCount(buys, named)
		ferryPlaceAll(buys, unnamed)
	}
}

// ferryCount fills the buckets with what is left if so much has come back.
func ferryCount(buys []*ferryBuy, back []int64) {
	for _, b := range buys {
		for _, p := range b.parts {
			p.in.sum = 0
		}
	}
	for i, b := range buys {
		b.back = back[i]
		for _, p := range b.parts {
			p.in.sum += p.counts(b.left())
		}
	}
}

func ferryPlaceAll(buys []*ferryBuy, unnamed []*ferryBack) (cost int64) {
	for _, r := range unnamed {
		cost += ferryPlace(buys, r)
	}
	return cost
}

// ferryPlace finds a home for a refund that names no purchase: where the returned money
// costs most reward, so that a guess never favours the customer. The shop of the refund
// comes first (else its category), then whatever was bought before it, then what cleared
// with a later date. It says what that costs.
func ferryPlace(buys []*ferryBuy, r *ferryBack) (cost int64) {
	rest := r.amount
	for near := 0; near < 3; near++ {
		for rest > 0 {
			var best *ferryBuy
			var most int64
			var first bool
			for i := len(buys) - 1; i >= 0; i-- {
				b := buys[i]
				if b.left() == 0 || near < 2 && b.at.After(r.at) || near == 0 && !ferryLike(b, r) {
					continue
				}
				x, f, fall := min(rest, b.left()), b.first(), int64(0)
				if fall = ferryFall(b, x); best != nil {
					if f != first && !f || f == first && (fall < most || fall == most && x <= min(rest, best.left())) {
						continue
					}
				}
				best, most, first = b, fall, f
			}
			if best == nil {
				break
			}
			x := min(rest, best.left())
			for _, p := range best.parts {
				p.in.sum += p.counts(best.left()-x) - p.counts(best.left())
			}
			best.back += x
			rest -= x
			cost += most
		}
	}
	return cost
}

func ferryLike(b *ferryBuy, r *ferryBack) bool {
	if r.merchant != "" {
		return b.merchant == r.merchant
	}
	return r.category == "" || b.category == r.category
}

// ferryFall is what would be lost if x more of b came back.
func ferryFall(b *ferryBuy, x int64) int64 {
	var fall int64
	for _, p := range b.parts {
		less := p.counts(b.left()) - p.counts(b.left()-x)
		fall += p.in.worth(p.in.sum) - p.in.worth(p.in.sum-less)
	}
	return fall
}
