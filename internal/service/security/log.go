// Package security keeps the log of who was let in, who was not, and who changed what
// others may do: refused sign-ins and requests, keys, roles and people that changed,
// exports, what was proposed and decided.
//
// It is beside the log of events, which has what happened to accounts. It is only
// appended to: each entry has a hash over itself and the one before, so one that was
// changed or taken out shows (see Check). It is bounded: the oldest go. Refusals have bounds
// and chains of their own, and those of who has no key have others again, so that nobody
// pushes out what was there by being refused.
package security

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"recoup/internal/store/record"
	"recoup/reward"
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
	Missed    int64  `json:"missed,omitzero"` // refusals before it of the same that there was no room to note
	Hash      string `json:"hash"`            // over it and the hash of the one before of its kind, in hexadecimal
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
	Loaded        What = "events_loaded"
	Proposed      What = "proposed"
	Approved      What = "approved"
	Rejected      What = "rejected"
	Forgotten     What = "account_forgotten"
	// Of what events are not looked through for, and where notices go.
	ExemptionChanged What = "exemption_changed"
	EndpointChanged  What = "endpoint_changed"
	SecretsRotated   What = "secrets_rotated"
	CheckpointTaken  What = "checkpoint_taken"
)

// Bounds of the log.
const (
	// MaxEntries is how many entries it has that are no refusals, the latest; MaxRefused how
	// many refusals of known principals, and MaxAnonymous how many of who is none.
	MaxEntries   = 100_000
	MaxRefused   = 20_000
	MaxAnonymous = 10_000
	maxText      = 512
	// MaxPage is the most entries that are read at once.
	MaxPage = 1000
)

// Log is the security log of a database. It is safe for concurrent use, also by several
// processes.
type Log struct {
	records record.Store
	now     func() time.Time
	refused allowances
}

// New returns the security log of a database.
func New(records record.Store, now func() time.Time) *Log { return &Log{records: records, now: now} }

// refusal reports whether somebody was refused.
func (e *Entry) refusal() bool { return e.What == Refused || e.What == SignInRefused }

// Note appends an entry. Of refusals only so many a minute are noted of each principal, and
// of all who are none, and how many were not is said by the next that is. A nil log notes
// nothing.
func (l *Log) Note(ctx context.Context, e Entry) error {
	if l == nil {
		return nil
	}
	now := l.now()
	if e.refusal() {
		var room bool
		if e.Missed, room = l.refused.take(e.Principal, now); !room {
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
	err := l.records.Change(ctx, func(tx record.Tx) error { return ringOf(&e).add(ctx, tx, e) })
	if err != nil {
		return fmt.Errorf("noting %s in the security log: %w", e.What, err)
	}
	return nil
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
	limit = max(0, min(limit, MaxPage))
	err = l.records.Read(ctx, func(r record.Reader) error {
		list = nil
		for _, g := range rings {
			some, err := g.entries.List(ctx, r, s, limit)
			if err != nil {
				return err
			}
			list = append(list, some...)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading the security log: %w", err)
	}
	slices.SortFunc(list, func(a, b Entry) int { return cmp.Compare(a.Number, b.Number) })
	if s.Reversed {
		slices.Reverse(list)
	}
	return list[:min(limit, len(list))], nil
}

// Check follows the hashes from the first entry of each kind to the last, and says what is
// wrong with them first; "" if nothing is.
func Check(ctx context.Context, r record.Reader) (wrong string, err error) {
	for _, g := range rings {
		if wrong, err = g.check(ctx, r); wrong != "" || err != nil {
			break
		}
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
