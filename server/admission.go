package server

import "sync/atomic"

// load is what is at work: requests, and bytes of their bodies. What does not fit
// is refused at once; nothing waits here.
type load struct {
	requests atomic.Int64
	bytes    atomic.Int64
}

// take takes a request on, or reports that there is no room. A body that is
// larger than all the room there is comes in alone, where its own limit lets it.
func (l *load) take(bytes int64, limits *Limits) bool {
	requests, all := l.requests.Add(1), l.bytes.Add(bytes)
	if requests > int64(limits.Requests) || all > limits.Bytes && all > bytes {
		l.give(bytes)
		return false
	}
	return true
}

func (l *load) give(bytes int64) {
	l.requests.Add(-1)
	l.bytes.Add(-bytes)
}

// weigh returns what a body counts for before it is read: its length, or the most
// that it may have where it does not say.
func weigh(length, most int64) int64 {
	if length < 0 || length > most {
		return most
	}
	return length
}
