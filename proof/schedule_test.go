package proof_test

import (
	"fmt"
	"os"
	"testing"
)

// A model of how two processes commit events of one account, in which every order of their
// steps is tried, crashes included. The steps are those of the code:
//
//	take    lane.receive and compose (internal/engine/lane.go): all that waits is one commit
//	load    unit.load (internal/store/durable/unit.go): the row is locked and read, or, where
//	        the account is at hand, presumed to be as it was and not asked for
//	apply   applyOne (internal/engine/engine.go): by the rules, on a copy
//	write   Tx.Write (internal/store/postgres): the row if its version is the one that was
//	        read, the events if their identities are new, and the end of the transaction;
//	        otherwise ErrConflict, and the same again without presuming
//	keep    done.keep (internal/store/durable/store.go): the copy is at hand from now on
//	answer  request.settle (internal/engine/request.go): the senders are told
//
// The account has 5 available. Somebody redeems 5, somebody else redeems 5, and the purchase
// behind it is refunded. Who is not answered sends again, to whichever process.

const (
	events    = 3 // redemption 0, refund 1, redemption 2
	processes = 2
)

// sendings is how often each event may be sent; the second redemption twice only in long
// runs, as that is four times as many worlds.
var sendings = [events]uint8{2, 2, 1}

func init() {
	if os.Getenv("RECOUP_LONG") != "" {
		sendings[2] = 2
	}
}

// answer is what an event came to.
type answer uint8

const (
	none answer = iota
	accepted
	denied
)

// ledgerRow is the database's account: the sequence of events in its log, and what the row
// says, which has to be the same.
type ledgerRow struct {
	version uint8
	balance int8
	log     [events]entry
	length  uint8
}

type entry struct {
	event  uint8
	answer answer
}

// has is what the log says of an event.
func (r *ledgerRow) has(event uint8) (answer, bool) {
	for _, e := range r.log[:r.length] {
		if e.event == event {
			return e.answer, true
		}
	}
	return none, false
}

// apply is the rules: a redemption of what there is, or a refund that takes 5 back.
func (r *ledgerRow) apply(event uint8) answer {
	if event != 1 && r.balance < 5 {
		return denied
	}
	r.balance -= 5
	return accepted
}

type step uint8

const (
	idle step = iota
	taken
	loaded
	applied
	committed
)

type process struct {
	at       step
	queue    uint8 // events that wait, as bits
	batch    uint8 // of the commit that is under way
	presumed bool
	wary     bool // it is not to presume: that was wrong
	base     uint8
	copy     ledgerRow
	answers  [events]answer
	hand     bool // an account is at hand
	kept     ledgerRow
}

type world struct {
	row    ledgerRow
	lock   int8 // process that holds the row, or -1
	procs  [processes]process
	sent   [events]uint8
	told   [events]answer // to the senders
	crashs uint8
}

// flaw leaves a step out, so that it can be seen that the model would tell.
type flaw uint8

const (
	sound flaw = iota
	answersBeforeCommit
	writesWithoutVersion
	readsWithoutLock
	keepsWhatFailed
	forgetsIdentities
)

// next has every world that may follow.
func (w world) next(f flaw, yield func(world)) {
	for e := range uint8(events) {
		if w.told[e] == none && w.sent[e] < sendings[e] {
			for p := range processes {
				if e == 0 && w.sent[e] == 0 && p > 0 {
					continue // processes are alike
				}
				n := w
				n.sent[e]++
				n.procs[p].queue |= 1 << e
				yield(n)
			}
		}
	}
	for p := range processes {
		n := w
		if n.proceed(p, f) {
			yield(n)
		}
		if w.crashs == 0 { // it is killed, and starts again
			n := w
			n.crashs++
			n.procs[p] = process{}
			if n.lock == int8(p) {
				n.lock = -1
			}
			yield(n)
		}
	}
}

// proceed does the next step of a process, if there is one that it can do.
func (w *world) proceed(n int, f flaw) bool {
	p := &w.procs[n]
	switch p.at {
	case idle: // take
		if p.queue == 0 {
			return false
		}
		p.batch, p.queue, p.at = p.queue, 0, taken
		p.presumed = p.hand && !p.wary
	case taken: // load
		switch {
		case p.presumed:
			p.copy, p.base = p.kept, p.kept.version
		case f == readsWithoutLock:
			p.copy, p.base = w.row, w.row.version
		case w.lock >= 0:
			return false
		default:
			w.lock = int8(n)
			p.copy, p.base = w.row, w.row.version
		}
		p.at = loaded
	case loaded: // apply
		for e := range uint8(events) {
			if p.batch&(1<<e) == 0 {
				continue
			}
			if before, there := p.copy.has(e); there && f != forgetsIdentities {
				p.answers[e] = before
				continue
			}
			if p.copy.length == events {
				return false // only a flaw comes to this
			}
			p.answers[e] = p.copy.apply(e)
			p.copy.log[p.copy.length] = entry{e, p.answers[e]}
			p.copy.length++
		}
		p.copy.version = p.base + 1
		p.at = applied
		if f == answersBeforeCommit {
			w.answer(p)
		}
	case applied: // write
		if w.lock >= 0 && w.lock != int8(n) {
			return false // the row is locked
		}
		if w.row.version != p.base && f != writesWithoutVersion && (p.presumed || f != readsWithoutLock) {
			if f == keepsWhatFailed {
				p.kept, p.hand = p.copy, true
			} else {
				p.hand, p.wary = false, true
			}
			p.presumed, p.at = false, taken
			if f == keepsWhatFailed {
				p.presumed = true
			}
			return true
		}
		w.row = p.copy
		if w.lock == int8(n) {
			w.lock = -1
		}
		p.at = committed
	case committed: // keep, answer
		p.kept, p.hand, p.wary = p.copy, true, false
		w.answer(p)
		p.at, p.batch, p.copy, p.answers, p.base, p.presumed = idle, 0, ledgerRow{}, [events]answer{}, 0, false
	}
	return true
}

func (w *world) answer(p *process) {
	for e := range uint8(events) {
		if p.batch&(1<<e) != 0 && w.told[e] == none {
			w.told[e] = p.answers[e]
		}
	}
}

// wrong is what must never be: something acknowledged that is not in the log as it was
// answered, an event in it twice, or a log that did not come about by the rules, such as
// a redemption of what was no longer there.
func (w *world) wrong() string {
	again := ledgerRow{balance: 5}
	var seen [events]bool
	for _, e := range w.row.log[:w.row.length] {
		if seen[e.event] {
			return fmt.Sprintf("event %d is in the log twice", e.event)
		}
		seen[e.event] = true
		if got := again.apply(e.event); got != e.answer {
			return fmt.Sprintf("event %d was answered %d where the rules say %d", e.event, e.answer, got)
		}
	}
	if again.balance != w.row.balance {
		return fmt.Sprintf("the row says %d, its log %d", w.row.balance, again.balance)
	}
	for e := range uint8(events) {
		if told := w.told[e]; told != none {
			if kept, there := w.row.has(e); !there || kept != told {
				return fmt.Sprintf("the sender of event %d was told %d, the log has %d", e, told, kept)
			}
		}
	}
	return ""
}

// explore tries every order of steps, and returns how many worlds there are and the first
// that is wrong.
func explore(f flaw) (worlds int, wrong string) {
	start := world{row: ledgerRow{balance: 5}, lock: -1}
	seen := map[world]bool{start: true}
	for queue := []world{start}; len(queue) > 0; queue = queue[1:] {
		if wrong := queue[0].wrong(); wrong != "" {
			return len(seen), wrong
		}
		queue[0].next(f, func(w world) {
			if !seen[w] {
				seen[w] = true
				queue = append(queue, w)
			}
		})
	}
	return len(seen), ""
}

// TestEveryOrderOfCommits: nothing held is redeemed, nothing acknowledged is lost.
func TestEveryOrderOfCommits(t *testing.T) {
	worlds, wrong := explore(sound)
	if wrong != "" {
		t.Errorf("%s", wrong)
	}
	t.Logf("%d worlds", worlds)
}

// TestTheModelOfCommitsTells: without any one of the steps, something is wrong.
func TestTheModelOfCommitsTells(t *testing.T) {
	for f, name := range map[flaw]string{
		answersBeforeCommit: "answers before the commit", writesWithoutVersion: "writes whatever the version",
		readsWithoutLock: "reads without a lock", keepsWhatFailed: "keeps a copy that was not committed", forgetsIdentities: "forgets identities",
	} {
		worlds, wrong := explore(f)
		if wrong == "" {
			t.Errorf("%s: nothing is wrong in %d worlds", name, worlds)
		}
		t.Logf("%s: %s", name, wrong)
	}
}
