package webhook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"recoup/internal/store/outbox"
	"recoup/internal/store/record"
)

// How long the feed may keep notices, and how many of a lane it keeps at most, whatever it
// was told.
const (
	LongestKept = 90 * 24 * time.Hour
	MostKept    = 2_000_000
)

// What a reader of the feed is told.
var (
	// ErrNoFeed: no notices are kept.
	ErrNoFeed = errors.New("no notices are kept")
	// ErrGone: what comes after the place is not kept any more, or is of a feed that was
	// ended.
	ErrGone = errors.New("what comes after that place is not kept any more")
)

// Lane is a lane of a database, by a name that it keeps.
type Lane struct {
	Name string
	record.Store
}

// Feed is the notices of a database for those who fetch them, in the same bodies and under
// the same ids as webhooks have them. Notices of one account come in order; those of
// several accounts about in the order in which they were written.
type Feed struct {
	home  record.Store
	lanes func() []Lane
	now   func() time.Time
}

// NewFeed returns the feed of a database.
func NewFeed(home record.Store, lanes func() []Lane, now func() time.Time) *Feed {
	return &Feed{home: home, lanes: lanes, now: now}
}

// Place is how far somebody has read: of each lane to which place. The zero Place is before
// everything.
type Place struct {
	Since int64 // which feed it is of; 0: none
	Lanes map[string]int64
}

// Fetched is a notice as it is fetched.
type Fetched struct {
	ID, Account, Type string
	Created           time.Time
	Body              []byte
}

// Kept returns for how long notices are kept; zero if there is no feed.
func (f *Feed) Kept(ctx context.Context) (time.Duration, error) {
	feed, err := f.settings(ctx)
	return time.Duration(feed.Keep), err
}

func (f *Feed) settings(ctx context.Context) (feed outbox.Feed, err error) {
	err = f.home.Read(ctx, func(r record.Reader) (err error) {
		feed, _, err = outbox.Feeds.Get(ctx, r, outbox.FeedName)
		return err
	})
	if err != nil {
		return feed, fmt.Errorf("reading whether notices are kept: %w", err)
	}
	return feed, nil
}

// Keep has notices kept for a time from now on, or no longer if it is zero, which ends the
// feed: places in it are of no use afterwards. Units of work take notice within a second.
func (f *Feed) Keep(ctx context.Context, keep time.Duration) error {
	if keep < 0 || keep > LongestKept {
		return fmt.Errorf("keeping notices for %v: expected at most %v, or 0 to keep none", keep, LongestKept)
	}
	now := f.now().UnixNano()
	err := f.home.Change(ctx, func(tx record.Tx) error {
		if keep == 0 {
			outbox.Feeds.Delete(tx, outbox.FeedName)
			return nil
		}
		feed, _, err := outbox.Feeds.Get(ctx, tx, outbox.FeedName)
		if err != nil {
			return err
		}
		feed.Since, feed.Keep = cmp.Or(feed.Since, now), int64(keep)
		return outbox.Feeds.Put(tx, outbox.FeedName, &feed)
	})
	if err != nil {
		return fmt.Errorf("keeping notices: %w", err)
	}
	return nil
}

// Read returns up to limit notices after a place, and the place after them. The error is
// ErrNoFeed or ErrGone where somebody has to decide how to go on.
func (f *Feed) Read(ctx context.Context, after Place, limit int) (list []Fetched, next Place, err error) {
	feed, err := f.settings(ctx)
	switch {
	case err != nil:
		return nil, after, err
	case !feed.On():
		return nil, after, ErrNoFeed
	case after.Since != 0 && after.Since != feed.Since:
		return nil, after, ErrGone
	}
	next = Place{Since: feed.Since, Lanes: make(map[string]int64)}
	var ahead []lookedAt
	for _, lane := range f.lanes() {
		one, err := look(ctx, lane, after, feed.Since, limit)
		if err != nil {
			return nil, after, fmt.Errorf("reading notices: %w", err)
		}
		next.Lanes[lane.Name] = one.from
		ahead = append(ahead, one)
	}
	for len(list) < limit {
		first := -1
		for i := range ahead {
			if len(ahead[i].rows) > 0 && (first < 0 || ahead[i].rows[0].Created < ahead[first].rows[0].Created) {
				first = i
			}
		}
		if first < 0 {
			break
		}
		row := &ahead[first].rows[0]
		list = append(list, Fetched{idOf(row.Body), row.Account, row.Type, moment(row.Created), row.Body})
		next.Lanes[ahead[first].lane] = row.place
		ahead[first].rows = ahead[first].rows[1:]
	}
	return list, next, nil
}

// End returns the place after everything that can be read.
func (f *Feed) End(ctx context.Context) (Place, error) {
	feed, err := f.settings(ctx)
	if err != nil {
		return Place{}, err
	}
	if !feed.On() {
		return Place{}, ErrNoFeed
	}
	end := Place{Since: feed.Since, Lanes: make(map[string]int64)}
	for _, lane := range f.lanes() {
		err := lane.Read(ctx, func(r record.Reader) error {
			at, _, err := outbox.FeedState.Get(ctx, r, outbox.FeedName)
			end.Lanes[lane.Name] = at.Last
			return err
		})
		if err != nil {
			return Place{}, fmt.Errorf("reading how far notices are: %w", err)
		}
	}
	return end, nil
}

// lookedAt is what a lane has after a place.
type lookedAt struct {
	lane string
	from int64
	rows []placed
}

type placed struct {
	place int64
	outbox.Told
}

// look reads up to limit notices of a lane after a place.
func look(ctx context.Context, lane Lane, after Place, since int64, limit int) (found lookedAt, err error) {
	found.lane = lane.Name
	err = lane.Read(ctx, func(r record.Reader) error {
		at, _, err := outbox.FeedState.Get(ctx, r, outbox.FeedName)
		if err != nil {
			return err
		}
		found.rows = nil
		if found.from, err = begin(lane.Name, &at, after); err != nil {
			return err
		}
		place := found.from
		return outbox.FeedRows.Each(ctx, r, record.Span{From: record.Key(place + 1)}, func(key string, one *outbox.Told) (bool, error) {
			if place, err = record.ParseInt(key); err != nil {
				return false, err
			}
			if one.Created >= since { // what is older is of a feed that was ended
				found.rows = append(found.rows, placed{place, *one})
			}
			return len(found.rows) < limit, nil
		})
	})
	return found, err
}

// begin is after which place of a lane to go on.
func begin(lane string, at *outbox.FeedPlace, after Place) (int64, error) {
	if after.Since == 0 {
		return at.Gone, nil
	}
	place, known := after.Lanes[lane]
	if !known {
		// A lane that was split off has what the other had until then, at the same places.
		parent, split := at.Parent, at.Split
		if at.Lane != lane {
			parent, split = at.Lane, at.Last
		}
		before, was := after.Lanes[parent]
		if !was {
			return at.Gone, nil
		}
		place = min(before, split)
	}
	if place < at.Gone || place > at.Last {
		return 0, ErrGone
	}
	return place, nil
}
