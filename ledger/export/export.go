package export

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"recoup/reward"
)

// Options say what to export. Telling and Decimals are required; see package
// program, which has both.
type Options struct {
	// Account is the one account to export; "": all of them.
	Account string
	// From and To bound the exported period: at or after From and before To;
	// zero is no bound. What was there before From is brought forward as an
	// opening entry.
	From, To reward.Instant
	// Until moves every account on to that time, as if its cycle were closed then,
	// and exports what that posts too. Zero: each stays where its last event left it.
	Until reward.Instant
	// ByAccount gives every cardholder a sub-account of each balance sheet account
	// but the clearing one. Otherwise the cardholder is in the details alone.
	ByAccount bool

	// Telling is what postings under a program are explained with.
	Telling func(*reward.Program) reward.Telling
	// Decimals says how many decimals a currency has, and whether it is known.
	Decimals func(currency string) (decimals int, known bool)
}

// Tally says what was exported.
type Tally struct {
	Accounts, Transactions int64
	// Sums has by currency, or unit of rewards, what the accounts of the chart come to at the end: not
	// the sums of what was written, but what the cardholders' accounts say.
	Sums map[Currency]*Sums
}

// Export is an export at work.
type Export struct {
	options     Options
	out         Writer
	tally       Tally
	opening     map[Currency]*Sums // where cardholders have no sub-accounts
	latest      reward.Instant     // of all that was written
	transaction Transaction        // of the openings
}

// New returns an export to a writer, that the parts of accounts are to be joined to.
func New(out Writer, o Options) *Export {
	return &Export{options: o, out: out, tally: Tally{Sums: make(map[Currency]*Sums)}, opening: make(map[Currency]*Sums)}
}

// Write writes the journal of the log, and what its accounts must come to. It
// returns a *Difference if the log is not what its events give.
func Write(ctx context.Context, log Log, out Writer, o Options) (Tally, error) {
	x := New(out, o)
	err := Replay(o, func(f func(*Entry) error) error { return log.Events(ctx, o.Account, f) }, x.Join)
	if err != nil {
		return x.tally, err
	}
	return x.Close()
}

// Join writes the part of the next account; they come in byte order.
func (x *Export) Join(p *Part) error {
	if p.exists {
		x.tally.Accounts++
	}
	for i := range p.transactions {
		if err := x.put(&p.transactions[i]); err != nil {
			return err
		}
	}
	if err := add(x.opening, p.currency, p.opening); err != nil {
		return err
	}
	return add(x.tally.Sums, p.currency, p.sums)
}

func add(by map[Currency]*Sums, c Currency, s Sums) error {
	if by[c] == nil {
		by[c] = new(Sums)
	}
	return by[c].add(&s)
}

// Close writes what can be written only when all accounts are through.
func (x *Export) Close() (Tally, error) {
	currencies := slices.SortedFunc(maps.Keys(x.tally.Sums), func(a, b Currency) int { return cmp.Compare(a.Code, b.Code) })
	for _, c := range currencies {
		if t := &x.transaction; t.ofOpening(x.options.From, "", *x.opening[c]) {
			t.Currency = c
			if err := x.put(t); err != nil {
				return x.tally, err
			}
		}
	}
	if x.tally.Transactions > 0 {
		for _, c := range currencies {
			if err := x.out.Balances(x.latest, c, x.tally.Sums[c]); err != nil {
				return x.tally, err
			}
		}
	}
	return x.tally, x.out.Close()
}

// put writes a transaction.
func (x *Export) put(t *Transaction) error {
	t.Divided = x.options.ByAccount && t.Cardholder != ""
	x.tally.Transactions++
	x.latest = max(x.latest, t.At)
	return x.out.Transaction(t)
}
