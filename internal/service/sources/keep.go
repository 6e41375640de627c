package sources

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"recoup/internal/kit/card"
	"recoup/internal/store/record"
	"recoup/source"
)

// Delivery is a webhook that came, with what became of it.
type Delivery struct {
	Number   int64  `json:"number"` // names it, in the order of receipt
	Source   string `json:"source"`
	ID       string `json:"id"`           // by which it is known when it comes again
	Received int64  `json:"received"`     // nanoseconds since 1970, the first time
	Body     []byte `json:"body"`         // sealed where there are keys
	Why      string `json:"why,omitzero"` // what could not be mapped or applied, in words; "": nothing
	Waits    string `json:"waits,omitzero"`
	// Accounts are those that its events are of.
	Accounts []string `json:"accounts,omitzero"`
}

// note is what is kept for webhooks that come later.
type note struct {
	Value   string `json:"value"`
	Account string `json:"account"`
}

// place names a delivery: its key among the deliveries.
type place struct {
	Key string `json:"key"`
}

// The tables. Deliveries lie under source and id; the others say which of them are meant.
var (
	deliveries record.Table[Delivery] = "source_deliveries"
	// byNumber has all deliveries, in the order of receipt.
	byNumber record.Table[place] = "source_numbers"
	// open are those that could not be mapped, by number.
	open record.Table[place] = "source_dead"
	// waiting are those that wait, by source, key of the note and number.
	waiting record.Table[place] = "source_waiting"
	// due are those that are to be taken again, by number.
	due record.Table[place] = "source_due"
	// notes lie under source and key.
	notes    record.Table[note]  = "source_notes"
	counters record.Table[int64] = "source_counters"
)

const lastNumber = "last"

// page is how many records are changed at a time.
const page = 100

func (d *Delivery) key() string { return record.Key(d.Source, d.ID) }

// sealPlace is where a body lies, so that none can be put in the place of another.
func (d *Delivery) sealPlace() string { return "source " + d.Source + " " + d.ID }

// keep keeps a webhook with what it was translated to. One that came before is the same
// delivery, of which the latest body and its fate count.
func (s *Sources) keep(ctx context.Context, tx record.Tx, of *Source, id string, body []byte, t *source.Translation) (d Delivery, err error) {
	d, before, err := deliveries.Get(ctx, tx, record.Key(of.Name, id))
	if err != nil {
		return d, err
	}
	if before {
		unlist(tx, &d)
	} else {
		last, _, err := counters.Get(ctx, tx, lastNumber)
		if err != nil {
			return d, err
		}
		d = Delivery{Number: last + 1, Source: of.Name, ID: id, Received: s.now().UnixNano()}
		if err := counters.Put(tx, lastNumber, &d.Number); err != nil {
			return d, err
		}
		if err := byNumber.Put(tx, record.Key(d.Number), &place{d.key()}); err != nil {
			return d, err
		}
	}
	d.Body, d.Why, d.Waits = []byte(s.keys.Seal(d.sealPlace(), string(body))), shown(t.Dead), t.Waits
	d.Accounts = nil
	for i := range t.Events {
		if account := t.Events[i].Account; !slices.Contains(d.Accounts, account) {
			d.Accounts = append(d.Accounts, account)
		}
	}
	if d.Waits != "" {
		if err := waiting.Put(tx, record.Key(d.Source, d.Waits, d.Number), &place{d.key()}); err != nil {
			return d, err
		}
	}
	return d, s.put(tx, &d)
}

// put writes a delivery down, and lists it if something of it could not be mapped.
func (s *Sources) put(tx record.Tx, d *Delivery) error {
	if d.Why != "" {
		if err := open.Put(tx, record.Key(d.Number), &place{d.key()}); err != nil {
			return err
		}
	}
	return deliveries.Put(tx, d.key(), d)
}

// shown is a text with pieces of a body in it as far as it may be kept unsealed.
func shown(text string) string {
	return card.Mask(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, text))
}

// unlist takes a delivery off the lists of those that could not be mapped, and that wait.
func unlist(tx record.Tx, d *Delivery) {
	open.Delete(tx, record.Key(d.Number))
	if d.Waits != "" {
		waiting.Delete(tx, record.Key(d.Source, d.Waits, d.Number))
	}
}

// drop forgets a delivery.
func drop(tx record.Tx, d *Delivery) {
	unlist(tx, d)
	due.Delete(tx, record.Key(d.Number))
	byNumber.Delete(tx, record.Key(d.Number))
	deliveries.Delete(tx, d.key())
}

// awaken has the deliveries that wait for a note taken again.
func awaken(ctx context.Context, tx record.Tx, name, key string) error {
	return waiting.Each(ctx, tx, record.Under(name, key), func(_ string, p *place) (bool, error) {
		d, there, err := deliveries.Get(ctx, tx, p.Key)
		if err == nil && there {
			err = due.Put(tx, record.Key(d.Number), p)
		}
		return true, err
	})
}

// Expire forgets what was received before a time, but for what could not be mapped and
// nobody has looked after.
func (s *Sources) Expire(ctx context.Context, before time.Time) error {
	for span, more := (record.Span{}), true; more; {
		var next record.Span
		err := s.records.Change(ctx, func(tx record.Tx) error {
			next, more = span, false
			var old []Delivery
			seen := 0
			err := byNumber.Each(ctx, tx, span, func(key string, p *place) (bool, error) {
				d, there, err := deliveries.Get(ctx, tx, p.Key)
				if err != nil || there && d.Received >= before.UnixNano() {
					return false, err
				}
				if there && d.Why == "" {
					old = append(old, d)
				}
				next, seen = span.After(key), seen+1
				more = seen == page
				return !more, nil
			})
			for i := range old {
				drop(tx, &old[i])
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("forgetting old webhooks: %w", err)
		}
		span = next
	}
	return nil
}

// Forget forgets what is kept of an account: the webhooks that were of it, and what was
// kept of them.
func Forget(ctx context.Context, records record.Store, account string) error {
	return records.Change(ctx, func(tx record.Tx) error {
		var gone []Delivery
		err := deliveries.Each(ctx, tx, record.Span{}, func(_ string, d *Delivery) (bool, error) {
			if slices.Contains(d.Accounts, account) {
				gone = append(gone, *d)
			}
			return true, nil
		})
		if err != nil {
			return err
		}
		for i := range gone {
			drop(tx, &gone[i])
		}
		var keys []string
		err = notes.Each(ctx, tx, record.Span{}, func(key string, n *note) (bool, error) {
			if n.Account == account {
				keys = append(keys, key)
			}
			return true, nil
		})
		for _, key := range keys {
			notes.Delete(tx, key)
		}
		return err
	})
}
