package judge

import (
	"recoup/internal/intake/history"
	"recoup/reward"
)

// Options are what an audit knows besides the program.
type Options struct {
	// ReturnDays is for how long after its purchase goods can be returned.
	ReturnDays int
	// End is the end of the exports: the time of their last row, of any account.
	End reward.Instant
	// Simulate says that what Recoup would have done is wanted.
	Simulate    bool
	Adjustments Adjustments
	Rounding    Rounding
}

// Judge judges accounts of one program, one after the other. It is not safe for
// concurrent use; each worker has its own.
type Judge struct {
	program  *reward.Program
	options  Options
	base     reward.Rate             // the program's lowest
	bends    map[string]*reward.Rule // by id, the rules of which a part is no fixed share
	calendar calendar
	promise  *player // what is owed
	recoup   *player // what Recoup would have done
	rests    rests

	// Of the account at hand, in the order in which it is told:
	rows    []history.Row
	struck  map[int32]int64 // by row, see corrected
	facts                   // purchases and refunds, with what is owed and what came of it
	trace                   // what reward rows are for, row by row
	queue   queue
	account Account
}

// New returns a judge of accounts of the program.
func New(p *reward.Program, o Options) *Judge {
	j := &Judge{program: p, options: o, base: baseRate(p), bends: bends(p), calendar: calendar{program: p}, rests: rests{Rounding: o.Rounding, rises: RoundingModes[o.Rounding.Mode]}}
	j.promise, j.recoup = newPlayer(promised(p)), newPlayer(p)
	return j
}

// Account judges one account. The result is valid until the next call. It fails
// where the amounts add up to more than reward.MaxVolume, which no sum of 64 bits
// is safe with.
func (j *Judge) Account(h *history.History) (*Account, error) {
	j.account.reset(h.Account)
	rows := h.Rows
	if j.options.Adjustments != ByHand {
		rows = j.asRewards(rows)
	}
	j.rows = j.corrected(rows)
	if len(h.Rows) > 0 {
		j.account.First, j.account.Last = h.Rows[0].At, h.Rows[len(h.Rows)-1].At
	}
	if err := j.load(); err != nil {
		return nil, err
	}
	j.follow()
	j.simulate()
	j.countGrants()
	j.cases()
	j.figures()
	j.neglect()
	j.signs()
	for _, rf := range j.came {
		j.account.Refunds = append(j.account.Refunds, rf.RefundCase)
	}
	return &j.account, nil
}

// end is the end of the exports, or of the account where that is later.
func (j *Judge) end() reward.Instant { return max(j.options.End, j.account.Last) }

// reset empties an account and keeps its memory.
func (a *Account) reset(id string) {
	clear(a.Signs) // examples are large
	*a = Account{
		ID: id, Refunds: a.Refunds[:0], Signs: a.Signs[:0], Waits: a.Waits[:0], Months: a.Months[:0], Rounds: a.Rounds[:0],
	}
}
