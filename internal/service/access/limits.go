package access

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Limits are what a key is confined to besides its scopes. A list without an element is no
// limit: keys of before there were limits have none.
type Limits struct {
	// Sources are patterns of the sources that its events may have, in which * stands for
	// any characters.
	Sources []string
	// Programs are the ids of programs whose accounts it may be used for, and which it may
	// open accounts of. Without any it opens accounts of the default program only.
	Programs []string
	// Accounts are the beginnings of the ids of accounts that it may be used for.
	Accounts []string
	// Rate is how many requests it may be used for in a second; 0: as many as there is
	// room for.
	Rate int
}

// Bounds of limits.
const (
	maxPatterns = 100
	maxPattern  = 256
	maxRate     = 1_000_000
)

// check refuses limits that make no sense.
func (l *Limits) check() error {
	for _, list := range [...]struct {
		what string
		of   []string
	}{{"sources", l.Sources}, {"programs", l.Programs}, {"accounts", l.Accounts}} {
		if len(list.of) > maxPatterns {
			return fmt.Errorf("%s of a key: expected at most %d, found %d", list.what, maxPatterns, len(list.of))
		}
		for _, one := range list.of {
			if len(one) == 0 || len(one) > maxPattern {
				return fmt.Errorf("%s of a key: expected texts of 1 to %d bytes, found %q", list.what, maxPattern, one)
			}
		}
	}
	if l.Rate < 0 || l.Rate > maxRate {
		return errors.New("rate of a key: expected from 1 to 1,000,000 requests a second")
	}
	return nil
}

// MaySend reports whether the key may send events of a source.
func (l *Limits) MaySend(source string) bool {
	return len(l.Sources) == 0 || slices.ContainsFunc(l.Sources, func(pattern string) bool { return matches(pattern, source) })
}

// MayTouch reports whether the key may be used for an account, as far as its id tells.
func (l *Limits) MayTouch(account string) bool {
	return len(l.Accounts) == 0 || slices.ContainsFunc(l.Accounts, func(begin string) bool { return strings.HasPrefix(account, begin) })
}

// OfProgram reports whether the key may be used for accounts of a program.
func (l *Limits) OfProgram(id string) bool {
	return len(l.Programs) == 0 || l.Opens(id)
}

// Confined reports whether the key may not be used for every account.
func (l *Limits) Confined() bool { return len(l.Accounts) > 0 || len(l.Programs) > 0 }

// Opens reports whether the key was made to open accounts of a program.
func (l *Limits) Opens(id string) bool {
	return slices.Contains(l.Programs, id) || slices.Contains(l.Programs, "*")
}

// matches reports whether a source is of a pattern.
func matches(pattern, source string) bool {
	parts := strings.Split(pattern, "*")
	last := len(parts) - 1
	if last == 0 {
		return pattern == source
	}
	rest, ok := strings.CutPrefix(source, parts[0])
	if !ok {
		return false
	}
	for _, part := range parts[1:last] {
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	return strings.HasSuffix(rest, parts[last])
}
