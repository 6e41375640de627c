package durable

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"recoup/internal/store/erasure"
	"recoup/internal/store/outbox"
	"recoup/ledger"
	"recoup/reward"
)

// Record implements store.Unit.
func (u *unit) Record(i int, by string, r reward.Result, postings []reward.Posting) {
	e, at := &u.events[i], u.of[i]
	at.version++
	row := EventRow{
		Number: u.numbers[len(u.rows)], Account: e.Account, Sequence: at.version, Before: at.last, Received: u.now,
		Source: e.Source, ID: e.ID, Type: e.Type.String(), Principal: by, Outcome: r.Outcome, Code: r.Code, Event: u.line(i),
	}
	if u.received != nil {
		row.Received = u.received[i]
	}
	if len(postings) > 0 {
		start := len(u.text)
		u.text = ledger.AppendPostings(u.text, postings)
		row.Postings = u.text[start:len(u.text):len(u.text)]
	}
	before := at.tally.Closing
	for j := range postings {
		if closed, ok := at.tally.Post(&postings[j]); ok {
			u.statements = append(u.statements, StatementRow{Account: e.Account, Statement: closed, Last: at.last})
		}
	}
	at.last = row.Number
	u.rows = append(u.rows, row)
	u.seen[Identity{e.Account, e.Source, e.ID}] = i
	u.expect(at, e, r)
	if u.tell.Listens() {
		sum := at.account.Balances()
		told := eventNotice{
			Number: row.Number, Sequence: row.Sequence, Received: row.Received, Event: e, Result: r, Currency: at.account.Program().Currency, Unit: at.account.Program().Reward.Name, Postings: postings, Reviews: at.account.ReviewsOf(e, r),
			Before: before, Balance: sum.Balance, Available: sum.Available, Journal: len(postings) > 0 && u.tell.Asked(outbox.JournalPosted),
		}
		if kind, _ := reward.PartOf(e.Type); kind == reward.RedemptionPart && r.Outcome == reward.Applied {
			if v, is := at.account.Authorization(e.Fact); is {
				told.Authorization = &v
			}
		}
		quick, failed := u.velocity(e, at, r, &row)
		told.Velocity = quick
		notices, err := noticesOf(&told)
		u.notices, u.untold = append(u.notices, notices...), cmp.Or(u.untold, failed, err)
	}
}

// inDoubt reports whether there is an answer that nothing in the database will
// show to be wrong: what leaves no trace is not written, and its identity may be
// one that was used before.
func (u *unit) inDoubt() bool { return u.presumed && u.unseen > len(u.rows) }

// changes is what the unit leaves behind.
func (u *unit) changes() (c *Changes, err error) {
	c = &Changes{
		Events: u.rows, Statements: u.statements,
		Accounts: make([]AccountRow, 0, len(u.entries)), Parts: make([]Part, 0, len(u.rows)),
	}
	heads := make([]byte, 0, 100*len(u.entries))
	for _, e := range u.entries {
		if e == nil || e.version == e.base {
			continue
		}
		start := len(heads)
		heads = e.account.AppendHead(appendTally(heads, &e.tally))
		c.Accounts = append(c.Accounts, AccountRow{
			Account: e.id, Program: e.program, Version: e.version, Base: e.base, BaseLast: e.baseLast, Last: e.last,
			Due: e.account.Due(), Head: heads[start:len(heads):len(heads)],
		})
		if e.base == 0 {
			key, err := erasure.NewKey().Record(e.id)
			if err != nil {
				return nil, err
			}
			c.Records = append(c.Records, key)
		}
		e.account.Changes(func(p reward.Part) { c.Parts = append(c.Parts, Part{e.id, p}) })
	}
	slices.SortFunc(c.Accounts, func(x, y AccountRow) int { return strings.Compare(x.Account, y.Account) })
	slices.SortFunc(c.Parts, func(x, y Part) int {
		return cmp.Or(cmp.Compare(x.Kind, y.Kind), strings.Compare(x.Account, y.Account), strings.Compare(x.ID, y.ID))
	})
	refused, err := u.refusals()
	if err != nil {
		return nil, fmt.Errorf("keeping facts that were refused: %w", err)
	}
	c.Records = append(c.Records, refused...)
	c.Records = slices.AppendSeq(c.Records, maps.Values(u.endings))
	if u.untold != nil {
		return nil, u.untold
	}
	for i := range u.notices {
		if c.Records, err = u.tell.Write(c.Records, u.notices[i]); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// keep puts the accounts back into the cache, now that all is in the database.
func (u *unit) keep() {
	kept := make([]*entry, 0, len(u.entries))
	for _, e := range u.entries {
		if e != nil && e.version > 0 {
			e.base, e.baseLast, e.timeline = e.version, e.last, u.timeline
			kept = append(kept, e)
		}
	}
	u.store.cache.put(kept)
}
