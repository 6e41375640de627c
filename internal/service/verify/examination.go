package verify

import (
	"bytes"
	"fmt"
	"strconv"

	"recoup/event"
	"recoup/internal/store/durable"
	"recoup/ledger"
	"recoup/reward"
)

// examination is what a worker knows of the account that it looks at. It is
// used for one account after the other.
type examination struct {
	programs   Programs
	perAccount int
	decoder    *event.Decoder
	logAlone   bool // nothing else of the account is to be compared

	kept     *durable.Kept                  // what the store has of the account besides its log
	led      map[identity]durable.Reference // what leads to its events, and has not come up
	parts    map[partName]int               // places of its parts in kept
	account  *reward.Account
	broken   bool // the replay cannot go on
	sequence int64
	number   int64
	events   int64
	journal  journal
	trail    trail
	seal     *seal // nil: nothing is sealed
	sealAt   int64 // the sequence up to which the chain agrees with the seal's marks
	astray   bool  // the chain has left the seal's
	leaf     *Leaf // what a checkpoint covers of the account; nil: nothing

	list  []Difference
	count int64

	in       reward.Event
	postings []reward.Posting
	line     []byte
}

func newExamination(c *run) *examination {
	return &examination{programs: c.options.Programs, perAccount: c.found.perAccount, decoder: event.NewDecoder()}
}

// start begins another account.
func (x *examination) start(k *durable.Kept, with evidence) {
	x.kept, x.account, x.broken = k, nil, false
	x.sequence, x.number, x.events = 0, 0, 0
	x.seal, x.sealAt, x.astray, x.leaf = nil, 0, false, with.leaf
	x.list, x.count = nil, 0
	x.journal.start()
	x.trail.start(k.Account, with.key.Key)
	x.lead()
	if err := with.key.Damage; err != nil {
		x.differ(0, "erasure key", "a key that can be read", err.Error())
	}
	sealed := with.seal
	if err := sealed.damage; err != nil {
		x.differ(0, "seal", "a record of the table of seals", err.Error())
	} else if sealed.sequence > 0 {
		x.seal = &sealed.seal
	}
}

// differ notes a difference.
func (x *examination) differ(sequence int64, what, expected, found string) {
	if x.count++; len(x.list) < x.perAccount {
		x.list = append(x.list, Difference{x.kept.Account, sequence, what, expected, found})
	}
}

func (x *examination) expectNumber(sequence int64, what string, expected, found int64) {
	if expected != found {
		x.differ(sequence, what, strconv.FormatInt(expected, 10), strconv.FormatInt(found, 10))
	}
}

func (x *examination) expectBytes(sequence int64, what string, expected, found []byte) {
	if !bytes.Equal(expected, found) {
		e, f := contrast(expected, found)
		x.differ(sequence, what, e, f)
	}
}

// event examines the account's next event.
func (x *examination) event(row *durable.EventRow) {
	x.events++
	x.place(row)
	x.link(row)
	posted := false
	if x.decode(row) {
		posted = x.replay(row)
	} else {
		x.broken = true
	}
	x.journal.event(x, row, posted)
}

// place checks where the event stands in the log.
func (x *examination) place(row *durable.EventRow) {
	if want := x.sequence + 1; row.Sequence > want {
		missing := strconv.FormatInt(want, 10)
		if row.Sequence-1 > want {
			missing += " to " + strconv.FormatInt(row.Sequence-1, 10)
		}
		x.differ(want, "sequence", "event "+missing, "none; the next is "+strconv.FormatInt(row.Sequence, 10))
	} else if row.Sequence < want {
		x.differ(row.Sequence, "sequence", "one event with it", "another one")
	}
	x.expectNumber(row.Sequence, "number of the event before", x.number, row.Before)
	x.sequence, x.number = row.Sequence, row.Number
	x.identify(row)
}

// link adds the event to the chain and compares the chain with the seal and with
// what a checkpoint covered.
func (x *examination) link(row *durable.EventRow) {
	x.trail.chain.Add(row)
	h := x.trail.chain.Hash()
	if s := x.seal; s != nil && !x.astray && row.Sequence <= s.sequence {
		switch {
		case !s.markAt(row.Sequence, h), row.Sequence == s.sequence && h != s.end:
			x.astray = true
			first := x.sealAt + 1
			what := "sealed event"
			if first < row.Sequence {
				what = fmt.Sprintf("one of the sealed events %d to %d", first, row.Sequence)
			}
			x.differ(row.Sequence, what, "as it was sealed", "changed since")
		case row.Sequence%stride(s.sequence) == 0:
			x.sealAt = row.Sequence
		}
		if row.Sequence == s.sequence && row.Number != s.number {
			x.expectNumber(row.Sequence, "number of the last sealed event", s.number, row.Number)
		}
	}
	if l := x.leaf; l != nil && row.Sequence == l.Sequence && h != l.Chain {
		x.differ(row.Sequence, fmt.Sprintf("events 1 to %d", l.Sequence), "as the checkpoint signed them", "changed since")
	}
}

// decode reads the event's line and compares it with its columns.
func (x *examination) decode(row *durable.EventRow) bool {
	if err := x.decoder.Decode(row.Event, &x.in); err != nil {
		x.differ(row.Sequence, "event", "a line that can be read", err.Error())
		return false
	}
	for _, c := range [...]struct{ what, expected, found string }{
		{"account", x.in.Account, row.Account},
		{"source", x.in.Source, row.Source},
		{"id", x.in.ID, row.ID},
		{"type", x.in.Type.String(), row.Type},
	} {
		if c.expected != c.found {
			x.differ(row.Sequence, c.what, strconv.Quote(c.expected), strconv.Quote(c.found))
		}
	}
	return x.in.Account == row.Account
}

// replay applies the event and compares what comes out with what was logged. posted says
// that the postings are the same, to the byte. A replay that panics is a difference, so
// that one account that makes no sense does not keep all others from being looked at.
func (x *examination) replay(row *durable.EventRow) (posted bool) {
	if x.broken {
		return false
	}
	if x.account == nil && !x.open(row) {
		x.broken = true
		return false
	}
	defer func() {
		if p := recover(); p != nil {
			x.broken, posted = true, false
			x.differ(row.Sequence, "replay", "one that comes to an end", fmt.Sprint(p))
		}
	}()
	r, postings := x.account.Apply(&x.in, x.postings[:0])
	x.postings = postings
	if r.LeavesNoTrace() {
		x.differ(row.Sequence, "event", "no trace of one that is "+result(r), "one in the log")
	}
	if r.Outcome != row.Outcome || r.Code != row.Code {
		x.differ(row.Sequence, "outcome", result(r), result(reward.Result{Outcome: row.Outcome, Code: row.Code}))
	}
	x.line = x.line[:0]
	if len(postings) > 0 {
		x.line = ledger.AppendPostings(x.line, postings)
	}
	x.expectBytes(row.Sequence, "postings", x.line, row.Postings)
	return bytes.Equal(x.line, row.Postings)
}

// open opens the account under its program: the one that its first event names
// if that is an account.opened, otherwise the default.
func (x *examination) open(row *durable.EventRow) bool {
	var p *reward.Program
	var there bool
	if x.in.Type == reward.AccountOpened && x.in.Fact != "" {
		p, there = x.programs.Get(x.in.Fact)
	} else {
		p, there = x.programs.Default()
	}
	if !there {
		x.differ(row.Sequence, "program", "one that is in the database", strconv.Quote(x.in.Fact))
		return false
	}
	x.account = reward.NewAccount(x.kept.Account, p)
	return true
}

func result(r reward.Result) string {
	if r.Code == reward.NoCode {
		return r.Outcome.String()
	}
	return r.Outcome.String() + ": " + r.Code.String()
}

// finish examines what is to be seen once the account's log has ended.
func (x *examination) finish() {
	if s := x.seal; s != nil && x.sequence < s.sequence {
		x.differ(x.sequence+1, "sealed events", fmt.Sprintf("events up to %d", s.sequence), fmt.Sprintf("the last is %d", x.sequence))
	}
	if l := x.leaf; l != nil && x.sequence < l.Sequence {
		x.differ(x.sequence+1, "events that the checkpoint signed", fmt.Sprintf("events up to %d", l.Sequence), fmt.Sprintf("the last is %d", x.sequence))
	}
	if x.account != nil && !x.broken {
		for _, v := range x.account.Check() {
			x.differ(0, v.Invariant, "an invariant that holds", v.Figures)
		}
		x.journal.finish(x)
	}
	if !x.logAlone {
		x.compareKept()
		x.astrayIdentities()
	}
}
