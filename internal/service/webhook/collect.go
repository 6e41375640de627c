package webhook

import (
	"context"
	"errors"
	"fmt"

	"recoup/internal/store/outbox"
	"recoup/internal/store/record"
)

// mostPages bounds how many pages of a lane are collected in a row, so that others have
// their turn.
const mostPages = 20

// Collect gives what units of work have written for the feed its places, so that it can be
// fetched, and lets go of what is kept long enough. Any number of processes may do it: it
// is done in one transaction a page, of which a lane has one at a time.
func (f *Feed) Collect(ctx context.Context) error {
	feed, err := f.settings(ctx)
	if err != nil {
		return err
	}
	var failed []error
	for _, lane := range f.lanes() {
		if err := f.collect(ctx, lane, feed); err != nil {
			failed = append(failed, fmt.Errorf("collecting notices of lane %s: %w", lane.Name, err))
		}
	}
	return errors.Join(failed...)
}

func (f *Feed) collect(ctx context.Context, lane Lane, feed outbox.Feed) error {
	after := record.Span{}
	for range mostPages {
		// As long as there is nothing to do nothing is locked.
		var idle bool
		err := lane.Read(ctx, func(r record.Reader) (err error) {
			idle, err = f.idle(ctx, r, lane.Name, feed)
			return err
		})
		if err != nil || idle {
			return err
		}
		var next record.Span
		err = lane.Change(ctx, func(tx record.Tx) error {
			at, _, err := outbox.FeedState.Get(ctx, tx, outbox.FeedName)
			if err != nil {
				return err
			}
			if at.Lane != lane.Name {
				at.Lane, at.Parent, at.Split = lane.Name, at.Lane, at.Last
			}
			if next, err = arrange(ctx, tx, &at, after); err != nil {
				return err
			}
			if err := f.forget(ctx, tx, &at, feed); err != nil {
				return err
			}
			return outbox.FeedState.Put(tx, outbox.FeedName, &at)
		})
		if err != nil {
			return err
		}
		after = next
	}
	return nil
}

// idle reports whether nothing is to be collected or let go of.
func (f *Feed) idle(ctx context.Context, r record.Reader, lane string, feed outbox.Feed) (bool, error) {
	at, _, err := outbox.FeedState.Get(ctx, r, outbox.FeedName)
	if err != nil {
		return false, err
	}
	idle := at.Lane == lane || at == (outbox.FeedPlace{})
	err = r.Scan(ctx, string(outbox.FeedInbox), record.Span{}, func(string, []byte) (bool, error) {
		idle = false
		return false, nil
	})
	if err != nil || !idle {
		return false, err
	}
	err = outbox.FeedRows.Each(ctx, r, record.Span{From: record.Key(at.Gone + 1)}, func(key string, one *outbox.Told) (bool, error) {
		place, err := record.ParseInt(key)
		idle = !f.old(place, one, &at, feed)
		return false, err
	})
	return idle, err
}

// arrange moves a page of the inbox to where it can be read, and returns where to go on. Of
// an account the inbox is in order, and what is there of it was committed in order: so
// wherever a page begins and ends, nothing comes later that belongs before it.
func arrange(ctx context.Context, tx record.Tx, at *outbox.FeedPlace, from record.Span) (record.Span, error) {
	n := 0
	var last string
	err := outbox.FeedInbox.Each(ctx, tx, from, func(key string, one *outbox.Told) (bool, error) {
		at.Last++
		n, last = n+1, key
		outbox.FeedInbox.Delete(tx, key)
		return n < page, outbox.FeedRows.Put(tx, record.Key(at.Last), one)
	})
	if n < page {
		return record.Span{}, err // from the beginning, next time
	}
	return record.Span{}.After(last), err
}

// forget deletes a page of what is kept long enough.
func (f *Feed) forget(ctx context.Context, tx record.Tx, at *outbox.FeedPlace, feed outbox.Feed) error {
	n := 0
	return outbox.FeedRows.Each(ctx, tx, record.Span{From: record.Key(at.Gone + 1)}, func(key string, one *outbox.Told) (bool, error) {
		place, err := record.ParseInt(key)
		if err != nil || !f.old(place, one, at, feed) {
			return false, err
		}
		outbox.FeedRows.Delete(tx, key)
		at.Gone = place
		n++
		return n < page, nil
	})
}

// old reports whether a notice is not to be kept any more.
func (f *Feed) old(place int64, one *outbox.Told, at *outbox.FeedPlace, feed outbox.Feed) bool {
	return !feed.On() || one.Created < feed.Since || one.Created < f.now().UnixNano()-feed.Keep || place <= at.Last-MostKept
}
