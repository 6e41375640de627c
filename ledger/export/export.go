package export

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"recoup/reward"
)

// Options say what to export. Money and Decimals are required; see package
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

	// Money writes an amount of minor units for people.
	Money func(minor int64, currency string) string
	// Decimals says how many decimals a currency has, and whether it is known.
	Decimals func(currency string) (decimals int, known bool)
}

// Tally says what was exported.
type Tally struct {
	Accounts, Transactions int64
	// Sums has by currency what the accounts of the chart come to at the end: not
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
	transaction Transaction        // reused
	holder      *cardholder        // the account at work, nil: none yet
}

// Write writes the journal of the log, and what its accounts must come to. It
// returns a *Difference if the log is not what its events give.
func Write(ctx context.Context, log Log, out Writer, o Options) (Tally, error) {
	x := &Export{options: o, out: out, tally: Tally{Sums: make(map[Currency]*Sums)}, opening: make(map[Currency]*Sums)}
	if err := log.Events(ctx, o.Account, x.event); err != nil {
		return x.tally, err
	}
	if err := x.leave(); err != nil {
		return x.tally, err
	}
	return x.tally, x.close()
}

// event takes the next event of the log.
func (x *Export) event(e *Entry) error {
	if x.holder == nil || x.holder.account.ID() != e.Event.Account {
		if err := x.leave(); err != nil {
			return err
		}
		if err := x.enter(e); err != nil {
			return err
		}
	}
	if x.holder.past {
		return nil
	}
	return x.holder.apply(e)
}

// enter begins with an account.
func (x *Export) enter(e *Entry) error {
	c, err := x.currency(e.Program)
	if err != nil {
		return err
	}
	var journal []reward.Posting
	if x.holder != nil {
		journal = x.holder.journal // its room
	}
	x.holder = &cardholder{Export: x, account: reward.NewAccount(e.Event.Account, e.Program), currency: c, journal: journal}
	return nil
}

func (x *Export) currency(p *reward.Program) (Currency, error) {
	decimals, known := x.options.Decimals(p.Currency)
	if !known {
		return Currency{}, fmt.Errorf("program %s: currency %q: expected an ISO 4217 code in use, to know how many decimals amounts have", p.ID, p.Currency)
	}
	return Currency{p.Currency, decimals}, nil
}

// leave ends with the account at work.
func (x *Export) leave() error {
	c := x.holder
	if c == nil {
		return nil
	}
	if until := x.options.Until; until > c.account.Now() && !c.past {
		if _, err := c.move(&reward.Event{ID: "clock " + until.String(), Account: c.account.ID(), Time: until, Type: reward.CycleClosed}); err != nil {
			return err
		}
	}
	if c.account.Exists() {
		x.tally.Accounts++
	}
	brought := c.before.opening()
	if x.options.ByAccount {
		if x.transaction.ofOpening(x.options.From, c.account.ID(), brought) {
			if err := x.put(&x.transaction, c.currency); err != nil {
				return err
			}
		}
	} else if err := add(x.opening, c.currency, brought); err != nil {
		return err
	}
	return add(x.tally.Sums, c.currency, sumsOf(c.account.Summary()).since(c.before))
}

func add(by map[Currency]*Sums, c Currency, s Sums) error {
	if by[c] == nil {
		by[c] = new(Sums)
	}
	return by[c].add(&s)
}

// close writes what can be written only when all accounts are through.
func (x *Export) close() error {
	currencies := slices.SortedFunc(maps.Keys(x.tally.Sums), func(a, b Currency) int { return cmp.Compare(a.Code, b.Code) })
	for _, c := range currencies {
		if s := x.opening[c]; s != nil && x.transaction.ofOpening(x.options.From, "", *s) {
			if err := x.put(&x.transaction, c); err != nil {
				return err
			}
		}
	}
	if x.tally.Transactions > 0 {
		for _, c := range currencies {
			if err := x.out.Balances(x.latest, c, x.tally.Sums[c]); err != nil {
				return err
			}
		}
	}
	return x.out.Close()
}

// put writes a transaction.
func (x *Export) put(t *Transaction, c Currency) error {
	t.Currency, t.Divided = c, x.options.ByAccount && t.Cardholder != ""
	x.tally.Transactions++
	x.latest = max(x.latest, t.At)
	return x.out.Transaction(t)
}
