// Package preview says what a draft of a program would grant, on purchases that
// were really made. It plays a sample of logged events in memory, under the version
// that the draft will follow and under the draft, by the rules that apply to
// everybody, and compares. Nothing is changed.
//
// It is an estimate in three ways. The sample is of whole billing cycles, but limits of
// longer periods are filled from nothing at its beginning, so that they bind less than
// they did. Cardholders might have bought otherwise. And of what happened after a
// purchase the sample has only what names it.
package preview

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"recoup/internal/engine"
	"recoup/internal/store/memory"
	"recoup/reward"
)

// MostChanged is how many accounts a comparison lists.
const MostChanged = 10

// Comparison is what a sample earns under the version that a draft will follow ("now") and
// under the draft. Amounts are minor units of Currency. Spend is what of the purchases
// was not reversed, and granted the reward retained for it, both after the
// refunds of the sample and after the close of its last cycle.
type Comparison struct {
	Program  string         `json:"program"`
	Version  int32          `json:"version"`     // that the draft is compared with
	Currency string         `json:"currency"`    // of spend
	Unit     string         `json:"reward_unit"` // of what is granted
	First    reward.Instant `json:"-"`           // settlement times of the sample; zero
	Last     reward.Instant `json:"-"`           // where it is empty
	// Cycles are how many whole billing cycles the sample is of; zero: of a part of the one
	// that goes on. All: the program has no other purchases in that time. Large counts
	// accounts that were left out since they have too many events.
	Cycles   int  `json:"cycles"`
	All      bool `json:"all_purchases"`
	Large    int  `json:"accounts_left_out"`
	Accounts int  `json:"accounts"`
	Totals   Row  `json:"totals"`
	// Rules are those of the version that it is compared with, in its order, and its bonuses, then what
	// the draft adds; last, without an id, what no rule matches.
	Rules []Row `json:"rules"`
	// Accounts that would get more, less and as much.
	Gain int `json:"accounts_gaining"`
	Lose int `json:"accounts_losing"`
	Same int `json:"accounts_unchanged"`
	// Changed are those whose reward changes most, at most MostChanged.
	Changed []Change `json:"most_changed"`
}

// Row compares the purchases under one rule, or for one bonus. A purchase that another
// rule matches in the draft is in one row now and in another under the draft; under
// several layers it is in a row of each, and in those of the bonuses that it counts for.
type Row struct {
	Rule           string `json:"rule,omitzero"`
	Layer          string `json:"layer,omitzero"` // of the rule, where there are several
	Bonus          string `json:"bonus,omitzero"` // in place of a rule
	Purchases      int64  `json:"purchases"`
	PurchasesDraft int64  `json:"purchases_draft"`
	Spend          int64  `json:"spend"`
	SpendDraft     int64  `json:"spend_draft"`
	Granted        int64  `json:"granted"`
	GrantedDraft   int64  `json:"granted_draft"`
	Difference     int64  `json:"difference"` // granted under the draft − granted now
}

// Change is an account whose reward would change.
type Change struct {
	Account      string `json:"account"`
	Granted      int64  `json:"granted"`
	GrantedDraft int64  `json:"granted_draft"`
	Difference   int64  `json:"difference"`
}

// ErrCurrency says that a draft in another currency than the program's cannot be compared.
var ErrCurrency = errors.New("the draft is in another currency")

// Compare plays the sample, events of an account in the order of the log, under both
// programs. Of a program with versions only the one given is played: both apply to the
// whole of the sample, whenever they take effect.
func Compare(ctx context.Context, latest, draft *reward.Program, sample []reward.Event) (*Comparison, error) {
	if latest.Currency != draft.Currency {
		return nil, fmt.Errorf("%w: expected %s, found %s", ErrCurrency, latest.Currency, draft.Currency)
	}
	if latest.Reward != draft.Reward {
		return nil, fmt.Errorf("%w: expected rewards in %s with as many decimals, found %s", ErrCurrency, latest.RewardUnit(), draft.RewardUnit())
	}
	// No sum below passes that of all purchases.
	var volume int64
	for i := range sample {
		if e := &sample[i]; e.Type == reward.TransactionSettled && e.Amount > 0 {
			if volume > math.MaxInt64-e.Amount {
				return nil, errors.New("the purchases of the sample add up to more than 63 bits hold: take a smaller sample")
			}
			volume += e.Amount
		}
	}
	now, err := play(ctx, latest, sample)
	if err != nil {
		return nil, err
	}
	then, err := play(ctx, draft, sample)
	if err != nil {
		return nil, err
	}
	c := &Comparison{Program: latest.ID, Version: latest.Version, Currency: latest.Currency, Unit: latest.RewardUnit(), First: now.first, Last: now.last, Rules: []Row{}, Changed: []Change{}}
	c.addRules(now, then)
	c.addAccounts(now, then)
	return c, nil
}

// earned is what a sample earns under one program.
type earned struct {
	program     *reward.Program
	rows        map[place]tally
	total       tally
	accounts    map[string]int64
	first, last reward.Instant
}

// place is where something is earned: under a rule of a layer, or by a bonus; the zero
// place is that of purchases which no rule matches.
type place struct{ layer, rule, bonus string }

type tally struct{ purchases, spend, granted int64 }

func (t tally) plus(o tally) tally {
	return tally{t.purchases + o.purchases, t.spend + o.spend, t.granted + o.granted}
}

// play applies the sample to accounts of their own, and closes the last cycle.
func play(ctx context.Context, p *reward.Program, sample []reward.Event) (*earned, error) {
	alone := *p
	alone.Earlier, alone.From = nil, 0
	r := &earned{program: &alone, rows: make(map[place]tally), accounts: make(map[string]int64)}
	if len(sample) == 0 {
		return r, nil
	}
	s := memory.New(&alone)
	en := engine.New(s)
	if _, err := en.Apply(ctx, sample, nil); err != nil {
		return nil, err
	}
	latest := sample[0].Time
	for i := range sample {
		latest = max(latest, sample[i].Time)
	}
	if err := en.Advance(ctx, alone.CycleEnd(alone.CycleAt(latest))); err != nil {
		return nil, err
	}
	for id := range s.Accounts() {
		r.add(s.Account(id))
	}
	return r, nil
}

// purchase names a purchase of the sample.
type purchase struct{ account, transaction string }

// add adds up what the purchases and bonuses of an account came to.
func (r *earned) add(a *reward.Account) {
	state := a.State()
	var sum tally
	for i := range state.Transactions {
		d, _ := a.Detail(state.Transactions[i].ID)
		if d.Settled == 0 {
			continue
		}
		if r.first == 0 {
			r.first, r.last = d.Settled, d.Settled
		}
		r.first, r.last = min(r.first, d.Settled), max(r.last, d.Settled)
		own := tally{1, d.Amount - d.Reversed, d.Retained}
		sum = sum.plus(own)
		if d.Rewards == nil {
			r.at(place{rule: d.Rule}, own)
		}
		for _, l := range d.Rewards {
			if l.Rule != "" {
				r.at(place{layer: l.Layer, rule: l.Rule}, tally{1, own.spend, l.Retained})
			}
		}
	}
	for _, b := range state.Bonuses {
		r.at(place{bonus: b.Bonus}, tally{b.Purchases, b.Spend, b.Reward})
		sum.granted += b.Reward
	}
	r.total = r.total.plus(sum)
	r.accounts[state.Account] = sum.granted
}

func (r *earned) at(p place, t tally) { r.rows[p] = r.rows[p].plus(t) }

// places are where a program lets something be earned, in its order.
func (r *earned) places() (list []place) {
	for i := range r.program.Rules {
		list = append(list, place{rule: r.program.Rules[i].ID})
	}
	for i := range r.program.Layers {
		l := &r.program.Layers[i]
		for j := range l.Rules {
			p := place{rule: l.Rules[j].ID}
			if len(r.program.Layers) > 1 {
				p.layer = l.ID
			}
			list = append(list, p)
		}
	}
	for i := range r.program.Bonuses {
		list = append(list, place{bonus: r.program.Bonuses[i].ID})
	}
	return list
}

// addRules brings together what both programs say by their ids.
func (c *Comparison) addRules(now, then *earned) {
	seen := make(map[place]bool)
	for _, p := range slices.Concat(now.places(), then.places(), []place{{}}) {
		if seen[p] {
			continue
		}
		seen[p] = true
		row := Row{Layer: p.layer, Rule: p.rule, Bonus: p.bonus}
		row.addNow(now.rows[p])
		row.addDraft(then.rows[p])
		c.Rules = append(c.Rules, row)
	}
	c.Totals.addNow(now.total)
	c.Totals.addDraft(then.total)
}

func (r *Row) addNow(t tally) {
	r.Purchases += t.purchases
	r.Spend += t.spend
	r.Granted += t.granted
	r.Difference -= t.granted
}

func (r *Row) addDraft(t tally) {
	r.PurchasesDraft += t.purchases
	r.SpendDraft += t.spend
	r.GrantedDraft += t.granted
	r.Difference += t.granted
}

func (c *Comparison) addAccounts(now, then *earned) {
	c.Accounts = len(now.accounts)
	for id, granted := range now.accounts {
		change := Change{id, granted, then.accounts[id], then.accounts[id] - granted}
		switch {
		case change.Difference > 0:
			c.Gain++
		case change.Difference < 0:
			c.Lose++
		default:
			c.Same++
			continue
		}
		c.Changed = append(c.Changed, change)
	}
	slices.SortFunc(c.Changed, func(a, b Change) int {
		return cmp.Or(-cmp.Compare(abs(a.Difference), abs(b.Difference)), cmp.Compare(a.Account, b.Account))
	})
	c.Changed = slices.Clone(c.Changed[:min(len(c.Changed), MostChanged)])
}

func abs(n int64) int64 { return max(n, -n) }
