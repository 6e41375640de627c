package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"recoup/internal/kit/extract"
	"recoup/internal/store/durable"
	"recoup/reward"
)

func newExportSQLite() *cobra.Command {
	var url string
	cmd := &cobra.Command{
		Use:   "sqlite --db URL FILE",
		Short: "Write accounts, entries and events as plain tables of a SQLite file",
		Long: "Writes what a ledger has to a new SQLite file, for questions in SQL: the tables accounts,\n" +
			"entries and events, as of one moment. Amounts are minor units of the account's currency,\n" +
			"times texts in UTC. The file is a copy, which nothing reads back. The service may be\n" +
			"running.",
		Args: oneArgument("the file to make"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			file := args[0]
			if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("%s: exists; name a file that is not there yet", file)
			}
			db, err := openDatabase(cmd.Context(), url)
			if err != nil {
				return err
			}
			defer db.Close()
			programs, err := durable.OpenPrograms(cmd.Context(), db, parseStored, time.Now)
			if err != nil {
				return err
			}
			store := durable.Over(db, durable.Options{Programs: programs, Now: func() reward.Instant { return reward.At(time.Now()) }})
			// It takes its name when it is whole.
			half := file + ".part"
			defer func() {
				if err != nil {
					_ = os.Remove(half)
				}
			}()
			if err := os.Remove(half); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			n, err := extract.SQLite(cmd.Context(), half, store)
			if err != nil {
				return err
			}
			if err := os.Rename(half, file); err != nil {
				return err
			}
			if err := noteExport(cmd.Context(), db, fmt.Sprintf("sqlite: %d accounts, %d entries and %d events", n.Accounts, n.Entries, n.Events)); err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "%d accounts, %d entries and %d events\n", n.Accounts, n.Entries, n.Events)
			return nil
		},
	}
	cmd.Flags().StringVar(&url, "db", "", databaseUsage)
	cmd.MarkFlagRequired("db")
	return cmd
}
