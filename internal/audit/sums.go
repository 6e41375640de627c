package audit

import (
	"math"
	"reflect"
	"slices"

	"recoup/internal/audit/judge"
	"recoup/internal/flaw"
	"recoup/reward"
)

// sums are what a tally adds up. Every member adds up in any order.
type sums struct {
	Overflow   bool                    `json:"overflow,omitzero"` // a sum left 64 bits: all are worth nothing
	Accounts   Accounts                `json:"accounts"`
	Figures    judge.Figures           `json:"figures"`
	Simulation judge.Simulation        `json:"simulation"`
	Fit        judge.Fit               `json:"fit"`
	Misfits    []judge.Example         `json:"misfits,omitempty"`
	Grants     grants                  `json:"grants"`
	Debts      debts                   `json:"debts"`
	Bonuses    judge.Bonuses           `json:"bonuses"`
	Refunds    refundCounts            `json:"refunds"`
	Arrivals   arrivals                `json:"arrivals"`
	Waits      map[int]int64           `json:"waits"` // see judge.Wait: amounts by days
	Flaws      map[flaw.Code]*flawSums `json:"flaws"`
	Months     map[reward.Cycle]*Month `json:"months"`
	Suspects   []Suspect               `json:"suspects"`
	Worst      leakers                 `json:"worst"`
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

// addAt adds to one of several sums.
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
