package replay

import (
	"testing"

	"recoup/internal/kit/vary"
	"recoup/reward"
)

// Whatever a state says is printed: a member that could be another without the line being
// another would be seen by no comparison of states.
func TestEveryMemberOfAStateIsPrinted(t *testing.T) {
	full := string(appendState(nil, vary.Full[reward.State]()))
	for member, s := range vary.Each[reward.State]() {
		if string(appendState(nil, s)) == full {
			t.Errorf("State.%s can change and the line stays\n%s", member, full)
		}
	}
}
