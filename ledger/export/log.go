package export

import (
	"context"
	"fmt"

	"recoup/reward"
)

// Log is what an export reads.
type Log interface {
	// Events calls f with every event that left a trace, of one account, or of
	// all if it is "": by account, and then in the order in which they were
	// applied. The entry is f's until it returns.
	Events(ctx context.Context, account string, f func(*Entry) error) error
}

// Entry is one logged event.
type Entry struct {
	// Program is the latest version of the program that the account belongs to.
	Program *reward.Program
	Event   reward.Event
	// Principal is the id of who sent the event; "" where that is not known.
	Principal string
	Result    reward.Result
	Postings  []reward.Posting
}

// Difference is the error of a log whose events do not give what it says they
// gave: it was changed, or the program was.
type Difference struct {
	Account, Source, Event string
	What                   string
}

// Error implements error.
func (d *Difference) Error() string {
	return fmt.Sprintf("account %q, event %q of source %q: %s; run recoup verify to see what else differs", d.Account, d.Event, d.Source, d.What)
}

// compare returns a *Difference unless the rules give what was logged.
func (e *Entry) compare(r reward.Result, postings []reward.Posting) error {
	differ := func(format string, args ...any) error {
		return &Difference{e.Event.Account, e.Event.Source, e.Event.ID, fmt.Sprintf(format, args...)}
	}
	if r != e.Result {
		return differ("the log says %s, the rules of program %s give %s", describe(e.Result), e.Program.ID, describe(r))
	}
	if len(postings) != len(e.Postings) {
		return differ("the log has %d postings, the rules of program %s give %d", len(e.Postings), e.Program.ID, len(postings))
	}
	for i := range postings {
		if postings[i] != e.Postings[i] {
			return differ("posting %d is %+v in the log, the rules of program %s give %+v", postings[i].Number, e.Postings[i], e.Program.ID, postings[i])
		}
	}
	return nil
}

func describe(r reward.Result) string {
	if r.Code == reward.NoCode {
		return r.Outcome.String()
	}
	return r.Outcome.String() + ": " + r.Code.String()
}
