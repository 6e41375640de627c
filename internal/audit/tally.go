package audit

import (
	"errors"
	"maps"
	"math"
	"reflect"
	"slices"

	"recoup/internal/audit/judge"
	"recoup/internal/intake/history"
	"recoup/reward"
)

// Tally adds judgements of accounts up. It is the same whatever the order of the accounts, and
// tallies of parts of the accounts merge to the tally of all: it is a commutative monoid, with the
// tally of no account as its neutral element. Its size does not grow with the number of accounts.
type Tally struct {
	Terms terms `json:"terms"`
	Sums  sums  `json:"sums"`
}

// NewTally returns the tally of no account of the program.
func NewTally(p *reward.Program) *Tally { return &Tally{termsOf(p), newSums()} }

// Add adds one account, which must not have been added before. The history is what
// timelines are told from; it may be nil, and there are none then. Neither is kept.
func (t *Tally) Add(a *judge.Account, h *history.History) {
	s, f := &t.Sums, &a.Figures
	merge(s, &s.Accounts, &Accounts{
		All: 1, Above: oneIf(f.Leakage > 0), Below: oneIf(f.ShortPaid > 0), ShortBeyond: oneIf(f.ShortPaid > f.Rounding),
		Strange: oneIf(f.Purchases == 0 && (f.Refunds > 0 || f.Granted > 0 || f.TakenBack > 0 || f.Redeemed > 0)), InDebt: oneIf(f.Debt > 0), Unexplained: oneIf(f.Unexplained > 0),
	})
	merge(s, &s.Figures, f)
	merge(s, &s.Simulation, &a.Simulation)
	merge(s, &s.Fit, &a.Fit)
	merge(s, &s.Grants, &grants{a.GrantsAtOnce, a.GrantsAtClose, a.GrantsOther})
	merge(s, &s.Debts, &debts{a.DebtsForgotten, a.DebtsKept})
	merge(s, &s.Bonuses, &a.Bonuses)
	s.AdjustmentsRead += a.AdjustmentsRead
	merge(s, &s.Neglects, &a.Neglects)
	keepExample(&s.Misfits, a.Misfit)
	for i := range a.Refunds {
		s.addRefund(a, i)
	}
	for _, w := range a.Waits {
		s.addAt(s.Waits, w.Days, w.Amount)
	}
	for _, m := range a.Months {
		merge(s, at(s.Months, m.Cycle), &Month{m.Cycle.String(), m.Spend, m.Refunded, m.Granted, m.TakenBack, m.Redeemed, m.Leakage})
	}
	for i := range a.Signs {
		s.addSign(&a.Signs[i])
	}
	t.addSuspect(a, h)
}

func oneIf(holds bool) int64 {
	if holds {
		return 1
	}
	return 0
}

// Merge adds the accounts of another tally, which stays as it is. It fails if the programs differ.
func (t *Tally) Merge(o *Tally) error {
	if t.Terms != o.Terms {
		return errors.New("audit: tallies of different programs do not add up")
	}
	merge(&t.Sums, &t.Sums, &o.Sums)
	return nil
}

// Report says what the accounts come to. It leaves out what a tally does not
// know: what was read, and the times of its first and last row.
func (t *Tally) Report() *Report {
	s := &t.Sums
	j := t.judgement()
	r := &Report{
		Program: t.Terms.Program, Currency: t.Terms.Currency, Unit: t.Terms.Unit, Decimals: t.Terms.Decimals, NotJudged: t.Terms.Unseen,
		Verdict: j.Verdict, Findings: j.findingsList, Separation: j.separation,
		LeakageByTerms: j.byTerms, LeakageRate: ratio(10_000, s.Figures.Leakage, s.Figures.Granted),
		Accounts: s.Accounts, Figures: s.Figures, Simulation: s.Simulation,
		Arrival: s.arrival(), Suspects: s.Suspects, Worst: s.Worst,
	}
	for _, cycle := range slices.Sorted(maps.Keys(s.Months)) {
		r.Months = append(r.Months, *s.Months[cycle])
	}
	return r
}

// sums are what a tally adds up. Every member adds up in any order.
type sums struct {
	Overflow   bool             `json:"overflow,omitzero"` // a sum left 64 bits: all are worth nothing
	Accounts   Accounts         `json:"accounts"`
	Figures    judge.Figures    `json:"figures"`
	Simulation judge.Simulation `json:"simulation"`
	Fit        judge.Fit        `json:"fit"`
	Misfits    []judge.Example  `json:"misfits,omitempty"`
	Grants     grants           `json:"grants"`
	Debts      debts            `json:"debts"`
	Bonuses    judge.Bonuses    `json:"bonuses"`
	// AdjustmentsRead are those that were read as rewards.
	AdjustmentsRead int64                   `json:"adjustments_read"`
	Neglects        judge.Neglects          `json:"neglects"`
	Refunds         refundCounts            `json:"refunds"`
	Arrivals        arrivals                `json:"arrivals"`
	Waits           map[int]int64           `json:"waits"` // see judge.Wait: amounts by days
	Flaws           seenFlaws               `json:"flaws"`
	Months          map[reward.Cycle]*Month `json:"months"`
	Suspects        []Suspect               `json:"suspects"`
	Worst           leakers                 `json:"worst"`
}

// grants counts purchases by when their reward came.
type grants struct {
	AtOnce  int64 `json:"at_once"`
	AtClose int64 `json:"at_close"`
	Other   int64 `json:"other"`
}

// debts counts debts by whether they were forgotten or kept for long.
type debts struct {
	Forgotten int64 `json:"forgotten"`
	Kept      int64 `json:"kept"`
}

func newSums() (s sums) {
	merge(&s, &s, &sums{}) // makes the maps
	return s
}

// add adds to a sum, which stays in 64 bits: past them it is stuck at the end.
func (s *sums) add(sum *int64, amount int64) {
	switch {
	case amount > 0 && *sum > math.MaxInt64-amount:
		*sum, s.Overflow = math.MaxInt64, true
	case amount < 0 && *sum < math.MinInt64-amount:
		*sum, s.Overflow = math.MinInt64, true
	default:
		*sum += amount
	}
}

func (s *sums) addAt(to map[int]int64, days int, amount int64) {
	sum := to[days]
	s.add(&sum, amount)
	to[days] = sum
}

// at is what sums by key have of one, which is made if it is not there.
func at[K comparable, V any](sums map[K]*V, key K) *V {
	if sums[key] == nil {
		sums[key] = new(V)
	}
	return sums[key]
}

// merge adds to a sum of any shape what another one has, which stays as it is. That
// something leaves 64 bits is noted in s.
func merge[T any](s *sums, sum, part *T) {
	s.fold(reflect.ValueOf(sum).Elem(), reflect.ValueOf(part).Elem())
}

func (s *sums) fold(sum, part reflect.Value) {
	switch sum.Kind() {
	case reflect.Int64:
		total := sum.Int()
		s.add(&total, part.Int())
		sum.SetInt(total)
	case reflect.Bool, reflect.String: // a mark, or what it is a sum of
		if !part.IsZero() {
			sum.Set(part)
		}
	case reflect.Struct:
		for i := range sum.NumField() {
			s.fold(sum.Field(i), part.Field(i))
		}
	case reflect.Array:
		for i := range sum.Len() {
			s.fold(sum.Index(i), part.Index(i))
		}
	case reflect.Pointer:
		if sum.IsNil() {
			sum.Set(reflect.New(sum.Type().Elem()))
		}
		s.fold(sum.Elem(), part.Elem())
	case reflect.Map:
		if sum.IsNil() {
			sum.Set(reflect.MakeMap(sum.Type()))
		}
		for key, value := range part.Seq2() {
			total := reflect.New(sum.Type().Elem()).Elem()
			if was := sum.MapIndex(key); was.IsValid() {
				total.Set(was)
			}
			s.fold(total, value)
			sum.SetMapIndex(key, total)
		}
	case reflect.Slice:
		switch list := sum.Addr().Interface().(type) {
		case *[]judge.Example:
			*list = examples.merge(*list, part.Interface().([]judge.Example))
		case *[]Suspect:
			*list = suspects.merge(*list, part.Interface().([]Suspect))
		case *leakers:
			*list = worst.merge(*list, part.Interface().(leakers))
		case *[]observation:
			*list = sample.merge(*list, part.Interface().([]observation))
		}
	default:
		panic("audit: " + sum.Type().String() + " does not add up")
	}
}

// top is the first so many of a set, whatever the order in which they come. Its order has to
// be total, so that tops of parts merge to the top of all.
type top[T any] struct {
	most  int
	order func(a, b T) int
}

// keep adds an element to a list, spelled out, if it is among the first. What is spelled out
// does not come before what is not.
func (t top[T]) keep(list *[]T, element T, spell func(*T)) {
	if len(*list) < t.most || t.order(element, (*list)[len(*list)-1]) < 0 {
		spell(&element)
		*list = t.merge(*list, []T{element})
	}
}

// merge returns the first of two lists, which stay as they are.
func (t top[T]) merge(a, b []T) []T {
	list := slices.Concat(a, b)
	slices.SortFunc(list, t.order)
	return list[:min(len(list), t.most)]
}
