package verify

import (
	"bytes"
	"strconv"

	"recoup/reward"
)

// pageSize is how many rows of an account are read at a time.
const pageSize = 1000

// partName names a part within its account.
type partName struct {
	kind reward.PartKind
	id   string
}

func (n partName) String() string { return n.kind.String() + " " + strconv.Quote(n.id) }

// compareKept compares what the store keeps with what the log adds up to.
func (x *examination) compareKept() {
	if err := x.kept.Damage; err != nil {
		x.differ(0, "what is kept of the account", "rows that can be read", err.Error())
		return
	}
	switch row := x.kept.Row; {
	case row == nil && x.events == 0:
		return // only a checkpoint knows of it, or what else is kept of it
	case row == nil:
		x.differ(0, "account", "a row", "none, but events")
		return
	case x.events == 0:
		x.differ(0, "account", "events, or no row", "a row, but no events")
		return
	}
	x.expectNumber(0, "version of the account", x.sequence, x.kept.Row.Version)
	x.expectNumber(0, "number of the account's latest event", x.number, x.kept.Row.Last)
	if x.account == nil || x.broken {
		return
	}
	if want := x.account.Program().ID; x.kept.Row.Program != want {
		x.differ(0, "program of the account", strconv.Quote(want), strconv.Quote(x.kept.Row.Program))
	}
	if want := x.account.Due(); x.kept.Row.Due != want {
		x.differ(0, "when the account's cycle is to be closed", when(want), when(x.kept.Row.Due))
	}
	x.line = x.journal.tally(x.line[:0])
	tally := len(x.line)
	x.line = x.account.AppendHead(x.line)
	if head := x.kept.Row.Head; bytes.HasPrefix(head, x.line[:tally]) {
		x.expectBytes(0, "head of the account", x.line[tally:], head[tally:])
	} else {
		x.expectBytes(0, "open statement in the head of the account", x.line, head)
	}
	x.compareParts()
	x.journal.statements(x, x.kept.Statements)
}

// compareParts crosses off the parts that the replay has.
func (x *examination) compareParts() {
	if len(x.parts) > manyNames || x.parts == nil {
		x.parts = make(map[partName]int)
	}
	clear(x.parts)
	for i := range x.kept.Parts {
		p := &x.kept.Parts[i]
		name := partName{p.Kind, p.ID}
		if _, twice := x.parts[name]; twice {
			x.differ(0, name.String(), "one row", "two")
		}
		x.parts[name] = i
	}
	for own := range x.account.Parts() {
		name := partName{own.Kind, own.ID}
		at, there := x.parts[name]
		if !there {
			x.differ(0, name.String(), "a row", "none")
			continue
		}
		delete(x.parts, name)
		x.comparePart(name, &own, &x.kept.Parts[at])
	}
	for name := range x.parts {
		x.differ(0, name.String(), "none", "a row")
	}
}

func (x *examination) comparePart(name partName, own, stored *reward.Part) {
	if bytes.Equal(own.Data, stored.Data) && own.Working == stored.Working && own.Bucket == stored.Bucket &&
		own.Settled == stored.Settled && own.ReviewSince == stored.ReviewSince {
		return
	}
	x.expectBytes(0, name.String(), own.Data, stored.Data)
	if own.Working != stored.Working {
		x.differ(0, name.String()+", whether it is worked on", strconv.FormatBool(own.Working), strconv.FormatBool(stored.Working))
	}
	x.expectNumber(0, name.String()+", its bucket", own.Bucket, stored.Bucket)
	if own.Settled != stored.Settled {
		x.differ(0, name.String()+", when it settled", when(own.Settled), when(stored.Settled))
	}
	if own.ReviewSince != stored.ReviewSince {
		x.differ(0, name.String()+", since when it is to be reviewed", when(own.ReviewSince), when(stored.ReviewSince))
	}
}

func when(at reward.Instant) string {
	if at == 0 {
		return "never"
	}
	return at.String()
}
