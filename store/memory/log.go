package memory

import (
	"hash/maphash"

	"recoup/reward"
	"recoup/store"
)

// log remembers which events were delivered. Of an event it keeps a keyed
// 128-bit hash of its identity, which two events share by accident with a
// probability below 10^-20 in a billion events, and a 64-bit hash of its
// content. A content that collides is answered as a duplicate instead of as a
// reused id: neither changes anything.
type log struct {
	first, second maphash.Seed
	events        map[identity]uint64
}

// identity stands for an event's account, source and id.
type identity struct{ a, b uint64 }

// mark is what the log keeps of one event.
type mark struct {
	identity identity
	content  uint64
}

func newLog() *log {
	return &log{first: maphash.MakeSeed(), second: maphash.MakeSeed(), events: make(map[identity]uint64)}
}

func (l *log) markOf(e *reward.Event) mark {
	var h maphash.Hash
	name := func(seed maphash.Seed) uint64 {
		h.SetSeed(seed)
		text(&h, e.Account)
		text(&h, e.Source)
		text(&h, e.ID)
		return h.Sum64()
	}
	m := mark{identity: identity{a: name(l.second)}}
	m.identity.b = name(l.first)
	number(&h, int64(e.Time), int64(e.Type), e.Amount, int64(e.MCC))
	if e.HasAmount {
		h.WriteByte(1)
	}
	for _, s := range [...]string{e.Transaction, e.Fact, e.Currency, e.Merchant, e.Category, e.Method, e.Reason, e.Actor} {
		text(&h, s)
	}
	m.content = h.Sum64()
	return m
}

// text hashes a string and its length, so that neighbours cannot run together.
func text(h *maphash.Hash, s string) {
	h.WriteByte(byte(len(s)))
	h.WriteByte(byte(len(s) >> 8))
	h.WriteString(s)
}

func number(h *maphash.Hash, numbers ...int64) {
	for _, n := range numbers {
		var b [8]byte
		for i := range b {
			b[i] = byte(n >> (8 * i))
		}
		h.Write(b[:])
	}
}

func (l *log) sighting(m mark) store.Sighting {
	content, seen := l.events[m.identity]
	switch {
	case !seen:
		return store.Unseen
	case content == m.content:
		return store.SameContent
	}
	return store.OtherContent
}

func (l *log) record(m mark) { l.events[m.identity] = m.content }
