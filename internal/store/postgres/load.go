package postgres

import (
	"context"

	"recoup/internal/store/durable"
	"recoup/reward"
)

const (
	// Rows are locked in the order in which they are sorted: with every unit of
	// work locking in byte order, none waits for another in a circle.
	lockAccounts = `SELECT a.account, a.program, a.version, a.last, a.due, CASE WHEN a.version <> k.held THEN a.head END
		FROM unnest($1::TEXT[], $2::INT8[]) AS k (account, held) JOIN accounts a ON a.account = k.account
		ORDER BY a.account FOR NO KEY UPDATE OF a`
	rowsOf = `SELECT a.account, a.program, a.version, a.last, a.due, a.head
		FROM unnest($1::TEXT[]) AS k (account) JOIN accounts a ON a.account = k.account ORDER BY a.account`
	loggedAs = `SELECT k.place, e.event FROM unnest($1::TEXT[], $2::TEXT[], $3::TEXT[]) WITH ORDINALITY AS k (of, origin, name, place)
		CROSS JOIN LATERAL (SELECT event FROM events WHERE account = k.of AND source = k.origin AND id = k.name LIMIT 1) AS e`
	nextBlocks = `SELECT nextval('event_numbers') FROM generate_series(1, $1::INT8)`
)

// Load locks and reads, in one exchange; in two if an account was changed by
// another process since the caller had it at hand, in none if everything is
// presumed.
func (t *tx) Load(ctx context.Context, r *durable.Request) (*durable.Loaded, error) {
	t.about(r.Accounts)
	l := &loading{Loaded: new(durable.Loaded)}
	l.accounts(r)
	l.identities(r.Identities)
	t.parts(l, r.Parts)
	t.presume(r.Presumed)
	l.numbers(t.numbers, r.Numbers)
	if err := t.exchange(ctx, l.asked); err != nil {
		return nil, err
	}
	if changed := l.changed(r); len(changed) > 0 {
		l.asked = nil
		l.working(changed)
		if err := t.exchange(ctx, l.asked); err != nil {
			return nil, err
		}
	}
	return l.Loaded, nil
}

// about notes which account the transaction is about, if it is about one.
func (t *tx) about(accounts []string) {
	t.wanted = append(t.wanted, accounts...)
	switch {
	case len(accounts) == 1 && !t.several && (t.account == "" || t.account == accounts[0]):
		t.account = accounts[0]
	case len(accounts) > 0:
		t.account, t.several = "", true
	}
}

// exchange sends what is to be asked, if it is anything.
func (t *tx) exchange(ctx context.Context, asked exchange) error {
	if len(asked) == 0 {
		return t.failed
	}
	return t.send(ctx, asked)
}

// presume has parts inserted as new ones; if one is there, that is a conflict.
func (t *tx) presume(keys []durable.PartKey) {
	if len(keys) > 0 && t.absent == nil {
		t.absent = make(map[durable.PartKey]struct{}, len(keys))
	}
	for _, k := range keys {
		t.absent[k] = struct{}{}
	}
}

// loading is what a Request finds, while it is asked for.
type loading struct {
	*durable.Loaded
	asked exchange
}

func (l *loading) accounts(r *durable.Request) {
	if len(r.Accounts) == 0 {
		return
	}
	l.asked.ask(lockAccounts, []any{r.Accounts, r.Held}, func(v row) {
		l.Accounts = append(l.Accounts, account(v))
	})
	var unheld []string
	for i, id := range r.Accounts {
		if r.Held[i] < 0 {
			unheld = append(unheld, id)
		}
	}
	l.working(unheld)
}

// account reads a row of account, program, version, last, due and head.
func account(v row) durable.AccountRow {
	return durable.AccountRow{
		Account: text(v[0]), Program: text(v[1]), Version: integer(v[2]), Last: integer(v[3]),
		Due: reward.Instant(integer(v[4])), Head: data(v[5]),
	}
}

// changed are the accounts that the caller had at hand at another version than
// they turned out to have.
func (l *loading) changed(r *durable.Request) (ids []string) {
	found := l.Accounts
	for i, id := range r.Accounts {
		if len(found) == 0 || found[0].Account != id {
			continue // it is not there
		}
		if r.Held[i] >= 0 && r.Held[i] != found[0].Version {
			ids = append(ids, id)
		}
		found = found[1:]
	}
	return ids
}

func (l *loading) identities(list []durable.Identity) {
	l.Logged = make([][]byte, len(list))
	if len(list) == 0 {
		return
	}
	var accounts, sources, ids []string
	for _, x := range list {
		accounts, sources, ids = append(accounts, x.Account), append(sources, x.Source), append(ids, x.ID)
	}
	l.asked.ask(loggedAs, []any{accounts, sources, ids}, func(v row) { l.Logged[integer(v[0])-1] = data(v[1]) })
}

// parts asks for parts by their keys, and finds out which are not there.
func (t *tx) parts(l *loading, keys []durable.PartKey) {
	if len(keys) > 0 && t.absent == nil {
		t.absent = make(map[durable.PartKey]struct{}, len(keys))
	}
	for _, k := range keys {
		t.absent[k] = struct{}{}
	}
	l.parts(keys, func(found durable.PartKey) { delete(t.absent, found) })
}

// parts asks for parts by their keys, and tells which it found.
func (l *loading) parts(keys []durable.PartKey, found func(durable.PartKey)) {
	var accounts, ids [len(tables)][]string
	for _, k := range keys {
		accounts[k.Kind], ids[k.Kind] = append(accounts[k.Kind], k.Account), append(ids[k.Kind], k.ID)
	}
	for kind := range tables {
		if len(ids[kind]) > 0 {
			l.asked.ask(partsByKey[kind], []any{accounts[kind], ids[kind]}, func(v row) {
				p := part(v)
				found(durable.PartKey{Account: p.Account, Kind: p.Kind, ID: p.ID})
				l.Parts = append(l.Parts, p)
			})
		}
	}
}

// working asks for all working parts of the accounts.
func (l *loading) working(accounts []string) {
	if len(accounts) == 0 {
		return
	}
	for _, statement := range workingOf {
		if statement != "" {
			l.asked.ask(statement, []any{accounts}, l.addPart)
		}
	}
}

func (l *loading) addPart(v row) { l.Parts = append(l.Parts, part(v)) }

func (l *loading) numbers(from *numbers, n int) {
	l.Numbers = from.take(n)
	missing := n - len(l.Numbers)
	if missing == 0 {
		return
	}
	var given []int64
	l.asked.ask(nextBlocks, []any{blocks(missing)}, func(v row) {
		given = append(given, integer(v[0]))
		if len(given) == blocks(missing) {
			l.Numbers = from.fill(l.Numbers, n, given)
		}
	})
}

// Find reads parts of an account that Load has locked.
func (t *tx) Find(ctx context.Context, q durable.Query) (parts []durable.Part, err error) {
	statement, arguments := find(&q)
	err = t.ask(ctx, statement, arguments, func(v row) { parts = append(parts, part(v)) })
	return parts, err
}

// Events implements durable.Tx.
func (t *tx) Events(ctx context.Context, from int64, limit int) (list []durable.EventRow, err error) {
	err = t.ask(ctx, eventsBack, []any{from, int64(limit)}, eventsOf(&list))
	return list, err
}
