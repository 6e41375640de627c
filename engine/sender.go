package engine

import "context"

// System is the principal of what a service does by itself, such as closing cycles.
const System = "system"

type senderKey struct{}

// From returns a context in which what is applied was sent by a principal: the id of an
// API key, of a session's person, or System. The log keeps it with each event. Where a
// context says nothing, nobody said who sent it: a file that is replayed, a test.
func From(ctx context.Context, principal string) context.Context {
	return context.WithValue(ctx, senderKey{}, principal)
}

// sender is the principal that From has put into a context; "" if there is none.
func sender(ctx context.Context) string {
	by, _ := ctx.Value(senderKey{}).(string)
	return by
}
