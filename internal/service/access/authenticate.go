package access

import (
	"context"
	"crypto/subtle"

	"recoup/internal/service/scope"
	"recoup/reward"
)

// Principal is who sent a request: the key that it came with. Name is that of the person
// whose key it is, where it is known whose.
type Principal struct {
	ID, Name string
	Scopes   scope.Set
	Limits
}

// May reports whether the principal is allowed what the scope stands for.
func (p Principal) May(scope scope.Set) bool { return p.Scopes.Has(scope) }

// Refusal is why a request is not let in. It is for logs: who asks is told the
// same of every one, or it could find out which keys there are.
type Refusal uint8

// The refusals.
const (
	Missing   Refusal = iota + 1 // no Authorization header
	Malformed                    // not "Bearer" and something in the form of a key
	Unknown                      // no key has the id
	Mismatch                     // the key with the id has another secret
	Revoked                      // the right key, but revoked
	Expired                      // the right key, but it has ended
)

var refusals = [...]string{
	Missing:   "no API key: expected a header Authorization: Bearer rk_…",
	Malformed: "not an API key: expected a header Authorization: Bearer rk_…",
	Unknown:   "no API key has this id",
	Mismatch:  "the API key with this id has another secret",
	Revoked:   "the API key was revoked",
	Expired:   "the API key has expired",
}

// Error returns the reason.
func (r Refusal) Error() string { return refusals[r] }

// Authenticate returns the principal that a request's Authorization header
// names. The error is a Refusal if there is none, and of a key that is in force no more
// there are id and name with it, and no scope; any other says that the
// database, which has to be asked from time to time, could not be.
//
// Keys are found by their public id. What is secret is compared as hashes, in
// constant time, and where there is no key a hash is compared all the same.
func (k *Keys) Authenticate(ctx context.Context, header string) (Principal, error) {
	text, id, err := bearer(header)
	if err != nil {
		return Principal{}, err
	}
	known, err := k.known(ctx)
	if err != nil {
		return Principal{}, err
	}
	entry, found := known.keys[id]
	given := digestOf(text)
	same := subtle.ConstantTimeCompare(given[:], entry.hash[:]) == 1
	switch {
	case !found:
		return Principal{}, Unknown
	case !same:
		return Principal{}, Mismatch
	}
	return k.admit(&entry)
}

// admit lets in who has a key, unless it is in force no more, and notes that it was used. Of
// one that is not, the id and the name are told with the refusal, for logs.
func (k *Keys) admit(e *entry) (Principal, error) {
	now := reward.At(k.now())
	switch {
	case e.revoked:
		return Principal{ID: e.ID, Name: e.Name}, Revoked
	case e.expires != 0 && e.expires <= now:
		return Principal{ID: e.ID, Name: e.Name}, Expired
	}
	k.used.note(e.ID, now)
	return e.Principal, nil
}

// Holder returns the principal of a key by its id, as it stands now: for whoever
// showed the key before and was given something in exchange that is worth no more
// than the key. The error is the Refusal Unknown, Revoked or Expired if the key lets
// nobody in any more; any other says that the database could not be asked. A revocation in
// another process is seen after Staleness at most, as by Authenticate.
//
// An id is public and proves nothing: whoever asks must know already that the key
// was shown.
func (k *Keys) Holder(ctx context.Context, id string) (Principal, error) {
	known, err := k.known(ctx)
	if err != nil {
		return Principal{}, err
	}
	entry, found := known.keys[id]
	switch {
	case !found:
		return Principal{}, Unknown
	}
	return k.admit(&entry)
}
