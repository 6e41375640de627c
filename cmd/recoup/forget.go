package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"recoup/internal/service/approval"
	"recoup/internal/service/security"
	"recoup/internal/service/verify"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// forgetOptions are those of recoup forget.
type forgetOptions struct {
	db, reason string
	force      bool
}

func forgetCommand() *cobra.Command {
	var o forgetOptions
	cmd := &cobra.Command{
		Use:   "forget --db URL ACCOUNT",
		Short: "Erase whose account it is, and keep its sums",
		Long: "Puts tokens in place of an account's id, merchants and texts, and destroys the key that\n" +
			"they were made with, also beside a running service. Journal, sums and the chain of hashes\n" +
			"stay what they were: recoup verify finds nothing, also with a checkpoint from before. What\n" +
			"waits to be sent or looked at is deleted. It cannot be undone.\n\n" +
			"The account must be closed, with a balance of zero and nothing held, under review, proposed\n" +
			"or undelivered. Backups, and what was exported or sent, have it still: docs/operations.md.",
		Args: oneArgument("the account"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := openDatabase(cmd.Context(), o.db)
			if err != nil {
				return err
			}
			defer d.Close()
			done, err := forget(cmd.Context(), d, args[0], &o)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "the account is forgotten: its %d events are under %s\n", done.Events, done.Pseudonym)
			if strings.HasPrefix(o.db, "postgres") {
				fmt.Fprintln(cmd.ErrOrStderr(), "what the rows were before goes with the server's next VACUUM of its tables, and with its old write-ahead log")
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&o.db, "db", "", databaseUsage)
	cmd.Flags().StringVar(&o.reason, "reason", "", "what the security log is to say, such as the number of the request; not whose account it is")
	cmd.Flags().BoolVar(&o.force, "force", false, "forget it whatever is open; a balance stays in the books, and nobody can redeem it")
	cmd.MarkFlagRequired("db")
	return cmd
}

// forget forgets an account, if its log is sound.
func forget(ctx context.Context, d *durable.Database, account string, o *forgetOptions) (done durable.Forgotten, err error) {
	switch {
	case account == approval.TermsAccount:
		return done, fmt.Errorf("%s is the ledger's own account, and nobody's", account)
	case strings.Contains(o.reason, account):
		return done, errors.New("--reason: it names the account, and the security log forgets nothing")
	}
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
		return done, &exit{exitFailedCheck, fmt.Errorf("nothing is forgotten, for the log of the account does not verify (%s, event %d: expected %s, found %s): see recoup verify --account",
			wrong[0].What, wrong[0].Event, wrong[0].Expected, wrong[0].Found)}
	}
	store := durable.Over(d, durable.Options{Programs: programs, Now: func() reward.Instant { return reward.At(time.Now()) }})
	book := approval.New(approval.Options{Records: d, Now: time.Now, Accounts: store})
	proposals, err := book.OfAccount(ctx, account)
	if err != nil {
		return done, err
	}
	for i := range proposals {
		if p := &proposals[i]; p.State == approval.Open {
			return done, fmt.Errorf("nothing is forgotten: proposal %d about the account waits; approve or reject it first", p.Number)
		}
	}
	done, err = store.Forget(ctx, account, o.force)
	open := (*durable.UnsettledError)(nil)
	switch {
	case errors.As(err, &open):
		return done, fmt.Errorf("nothing is forgotten: %w; settle that, or give --force", open)
	case err != nil && !errors.Is(err, durable.ErrNoAccount):
		return done, err
	}
	// What is beside the accounts. If it was cut short, the command is run again, and there
	// is no account then.
	if cleared := errors.Join(book.ForgetAccount(ctx, account), verify.Forget(ctx, d, account)); cleared != nil {
		return done, cleared
	}
	if err != nil {
		return done, errors.Join(err, store.Purge(ctx, account, nil))
	}
	detail := done.Pseudonym
	if o.reason != "" {
		detail += ": " + o.reason
	}
	if err := security.New(d, time.Now).Note(ctx, security.Entry{What: security.Forgotten, Principal: localPrincipal(), Detail: detail}); err != nil {
		return done, err
	}
	return done, store.Purge(ctx, account, done.Numbers)
}
