package intake

import "time"

// localTime turns local times of one zone into UTC. It remembers the stretch
// between two changes of the clock that it last met, so it is of one reader.
type localTime struct {
	zone *time.Location
	// ahead is how many seconds local time is ahead of UTC, for sure from first to
	// last, in local seconds since 1970.
	first, last, ahead int64
}

// margin is more than any offset from UTC, and less than the time between two
// changes of a clock.
const margin = 26 * 3600

// utc returns the seconds since 1970 of a local time, given as if it were UTC.
// Of a time that the clock shows twice it takes the earlier, and a time that the
// clock skips counts as if the clock had not been put forward yet: a day that
// begins with the skipped hour begins all the same.
func (l *localTime) utc(local int64) int64 {
	if local >= l.first && local < l.last {
		return local - l.ahead
	}
	before, after := l.aheadAt(local-margin), l.aheadAt(local+margin)
	if before == after {
		l.remember(local - before)
		return local - before
	}
	if early := local - before; l.aheadAt(early) == before {
		return early
	}
	if late := local - after; l.aheadAt(late) == after {
		return late
	}
	return local - before
}

func (l *localTime) aheadAt(utc int64) int64 {
	_, ahead := time.Unix(utc, 0).In(l.zone).Zone()
	return int64(ahead)
}

// remember keeps the stretch around a moment.
func (l *localTime) remember(utc int64) {
	start, end := time.Unix(utc, 0).In(l.zone).ZoneBounds()
	const forever = int64(1) << 40
	l.first, l.last, l.ahead = -forever, forever, l.aheadAt(utc)
	if !start.IsZero() {
		l.first = start.Unix() + margin
	}
	if !end.IsZero() {
		l.last = end.Unix() - margin
	}
}
