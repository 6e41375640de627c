package main

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"recoup/internal/store/durable"
	"recoup/internal/store/record"
)

// insider can write to a database, and does there what no command does. In a folder it
// goes through the driver; in PostgreSQL it says the same in SQL.
type insider struct {
	testing.TB
	db string
}

// inside is a change of rows: how a folder has it, and the same in SQL.
type inside[Row any] struct {
	row func(*Row)
	set string
}

// account changes the row of an account.
func (in insider) account(id string, change inside[durable.AccountRow]) {
	in.Helper()
	if in.sql(`UPDATE accounts SET `+change.set+` WHERE account = $1`, id) {
		return
	}
	in.write(id, func(r durable.Inspector) (changes durable.Changes, err error) {
		row, _, err := r.Account(in.Context(), id)
		row.Base = row.Version
		change.row(&row)
		return durable.Changes{Accounts: []durable.AccountRow{row}}, err
	})
}

// events changes all events of an account, under the numbers that they have.
func (in insider) events(id string, change inside[durable.EventRow]) {
	in.Helper()
	if in.sql(`UPDATE events SET `+change.set+` WHERE account = $1`, id) {
		return
	}
	in.write(id, func(r durable.Inspector) (changes durable.Changes, err error) {
		changes.Events, err = r.Loose(in.Context(), id)
		for i := range changes.Events {
			change.row(&changes.Events[i])
		}
		return changes, err
	})
}

// records replaces text in all records of a table.
func (in insider) records(table, old, new string) {
	in.Helper()
	db := in.open()
	defer in.close(db)
	err := db.Change(in.Context(), func(tx record.Tx) error {
		changed := make(map[string][]byte)
		err := tx.Scan(in.Context(), table, record.Span{}, func(key string, value []byte) (bool, error) {
			changed[key] = bytes.ReplaceAll(value, []byte(old), []byte(new))
			return true, nil
		})
		for key, value := range changed {
			tx.Put(table, key, value)
		}
		return err
	})
	if err != nil {
		in.Fatal(err)
	}
}

// put writes a record.
func (in insider) put(r record.Record, err error) {
	in.Helper()
	db := in.open()
	defer in.close(db)
	if err == nil {
		err = db.Change(in.Context(), func(tx record.Tx) error {
			tx.Put(r.Table, r.Key, r.Value)
			return nil
		})
	}
	if err != nil {
		in.Fatal(err)
	}
}

// sql runs a statement if the database takes any.
func (in insider) sql(statement string, account string) (taken bool) {
	in.Helper()
	if !strings.HasPrefix(in.db, "postgres:") {
		return false
	}
	conn, err := pgx.Connect(in.Context(), in.db)
	if err != nil {
		in.Fatal(err)
	}
	defer conn.Close(context.Background())
	if done, err := conn.Exec(in.Context(), statement, account); err != nil || done.RowsAffected() == 0 {
		in.Fatalf("%s: %v, %v", statement, done, err)
	}
	return true
}

// write writes to an account what changes makes of what is there.
func (in insider) write(id string, changes func(durable.Inspector) (durable.Changes, error)) {
	in.Helper()
	db := in.open()
	defer in.close(db)
	ctx := in.Context()
	var c durable.Changes
	lane := db.Lanes()[db.LaneOf(id)]
	err := lane.Inspect(ctx, func(r durable.Inspector) (err error) {
		c, err = changes(r)
		return err
	})
	if err == nil {
		err = lane.Update(ctx, func(tx durable.Tx) error {
			if _, err := tx.Load(ctx, &durable.Request{Accounts: []string{id}, Held: []int64{-1}}); err != nil {
				return err
			}
			return tx.Write(ctx, &c)
		})
	}
	if err != nil {
		in.Fatal(err)
	}
}

// table is what there is under the keys of a table, as text.
func (in insider) table(name string) map[string]string {
	in.Helper()
	db := in.open()
	defer in.close(db)
	found := make(map[string]string)
	err := db.Read(in.Context(), func(r record.Reader) error {
		return r.Scan(in.Context(), name, record.Span{}, func(key string, value []byte) (bool, error) {
			found[key] = string(value)
			return true, nil
		})
	})
	if err != nil {
		in.Fatal(err)
	}
	return found
}

// log is the whole log of events, by account and in order, each event as f says it.
func (in insider) log(f func(*durable.EventRow) string) (list []string) {
	in.Helper()
	db := in.open()
	defer in.close(db)
	err := db.View(in.Context(), func(r durable.Reader) error {
		return r.EventsOf(in.Context(), "", "", func(e *durable.EventRow) error {
			list = append(list, f(e))
			return nil
		})
	})
	if err != nil {
		in.Fatal(err)
	}
	return list
}

// accounts are the rows of all accounts.
func (in insider) accounts() (list []durable.AccountRow) {
	in.Helper()
	db := in.open()
	defer in.close(db)
	err := db.View(in.Context(), func(r durable.Reader) (err error) {
		list, err = r.Rows(in.Context(), "", math.MaxInt32)
		return err
	})
	if err != nil {
		in.Fatal(err)
	}
	return list
}

func (in insider) open() *durable.Database {
	in.Helper()
	db, err := openDatabase(in.Context(), in.db)
	if err != nil {
		in.Fatal(err)
	}
	return db
}

func (in insider) close(db *durable.Database) {
	in.Helper()
	if err := db.Close(); err != nil {
		in.Error(err)
	}
}
