package shards

import (
	"context"
	"slices"
	"time"

	"recoup/internal/store/durable"
)

func (l *ledger) drivers() []durable.Driver {
	list := make([]durable.Driver, len(l.lanes))
	for i, one := range l.lanes {
		list[i] = one
	}
	return list
}

// laneOf says which lane an account is in, by who has its bucket.
func (l *ledger) laneOf(of [Buckets]int16) func(string) int {
	return func(account string) int { return int(of[Bucket(account)]) }
}

// origin says which lane has handed out a number.
func (l *ledger) origin() func(int64) int {
	byNumber := make(map[int64]int, len(l.lanes))
	for i, one := range l.lanes {
		byNumber[one.number] = i
	}
	return func(number int64) int { return byNumber[number%Stride] }
}

// watch looks every second where the shards are, so that one follows a move also if
// nothing is asked of it.
func (l *ledger) watch(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		asking, done := context.WithTimeout(ctx, homePatience)
		list, err := placed(asking, l.home)
		done()
		if err != nil {
			l.lost.CompareAndSwap(0, time.Now().UnixNano())
			continue // whoever needs something says so
		}
		l.lost.Store(0)
		for i := range list {
			if one := l.lane(list[i].Number); one != nil && one.now.Load().Epoch != list[i].Epoch {
				if err := one.follow(ctx, one.now.Load()); err != nil && ctx.Err() == nil {
					l.options.Log.Error("a shard that has moved cannot be opened", "shard", one.number, "error", err)
				}
			}
		}
	}
}

func (l *ledger) lane(number int64) *lane {
	l.dealing.Lock()
	defer l.dealing.Unlock()
	for _, one := range l.lanes {
		if one.number == number {
			return one
		}
	}
	return nil
}

// goTo has a lane go on where its shard is now.
func (l *ledger) goTo(ctx context.Context, one *lane, to Shard) error {
	if before := one.now.Load(); !slices.Equal(before.Buckets, to.Buckets) {
		return l.dealAnew(ctx)
	}
	s, err := l.open(ctx, to)
	if err != nil {
		return err
	}
	one.sit(s)
	l.options.Log.Info("a shard has moved", "shard", to.Number, "to", to.Place.String(), "epoch", to.Epoch)
	return nil
}

// dealAnew opens what shards there are now that other buckets are in. The lanes that had
// those buckets before are given up; who was at work there asks again.
func (l *ledger) dealAnew(ctx context.Context) error {
	l.again.Lock()
	defer l.again.Unlock()
	list, err := placed(ctx, l.home)
	if err != nil {
		return err
	}
	of, err := deal(list)
	if err != nil {
		return err
	}
	var opened []*seat // by place in the list; nil: as before
	for i := range list {
		var s *seat
		if before := l.lane(list[i].Number); before == nil || !slices.Equal(before.now.Load().Buckets, list[i].Buckets) {
			if s, err = l.open(ctx, list[i]); err != nil {
				return err
			}
		}
		opened = append(opened, s)
	}
	l.dealing.Lock()
	defer l.dealing.Unlock()
	// Lanes keep their places, and new ones come after them.
	place := make([]int16, len(list))
	lanes := slices.Clone(l.lanes)
	var given []*lane
	for i := range list {
		at := slices.IndexFunc(lanes, func(one *lane) bool { return one.number == list[i].Number })
		if opened[i] != nil {
			fresh := l.newLane(list[i].Number)
			fresh.now.Store(opened[i])
			if at < 0 {
				at, lanes = len(lanes), append(lanes, fresh)
			} else {
				given, lanes[at] = append(given, lanes[at]), fresh
			}
		}
		place[i] = int16(at)
	}
	for b := range of {
		of[b] = place[of[b]]
	}
	l.lanes = lanes
	for _, one := range given {
		one.dealt.Store(true)
		one.now.Load().abandon()
	}
	l.db.Deal(l.drivers(), l.laneOf(of), l.origin())
	l.options.Log.Info("shards have been split", "shards", len(list))
	return nil
}
