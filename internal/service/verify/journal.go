package verify

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"

	"recoup/internal/store/durable"
	"recoup/ledger"
	"recoup/reward"
)

// journal is what the postings of one account add up to by themselves, without
// the rules that made them.
type journal struct {
	book       ledger.Book
	statement  ledger.Statement       // of the latest cycle with a posting
	closed     []durable.StatementRow // of those before it
	entries    int64
	balance    int64
	postings   []reward.Posting
	identities map[identity]struct{}
}

// start begins the journal of another account.
func (j *journal) start() {
	*j = journal{closed: j.closed[:0], postings: j.postings[:0], identities: j.identities}
	if len(j.identities) > manyNames {
		j.identities = nil
	}
	if j.identities == nil {
		j.identities = make(map[identity]struct{})
	}
	clear(j.identities)
}

// event adds the postings of the account's next event. Where the log has what the replay
// wrote, to the byte, that is what reading it gives, and it is not read.
func (j *journal) event(x *examination, row *durable.EventRow, posted bool) {
	list := x.postings
	if !posted {
		var err error
		if j.postings, err = ledger.ParsePostings(row.Postings, row.Account, j.postings[:0]); err != nil {
			x.differ(row.Sequence, "postings", "a journal as the ledger writes it", err.Error())
			return
		}
		list = j.postings
	}
	for i := range list {
		j.post(x, row, &list[i])
	}
}

func (j *journal) post(x *examination, row *durable.EventRow, p *reward.Posting) {
	name := "posting " + strconv.FormatInt(p.Number, 10)
	x.expectNumber(row.Sequence, "number of "+name, j.entries+1, p.Number)
	x.expectNumber(row.Sequence, "balance after "+name, j.balance+p.Amount, p.Balance)
	if p.Source != row.Source || p.Event != row.ID {
		x.differ(row.Sequence, "event of "+name, row.Source+" "+row.ID, p.Source+" "+p.Event)
	}
	if p.Cycle < j.statement.Cycle {
		x.differ(row.Sequence, "cycle of "+name, j.statement.Cycle.String()+" or later", p.Cycle.String())
	}
	j.entries, j.balance = p.Number, p.Balance
	j.book.Post(p)
	if s, ok := j.statement.Post(p); ok {
		j.closed = append(j.closed, durable.StatementRow{Account: row.Account, Statement: s, Last: row.Before})
	}
}

// finish checks that the books balance and that the statements tie out.
func (j *journal) finish(x *examination) {
	var sum int64
	for _, s := range j.book.Sums {
		sum += s
	}
	x.expectNumber(0, "debits less credits of the journal", 0, sum)
	x.expectNumber(0, "what the journal owes the cardholder", -j.book.Sums[ledger.CardholderRewards], j.balance)
	for _, s := range append(j.closed, durable.StatementRow{Statement: j.statement}) {
		if !s.Ties() {
			x.differ(0, "statement of "+s.Cycle.String(), "one that ties out", describe(&s))
		}
	}
	if v, ok := j.book.Agrees(x.account); !ok {
		x.differ(0, v.Invariant, "the journal's sums", v.Figures)
	}
}

// statements compares the closed statements that the store keeps, the earliest
// first, with those of the journal.
func (j *journal) statements(x *examination, stored []durable.StatementRow) {
	for i := range stored {
		s := &stored[i]
		name := "statement of " + s.Cycle.String()
		at := slices.IndexFunc(j.closed, func(c durable.StatementRow) bool { return c.Cycle == s.Cycle })
		if at < 0 {
			x.differ(0, name, "none", describe(s))
			continue
		}
		if own := j.closed[at]; own != *s {
			x.differ(0, name, describe(&own), describe(s))
		}
		j.closed = slices.Delete(j.closed, at, at+1)
	}
	for i := range j.closed {
		x.differ(0, "statement of "+j.closed[i].Cycle.String(), describe(&j.closed[i]), "none")
	}
}

// tally is how a row begins that says what the open statement adds up to so far;
// the head of the account follows it.
func (j *journal) tally(dst []byte) []byte {
	s := &j.statement
	for _, n := range [...]int64{int64(s.Cycle), s.Opening, s.Granted, s.ClawedBack, s.Redeemed, s.Adjusted, s.Closing} {
		dst = binary.AppendVarint(dst, n)
	}
	return dst
}

func describe(s *durable.StatementRow) string {
	return fmt.Sprintf("opening %d, granted %d, clawed back %d, redeemed %d, expired %d, adjusted %d, closing %d, last event %d",
		s.Opening, s.Granted, s.ClawedBack, s.Redeemed, s.Expired, s.Adjusted, s.Closing, s.Last)
}
