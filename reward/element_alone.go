package reward

// unlimited has every purchase earn what it earns by itself: ⌊ψ⌋.
type unlimited struct{ notABonus }

func alone(*Rule) element { return unlimited{} }

func (unlimited) share(_ tally, own entry, _ tally) int64  { return own.floor }
func (unlimited) asLast(own entry, _ tally, _ int64) int64 { return own.floor }
func (unlimited) promised(all *exactly) uint128            { return all.psi }
func (unlimited) binds(*exactly) bool                      { return false }
