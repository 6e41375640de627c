package export

import (
	"fmt"
	"slices"

	"recoup/reward"
)

// Part is the export of one account, which is yet to be joined to that of all.
type Part struct {
	account      string
	transactions []Transaction
	currency     Currency
	exists       bool
	opening      Sums // where cardholders have no sub-accounts
	sums         Sums
}

// replay is accounts whose logs are applied again, one after the other.
type replay struct {
	options     Options
	emit        func(*Part) error
	part        *Part
	transaction Transaction // reused
	holder      *cardholder // the account at work, nil: none yet
}

// Replay exports accounts by themselves: it calls emit with the part of each whose events
// it is given, by account and in order. It returns a *Difference if they do not give what
// was logged.
func Replay(o Options, events func(f func(*Entry) error) error, emit func(*Part) error) error {
	x := &replay{options: o, emit: emit}
	if err := events(x.event); err != nil {
		return err
	}
	return x.leave()
}

// Account returns the account that a part is of.
func (p *Part) Account() string { return p.account }

// event takes the next event of the log.
func (x *replay) event(e *Entry) error {
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
func (x *replay) enter(e *Entry) error {
	unit := e.Program.Units().Reward
	if e.Program.Reward.Name == "" {
		var known bool
		if unit.Decimals, known = x.options.Decimals(unit.Name); !known {
			return fmt.Errorf("program %s: currency %q: expected an ISO 4217 code in use, to know how many decimals amounts have", e.Program.ID, unit.Name)
		}
	}
	var journal []reward.Posting
	if x.holder != nil {
		journal = x.holder.journal // its room
	}
	x.part = &Part{account: e.Event.Account, currency: Currency{unit.Name, unit.Decimals}}
	x.holder = &cardholder{replay: x, account: reward.NewAccount(e.Event.Account, e.Program), currency: x.part.currency, telling: x.options.Telling(e.Program), journal: journal}
	return nil
}

// leave ends with the account at work.
func (x *replay) leave() error {
	c := x.holder
	if c == nil {
		return nil
	}
	if until := x.options.Until; until > c.account.Now() && !c.past {
		if _, err := c.move(&reward.Event{ID: "clock " + until.String(), Account: c.account.ID(), Time: until, Type: reward.CycleClosed}, ""); err != nil {
			return err
		}
	}
	x.part.exists = c.account.Exists()
	brought := c.before.opening()
	if !x.options.ByAccount {
		x.part.opening = brought
	} else if x.transaction.ofOpening(x.options.From, c.account.ID(), brought) {
		x.put(&x.transaction)
	}
	x.part.sums = sumsOf(c.account).since(c.before)
	return x.emit(x.part)
}

// put keeps a transaction.
func (x *replay) put(t *Transaction) {
	kept := *t
	kept.Currency, kept.Legs = x.part.currency, slices.Clone(t.Legs)
	x.part.transactions = append(x.part.transactions, kept)
}
