package engine

import "context"

// System is the principal of what a service does by itself, such as closing cycles.
const System = "system"

type principalKey struct{}

// By returns a context in which what is applied was sent by a principal: the id of an
// API key, of a session's person, or System. The log keeps it with each event. Where a
// context says nothing, nobody said who sent it: a file that is replayed, a test.
func By(ctx context.Context, principal string) context.Context {
	return context.WithValue(ctx, principalKey{}, principal)
}

// principalOf is the principal that By has put into a context; "" if there is none.
func principalOf(ctx context.Context) string {
	by, _ := ctx.Value(principalKey{}).(string)
	return by
}
