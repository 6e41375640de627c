package pebble

import (
	"context"
	"sync"
)

// underway are the commits that are being written. The tree shows what a commit has
// written before it is on the disk; whoever reads waits for those that may be among what
// they see, so that nothing is shown, or told to somebody else's server, that a power
// failure could still undo.
type underway struct {
	mu      sync.Mutex
	commits map[chan struct{}]struct{}
}

// begin notes a commit, which ends with the function that is returned.
func (u *underway) begin() (end func()) {
	c := make(chan struct{})
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.commits == nil {
		u.commits = make(map[chan struct{}]struct{})
	}
	u.commits[c] = struct{}{}
	return func() {
		u.mu.Lock()
		delete(u.commits, c)
		u.mu.Unlock()
		close(c)
	}
}

// settle waits until the commits that have begun have ended.
func (u *underway) settle(ctx context.Context) error {
	u.mu.Lock()
	list := make([]chan struct{}, 0, len(u.commits))
	for c := range u.commits {
		list = append(list, c)
	}
	u.mu.Unlock()
	for _, c := range list {
		select {
		case <-c:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// settled waits until what a snapshot that was just taken shows is on the disk.
func (db *DB) settled(ctx context.Context) error {
	if err := db.underway.settle(ctx); err != nil {
		return err
	}
	return db.disk.failure()
}
