// Package sources takes the webhooks of processors: it verifies them, has them translated by
// the packages below source, keeps what came, and hands the events on. What cannot be mapped
// is kept and listed until somebody has it read again or dismisses it.
//
//   - config.go: the file of sources.
//   - sources.go: what becomes of a webhook.
//   - keep.go: the records of them, and how they go.
//   - dead.go: those that could not be mapped.
//   - forget.go: those of an account, and those under an old key.
package sources

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"recoup/internal/store/record"
	"recoup/internal/store/seal"
	"recoup/reward"
	"recoup/source"
)

// ErrUnknown says that there is no source of that name.
var ErrUnknown = errors.New("there is no such source")

// Apply applies events of a source in order, and returns why some were not, in words, where
// sending them again does not help. An error is a failure: they are to come again.
type Apply func(ctx context.Context, source string, events []reward.Event) (refused []string, err error)

// Sources are the processors that a service takes webhooks of.
type Sources struct {
	records record.Store
	keys    *seal.Keys // nil: bodies are kept as they are
	list    atomic.Pointer[map[string]Source]
	now     func() time.Time
	apply   Apply
}

// Options are what sources are made of.
type Options struct {
	Records record.Store
	Secrets *seal.Keys // that bodies are sealed with; nil: they are kept as they are
	List    []Source
	Now     func() time.Time
	Apply   Apply
}

// New returns the sources of a list. Without Apply they can only be looked after.
func New(o Options) *Sources {
	s := &Sources{records: o.Records, keys: o.Secrets, now: o.Now, apply: o.Apply}
	s.Configure(o.List)
	return s
}

// Configure has other sources, or the same with other secrets, take the place of those that
// there are. A request that is at work ends with those that it began with.
func (s *Sources) Configure(list []Source) {
	byName := make(map[string]Source, len(list))
	for _, one := range list {
		byName[one.Name] = one
	}
	s.list.Store(&byName)
}

// source is the source of a name.
func (s *Sources) source(name string) (of Source, there bool) {
	of, there = (*s.list.Load())[name]
	return of, there
}

// Has reports whether there is a source of a name.
func (s *Sources) Has(name string) bool {
	_, there := s.source(name)
	return there
}

// Receipt is what became of a webhook.
type Receipt struct {
	Events int    // that follow from it
	Dead   string // what of it could not be mapped or applied, in words; "" where nothing
}

// Receive takes a request to a source: the error is ErrUnknown, source.ErrSignature, or a
// failure, after which the processor is to send it again. What was received is durable.
func (s *Sources) Receive(ctx context.Context, name string, header http.Header, body []byte) (Receipt, error) {
	of, there := s.source(name)
	if !there {
		return Receipt{}, ErrUnknown
	}
	if err := of.Kind.Verify(header, body, of.secret, s.now()); err != nil {
		return Receipt{}, err
	}
	return s.taken(ctx, &of, header, body)
}

// Relay takes a request to a source that somebody else has verified, a while ago perhaps, who
// hands it on under a key of their own.
func (s *Sources) Relay(ctx context.Context, name string, header http.Header, body []byte) (Receipt, error) {
	of, there := s.source(name)
	if !there {
		return Receipt{}, ErrUnknown
	}
	return s.taken(ctx, &of, header, body)
}

func (s *Sources) taken(ctx context.Context, of *Source, header http.Header, body []byte) (Receipt, error) {
	id := of.Kind.ID(header, body)
	if !source.IsID(id) { // what does not name itself is named by what it says
		sum := sha256.Sum256(body)
		id = "sha256-" + hex.EncodeToString(sum[:])
	}
	return s.take(ctx, of, id, body)
}

// take translates a body and keeps it with what became of it; then it applies the events. If
// that fails, or the process dies in between, the processor sends the webhook again, and all
// of it is done again with the same result.
func (s *Sources) take(ctx context.Context, of *Source, id string, body []byte) (Receipt, error) {
	var t source.Translation
	var kept Delivery
	err := s.records.Change(ctx, func(tx record.Tx) (err error) {
		t, err = s.translate(ctx, tx, of, body)
		if err != nil {
			return err
		}
		kept, err = s.keep(ctx, tx, of, id, body, &t)
		return err
	})
	if err != nil {
		return Receipt{}, fmt.Errorf("keeping a webhook of %s: %w", of.Name, err)
	}
	if len(t.Events) == 0 {
		return Receipt{Dead: t.Dead}, nil
	}
	refused, err := s.apply(ctx, of.Name, t.Events)
	if err != nil {
		return Receipt{}, err
	}
	if len(refused) > 0 {
		if kept.Why != "" {
			refused = append(refused, kept.Why)
		}
		kept.Why = shown(strings.Join(refused, "; "))
		if err := s.records.Change(ctx, func(tx record.Tx) error { return s.put(tx, &kept) }); err != nil {
			return Receipt{}, fmt.Errorf("listing a webhook of %s: %w", of.Name, err)
		}
	}
	return Receipt{Events: len(t.Events), Dead: kept.Why}, nil
}

// translate translates a body by what is kept, keeps what it wants kept, and has those that
// waited for that taken again.
func (s *Sources) translate(ctx context.Context, tx record.Tx, of *Source, body []byte) (source.Translation, error) {
	var failed error
	t := of.Kind.Translate(body, of.Settings, func(key string) string {
		n, _, err := notes.Get(ctx, tx, record.Key(of.Name, key))
		failed = errors.Join(failed, err)
		return n.Value
	})
	if failed != nil {
		return t, failed
	}
	for _, n := range t.Keep {
		at := record.Key(of.Name, n.Key)
		before, _, err := notes.Get(ctx, tx, at)
		if err != nil {
			return t, err
		}
		if before.Value == n.Value {
			continue
		}
		if err := notes.Put(tx, at, &note{n.Value, n.Account}); err != nil {
			return t, err
		}
		if err := awaken(ctx, tx, of.Name, n.Key); err != nil {
			return t, err
		}
	}
	return t, nil
}
