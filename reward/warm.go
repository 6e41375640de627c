package reward

// Warm reads what the events will need of their accounts and does nothing else;
// an account may be nil. A store that is about to apply many events calls it
// first: reads that do not wait for one another take the processor a fraction of
// the time that they take one by one, each in the middle of an event.
func Warm(accounts []*Account, events []Event) (touched int64) {
	for _, a := range accounts {
		if a != nil {
			touched += int64(a.now) + a.held + int64(a.transactions.used) + int64(len(a.announce))
		}
	}
	for i, a := range accounts {
		if a == nil {
			continue
		}
		if b := a.latest; b != nil {
			touched += b.used
		}
		if t, _ := a.transactions.find(events[i].Transaction); t != nil {
			touched += t.amount
		}
	}
	return touched
}
