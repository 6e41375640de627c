package audit

import (
	"reflect"
	"testing"

	"recoup/internal/audit/judge"
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
	s.addFigures(&account.Figures)
	s.addSimulation(&account.Simulation)
	if s.Figures != account.Figures {
		t.Errorf("the sum of one account's figures is %+v, want %+v", s.Figures, account.Figures)
	}
	if s.Simulation != account.Simulation {
		t.Errorf("the sum of one account's simulation is %+v, want %+v", s.Simulation, account.Simulation)
	}
}
