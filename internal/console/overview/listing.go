package overview

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"recoup/internal/console/risk"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// MostListed is how many accounts can be sorted and filtered, and their risk be told,
// the first in order of their ids.
const MostListed = 1_000_000

// Listing is all accounts as they were when the figures were read, to be sorted and
// filtered. It is safe for concurrent use.
type Listing struct {
	rows   []Row
	beyond int64 // accounts that are not listed
	orders [SortByRecent + 1]order
}

// Row is an account of a listing.
type Row struct {
	Account, Program, Currency string
	Balance, Held, Redeemed    int64
	Latest                     reward.Instant
	Closed                     bool
	version                    int64
}

func (r *Row) account() risk.Account {
	return risk.Account{ID: r.Account, Program: r.Program, Currency: r.Currency, Version: r.version}
}

// order is the places of rows in an order, made when it is first asked for.
type order struct {
	once sync.Once
	at   []int32
}

// Sort is what accounts are sorted by; those that are alike are by id.
type Sort int

// What accounts are sorted by.
const (
	SortByID     Sort = iota
	SortByDebt        // those that owe most first, then those with the smallest balance
	SortByOwed        // the largest balance first
	SortByHeld        // the most held first
	SortByPaid        // the most redeemed first
	SortByIdle        // those with the earliest last event first
	SortByRecent      // those with the latest last event first
)

// Choice says which accounts to list. The zero value is all.
type Choice struct {
	Prefix, Program, Currency string
	Owing, Holding            bool
	Closed, Open              bool
	// ActiveFrom and IdleFrom are moments that the last event was at or after, or before.
	ActiveFrom, IdleFrom reward.Instant
}

// Total adds up the accounts of a currency that were chosen.
type Total struct {
	Currency                             string
	Accounts, Owed, Debt, Held, Redeemed int64
}

func (l *Listing) add(s *durable.Standing) {
	if len(l.rows) == MostListed {
		l.beyond++
		return
	}
	l.rows = append(l.rows, RowOf(s))
}

// RowOf is the row of an account.
func RowOf(s *durable.Standing) Row {
	return Row{s.Account, s.Program, s.Reward.Name, s.Balance, s.Held, s.Redeemed, s.Latest, s.Closed, s.Version}
}

// Beyond counts the accounts that are not listed, because they are too many.
func (l *Listing) Beyond() int64 { return l.beyond }

// List returns up to limit of the chosen accounts after so many, in an order, and what
// all that were chosen add up to, by currency.
func (l *Listing) List(c Choice, by Sort, skip, limit int) (rows []Row, totals []Total) {
	sums := make(map[string]*Total)
	for n := range l.rows {
		r := &l.rows[n]
		if by != SortByID {
			r = &l.rows[l.sorted(by)[n]]
		}
		if !c.has(r) {
			continue
		}
		t := sums[r.Currency]
		if t == nil {
			t = &Total{Currency: r.Currency}
			sums[r.Currency] = t
		}
		t.Accounts++
		risk.Increase(&t.Owed, max(0, r.Balance))
		risk.Increase(&t.Debt, max(0, -r.Balance))
		risk.Increase(&t.Held, r.Held)
		risk.Increase(&t.Redeemed, r.Redeemed)
		if skip > 0 {
			skip--
		} else if len(rows) < limit {
			rows = append(rows, *r)
		}
	}
	for _, code := range slices.Sorted(maps.Keys(sums)) {
		totals = append(totals, *sums[code])
	}
	return rows, totals
}

func (c *Choice) has(r *Row) bool {
	return (c.Prefix == "" || strings.HasPrefix(r.Account, c.Prefix)) && (c.Program == "" || r.Program == c.Program) && (c.Currency == "" || r.Currency == c.Currency) &&
		(!c.Owing || r.Balance < 0) && (!c.Holding || r.Held > 0) && (!c.Closed || r.Closed) && (!c.Open || !r.Closed) &&
		(c.ActiveFrom == 0 || r.Latest >= c.ActiveFrom) && (c.IdleFrom == 0 || r.Latest < c.IdleFrom)
}

// sorted returns where the rows are in an order.
func (l *Listing) sorted(by Sort) []int32 {
	o := &l.orders[by]
	o.once.Do(func() {
		o.at = make([]int32, len(l.rows))
		keys := make([]int64, len(l.rows))
		for i := range l.rows {
			o.at[i] = int32(i)
			keys[i] = by.key(&l.rows[i])
		}
		slices.SortFunc(o.at, func(i, j int32) int { return cmp.Or(cmp.Compare(keys[i], keys[j]), cmp.Compare(i, j)) })
	})
	return o.at
}

func (s Sort) key(r *Row) int64 {
	switch s {
	case SortByDebt:
		return r.Balance
	case SortByOwed:
		return -r.Balance
	case SortByHeld:
		return -r.Held
	case SortByPaid:
		return -r.Redeemed
	case SortByIdle:
		return int64(r.Latest)
	case SortByRecent:
		return -int64(r.Latest)
	}
	return 0
}
