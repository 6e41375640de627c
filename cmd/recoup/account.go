package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"recoup/internal/service/verify"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// accountCommand looks after single accounts.
func accountCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "account",
		Short: "Look after single accounts",
		Args:  cobra.NoArgs,
	}
	cmd.AddCommand(accountRebuildCommand())
	return cmd
}

func accountRebuildCommand() *cobra.Command {
	var db string
	cmd := &cobra.Command{
		Use:   "rebuild --db URL ACCOUNT",
		Short: "Make a damaged account anew from its log of events",
		Long: "Replaces all that is kept of an account besides its log by what follows from the log,\n" +
			"also beside a running service, which lets the account in again within a few seconds. It\n" +
			"is refused, and nothing changed, if the log is not whole, does not come out as it was\n" +
			"logged, or is not what was sealed: then restore the database from a backup.",
		Args: oneArgument("the account"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := openDatabase(cmd.Context(), db)
			if err != nil {
				return err
			}
			defer d.Close()
			done, err := rebuildAccount(cmd.Context(), d, args[0])
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "account %s was made anew from its %d events: program %s, balance %d in minor units of %s\n", args[0], done.Events, done.Program, done.Balance, done.Currency)
			return nil
		},
	}
	cmd.Flags().StringVar(&db, "db", "", databaseUsage)
	cmd.MarkFlagRequired("db")
	return cmd
}

// rebuildAccount makes an account anew, if its log is sound.
func rebuildAccount(ctx context.Context, d *durable.Database, account string) (done durable.Rebuilt, err error) {
	programs, err := durable.OpenPrograms(ctx, d, parseStored, time.Now)
	if err != nil {
		return done, err
	}
	var wrong []verify.Difference
	err = d.ViewOf(ctx, account, func(r durable.Reader) (err error) {
		wrong, err = verify.Log(ctx, r, programs, account)
		return err
	})
	if err != nil {
		return done, err
	}
	if len(wrong) > 0 {
		return done, &exit{exitFailedCheck, fmt.Errorf("account %s cannot be made anew, for its log does not verify (%s, event %d: expected %s, found %s): restore the database from a backup",
			account, wrong[0].What, wrong[0].Event, wrong[0].Expected, wrong[0].Found)}
	}
	store := durable.Over(d, durable.Options{Programs: programs, Now: func() reward.Instant { return reward.At(time.Now()) }})
	return store.Rebuild(ctx, account)
}
