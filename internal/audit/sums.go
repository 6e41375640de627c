package audit

import (
	"math"
	"reflect"

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

func newSums() sums {
	s := sums{Refunds: refundCounts{Waited: map[int]int64{}}}
	merge(&s, &s, &sums{}) // makes the other maps
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
	case reflect.Bool:
		sum.SetBool(sum.Bool() || part.Bool())
	case reflect.String: // what it is a sum of, the same in both
		sum.Set(part)
	case reflect.Struct:
		if sum.Type() == reflect.TypeFor[refundCounts]() {
			s.mergeRefunds(part.Addr().Interface().(*refundCounts))
			return
		}
		for i := range sum.NumField() {
			s.fold(sum.Field(i), part.Field(i))
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
	default:
		mergeTop(sum.Addr().Interface(), part.Interface())
	}
}

func mergeTop(list, part any) {
	switch list := list.(type) {
	case *[]judge.Example:
		*list = examples.merge(*list, part.([]judge.Example))
	case *[]Suspect:
		*list = suspects.merge(*list, part.([]Suspect))
	case *leakers:
		*list = worst.merge(*list, part.(leakers))
	default:
		panic("audit: no sum")
	}
}
