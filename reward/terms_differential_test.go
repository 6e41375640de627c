package reward_test

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"recoup/reward"
)

// TestEngineAgreesWithNaiveModelOverTerms plays random traces of random terms and
// compares outcome and state after every event.
func TestEngineAgreesWithNaiveModelOverTerms(t *testing.T) {
	agreesOver(t, drawPromisedTerms, drawTrace)
}

// TestEngineAgreesWithNaiveModelOverTiers is the same of programs with tiers.
func TestEngineAgreesWithNaiveModelOverTiers(t *testing.T) { agreesOver(t, drawTieredTerms, drawTrace) }

func agreesOver(t *testing.T, draw func(*rapid.T) *reward.Program, trace func(*rapid.T, *reward.Program, int) []reward.Event) {
	rapid.Check(t, func(t *rapid.T) {
		program := draw(t)
		model, subject := newNaive(program), newReal(program)
		var told story
		for _, e := range trace(t, program, 40) {
			want, got := model.apply(&e), subject.apply(t, e)
			told = append(told, told.line(&e, got))
			if got != want {
				t.Fatalf("the model says %v %v\nunder %s\n%s", want.Outcome, want.Code, describe(program), told.of(e.Account))
			}
			compareStates(t, subject.state(), model.state())
			subject.check(t)
			if t.Failed() {
				t.Fatalf("under %s\nafter\n%s", describe(program), told.of(e.Account))
			}
		}
		model.advance(tracesEnd)
		subject.advance(t, tracesEnd)
		compareStates(t, subject.state(), model.state())
		subject.check(t)
		if t.Failed() {
			t.Fatalf("under %s\n%s", describe(program), told)
		}
	})
}

// describe writes a program for a person who looks into a difference.
func describe(p *reward.Program) string {
	text, err := json.Marshal(struct {
		Method, Grant, Clawback, Maturity, Day int
		Zone                                   string
		Refunds                                reward.RefundTerms
		Redemption                             reward.RedemptionTerms
		Layers                                 []reward.Layer
		Bonuses                                []reward.Bonus
		Tiers                                  []reward.Tier
	}{int(p.Method), int(p.Timing.Grant), int(p.Timing.Clawback), p.MaturityDays, p.StatementDay, naiveZone(p).String(), p.Refunds, p.Redemption, p.Layers, p.Bonuses, p.Tiers})
	if err != nil {
		panic(err)
	}
	return string(text)
}
