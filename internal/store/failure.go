package store

import (
	"context"
	"errors"
)

// Reach says how much of a store a failure is of.
type Reach uint8

// The reaches, from what is known least.
const (
	Unknown    Reach = iota // an error that says nothing of it
	OneAccount              // what is kept of one account cannot be read; the others can
	OneEvent                // the database does not take something that was to be written of one account
	Locked                  // somebody else has accounts locked and does not let go of them; the others are free
	Busy                    // somebody else is at it, or the caller gave up: nothing is wrong
	Database                // nothing can be read or written
)

// ErrDamaged is in errors of reading what is not as it was written, if they are of no one
// account. What else there is may be read.
var ErrDamaged = errors.New("damaged")

// IsDamage reports whether an error says that something is not as it was written.
func IsDamage(err error) bool { return ReachOf(err) == OneAccount || errors.Is(err, ErrDamaged) }

// Failure is an error of a store that says how far it reaches.
type Failure struct {
	Reach   Reach
	Account string // of OneAccount and OneEvent
	// Accounts are those of Locked, in byte order; none if it is not known which they are.
	Accounts []string
	Err      error // names the account, too
}

// Error says what failed, and names the account.
func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap returns what failed.
func (f *Failure) Unwrap() error { return f.Err }

// ReachOf returns how far an error reaches.
func ReachOf(err error) Reach {
	var f *Failure
	switch {
	case errors.As(err, &f):
		return f.Reach
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return Busy
	}
	return Unknown
}
