package pebble

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"recoup/internal/store/durable"
	"recoup/internal/store/record"
)

// replacement is what is to be kept of an account in place of what is, if its log is still
// the one that it follows from.
type replacement struct {
	Account string           `json:"account"`
	Events  int              `json:"events"`
	Last    int64            `json:"last"` // the number of the last of them
	Forget  bool             `json:"forget,omitempty"`
	Changes *durable.Changes `json:"changes"`
}

func endOf(log []durable.EventRow) (events int, last int64) {
	if len(log) == 0 {
		return 0, 0
	}
	return len(log), log[len(log)-1].Number
}

// Replace implements durable.Driver. The log is read in the checkpoint, and what follows
// from it is kept by the holder, unless the account has got further events since.
func (a *Attached) Replace(ctx context.Context, account string, f func(log []durable.EventRow) (*durable.Changes, error)) error {
	return a.replace(ctx, replacement{Account: account}, func(_ record.Reader, log []durable.EventRow) (*durable.Changes, error) { return f(log) })
}

// Forget implements durable.Driver, like Replace.
func (a *Attached) Forget(ctx context.Context, account string, f func(record.Reader, []durable.EventRow) (*durable.Changes, error)) error {
	return a.replace(ctx, replacement{Account: account, Forget: true}, f)
}

func (a *Attached) replace(ctx context.Context, wanted replacement, f func(record.Reader, []durable.EventRow) (*durable.Changes, error)) error {
	err := a.Inspect(ctx, func(r durable.Inspector) error {
		log, err := r.Loose(ctx, wanted.Account)
		if err != nil {
			return err
		}
		wanted.Events, wanted.Last = endOf(log)
		wanted.Changes, err = f(r, log)
		return err
	})
	if err != nil {
		return err
	}
	answer, err := a.post(ctx, "/replace", wanted)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusConflict {
		return fmt.Errorf("account %s got further events meanwhile: try again", wanted.Account)
	}
	return nil
}

func (c *control) replace(w http.ResponseWriter, r *http.Request) {
	var wanted replacement
	if err := json.NewDecoder(r.Body).Decode(&wanted); err != nil {
		refuse(w, err)
		return
	}
	follows := func(log []durable.EventRow) (*durable.Changes, error) {
		if events, last := endOf(log); wanted.Changes == nil || events != wanted.Events || last != wanted.Last {
			return nil, errChanged
		}
		return wanted.Changes, nil
	}
	var err error
	if wanted.Forget {
		err = c.db.Forget(r.Context(), wanted.Account, func(_ record.Reader, log []durable.EventRow) (*durable.Changes, error) { return follows(log) })
	} else {
		err = c.db.Replace(r.Context(), wanted.Account, follows)
	}
	switch {
	case errors.Is(err, errChanged):
		w.WriteHeader(http.StatusConflict)
	case err != nil:
		refuse(w, err)
	}
}
