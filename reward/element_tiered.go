package reward

// tiered is the basket of a tier: it earns nothing itself, but what is bought at a tier
// earns by it.
type tiered struct {
	onlyABonus
	first int64 // level
	next  bool  // whether it is kept for the next period, so that no order of posting matters
}

func (tiered) worth(tally) int64         { return 0 }
func (tiered) promised(*exactly) uint128 { return uint128{} }
func (t tiered) binds(all *exactly) bool { return all.spend >= t.first }

func (t tiered) prefers() preference {
	if t.next {
		return asSettled
	}
	return firstPosted
}
