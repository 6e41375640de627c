package reward

// firstOnes has the first purchases of a period earn, and those after them nothing.
// One that is returned gives its place to the next.
type firstOnes struct {
	notABonus
	places int64
}

func places(r *Rule) element {
	if r.Places == 0 {
		return nil
	}
	return firstOnes{places: r.Places}
}

func (f firstOnes) prefers() preference { return mostTaken }

func (f firstOnes) share(before tally, own entry, _ tally) int64 {
	if before.count >= f.places {
		return 0
	}
	return own.floor
}

func (f firstOnes) asLast(own entry, all tally, _ int64) int64 { return f.share(all, own, all) }

func (f firstOnes) promised(all *exactly) uint128 { return all.first(f.places) }

func (f firstOnes) binds(all *exactly) bool { return all.count > f.places }

func (f firstOnes) edges() []boundary {
	return []boundary{{func(s tally) int64 { return s.count }, f.places}}
}
