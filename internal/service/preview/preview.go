// Package preview says what a draft of a program would grant, on purchases that
// were really made. It plays a sample of logged events in memory, under the
// program in force and under the draft, by the rules that apply to everybody,
// and compares. Nothing is changed.
//
// It is an estimate in three ways. The cycle that the sample begins in may lack
// purchases from before it, so that caps bind less than they did. Cardholders
// might have bought otherwise. And of what happened after a purchase the sample
// has only what names it.
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

// Comparison is what a sample earns under the program in force ("now") and under
// a draft. Amounts are minor units of Currency. Spend is what of the purchases
// was not reversed, and granted the reward retained for it, both after the
// refunds of the sample and after the close of its last cycle.
type Comparison struct {
	Program  string         `json:"program"`
	Version  int32          `json:"version"` // in force, that the draft is compared with
	Currency string         `json:"currency"`
	First    reward.Instant `json:"-"` // settlement times of the sample; zero
	Last     reward.Instant `json:"-"` // where it is empty
	Accounts int            `json:"accounts"`
	Totals   Row            `json:"totals"`
	// Rules are those of the program in force, in its order, then those that the
	// draft adds; last, without an id, what no rule matches.
	Rules []Row `json:"rules"`
	// Accounts that would get more, less and as much.
	Gain int `json:"accounts_gaining"`
	Lose int `json:"accounts_losing"`
	Same int `json:"accounts_unchanged"`
	// Changed are those whose reward changes most, at most MostChanged.
	Changed []Change `json:"most_changed"`
}

// Row compares the purchases under one rule. A purchase that another rule matches
// in the draft is in one row now and in another under the draft.
type Row struct {
	Rule           string `json:"rule,omitzero"`
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

// Compare plays the sample, events in the order of the log, under both programs.
// Of a program with versions only the one given is played: draft and inForce
// apply to the whole of the sample, whenever they take effect.
func Compare(ctx context.Context, inForce, draft *reward.Program, sample []reward.Event) (*Comparison, error) {
	if inForce.Currency != draft.Currency {
		return nil, fmt.Errorf("%w: expected %s, found %s", ErrCurrency, inForce.Currency, draft.Currency)
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
	now, err := play(ctx, inForce, sample)
	if err != nil {
		return nil, err
	}
	then, err := play(ctx, draft, sample)
	if err != nil {
		return nil, err
	}
	c := &Comparison{Program: inForce.ID, Version: inForce.Version, Currency: inForce.Currency, First: now.first, Last: now.last, Rules: []Row{}, Changed: []Change{}}
	c.addRules(now, then)
	c.addAccounts(now, then)
	return c, nil
}

// earned is what a sample earns under one program.
type earned struct {
	program     *reward.Program
	rules       []tally // by index; the last is of what no rule matches
	accounts    map[string]int64
	first, last reward.Instant
}

type tally struct{ purchases, spend, granted int64 }

// play applies the sample to accounts of their own, and closes the last cycle.
func play(ctx context.Context, p *reward.Program, sample []reward.Event) (*earned, error) {
	alone := *p
	alone.Earlier, alone.From = nil, 0
	r := &earned{program: &alone, rules: make([]tally, len(p.Rules)+1), accounts: make(map[string]int64)}
	if len(sample) == 0 {
		return r, nil
	}
	s := memory.New(&alone)
	en := engine.New(s)
	results, err := en.Apply(ctx, sample, nil)
	if err != nil {
		return nil, err
	}
	latest := sample[0].Time
	for i := range sample {
		latest = max(latest, sample[i].Time)
	}
	if err := en.Advance(ctx, reward.CycleAt(latest).End()); err != nil {
		return nil, err
	}
	r.add(s, r.matched(sample, results))
	return r, nil
}

// purchase names a purchase of the sample.
type purchase struct{ account, transaction string }

// matched returns the rule of each purchase that posted.
func (r *earned) matched(sample []reward.Event, results []reward.Result) map[purchase]int {
	rules := make(map[purchase]int)
	authorised := make(map[purchase]reward.Terms)
	for i := range sample {
		e := &sample[i]
		if results[i].Outcome != reward.Applied {
			continue
		}
		key := purchase{e.Account, e.Transaction}
		terms := reward.Terms{Merchant: e.Merchant, MCC: e.MCC, Category: e.Category}
		switch e.Type {
		case reward.TransactionAuthorized:
			authorised[key] = terms
		case reward.TransactionSettled:
			rules[key] = r.program.RuleFor(inherit(terms, authorised[key]))
			if len(rules) == 1 {
				r.first, r.last = e.Time, e.Time
			}
			r.first, r.last = min(r.first, e.Time), max(r.last, e.Time)
		}
	}
	return rules
}

// inherit takes from the last authorisation what a settlement leaves out.
func inherit(sent, authorised reward.Terms) reward.Terms {
	return reward.Terms{
		Merchant: cmp.Or(sent.Merchant, authorised.Merchant),
		MCC:      cmp.Or(sent.MCC, authorised.MCC),
		Category: cmp.Or(sent.Category, authorised.Category),
	}
}

// add adds up what the purchases came to.
func (r *earned) add(s *memory.Store, rules map[purchase]int) {
	for id := range s.Accounts() {
		var granted int64
		for _, t := range s.Account(id).State().Transactions {
			rule, posted := rules[purchase{id, t.ID}]
			if !posted {
				continue
			}
			if rule == reward.NoRule {
				rule = len(r.rules) - 1
			}
			r.rules[rule].purchases++
			r.rules[rule].spend += t.Amount - t.Reversed
			r.rules[rule].granted += t.Retained
			granted += t.Retained
		}
		r.accounts[id] = granted
	}
}

// addRules brings together the rules of both programs by their ids.
func (c *Comparison) addRules(now, then *earned) {
	at := make(map[string]int)
	row := func(rule string) *Row {
		i, there := at[rule]
		if !there {
			i = len(c.Rules)
			at[rule] = i
			c.Rules = append(c.Rules, Row{Rule: rule})
		}
		return &c.Rules[i]
	}
	for i := range now.program.Rules {
		row(now.program.Rules[i].ID).addNow(now.rules[i])
	}
	for i := range then.program.Rules {
		row(then.program.Rules[i].ID).addDraft(then.rules[i])
	}
	without := Row{}
	without.addNow(now.rules[len(now.rules)-1])
	without.addDraft(then.rules[len(then.rules)-1])
	c.Rules = append(c.Rules, without)
	for i := range now.rules {
		c.Totals.addNow(now.rules[i])
	}
	for i := range then.rules {
		c.Totals.addDraft(then.rules[i])
	}
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
