package reward_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"recoup/reward"
)

// expiryFolder has the cases of expiry, each worked out by hand from docs/terms.md.
const expiryFolder = "../testdata/cases-expiry"

// expiryCase is a case with the moment that it is looked at.
type expiryCase struct {
	conformanceCase
	until reward.Instant
}

func expiryCases(t *testing.T) (cases []expiryCase) {
	t.Helper()
	entries, err := os.ReadDir(expiryFolder)
	noError(t, err)
	for _, entry := range entries {
		cases = append(cases, readExpiryCase(t, entry.Name()))
	}
	if len(cases) < 30 {
		t.Fatalf("%d cases in %s", len(cases), expiryFolder)
	}
	return cases
}

func readExpiryCase(t *testing.T, name string) (c expiryCase) {
	t.Helper()
	folder := filepath.Join(expiryFolder, name)
	c.Name = name
	c.Program, c.Events, c.Outcomes = readCourse(t, folder)
	text, err := os.ReadFile(filepath.Join(folder, "expected.json"))
	noError(t, err)
	var final struct {
		Until    time.Time
		Accounts []struct {
			naiveState
			Reservations []struct {
				Redemption string
				Amount     int64
				Expires    time.Time
			}
		}
	}
	noError(t, json.Unmarshal(text, &final))
	c.until = reward.At(final.Until)
	for _, a := range final.Accounts {
		list := []reward.ReservationState{}
		for _, r := range a.Reservations {
			list = append(list, reward.ReservationState{Redemption: r.Redemption, Amount: r.Amount, Expires: reward.At(r.Expires)})
		}
		a.naiveState.Reservations = fmt.Sprint(list)
		if len(a.Expiring) == 0 {
			a.Expiring = nil
		}
		c.Final = append(c.Final, a.naiveState)
	}
	return c
}

// TestNaiveModelMeetsTheCasesOfExpiry holds the model to the cases of docs/terms.md.
func TestNaiveModelMeetsTheCasesOfExpiry(t *testing.T) {
	for _, c := range expiryCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			model := newNaive(c.Program)
			for i := range c.Events {
				if got, want := model.apply(&c.Events[i]), c.Outcomes[i]; got != want {
					t.Errorf("event %s (%s): %v %v, want %v %v", c.Events[i].ID, c.Events[i].Type, got.Outcome, got.Code, want.Outcome, want.Code)
				}
			}
			model.advance(c.until)
			compareStates(t, model.state(), c.Final)
		})
	}
}

// TestEngineMeetsTheCasesOfExpiry plays them through the engine.
func TestEngineMeetsTheCasesOfExpiry(t *testing.T) {
	for _, c := range expiryCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			subject := newReal(c.Program)
			for i := range c.Events {
				if got := subject.apply(t, c.Events[i]); got != c.Outcomes[i] {
					t.Fatalf("event %d %+v: %v, expected %v", i, c.Events[i], got, c.Outcomes[i])
				}
			}
			subject.advance(t, c.until)
			compareStates(t, subject.state(), c.Final)
			subject.check(t)
		})
	}
}
