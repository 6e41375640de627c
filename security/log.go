// Package security keeps the log of who was let in, who was not, and who changed what
// others may do: refused sign-ins and requests, keys, roles and people that changed,
// exports, what was proposed and decided.
//
// It is beside the log of events, which has what happened to accounts. It is only
// appended to: each entry has a hash over itself and the one before, so one that was
// changed or taken out shows (see Check). It is bounded: the oldest go.
package security

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"recoup/reward"
	"recoup/store/record"
)

// Entry is one thing that happened.
type Entry struct {
	Number int64          `json:"number"` // counts entries from one
	At     reward.Instant `json:"-"`
	Time   string         `json:"time"` // At in RFC 3339
	What   What           `json:"what"`
	// Principal is the id of who did it or tried to: of a key, of a person of a provider,
	// or "local:" with the name of the operating system's user; "" where nobody said.
	Principal string `json:"principal,omitzero"`
	Name      string `json:"name,omitzero"`    // what people call them
	Address   string `json:"address,omitzero"` // that it came from; "" for this machine
	Detail    string `json:"detail,omitzero"`
	Missed    int64  `json:"missed,omitzero"` // refusals before it that there was no room to note
	Hash      string `json:"hash"`            // over it and the hash before, in hexadecimal
}

// What says what happened.
type What string

// String returns it in words.
func (w What) String() string { return strings.ReplaceAll(string(w), "_", " ") }

// What there is.
const (
	SignedIn      What = "signed_in"
	SignInRefused What = "sign_in_refused"
	SessionEnded  What = "session_ended"
	Refused       What = "request_refused"
	KeyMade       What = "key_made"
	KeyRotated    What = "key_rotated"
	KeyRevoked    What = "key_revoked"
	PersonChanged What = "person_changed"
	Exported      What = "exported"
	Proposed      What = "proposed"
	Approved      What = "approved"
	Rejected      What = "rejected"
)

// Bounds of the log.
const (
	// MaxEntries is how many entries it has, the latest.
	MaxEntries = 100_000
	// perMinute is how many refusals are noted in a minute: whoever tries keys must not be
	// able to fill the disk, nor to push out what was there.
	perMinute = 60
	maxText   = 512
	// MaxPage is the most entries that are read at once.
	MaxPage = 1000
)

// The tables: entries by number, and where the log begins and ends.
const (
	entries record.Table[Entry] = "security_log"
	bounds  record.Table[bound] = "security_log_bounds" // "first" and "last"
)

// bound is the entry that is before the first, or the last.
type bound struct {
	Number int64  `json:"number"`
	Hash   string `json:"hash"`
}

const (
	beforeFirst = "first"
	last        = "last"
)

// Log is the security log of a database. It is safe for concurrent use, also by several
// processes.
type Log struct {
	records record.Store
	now     func() time.Time

	mu     sync.Mutex
	minute int64 // since 1970, that refusals are counted in
	noted  int
	missed int64
}

// New returns the security log of a database.
func New(records record.Store, now func() time.Time) *Log { return &Log{records: records, now: now} }

// Note appends an entry. Of refusals only so many a minute are noted, and how many were
// not is said by the next that is. A nil log notes nothing.
func (l *Log) Note(ctx context.Context, e Entry) error {
	if l == nil {
		return nil
	}
	now := l.now()
	if e.What == Refused || e.What == SignInRefused {
		var room bool
		if e.Missed, room = l.room(now); !room {
			return nil
		}
	}
	e.At = reward.At(now)
	e.Time = e.At.String()
	for _, text := range []*string{&e.Principal, &e.Name, &e.Address, &e.Detail} {
		*text = cut(*text)
	}
	// What has happened is noted, whoever does not wait for it.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	err := l.records.Change(ctx, func(tx record.Tx) error { return add(ctx, tx, e) })
	if err != nil {
		return fmt.Errorf("noting %s in the security log: %w", e.What, err)
	}
	return nil
}

// room reports whether a refusal is to be noted, and how many were not before it.
func (l *Log) room(now time.Time) (missed int64, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if minute := now.Unix() / 60; minute != l.minute {
		l.minute, l.noted = minute, 0
	}
	if l.noted == perMinute {
		l.missed++
		return 0, false
	}
	l.noted++
	missed, l.missed = l.missed, 0
	return missed, true
}

// cut makes a text short, and of UTF-8.
func cut(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= maxText {
		return text
	}
	end := maxText
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

func add(ctx context.Context, tx record.Tx, e Entry) error {
	end, _, err := bounds.Get(ctx, tx, last)
	if err != nil {
		return err
	}
	begin, _, err := bounds.Get(ctx, tx, beforeFirst)
	if err != nil {
		return err
	}
	e.Number = end.Number + 1
	if e.Hash, err = e.over(end.Hash); err != nil {
		return err
	}
	if err := entries.Put(tx, record.Key(e.Number), &e); err != nil {
		return err
	}
	if err := bounds.Put(tx, last, &bound{e.Number, e.Hash}); err != nil {
		return err
	}
	if e.Number-begin.Number <= MaxEntries {
		return nil
	}
	oldest := record.Key(begin.Number + 1)
	old, ok, err := entries.Get(ctx, tx, oldest)
	if err != nil || !ok {
		return err
	}
	entries.Delete(tx, oldest)
	return bounds.Put(tx, beforeFirst, &bound{old.Number, old.Hash})
}

// over is the hash of the entry after one with a hash: SHA-256 over "recoup security 1",
// the hash before, and the entry as JSON without its own, each on a line.
func (e Entry) over(before string) (string, error) {
	e.Hash = ""
	text, err := json.Marshal(&e, json.Deterministic(true))
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte("recoup security 1\n" + before + "\n" + string(text)))
	return hex.EncodeToString(sum[:]), nil
}

// After returns up to limit entries with a number after the given one, the oldest first.
func (l *Log) After(ctx context.Context, after int64, limit int) ([]Entry, error) {
	return l.list(ctx, record.Span{}.After(record.Key(after)), limit)
}

// Before returns up to limit entries with a number before the given one or, if that is
// zero, of all, the latest first.
func (l *Log) Before(ctx context.Context, before int64, limit int) ([]Entry, error) {
	var s record.Span
	if before != 0 {
		s = s.Until(record.Key(before))
	}
	return l.list(ctx, s.Reverse(), limit)
}

func (l *Log) list(ctx context.Context, s record.Span, limit int) (list []Entry, err error) {
	err = l.records.Read(ctx, func(r record.Reader) (err error) {
		list, err = entries.List(ctx, r, s, min(limit, MaxPage))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading the security log: %w", err)
	}
	return list, nil
}

// Check follows the hashes from the first entry to the last, and says what is wrong with
// them first; "" if nothing is.
func Check(ctx context.Context, r record.Reader) (wrong string, err error) {
	before, _, err := bounds.Get(ctx, r, beforeFirst)
	if err != nil {
		return "", err
	}
	end, _, err := bounds.Get(ctx, r, last)
	if err != nil {
		return "", err
	}
	err = entries.Each(ctx, r, record.Span{}, func(_ string, e *Entry) (bool, error) {
		hash, err := e.over(before.Hash)
		switch {
		case err != nil:
			return false, err
		case e.Number != before.Number+1:
			wrong = fmt.Sprintf("expected entry %d, found %d", before.Number+1, e.Number)
		case hash != e.Hash:
			wrong = fmt.Sprintf("entry %d is not as it was written, or the one before was changed", e.Number)
		}
		before = bound{e.Number, e.Hash}
		return wrong == "", nil
	})
	if err == nil && wrong == "" && before != end {
		wrong = fmt.Sprintf("expected entries up to %d, found the last is %d", end.Number, before.Number)
	}
	return wrong, err
}

type addressKey struct{}

// From returns a context of what came from an address.
func From(ctx context.Context, address string) context.Context {
	return context.WithValue(ctx, addressKey{}, address)
}

// AddressOf returns the address that From has put into a context; "" if there is none.
func AddressOf(ctx context.Context) string {
	address, _ := ctx.Value(addressKey{}).(string)
	return address
}

// HostOf is the address of a peer, without its port.
func HostOf(peer string) string {
	if host, _, err := net.SplitHostPort(peer); err == nil {
		return host
	}
	return peer
}
