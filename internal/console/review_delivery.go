package console

import "recoup/reward"

// refusedDelivery is a delivery of a refund that does not count, in words.
type refusedDelivery struct {
	reward.Refused
	Why    string
	Became string // what became of it meanwhile; empty: it is open
	Next   bool   // it is the one that would be made to count
}

// readRefused says which deliveries of the refund do not count, and which of them
// would be made to: the latest that can be.
func (b *reviewPage) readRefused() {
	if b.Refund == nil {
		return
	}
	next := -1
	for i, r := range b.Refund.Refused {
		row := refusedDelivery{Refused: r, Why: "it contradicts the first one"}
		if r.Code == reward.AlreadyReversed {
			row.Why = "it came after it was undone, or its undoing came first"
		}
		switch {
		case r.Done:
			row.Became = "somebody looked at it: it counts as a refund of its own, or was let be"
		case r.Countable:
			next = i
		default:
			row.Became = "only announced, so it cannot be made to count"
		}
		b.Refused = append(b.Refused, row)
	}
	if next >= 0 {
		b.Refused[next].Next, b.Counts = true, &b.Refused[next].Refused
	}
}
