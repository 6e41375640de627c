package audit

import (
	"reflect"
	"testing"

	"recoup/internal/audit/judge"
	"recoup/program"
)

// Sums add up every member of an account's figures and of its simulation: one that the
// lists leave out would be zero in every report.
func TestEveryFigureIsAddedUp(t *testing.T) {
	var account judge.Account
	members := 0
	for _, of := range []any{&account.Figures, &account.Simulation} {
		v := reflect.ValueOf(of).Elem()
		for i := range v.NumField() {
			members++
			v.Field(i).SetInt(int64(members))
		}
	}
	s := newSums()
	merge(&s, &s.Figures, &account.Figures)
	merge(&s, &s.Simulation, &account.Simulation)
	if s.Figures != account.Figures {
		t.Errorf("the sum of one account's figures is %+v, want %+v", s.Figures, account.Figures)
	}
	if s.Simulation != account.Simulation {
		t.Errorf("the sum of one account's simulation is %+v, want %+v", s.Simulation, account.Simulation)
	}
}

// So it is with the figures of a month, in the sums of one tally and of several.
func TestEveryFigureOfAMonthIsAddedUp(t *testing.T) {
	var month judge.Month
	figures := reflect.ValueOf(&month).Elem()
	for i := range figures.NumField() {
		figures.Field(i).SetInt(int64(i + 1))
	}
	one, other := NewTally(program.Everyday()), NewTally(program.Everyday())
	account := judge.Account{Months: []judge.Month{month}}
	one.Add(&account, nil)
	other.Add(&account, nil)
	if err := one.Merge(other); err != nil {
		t.Fatal(err)
	}
	sum := reflect.ValueOf(one.Report().Months[0])
	for i := range figures.NumField() {
		name, want := figures.Type().Field(i).Name, 2*figures.Field(i).Int()
		if name == "Cycle" {
			continue // whose sums they are
		}
		if f := sum.FieldByName(name); !f.IsValid() {
			t.Errorf("a month of the report has no %s", name)
		} else if f.Int() != want {
			t.Errorf("%s of a month is %d, want %d", name, f.Int(), want)
		}
	}
}
