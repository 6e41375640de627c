package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recoup/internal/cli"
	"recoup/internal/engine"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// unpackHolds unpacks the folder that an older program made (make-holds.sh has its story) to
// holds in the current folder.
func unpackHolds(t *testing.T) {
	t.Helper()
	packed, err := os.Open(filepath.Join(testdata, "holds.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeDir {
			err = os.Mkdir(h.Name, fs.FileMode(h.Mode))
		} else {
			var file []byte
			if file, err = io.ReadAll(r); err == nil {
				err = os.WriteFile(h.Name, file, fs.FileMode(h.Mode))
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// standing is what an account has, holds and lets go.
func (in insider) standing(account string) (said string) {
	in.Helper()
	in.at(func(_ *durable.Database, store *durable.Store) error {
		v, ok, err := store.Account(in.Context(), account)
		if !ok {
			return fmt.Errorf("there is no account %s: %w", account, err)
		}
		said = fmt.Sprintf("balance %d, held %d, available %d", v.Balance, v.Held, v.Available)
		return err
	})
	return said
}

// redeem asks for $5 on 12 April, before the announced return has posted.
func (in insider) redeem(account string) (became reward.Result) {
	in.Helper()
	in.at(func(_ *durable.Database, store *durable.Store) error {
		results, err := engine.New(store).Apply(in.Context(), []reward.Event{{
			Source: "core", ID: "redeem", Account: account, Time: reward.At(time.Date(2026, 4, 12, 13, 0, 0, 0, time.UTC)),
			Type: reward.RedemptionRequested, Fact: "d9", Amount: 500, HasAmount: true, Currency: "USD", Method: "credit",
		}}, nil)
		if err == nil {
			became = results[0]
		}
		return err
	})
	return became
}

// TestOlderHoldsAreMadeAnew: holds are kept with an account. Of one that was written when
// less was held, or more, verify says so, and it is brought up to date by itself or with
// all others; one whose log comes out otherwise since, only with all others.
func TestOlderHoldsAreMadeAnew(t *testing.T) {
	workspace(t)
	unpackHolds(t)
	const (
		lateThen, lateNow = "balance 500, held 0, available 500", "balance 500, held 500, available 0"
		overThen, overNow = "balance 500, held 1000, available -500", "balance 500, held 0, available 500"
	)
	same := func(db, account, want string) {
		t.Helper()
		if got := (insider{t, db}).standing(account); got != want {
			t.Errorf("%s in %s: %s, want %s", account, db, got, want)
		}
	}
	same("holds", "late", lateThen)
	same("holds", "over", overThen)
	stdout, _, err := recoup("verify", "--db", "holds")
	if cli.ExitCode(err) != cli.FailedCheck || !strings.Contains(stdout, "late") || !strings.Contains(stdout, "over") {
		t.Errorf("verify says %v\n%s", err, stdout)
	}

	r := rebuildJSON(t, "holds", "new")
	if r.Accounts != 3 || r.Events != 11 || r.Count != 1 || r.Differences[0].Account != "paid" || r.Differences[0].Old.Balance != -500 || r.Differences[0].New.Balance != 0 {
		t.Errorf("%+v", r)
	}
	if len(r.Changes) != 1 || r.Changes[0].Type != "redemption.requested" || r.Changes[0].Old != "applied" || r.Changes[0].New != "rejected: insufficient_balance" || r.Changes[0].Events != 1 {
		t.Errorf("%+v", r.Changes)
	}
	same("new", "late", lateNow)
	same("new", "over", overNow)
	if out := succeed(t, "verify", "--db", "new"); !strings.HasSuffix(out, "No differences.\n") {
		t.Errorf("verify prints\n%s", out)
	}

	for _, account := range []string{"late", "over"} {
		succeed(t, "account", "rebuild", "--db", "holds", account)
		if out, _, err := recoup("verify", "--db", "holds", "--account", account); err != nil {
			t.Errorf("verify of %s says %v\n%s", account, err, out)
		}
	}
	same("holds", "late", lateNow)
	same("holds", "over", overNow)
	if _, _, err := recoup("account", "rebuild", "--db", "holds", "paid"); cli.ExitCode(err) != cli.FailedCheck || !strings.Contains(err.Error(), "recoup rebuild") {
		t.Errorf("of an account that was paid by the older rule: %v", err)
	}
	for account, want := range map[string]reward.Result{"late": {Outcome: reward.Rejected, Code: reward.InsufficientBalance}, "over": {Outcome: reward.Applied}} {
		for _, db := range []string{"holds", "new"} {
			if got := (insider{t, db}).redeem(account); got != want {
				t.Errorf("$5 of %s in %s: %+v, want %+v", account, db, got, want)
			}
		}
	}
}
