// Package storetest is the conformance suite that every store must pass. It
// goes through the store's public door alone: units of work, in which events are
// sighted, applied and recorded as the engine does it. What a store has kept is
// read as the next unit would see it.
package storetest

import (
	"testing"

	"recoup/internal/store"
	"recoup/reward"
)

// Open returns an empty store for accounts of the program. It is called once
// for each test, which owns what it returns; what has to be released is
// released by t.Cleanup.
type Open func(t *testing.T, p *reward.Program) store.Store

// Run runs the suite. A store that can also check itself, with a method
// Check() []reward.Violation, is made to do so after each test.
func Run(t *testing.T, open Open) {
	for _, s := range []struct {
		name string
		test func(*testing.T, *subject)
	}{
		{"identity/the same event again has the same content", sameContent},
		{"identity/an event that differs in any member has other content", otherContent},
		{"identity/account, source and id together name an event", identityHasThreeParts},
		{"identity/the log of events forgets nothing", longMemory},
		{"identity/a redelivery is told from a reused id within one batch", identityWithinBatch},
		{"accounts/bad input leaves no trace", badInput},
		{"accounts/an account is kept once an event of it is recorded", keptOnceRecorded},
		{"accounts/an event that the rules refuse is recorded all the same", refusedIsRecorded},
		{"accounts/are listed in byte order", byteOrder},
		{"accounts/keep the state that their events gave them", keepsState},
		{"accounts/what is open for review of an attribute stays so until it comes or is dismissed", reviewsAttributes},
		{"batches/later events of a batch see what earlier ones did", batchSeesItself},
		{"batches/an empty batch is no work", emptyBatch},
		{"batches/of 10,000 events", bigBatch},
		{"batches/a unit may leave events out, and take them out of order", leftOut},
		{"batches/any split of a stream ends alike", splits},
		{"atomicity/a cancelled context keeps nothing", cancelledBefore},
		{"atomicity/a context cancelled at work keeps all or nothing", cancelledAtWork},
		{"concurrency/units on different accounts", differentAccounts},
		{"concurrency/units on one account run one after the other", oneAccount},
		{"concurrency/units that share accounts in opposite order", oppositeOrder},
		{"concurrency/an event delivered by many is applied by one", oneOfMany},
	} {
		t.Run(s.name, func(t *testing.T) {
			terms := terms()
			sub := &subject{Store: open(t, terms), terms: terms}
			s.test(t, sub)
			sub.check(t)
		})
	}
	t.Run("terms/accounts keep the state that their events gave them", func(t *testing.T) {
		terms := promises()
		sub := &subject{Store: open(t, terms), terms: terms}
		keepsPromises(t, sub)
		sub.check(t)
	})
}
