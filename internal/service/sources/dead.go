package sources

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"recoup/internal/store/record"
)

// ErrNotFound says that there is no such webhook on the list.
var ErrNotFound = errors.New("no webhook with that number is on the list")

// Letter is a webhook of which something could not be mapped or applied.
type Letter struct {
	Number   int64
	Source   string
	ID       string
	Received time.Time
	Why      string
	Waits    bool // for another webhook, after which it is taken by itself
	Due      bool // it is about to be taken again
}

// Dead returns up to limit of those with numbers after one, in order.
func (s *Sources) Dead(ctx context.Context, after int64, limit int) (list []Letter, err error) {
	err = s.records.Read(ctx, func(r record.Reader) error {
		return open.Each(ctx, r, record.Span{}.After(record.Key(after)), func(key string, p *place) (bool, error) {
			d, there, err := deliveries.Get(ctx, r, p.Key)
			if err != nil || !there {
				return true, err
			}
			_, isDue, err := due.Get(ctx, r, key)
			list = append(list, d.letter(isDue))
			return len(list) < limit, err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("listing webhooks that could not be mapped: %w", err)
	}
	return list, nil
}

// Payload returns one of them with what was sent.
func (s *Sources) Payload(ctx context.Context, number int64) (l Letter, body string, err error) {
	err = s.records.Read(ctx, func(r record.Reader) error {
		d, err := s.listed(ctx, r, number)
		if err != nil {
			return err
		}
		_, isDue, err := due.Get(ctx, r, record.Key(number))
		if err != nil {
			return err
		}
		l = d.letter(isDue)
		body, err = s.keys.Open(d.sealPlace(), string(d.Body))
		return err
	})
	if err != nil {
		return l, "", fmt.Errorf("webhook %d: %w", number, err)
	}
	return l, body, nil
}

// listed is one that is on the list.
func (s *Sources) listed(ctx context.Context, r record.Reader, number int64) (d Delivery, err error) {
	p, there, err := open.Get(ctx, r, record.Key(number))
	if err != nil || !there {
		return d, cmp.Or(err, ErrNotFound)
	}
	d, there, err = deliveries.Get(ctx, r, p.Key)
	if err == nil && !there {
		err = ErrNotFound
	}
	return d, err
}

// letter is a delivery as it is listed.
func (d *Delivery) letter(isDue bool) Letter {
	return Letter{d.Number, d.Source, d.ID, time.Unix(0, d.Received), d.Why, d.Waits != "", isDue}
}

// Replay has one of them taken again by the service, as it would be now.
func (s *Sources) Replay(ctx context.Context, number int64) error {
	return s.change(ctx, number, func(tx record.Tx, d *Delivery) error {
		return due.Put(tx, record.Key(d.Number), &place{d.key()})
	})
}

// Dismiss takes one of them off the list: somebody has looked after it in another way. It
// stays kept as long as others are.
func (s *Sources) Dismiss(ctx context.Context, number int64) error {
	return s.change(ctx, number, func(tx record.Tx, d *Delivery) error {
		unlist(tx, d)
		due.Delete(tx, record.Key(d.Number))
		d.Why, d.Waits = "", ""
		return deliveries.Put(tx, d.key(), d)
	})
}

// change does something with one of them.
func (s *Sources) change(ctx context.Context, number int64, do func(record.Tx, *Delivery) error) error {
	err := s.records.Change(ctx, func(tx record.Tx) error {
		d, err := s.listed(ctx, tx, number)
		if err != nil {
			return err
		}
		return do(tx, &d)
	})
	if err != nil {
		return fmt.Errorf("webhook %d: %w", number, err)
	}
	return nil
}

// TakeDue takes what is due again. One that fails stays due, and the others go on.
func (s *Sources) TakeDue(ctx context.Context) error {
	var list []Delivery
	err := s.records.Read(ctx, func(r record.Reader) error {
		return due.Each(ctx, r, record.Span{}, func(_ string, p *place) (bool, error) {
			d, there, err := deliveries.Get(ctx, r, p.Key)
			if err == nil && there {
				list = append(list, d)
			}
			return len(list) < page, err
		})
	})
	for i := range list {
		err = errors.Join(err, s.again(ctx, &list[i]))
	}
	return err
}

// again takes a delivery as if it came now. It is due until that is done.
func (s *Sources) again(ctx context.Context, d *Delivery) error {
	of, there := s.source(d.Source)
	if !there {
		return nil // it waits until the source is configured again
	}
	body, err := s.keys.Open(d.sealPlace(), string(d.Body))
	if err == nil {
		_, err = s.take(ctx, &of, d.ID, []byte(body))
	}
	if err == nil {
		err = s.records.Change(ctx, func(tx record.Tx) error {
			due.Delete(tx, record.Key(d.Number))
			return nil
		})
	}
	if err != nil {
		return fmt.Errorf("webhook %d: %w", d.Number, err)
	}
	return nil
}
