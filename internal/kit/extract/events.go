package extract

import (
	"context"
	"fmt"
	"io"

	"recoup/event"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// Events writes the log as JSON lines, or that of one account, and counts what it writes: of one database as one snapshot has
// it, of several each account as its lane has it. Events are decoded and written anew, so
// that a damaged one is found, and the same event has the same bytes whichever version has
// kept it.
func Events(ctx context.Context, db *durable.Database, w io.Writer, account string) (events, accounts int64, err error) {
	last := ""
	done := func(piece *eventLines) error {
		if events += piece.events; piece.account != last {
			last = piece.account
			accounts++
		}
		_, err := w.Write(piece.text)
		return err
	}
	if account != "" {
		err = db.ViewOf(ctx, account, func(r durable.Reader) error {
			if _, there, err := r.Account(ctx, account); err != nil || !there {
				if err == nil {
					err = fmt.Errorf("--account %q: there is none of that name in the database", account)
				}
				return err
			}
			return eachPiece(func(f func(*durable.EventRow) error) error { return r.EventsOf(ctx, account, account, f) }, done)
		})
		return events, accounts, err
	}
	err = durable.InOrder(ctx, db, func(ctx context.Context, r durable.Reader, s *durable.Stretch, emit func(string, *eventLines) error) error {
		return eachPiece(func(f func(*durable.EventRow) error) error { return s.Events(ctx, r, f) }, func(piece *eventLines) error { return emit(piece.account, piece) })
	}, done)
	return events, accounts, err
}

// pieceSize is how many bytes of an account's events are kept before they are written:
// an account may have any number of them.
const pieceSize = 64 << 10

// eventLines are events of an account as they are written.
type eventLines struct {
	account string
	events  int64
	text    []byte
}

// eachPiece calls f with events as they are written, by account, a piece at a time.
func eachPiece(events func(func(*durable.EventRow) error) error, f func(*eventLines) error) error {
	decoder := event.NewDecoder()
	piece := new(eventLines)
	give := func() error {
		whole := piece
		if piece = new(eventLines); whole.events == 0 {
			return nil
		}
		return f(whole)
	}
	err := events(func(row *durable.EventRow) error {
		if piece.account != row.Account || len(piece.text) > pieceSize {
			if err := give(); err != nil {
				return err
			}
		}
		var e reward.Event
		if err := decoder.Decode(row.Event, &e); err != nil {
			return fmt.Errorf("account %q, event number %d: %w", row.Account, row.Number, err)
		}
		piece.account, piece.text = row.Account, append(event.Append(piece.text, &e), '\n')
		piece.events++
		return nil
	})
	if err != nil {
		return err
	}
	return give()
}
