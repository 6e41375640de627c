package shards_test

import (
	"testing"

	"recoup/internal/kit/casebook"
	"recoup/internal/store"
	"recoup/internal/store/drivertest"
	"recoup/internal/store/durable"
	"recoup/internal/store/storetest"
	"recoup/reward"
)

// A shard is a driver like any other.
func TestAShardIsADriver(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	lane := w.open().Lanes()[0]
	drivertest.Run(t, func(*testing.T) durable.Driver {
		w.empty()
		return lane
	})
}

// Several are a store like any other.
func TestSeveralShardsAreAStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	db := w.open()
	storetest.Run(t, func(t *testing.T, p *reward.Program) store.Store {
		w.empty()
		return &dealt{Store: newStore(t, cautious(db), p)}
	})
}

// cautious is a database whose units of work presume nothing: who joins units of several
// lanes cannot have one of them begin again when another is committed.
func cautious(db *durable.Database) *durable.Database {
	var lanes []durable.Driver
	for _, d := range db.Lanes() {
		lanes = append(lanes, presumesNothing{d})
	}
	return durable.Several(db.Store, lanes, db.LaneOf, func(int64) int { return 0 })
}

type presumesNothing struct{ durable.Driver }

func (presumesNothing) Presumes() bool { return false }

// They play courses of terms as one database does, of which each shard is one: a few show it.
func TestShardsPlayTheCourses(t *testing.T) {
	t.Parallel()
	db := newWorld(t, 3).open()
	for i, c := range casebook.OfTerms(t, "../../../testdata") {
		if i%6 != 0 {
			continue
		}
		storetest.Play(t, &dealt{Store: newStore(t, cautious(db), c.Program)}, c.Name, c.Program, c.Events)
	}
}
