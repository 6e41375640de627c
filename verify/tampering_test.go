package verify_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"recoup/reward"
	"recoup/store/durable"
	"recoup/verify"
)

// eventful are ten events, with the clock's at the end, of an account that has
// every kind of row.
func eventful(account string) []reward.Event {
	at := func(month time.Month, day int) reward.Instant {
		return reward.At(time.Date(2026, month, day, 10, 0, 0, 0, time.UTC))
	}
	events := []reward.Event{
		{ID: "e1", Time: at(1, 1), Type: reward.AccountOpened, Fact: "gold"},
		{ID: "e2", Time: at(1, 5), Type: reward.TransactionSettled, Transaction: "t1", Amount: 10_000, Merchant: "m", Category: "GROCERY"},
		{ID: "e3", Time: at(1, 6), Type: reward.TransactionSettled, Transaction: "t2", Amount: 5_000, Category: "GAS"},
		{ID: "e4", Time: at(1, 7), Type: reward.RefundPosted, Fact: "r1", Amount: 4_000, Merchant: "m"},
		{ID: "e5", Time: at(1, 8), Type: reward.ChargebackPosted, Fact: "c1", Transaction: "t2", Amount: 1_000},
		{ID: "e6", Time: at(1, 9), Type: reward.RedemptionRequested, Fact: "d1", Amount: 100},
		{ID: "e7", Time: at(1, 10), Type: reward.AdjustmentPosted, Fact: "j1", Amount: 200, Reason: "sorry", Actor: "op"},
		{ID: "e8", Time: at(2, 5), Type: reward.TransactionSettled, Transaction: "t3", Amount: 2_000, Category: "GROCERY"},
		{ID: "e9", Time: at(3, 5), Type: reward.TransactionSettled, Transaction: "t4", Amount: 3_000, Category: "GROCERY"},
	}
	for i := range events {
		e := &events[i]
		e.Source, e.Account = "core", account
		if e.Amount != 0 {
			e.HasAmount = true
			if e.Type != reward.ChargebackPosted {
				e.Currency = "USD"
			}
		}
	}
	return events
}

// insider changes one account of a database by SQL.
type insider struct {
	testing.TB
	db      durable.Driver
	account string
}

// change runs a statement that has to change so many rows, with the account as
// its first parameter.
func (i *insider) change(rows int64, statement string, arguments ...any) {
	i.Helper()
	r, err := i.db.DB().Exec(i.db.Rebind(statement), append([]any{i.account}, arguments...)...)
	if err != nil {
		i.Fatalf("%s: %v", statement, err)
	}
	if n, err := r.RowsAffected(); err != nil || n != rows {
		i.Fatalf("%s changed %d rows, want %d: %v", statement, n, rows, err)
	}
}

// one reads one value, with the account as the parameter.
func (i *insider) one(statement string, into any) {
	i.Helper()
	if err := i.db.DB().QueryRow(i.db.Rebind(statement), i.account).Scan(into); err != nil {
		i.Fatalf("%s: %v", statement, err)
	}
}

// rewrite changes the bytes of a column of the account's row that the condition
// selects.
func (i *insider) rewrite(table, column, condition string, change func([]byte) []byte) {
	i.Helper()
	var before []byte
	i.one(`SELECT `+column+` FROM `+table+` WHERE account = $1`+condition, &before)
	after := change(bytes.Clone(before))
	if bytes.Equal(before, after) {
		i.Fatalf("nothing to change in %q", before)
	}
	i.change(1, `UPDATE `+table+` SET `+column+` = $2 WHERE account = $1`+condition, after)
}

// insertEvent adds an event like that of a clock.
func (i *insider) insertEvent(number, sequence int) {
	i.Helper()
	line := fmt.Sprintf(`{"specversion":"1.0","id":"forged","source":"core","type":"cycle.closed","time":"2027-06-01T00:00:00Z","subject":%q,"data":{}}`, i.account)
	var before sql.NullInt64
	i.one(`SELECT max(number) FROM events WHERE account = $1`, &before)
	i.change(1, `INSERT INTO events (number, account, sequence, before, received, source, id, type, outcome, code, event)
		VALUES ($2, $1, $3, $4, 5, 'core', 'forged', 'cycle.closed', 1, 0, $5)`, number, sequence, before.Int64, []byte(line))
}

func replace(old, new string) func([]byte) []byte {
	return func(b []byte) []byte { return bytes.Replace(b, []byte(old), []byte(new), 1) }
}

func flip(at int) func([]byte) []byte {
	return func(b []byte) []byte {
		b[(at+len(b))%len(b)] ^= 2
		return b
	}
}

// tampering is something that an insider does to an account, and what must be
// said of that account: each of the texts, or one of those with | between them,
// since drivers come upon the events of a damaged log in different ways.
type tampering struct {
	name   string
	tamper func(*insider)
	named  []string
}

// everyTampering changes one thing in every way that there is.
func everyTampering() []tampering {
	const last = ` AND sequence = 10`
	list := []tampering{
		{"an amount in an event", func(i *insider) {
			i.rewrite("events", "event", ` AND sequence = 2`, replace(`"amount":10000`, `"amount":9000`))
		}, []string{`event 2: postings: `, `event 2: sealed event: expected as it was sealed, found changed since`}},
		{"what no reward depends on", func(i *insider) {
			i.rewrite("events", "event", ` AND sequence = 7`, replace(`"reason":"sorry"`, `"reason":"thank you"`))
		}, []string{`event 7: sealed event: `}},
		{"an account in an event", func(i *insider) {
			i.rewrite("events", "event", ` AND sequence = 2`, replace(`"subject":"`, `"subject":"x`))
		}, []string{`event 2: account: expected "x`}},
		{"an event that cannot be read", func(i *insider) {
			i.rewrite("events", "event", ` AND sequence = 2`, func(b []byte) []byte { return b[:20] })
		}, []string{`event 2: event: expected a line that can be read`}},
		{"an amount in a posting", func(i *insider) {
			i.rewrite("events", "postings", ` AND sequence = 2`, replace(`"amount":500`, `"amount":900`))
		}, []string{`event 2: postings: expected …`, `event 2: balance after posting 1: expected 900, found 500`, `statement of 2026-01: expected one that ties out`}},
		{"a balance in a posting", func(i *insider) {
			i.rewrite("events", "postings", ` AND sequence = 2`, replace(`"balance":500`, `"balance":900`))
		}, []string{`event 2: postings: expected …`, `event 2: balance after posting 1: expected 500, found 900`}},
		{"an explanation in a posting", func(i *insider) {
			i.rewrite("events", "postings", ` AND sequence = 2`, replace(`"purchase":10000`, `"purchase":10001`))
		}, []string{`event 2: postings: expected …`}},
		{"a journal that cannot be read", func(i *insider) {
			i.rewrite("events", "postings", ` AND sequence = 2`, replace(`[`, `[ `))
		}, []string{`event 2: postings: expected a journal as the ledger writes it`}},
		{"postings that are gone", func(i *insider) { i.change(1, `UPDATE events SET postings = NULL WHERE account = $1 AND sequence = 2`) },
			[]string{`event 2: postings: `, `event 3: number of posting 2: expected 1, found 2`}},
		{"an outcome", func(i *insider) {
			i.change(1, `UPDATE events SET outcome = 5, code = 9 WHERE account = $1 AND sequence = 2`)
		},
			[]string{`event 2: outcome: expected applied, found rejected: id_reused`}},
		{"a code", func(i *insider) { i.change(1, `UPDATE events SET code = 3 WHERE account = $1 AND sequence = 4`) },
			[]string{`event 4: outcome: expected applied: matched, found applied: unmatched`}},
		{"the time of a receipt", func(i *insider) {
			i.change(1, `UPDATE events SET received = received + 1 WHERE account = $1 AND sequence = 4`)
		},
			[]string{`event 4: sealed event: `}},
		{"the type in the column", func(i *insider) {
			i.change(1, `UPDATE events SET type = 'refund.posted' WHERE account = $1 AND sequence = 2`)
		},
			[]string{`event 2: type: expected "transaction.settled", found "refund.posted"`}},
		{"the source in the column", func(i *insider) { i.change(1, `UPDATE events SET source = 'x' WHERE account = $1 AND sequence = 2`) },
			[]string{`event 2: source: expected "core", found "x"`}},
		{"the id in the column", func(i *insider) { i.change(1, `UPDATE events SET id = 'x' WHERE account = $1 AND sequence = 2`) },
			[]string{`event 2: id: expected "e2", found "x"`, `event 2: event of posting 1: expected core x, found core e2`}},
		{"the number", func(i *insider) {
			i.change(1, `UPDATE events SET number = 900000 + number WHERE account = $1 AND sequence = 2`)
		},
			[]string{`event 3: number of the event before: `, `event 2: sealed event: `}},
		{"the event before", func(i *insider) {
			i.change(1, `UPDATE events SET before = 999999999 WHERE account = $1 AND sequence = 3`)
		},
			[]string{`event 3: number of the event before: `}},
		{"the event before of another account", func(i *insider) {
			i.change(1, `UPDATE events SET before = (SELECT max(number) FROM events WHERE account <> $1) WHERE account = $1 AND sequence = 3`)
		}, []string{`event 3: number of the event before: `}},
		{"a shortcut past an event", func(i *insider) {
			i.change(1, `UPDATE events SET before = (SELECT number FROM events WHERE account = $1 AND sequence = 1) WHERE account = $1 AND sequence = 3`)
		}, []string{`event 3: number of the event before: | event 2: sequence: expected event 2, found none; the next is 3`}},
		{"the last event is gone", func(i *insider) { i.change(1, `DELETE FROM events WHERE account = $1`+last) },
			[]string{`event 10: sealed events: expected events up to 10, found the last is 9`, `: version of the account: expected 9, found 10`}},
		{"an event in the middle is gone", func(i *insider) { i.change(1, `DELETE FROM events WHERE account = $1 AND sequence = 2`) },
			[]string{`event 2: sequence: expected event 2, found none; the next is 3`}},
		{"the first event is gone", func(i *insider) { i.change(1, `DELETE FROM events WHERE account = $1 AND sequence = 1`) },
			[]string{`event 1: sequence: expected event 1, found none; the next is 2`}},
		{"events are gone", func(i *insider) { i.change(3, `DELETE FROM events WHERE account = $1 AND sequence BETWEEN 2 AND 4`) },
			[]string{`event 2: sequence: expected event 2 to 4, found none; the next is 5`}},
		{"all events are gone", func(i *insider) { i.change(10, `DELETE FROM events WHERE account = $1`) },
			[]string{`: account: expected events, or no row, found a row, but no events`, `event 1: sealed events`}},
		{"two events change places", func(i *insider) {
			i.change(1, `UPDATE events SET sequence = -2 WHERE account = $1 AND sequence = 2`)
			i.change(1, `UPDATE events SET sequence = 2 WHERE account = $1 AND sequence = 3`)
			i.change(1, `UPDATE events SET sequence = 3 WHERE account = $1 AND sequence = -2`)
		}, []string{`event 2: number of the event before: | event 2: sequence: expected event 2, found none; the next is 3`, `event 2: sealed event | event 3: one of the sealed events 2 to 3`}},
		{"an event is appended", func(i *insider) { i.insertEvent(800_001, 11) },
			[]string{`: version of the account: expected 11, found 10 | event 11: event: expected a later one, or an account, that leads to it, found none`}},
		{"an event is inserted", func(i *insider) { i.insertEvent(800_002, 7) },
			[]string{`event 7: sequence: expected one event with it, found another one | event 7: event: expected a later one, or an account, that leads to it, found none`}},
		{"the account's head", func(i *insider) { i.rewrite("accounts", "head", "", flip(-1)) }, []string{`: head of the account: `}},
		{"the open statement", func(i *insider) { i.rewrite("accounts", "head", "", flip(0)) }, []string{`: open statement in the head of the account: `}},
		{"a head that is gone", func(i *insider) { i.change(1, `UPDATE accounts SET head = $2 WHERE account = $1`, []byte{}) },
			[]string{`: open statement in the head of the account: expected `}},
		{"the version", func(i *insider) { i.change(1, `UPDATE accounts SET version = version + 1 WHERE account = $1`) },
			[]string{`: version of the account: expected 10, found 11`}},
		{"the latest event", func(i *insider) { i.change(1, `UPDATE accounts SET last = 1 WHERE account = $1`) },
			[]string{`: number of the account's latest event: `}},
		{"when the cycle is due", func(i *insider) { i.change(1, `UPDATE accounts SET due = 5 WHERE account = $1`) },
			[]string{`: when the account's cycle is to be closed: `}},
		{"the account's program", func(i *insider) { i.change(1, `UPDATE accounts SET program = 'everyday' WHERE account = $1`) },
			[]string{`: program of the account: expected "gold", found "everyday"`}},
		{"the account's row is gone", func(i *insider) { i.change(1, `DELETE FROM accounts WHERE account = $1`) },
			[]string{`: account: expected a row, found none, but events | event 10: event: expected a later one, or an account, that leads to it`,
				`: rows in transactions: expected none, as there is no account, found 4`}},
		{"the account and its events are gone", func(i *insider) {
			i.change(1, `DELETE FROM accounts WHERE account = $1`)
			i.change(10, `DELETE FROM events WHERE account = $1`)
		}, []string{`: rows in transactions: `, `: rows in statements: expected none, as there is no account, found 2`, `: rows in seals: expected none, as there is no account, found 1`}},
		{"a statement", func(i *insider) {
			i.change(1, `UPDATE statements SET granted = granted + 1 WHERE account = $1 AND cycle = 24312`)
		},
			[]string{`: statement of 2026-01: expected opening 0, granted 550, `}},
		{"a statement's last event", func(i *insider) {
			i.change(1, `UPDATE statements SET last = last + 1 WHERE account = $1 AND cycle = 24312`)
		},
			[]string{`: statement of 2026-01: expected opening 0, granted 550, `}},
		{"a statement is gone", func(i *insider) { i.change(1, `DELETE FROM statements WHERE account = $1 AND cycle = 24313`) },
			[]string{`: statement of 2026-02: expected opening `, `found none`}},
		{"a statement of a cycle that never was", func(i *insider) {
			i.change(1, `INSERT INTO statements (account, cycle, opening, granted, clawed_back, redeemed, adjusted, closing, last) VALUES ($1, 24300, 0, 0, 0, 0, 0, 0, 1)`)
		}, []string{`: statement of 2025-01: expected none, found opening 0`}},
		{"a seal", func(i *insider) { i.rewrite("seals", "hash", "", flip(0)) }, []string{`event 10: sealed event`}},
		{"how far it is sealed", func(i *insider) { i.change(1, `UPDATE seals SET sequence = 9 WHERE account = $1`) }, []string{`: seal: expected a row of the table of seals`}},
	}
	for kind := reward.TransactionPart; kind <= reward.BucketPart; kind++ {
		list = append(list, everyTamperingWith(kind.String())...)
	}
	return list
}

// everyTamperingWith changes the account's first part of a kind.
func everyTamperingWith(kind string) (list []tampering) {
	table := kind + "s"
	first := ` AND id = (SELECT min(id) FROM ` + table + ` WHERE account = $1)`
	set := func(name, change, want string) {
		list = append(list, tampering{name + " of a " + kind, func(i *insider) {
			i.change(1, `UPDATE `+table+` SET `+change+` WHERE account = $1`+first)
		}, []string{`: ` + kind + ` "`, want}})
	}
	set("the bucket", "bucket = 77", "its bucket: expected ")
	set("the settlement", "settled = 5", "when it settled: expected ")
	set("the review", "review_since = 5", "since when it is to be reviewed: expected ")
	return append(list,
		tampering{"a " + kind, func(i *insider) { i.rewrite(table, "data", first, flip(-1)) }, []string{`: ` + kind + ` "`}},
		tampering{"a " + kind + " is gone", func(i *insider) { i.change(1, `DELETE FROM `+table+` WHERE account = $1`+first) },
			[]string{`": expected a row, found none`}},
		tampering{"a " + kind + " is inserted", func(i *insider) {
			i.change(1, `INSERT INTO `+table+` (account, id, data, working) SELECT account, 'forged', data, working FROM `+table+` WHERE account = $1`+first)
		}, []string{`: ` + kind + ` "forged": expected none, found a row`}},
		tampering{"the work on a " + kind, func(i *insider) {
			var working any
			i.one(`SELECT working FROM `+table+` WHERE account = $1`+first, &working)
			turned := any(working != true)
			if n, isNumber := working.(int64); isNumber {
				turned = 1 - n
			}
			i.change(1, `UPDATE `+table+` SET working = $2 WHERE account = $1`+first, turned)
		}, []string{", whether it is worked on: expected "}})
}

// byAccount sorts differences into those of each account.
func byAccount(report *verify.Report) map[string]string {
	found := make(map[string]string)
	for _, d := range report.Differences {
		found[d.Account] += d.String() + "\n"
	}
	return found
}

// Each account is tampered with in another way, so that one check shows all.
func TestTamperingIsNamed(t *testing.T) {
	onEveryDatabase(t, func(t *testing.T, open func() durable.Driver) {
		db := open()
		s := serve(t, db)
		cases := everyTampering()
		for i := range cases {
			s.apply(eventful(fmt.Sprintf("case %02d", i)))
		}
		s.spend(20, 500)
		s.advance()
		checkpoint(t, db) // seals all
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}

		db = open()
		defer db.Close()
		expectOnly(t, checkStored(t, db))
		for i, c := range cases {
			c.tamper(&insider{t, db, fmt.Sprintf("case %02d", i)})
		}
		(&insider{t, db, "nobody"}).insertEvent(800_000, 1)
		found := byAccount(checkStored(t, db))
		expectNamed(t, found, "nobody", tampering{name: "an event without an account", named: []string{
			`: account: expected a row, found none, but events | event 1: event: expected a later one, or an account, that leads to it`,
		}})
		for i, c := range cases {
			expectNamed(t, found, fmt.Sprintf("case %02d", i), c)
		}
		for account, differences := range found {
			t.Errorf("nobody touched %s:\n%s", account, differences)
		}
	})
}

// expectNamed checks what is said of an account and takes it off.
func expectNamed(t *testing.T, found map[string]string, account string, c tampering) {
	t.Helper()
	for _, want := range c.named {
		said := false
		for _, one := range strings.Split(want, " | ") {
			said = said || strings.Contains(found[account], one)
		}
		if !said {
			t.Errorf("%s (%s): nothing says %s:\n%s", c.name, account, want, found[account])
		}
	}
	delete(found, account)
}

func TestTermsThatWereChangedAreNamed(t *testing.T) {
	onEveryDatabase(t, func(t *testing.T, open func() durable.Driver) {
		db := open()
		s := serve(t, db)
		s.apply(eventful("golden"))
		_, everyday := purchases("everyday", 5)
		s.apply(everyday)
		i := &insider{t, db, "gold"}
		var document string
		i.one(`SELECT document FROM programs WHERE program = $1`, &document)
		i.change(1, `UPDATE programs SET document = $2 WHERE program = $1`, strings.Replace(document, "rate: 5%", "rate: 6%", 1))
		found := byAccount(checkStored(t, db))
		expectNamed(t, found, "golden", tampering{"the terms of its program", nil, []string{`event 2: postings: `}})
		if len(found) > 0 {
			t.Errorf("accounts of another program differ: %v", found)
		}
		db.Close()
	})
}

// Somebody who removes every trace of an account leaves a database that is sound
// in itself.
func TestAnAccountWithoutATraceIsMissedByACheckpoint(t *testing.T) {
	onEveryDatabase(t, func(t *testing.T, open func() durable.Driver) {
		db := open()
		s := serve(t, db)
		s.apply(eventful("golden"))
		s.spend(5, 100)
		c, leaves := checkpoint(t, db)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		db = open()
		defer db.Close()
		i := &insider{t, db, "golden"}
		for table, rows := range map[string]int64{
			"accounts": 1, "events": 9, "transactions": 4, "refunds": 1, "chargebacks": 1, "redemptions": 1, "adjustments": 1, "statements": 2, "seals": 1, "buckets": 3,
		} {
			i.change(rows, `DELETE FROM `+table+` WHERE account = $1`)
		}
		expectOnly(t, checkStored(t, db))
		report := check(t, db, verify.Options{Programs: storedPrograms(t, db), Checkpoint: c, Leaves: reader(t, leaves)})
		expectOnly(t, report, `account "golden", event 1: events that the checkpoint signed: expected events up to 9, found the last is 0`)
	})
}
