package verify

import (
	"context"

	"recoup/internal/store/durable"
)

// Lane is a Database of which it can be seen how it keeps things.
type Lane interface {
	Database
	Inspect(ctx context.Context, f func(durable.Inspector) error) error
}

// Laned is a Database of lanes, each of which has the log of its accounts and their seals.
type Laned interface {
	Database
	Lanes() []durable.Driver
	LaneOf(account string) int
}

// lanesOf returns the lanes of a database and which one an account is in. A Database that
// is not of lanes is one.
func lanesOf(db Database) (lanes []Lane, of func(account string) int) {
	laned, is := db.(Laned)
	if !is {
		return []Lane{db.(Lane)}, func(string) int { return 0 }
	}
	for _, lane := range laned.Lanes() {
		lanes = append(lanes, lane)
	}
	return lanes, laned.LaneOf
}

// putSealsApart writes seals in the lanes of their accounts.
func putSealsApart(ctx context.Context, db Laned, list []freshSeal) error {
	lanes := db.Lanes()
	byLane := make([][]freshSeal, len(lanes))
	for _, one := range list {
		lane := db.LaneOf(one.account)
		byLane[lane] = append(byLane[lane], one)
	}
	for lane, own := range byLane {
		if err := putSeals(ctx, lanes[lane], own, 0); err != nil {
			return err
		}
	}
	return nil
}

// readSealTotal returns how many events are sealed, in all lanes.
func readSealTotal(ctx context.Context, db Database) (events int64, err error) {
	lanes, _ := lanesOf(db)
	for _, lane := range lanes {
		err := lane.View(ctx, func(r durable.Reader) error {
			total, _, err := sealTotal.Get(ctx, r, sealTotalKey)
			events += total.Events
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	return events, nil
}
