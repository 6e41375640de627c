// Package forget erases whose an account is, in all that a database has of it.
package forget

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"recoup/internal/service/approval"
	"recoup/internal/service/programs"
	"recoup/internal/service/security"
	"recoup/internal/service/sources"
	"recoup/internal/service/verify"
	"recoup/internal/store/durable"
	"recoup/internal/store/triage"
	"recoup/reward"
)

// ErrLog says that nothing is forgotten, for the log of the account does not verify.
var ErrLog = errors.New("the log of the account does not verify")

// Options say how an account is forgotten.
type Options struct {
	Reason string // what the security log says; "": nothing
	Force  bool   // whatever is open
}

// Account forgets an account, if its log is sound; otherwise the error is ErrLog. What was
// left beside an account that is forgotten is deleted, and the error is
// durable.ErrNoAccount.
func Account(ctx context.Context, d *durable.Database, account string, o Options) (done durable.Forgotten, err error) {
	switch {
	case account == approval.TermsAccount:
		return done, fmt.Errorf("%s is the ledger's own account, and nobody's", account)
	case strings.Contains(o.Reason, account):
		return done, errors.New("--reason: it names the account, and the security log forgets nothing")
	}
	programs, err := programs.Open(ctx, d)
	if err != nil {
		return done, err
	}
	if err := sound(ctx, d, programs, account); err != nil {
		return done, err
	}
	store := durable.Over(d, durable.Options{Programs: programs, Now: func() reward.Instant { return reward.At(time.Now()) }})
	book := approval.New(approval.Options{Records: d, Now: time.Now, Accounts: store})
	if err := decided(ctx, book, account); err != nil {
		return done, err
	}
	done, err = store.Forget(ctx, account, o.Force)
	open := (*durable.UnsettledError)(nil)
	switch {
	case errors.As(err, &open):
		return done, fmt.Errorf("nothing is forgotten: %w; settle that, or give --force", open)
	case err != nil && !errors.Is(err, durable.ErrNoAccount):
		return done, err
	}
	// What is beside the accounts. If it was cut short, the command is run again, and there
	// is no account then.
	if cleared := errors.Join(book.ForgetAccount(ctx, account), verify.Forget(ctx, d, account), sources.Forget(ctx, d, account), triage.Forget(ctx, d, account)); cleared != nil {
		return done, cleared
	}
	if err != nil {
		return done, errors.Join(err, store.Purge(ctx, account, nil))
	}
	detail := done.Pseudonym
	if o.Reason != "" {
		detail += ": " + o.Reason
	}
	if err := security.NoteLocal(ctx, d, security.Forgotten, detail); err != nil {
		return done, err
	}
	return done, store.Purge(ctx, account, done.Numbers)
}

// sound checks the log of an account.
func sound(ctx context.Context, d *durable.Database, programs *durable.Programs, account string) error {
	var wrong []verify.Difference
	err := d.ViewOf(ctx, account, func(r durable.Reader) (err error) {
		wrong, err = verify.Log(ctx, r, programs, account)
		return err
	})
	if err == nil && len(wrong) > 0 {
		err = fmt.Errorf("nothing is forgotten, for %w (%s, event %d: expected %s, found %s): see recoup verify --account",
			ErrLog, wrong[0].What, wrong[0].Event, wrong[0].Expected, wrong[0].Found)
	}
	return err
}

// decided refuses an account of which a proposal waits.
func decided(ctx context.Context, book *approval.Book, account string) error {
	proposals, err := book.OfAccount(ctx, account)
	for i := range proposals {
		if p := &proposals[i]; p.State == approval.Open {
			return fmt.Errorf("nothing is forgotten: proposal %d about the account waits; approve or reject it first", p.Number)
		}
	}
	return err
}
