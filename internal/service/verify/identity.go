package verify

import (
	"fmt"

	"recoup/internal/store/durable"
)

// An event is found by its identity when it is delivered again. One that is not found
// would be applied once more, and what was decided about it decided anew: so what leads to
// an event is checked like the event.

// identity names an event within its account.
type identity struct{ source, id string }

// manyNames is of how many names a map is not kept: clearing it for small accounts would
// cost what it once held.
const manyNames = 1 << 12

// lead takes note of what leads to the events of the account.
func (x *examination) lead() {
	if len(x.led) > manyNames || x.led == nil {
		x.led = make(map[identity]durable.Reference)
	}
	clear(x.led)
	for _, ref := range x.kept.Identities {
		x.led[identity{ref.Source, ref.ID}] = ref
	}
}

// identify checks that the event is the one that its identity leads to.
func (x *examination) identify(row *durable.EventRow) {
	name := identity{row.Source, row.ID}
	if x.kept.Apart {
		ref, ok := x.led[name]
		if delete(x.led, name); ok && ref.Number == row.Number {
			x.expectNumber(row.Sequence, "sequence that its identity leads to", row.Sequence, ref.Sequence)
			return
		}
		found := "none"
		if ok {
			found = fmt.Sprintf("one that leads to event number %d", ref.Number)
		}
		x.differ(row.Sequence, "identity", fmt.Sprintf("a key that leads to event number %d", row.Number), found)
	}
	if _, seen := x.journal.identities[name]; seen {
		x.differ(row.Sequence, "identity", "an event of its own", fmt.Sprintf("another event of source %q and id %q", row.Source, row.ID))
	}
	x.journal.identities[name] = struct{}{}
}

// astrayIdentities names identities that lead to no event of the account.
func (x *examination) astrayIdentities() {
	for name, ref := range x.led {
		x.differ(0, fmt.Sprintf("identity of source %q and id %q", name.source, name.id), "none, as there is no such event", fmt.Sprintf("a key that leads to event number %d", ref.Number))
	}
}
