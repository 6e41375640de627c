package overview

import (
	"context"
	"time"

	"recoup/internal/store/record"
	"recoup/reward"
)

// What is held at a moment follows from holds that end by themselves, and cannot be told
// from the log later. So it is written down once a day.

// heldDays is what was held in a currency on a day, by record.Key of the day, counted
// from 1970, and the currency.
const heldDays record.Table[heldDay] = "held_days"

type heldDay struct {
	Day      int64  `json:"day"`
	Currency string `json:"currency"`
	Held     int64  `json:"held"`
}

// keptDays is for how many days that is kept.
const keptDays = 430

// HeldMonth is what was held on the last day of a month that is known.
type HeldMonth struct {
	Month reward.Cycle
	Held  int64
}

// heldKeeper remembers what was held.
type heldKeeper struct {
	days []heldDay // the earliest first; nil: they were not read yet
	last int64     // the last day that is written down
}

func (h *heldKeeper) read(ctx context.Context, records record.Store, f *Figures) error {
	today := f.AsOf.Unix() / int64(24*time.Hour/time.Second)
	if h.days == nil {
		h.days = []heldDay{}
		err := records.Read(ctx, func(r record.Reader) error {
			return heldDays.Each(ctx, r, record.Span{From: record.Key(today - keptDays)}, func(_ string, d *heldDay) (bool, error) {
				h.days, h.last = append(h.days, *d), d.Day
				return true, nil
			})
		})
		if err != nil {
			h.days = nil
			return err
		}
	}
	if h.last >= today {
		return nil
	}
	err := records.Change(ctx, func(tx record.Tx) error {
		for i := range f.Currencies {
			if err := heldDays.Put(tx, record.Key(today, f.Currencies[i].Currency), &heldDay{today, f.Currencies[i].Currency, f.Currencies[i].Held}); err != nil {
				return err
			}
		}
		return tx.Scan(ctx, string(heldDays), record.Span{Before: record.Key(today - keptDays)}, func(key string, _ []byte) (bool, error) {
			heldDays.Delete(tx, key)
			return true, nil
		})
	})
	if err != nil {
		return err
	}
	h.last = today
	for i := range f.Currencies {
		h.days = append(h.days, heldDay{today, f.Currencies[i].Currency, f.Currencies[i].Held})
	}
	return nil
}

// months are the months in which something is known of a currency, the earliest first.
func (h *heldKeeper) months(currency string) (list []HeldMonth) {
	for _, d := range h.days {
		if d.Currency != currency {
			continue
		}
		at := HeldMonth{reward.CycleAt(reward.Instant(d.Day) * reward.Day), d.Held}
		if n := len(list); n > 0 && list[n-1].Month == at.Month {
			list[n-1] = at
			continue
		}
		list = append(list, at)
	}
	return list
}
