package engine

import (
	"context"
	"errors"
)

// ErrMoved says that other events of the account came between the weighing of one and its turn. It
// was not applied: who wants it applied weighs it again.
var ErrMoved = errors.New("the account has moved on since the event was weighed")

// anyVersion is the version of an account that nobody has weighed an event at.
const anyVersion = -1

type weighedKey struct{}

// Weighed returns a context in which an event is decided only as long as its account is at
// a version, which counts the account's events; of one that is not there it is zero. A
// redelivery is answered from the log whatever the version. Only Decide looks at it.
func Weighed(ctx context.Context, version int64) context.Context {
	return context.WithValue(ctx, weighedKey{}, version)
}

func weighedAt(ctx context.Context) int64 {
	if version, is := ctx.Value(weighedKey{}).(int64); is {
		return version
	}
	return anyVersion
}

// origin is what an event came with.
type origin struct {
	by      string // who sent it
	version int64  // that its account is to be at
}
