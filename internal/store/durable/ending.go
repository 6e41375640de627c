package durable

import (
	"recoup/internal/store/record"
	"recoup/reward"
)

// What ends by time alone is told when it does, and an account may have no event then. So
// the unit of work that begins a maturity, an announcement's hold or a grace hold writes
// down when it ends, in the same transaction, under a key that is in order of time; whoever
// tells of it deletes that in the transaction that writes the notice. An event costs one
// record at most, however long the account is, and a program without holds none.

// endings are what is to end and was not told of, under ending.key, in the lane of the
// account.
const endings record.Table[ending] = "endings"

// ending is one of them as it is kept.
type ending struct {
	Account string            `json:"account"`
	Kind    reward.EndingKind `json:"kind"`
	ID      string            `json:"id,omitzero"`
	At      reward.Instant    `json:"at"`
}

func (e *ending) key() string { return record.Key(int64(e.At), e.Account, int64(e.Kind), e.ID) }

// endedBy is the span of those that have ended by a moment.
func endedBy(at reward.Instant) record.Span { return record.Span{Before: record.Key(int64(at) + 1)} }

// expect writes down what is to end that an event has begun.
func (u *unit) expect(at *entry, e *reward.Event, r reward.Result) {
	if r.Outcome == reward.Applied {
		if begun, is := at.account.EndingOf(e); is {
			u.awaits(at, begun)
		}
	}
	if until := at.account.NotBefore(); until != 0 && until != at.grace {
		u.awaits(at, reward.Ending{Kind: reward.GraceEnds, At: until})
	}
}

// awaits writes down one. In a ledger that is made of another's log, what has ended was
// told of there.
func (u *unit) awaits(at *entry, begun reward.Ending) {
	if u.received != nil && begun.At <= u.now {
		return
	}
	e := ending{at.id, begun.Kind, begun.ID, begun.At}
	one, err := endings.Record(e.key(), &e)
	if err != nil {
		panic(unreadable{err}) // an id that is no text, which no decoded event has
	}
	if u.endings == nil {
		u.endings = make(map[string]record.Record)
	}
	u.endings[one.Key] = one
}
