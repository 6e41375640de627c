package webhook

import (
	"time"

	"recoup/internal/store/durable"
)

// FeedOf returns the feed of a database, over all its lanes.
func FeedOf(db *durable.Database) *Feed {
	lanes := func() (list []Lane) {
		for place, lane := range db.Lanes() {
			list = append(list, Lane{Name: durable.LaneName(lane, place), Store: lane})
		}
		return list
	}
	return NewFeed(db, lanes, time.Now)
}
