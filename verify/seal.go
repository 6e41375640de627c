package verify

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"

	"recoup/store/durable"
)

// Database is what this package needs of a durable.Driver: a consistent snapshot
// of the accounts and their log, and the tables of seals and checks.
type Database interface {
	View(ctx context.Context, f func(durable.Reader) error) error
	DB() *sql.DB
	Rebind(statement string) string
}

// sealPage is how many accounts are sealed at a time.
const sealPage = 500

// Sealer seals the log in the background: it goes round the accounts, a few at a
// time, and seals what each has that is not sealed yet. So it adds nothing to the
// way of an event, and what it costs at a time is bounded by the accounts that it
// looks at and their new events. Several processes may seal the same database:
// what they write is the same, and a seal never goes back. A Sealer itself is not
// safe for concurrent use.
type Sealer struct {
	db     Database
	after  string // the account that it looked at last; "": it begins anew
	trail  trail
	failed error // about the first account whose log cannot be read
}

// NewSealer returns a Sealer that begins with the first account.
func NewSealer(db Database) *Sealer { return &Sealer{db: db} }

// Seal looks at the next accounts, at about so many or once at all of them, and
// returns how many events it sealed. An account whose log cannot be read is left
// out; the error names the first.
func (s *Sealer) Seal(ctx context.Context, accounts int) (sealed int, err error) {
	for more := true; more && accounts > 0; accounts -= sealPage {
		page, n, err := s.page(ctx, s.after)
		if err != nil {
			return sealed, fmt.Errorf("sealing the log: %w", err)
		}
		sealed += n
		if more = len(page) == sealPage; more {
			s.after = page[len(page)-1].sealed.account
		} else {
			s.after = ""
		}
	}
	err, s.failed = s.failed, nil
	return sealed, err
}

// Seal seals all that is not sealed yet, until it has sealed about limit events,
// and returns how many it sealed. It looks at the accounts from the first.
func Seal(ctx context.Context, db Database, limit int) (sealed int, err error) {
	s := NewSealer(db)
	for sealed < limit && err == nil {
		var n int
		n, err = s.Seal(ctx, sealPage)
		sealed += n
		if s.after == "" {
			break
		}
	}
	return sealed, err
}

// backlog is an account with what of it is not sealed.
type backlog struct {
	sealed sealRow // without hash if nothing is
	last   int64   // number of its latest event
	events int64   // that are not sealed
}

// page seals the next accounts and returns them, and how many events it sealed.
func (s *Sealer) page(ctx context.Context, after string) (page []backlog, sealed int, err error) {
	var rows []durable.AccountRow
	err = s.db.View(ctx, func(r durable.Reader) (err error) {
		rows, err = r.Rows(ctx, after, sealPage)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	ids := make([]string, len(rows))
	for i := range rows {
		ids[i] = rows[i].Account
	}
	seals, err := sealsOf(ctx, s.db, ids)
	if err != nil {
		return nil, 0, err
	}
	for i := range rows {
		b := backlog{sealed: seals[ids[i]], last: rows[i].Last}
		b.sealed.account, b.events = ids[i], rows[i].Version-b.sealed.sequence
		page = append(page, b)
	}
	sealed, err = s.seal(ctx, page)
	return page, sealed, err
}

// seal brings the seals of accounts up to their latest events.
func (s *Sealer) seal(ctx context.Context, page []backlog) (sealed int, err error) {
	var fresh []sealRow
	err = s.db.View(ctx, func(r durable.Reader) error {
		sealed, fresh = 0, nil
		for i := range page {
			b := &page[i]
			n, err := s.extend(ctx, r, b)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil && s.failed == nil {
				s.failed = fmt.Errorf("sealing account %q: %w; run recoup verify", b.sealed.account, err)
			}
			if n > 0 {
				b.sealed.sequence, b.sealed.number, b.sealed.hash = s.trail.sequence, s.trail.number, s.trail.bytes()
				b.events -= int64(n)
				fresh = append(fresh, b.sealed)
			}
			sealed += n
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return sealed, putSeals(ctx, s.db, fresh)
}

// extend follows an account's log from its seal to its end, or to where it is
// broken: Run names that, and also a seal that makes no sense.
func (s *Sealer) extend(ctx context.Context, r durable.Reader, b *backlog) (added int, err error) {
	if b.events <= 0 {
		return 0, nil
	}
	account := b.sealed.account
	s.trail.start(account)
	if b.sealed.hash != nil {
		from, err := b.sealed.parse()
		if err != nil {
			return 0, nil
		}
		s.trail.resume(&from)
	}
	next := func(row *durable.EventRow) error {
		if row.Account == account && row.Sequence == s.trail.sequence+1 {
			s.trail.add(row)
			added++
		}
		return nil
	}
	if b.events > pageSize {
		err := r.EventsOf(ctx, account, account, next)
		return added, err
	}
	events, err := r.Events(ctx, b.last, int(b.events))
	if err != nil {
		return 0, err
	}
	for i := range events {
		_ = next(&events[len(events)-1-i]) // never fails
	}
	return added, nil
}

// sealRow is a row of the table of seals as it lies there.
type sealRow struct {
	account          string
	sequence, number int64
	hash             []byte
}

func (r *sealRow) parse() (seal, error) { return parseSeal(r.sequence, r.number, r.hash) }

// sealsOf returns the seals of accounts, of which there may be none.
func sealsOf(ctx context.Context, db Database, accounts []string) (map[string]sealRow, error) {
	seals := make(map[string]sealRow, len(accounts))
	if len(accounts) == 0 {
		return seals, nil
	}
	arguments := make([]any, len(accounts))
	for i, account := range accounts {
		arguments[i] = account
	}
	err := eachSeal(ctx, db, `account IN (`+parameters(1, len(accounts))+`)`, arguments, func(r sealRow) error {
		seals[r.account] = r
		return nil
	})
	return seals, err
}

// eachSeal calls f with the seals that the condition, and what follows it,
// selects.
func eachSeal(ctx context.Context, db Database, condition string, arguments []any, f func(sealRow) error) error {
	rows, err := db.DB().QueryContext(ctx, db.Rebind(`SELECT account, sequence, number, hash FROM seals WHERE `+condition), arguments...)
	if err != nil {
		return fmt.Errorf("reading seals: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var r sealRow
		if err := rows.Scan(&r.account, &r.sequence, &r.number, &r.hash); err != nil {
			return fmt.Errorf("reading seals: %w", err)
		}
		if err := f(r); err != nil {
			return err
		}
	}
	return rows.Err()
}

// putSeals writes seals, each unless somebody else has sealed further meanwhile.
func putSeals(ctx context.Context, db Database, seals []sealRow) error {
	if len(seals) == 0 {
		return nil
	}
	var statement strings.Builder
	var arguments []any
	statement.WriteString(`INSERT INTO seals (account, sequence, number, hash) VALUES `)
	for i, r := range seals {
		if i > 0 {
			statement.WriteString(", ")
		}
		statement.WriteString("(" + parameters(1+4*i, 4) + ")")
		arguments = append(arguments, r.account, r.sequence, r.number, r.hash)
	}
	statement.WriteString(` ON CONFLICT (account) DO UPDATE SET sequence = excluded.sequence, number = excluded.number, hash = excluded.hash` +
		` WHERE seals.sequence < excluded.sequence`)
	if _, err := db.DB().ExecContext(ctx, db.Rebind(statement.String()), arguments...); err != nil {
		return fmt.Errorf("writing seals: %w", err)
	}
	return nil
}

// parameters lists n parameters of a statement, from the given one.
func parameters(from, n int) string {
	names := make([]string, n)
	for i := range names {
		names[i] = "$" + strconv.Itoa(from+i)
	}
	return strings.Join(names, ", ")
}
