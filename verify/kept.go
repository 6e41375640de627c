package verify

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strconv"

	"recoup/reward"
	"recoup/store"
	"recoup/store/durable"
)

// kept is what the store has of an account besides its log.
type kept struct {
	id         string
	there      bool // it has a row
	row        durable.AccountRow
	seal       keptSeal                                      // sequence 0: nothing is sealed
	parts      [reward.BucketPart + 1]map[string]reward.Part // by kind and id
	statements []durable.StatementRow                        // the earliest first
	damage     error                                         // why it cannot be read
	logAlone   bool                                          // nothing of it is to be compared
}

// pageSize is how many rows of an account are read at a time.
const pageSize = 1000

// accountRow is the row of an account, or why it cannot be read.
type accountRow struct {
	durable.AccountRow
	damage error
}

// readRows reads the rows of up to limit accounts after one. One that cannot be read
// keeps none of the others from being read.
func readRows(ctx context.Context, r durable.Reader, after string, limit int) ([]accountRow, error) {
	page, err := r.Rows(ctx, after, limit)
	if store.ReachOf(err) == store.OneAccount {
		return readRowsOneByOne(ctx, r, after, limit)
	}
	rows := make([]accountRow, len(page))
	for i := range page {
		rows[i].AccountRow = page[i]
	}
	return rows, err
}

func readRowsOneByOne(ctx context.Context, r durable.Reader, after string, limit int) ([]accountRow, error) {
	ids, err := r.Accounts(ctx, after, limit)
	if err != nil {
		return nil, err
	}
	rows := make([]accountRow, 0, len(ids))
	for _, id := range ids {
		row, err := readRow(ctx, r, id)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row...)
	}
	return rows, nil
}

// readRow reads the row of an account, of which there may be none.
func readRow(ctx context.Context, r durable.Reader, id string) ([]accountRow, error) {
	row, ok, err := r.Account(ctx, id)
	if store.ReachOf(err) == store.OneAccount {
		return []accountRow{{durable.AccountRow{Account: id}, err}}, nil
	}
	if err != nil || !ok {
		return nil, err
	}
	return []accountRow{{AccountRow: row}}, nil
}

// readKept reads all that is kept of an account but the seal. What cannot be read is
// a difference of this account.
func readKept(ctx context.Context, r durable.Reader, row accountRow) (*kept, error) {
	if row.damage == nil {
		k, err := readParts(ctx, r, row.AccountRow)
		if store.ReachOf(err) != store.OneAccount {
			return k, err
		}
		row.damage = err
	}
	return &kept{id: row.Account, there: true, row: row.AccountRow, damage: row.damage}, nil
}

func readParts(ctx context.Context, r durable.Reader, row durable.AccountRow) (*kept, error) {
	k := &kept{id: row.Account, there: true, row: row}
	for kind := reward.TransactionPart; kind <= reward.BucketPart; kind++ {
		q := durable.Query{Account: k.id, Kind: kind, Page: true, Limit: pageSize}
		for {
			page, err := r.Find(ctx, q)
			if err != nil {
				return nil, err
			}
			if k.parts[kind] == nil && len(page) > 0 {
				k.parts[kind] = make(map[string]reward.Part, len(page))
			}
			for _, p := range page {
				k.parts[kind][p.ID] = p.Part
			}
			if len(page) < pageSize {
				break
			}
			q.After = page[len(page)-1].ID
		}
	}
	for before := reward.Cycle(math.MaxInt32); ; {
		page, err := r.Statements(ctx, k.id, before, pageSize)
		if err != nil {
			return nil, err
		}
		k.statements = append(k.statements, page...)
		if len(page) < pageSize {
			break
		}
		before = page[len(page)-1].Cycle
	}
	slices.Reverse(k.statements)
	return k, nil
}

// compareKept compares what the store keeps with what the log adds up to.
func (x *examination) compareKept() {
	switch k := x.kept; {
	case !k.there && x.events == 0:
		return // only a checkpoint knows of it
	case !k.there:
		x.differ(0, "account", "a row", "none, but events")
		return
	case x.events == 0:
		x.differ(0, "account", "events, or no row", "a row, but no events")
		return
	}
	if err := x.kept.damage; err != nil {
		x.differ(0, "what is kept of the account", "rows that can be read", err.Error())
		return
	}
	x.expectNumber(0, "version of the account", x.sequence, x.kept.row.Version)
	x.expectNumber(0, "number of the account's latest event", x.number, x.kept.row.Last)
	if x.account == nil || x.broken {
		return
	}
	if want := x.account.Program().ID; x.kept.row.Program != want {
		x.differ(0, "program of the account", strconv.Quote(want), strconv.Quote(x.kept.row.Program))
	}
	if want := x.account.Due(); x.kept.row.Due != want {
		x.differ(0, "when the account's cycle is to be closed", when(want), when(x.kept.row.Due))
	}
	x.line = x.journal.tally(x.line[:0])
	tally := len(x.line)
	x.line = x.account.AppendHead(x.line)
	if head := x.kept.row.Head; bytes.HasPrefix(head, x.line[:tally]) {
		x.expectBytes(0, "head of the account", x.line[tally:], head[tally:])
	} else {
		x.expectBytes(0, "open statement in the head of the account", x.line, head)
	}
	x.compareParts()
	x.journal.statements(x, x.kept.statements)
}

// compareParts crosses off the parts that the replay has.
func (x *examination) compareParts() {
	for own := range x.account.Parts() {
		name := own.Kind.String() + " " + strconv.Quote(own.ID)
		stored, there := x.kept.parts[own.Kind][own.ID]
		if !there {
			x.differ(0, name, "a row", "none")
			continue
		}
		delete(x.kept.parts[own.Kind], own.ID)
		x.expectBytes(0, name, own.Data, stored.Data)
		if own.Working != stored.Working {
			x.differ(0, name+", whether it is worked on", strconv.FormatBool(own.Working), strconv.FormatBool(stored.Working))
		}
		x.expectNumber(0, name+", its bucket", own.Bucket, stored.Bucket)
		if own.Settled != stored.Settled {
			x.differ(0, name+", when it settled", when(own.Settled), when(stored.Settled))
		}
		if own.ReviewSince != stored.ReviewSince {
			x.differ(0, name+", since when it is to be reviewed", when(own.ReviewSince), when(stored.ReviewSince))
		}
	}
	for kind, parts := range x.kept.parts {
		for id := range parts {
			x.differ(0, reward.PartKind(kind).String()+" "+strconv.Quote(id), "none", "a row")
		}
	}
}

func when(at reward.Instant) string {
	if at == 0 {
		return "never"
	}
	return at.String()
}
