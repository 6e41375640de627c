package durable

import (
	"container/list"
	"sync"

	"recoup/ledger"
	"recoup/reward"
)

// entry is an account at hand, as of a version of its row on a timeline: on another there
// may be the same version of something else.
type entry struct {
	id       string
	account  *reward.Account
	shelf    *shelf
	program  string
	version  int64 // 0: not in the database yet
	timeline int64
	base     int64 // the version in the database
	baseLast int64 // number of the latest event at that version
	last     int64 // number of its latest event
	tally    ledger.Statement
	grace    reward.Instant // when its grace hold ends, as of before the event at hand; 0: none
	weight   int
}

// cache keeps accounts from one unit of work to the next, the latest used ones.
// Who takes an entry has it alone, and puts it back only if all that was done to
// it is in the database.
type cache struct {
	mu      sync.Mutex
	entries map[string]*list.Element // of *entry
	order   *list.List               // the latest used first
	weight  int
	limit   int
}

// trimAt is how many parts an account may have at hand before it lets go of those
// that new events need not touch.
const trimAt = 16

func newCache(limit int) *cache {
	return &cache{entries: make(map[string]*list.Element), order: list.New(), limit: limit}
}

// take removes and returns the entries of the accounts, nil where there is none of the
// timeline.
func (c *cache) take(ids []string, timeline int64) []*entry {
	taken := make([]*entry, len(ids))
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, id := range ids {
		if at := c.entries[id]; at != nil {
			if e := at.Value.(*entry); e.timeline == timeline && timeline != 0 {
				taken[i] = e
			}
			c.remove(at)
		}
	}
	return taken
}

// put adds entries and lets go of those that were not used for longest. Of two
// of one account and timeline the one with the later version stays.
func (c *cache) put(entries []*entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range entries {
		e.shelf.release()
		if e.account.AtHand() > trimAt {
			e.account.Trim()
		}
		e.weight = 1 + e.account.AtHand()
		if e.weight > c.limit/8 {
			continue // read again in part rather than kept whole
		}
		if at := c.entries[e.id]; at != nil {
			if has := at.Value.(*entry); has.timeline == e.timeline && has.version > e.version {
				continue
			}
			c.remove(at)
		}
		c.entries[e.id] = c.order.PushFront(e)
		c.weight += e.weight
	}
	for c.weight > c.limit {
		c.remove(c.order.Back())
	}
}

func (c *cache) remove(at *list.Element) {
	e := c.order.Remove(at).(*entry)
	delete(c.entries, e.id)
	c.weight -= e.weight
}
