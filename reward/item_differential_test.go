package reward_test

import (
	"testing"

	"pgregory.net/rapid"

	"recoup/reward"
)

// TestEngineAgreesWithNaiveModelOverItems plays random traces of purchases with line
// items, under plain programs and others, and compares outcome and state after every
// event, and the review lists.
func TestEngineAgreesWithNaiveModelOverItems(t *testing.T) {
	for name, draw := range map[string]func(*rapid.T) *reward.Program{"plain": drawTerms, "terms": drawPromisedTerms} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { agreeOverItems(t, draw(t)) })
		})
	}
}

func agreeOverItems(t *rapid.T, program *reward.Program) {
	model, subject := newNaive(program), newReal(program)
	var told story
	for _, e := range drawItemTrace(t, program, 40) {
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
}

// itemLines are items as a replay prints them.
func itemLines(items []reward.ItemState) (lines []naiveItemLine) {
	for _, x := range items {
		lines = append(lines, naiveItemLine{x.Item, x.Amount, x.Reversed, x.Original, x.Retained, layerLines(x.Rewards)})
	}
	return lines
}

// layerLines are rewards by layer as a replay prints them.
func layerLines(rewards []reward.LayerState) (lines []naiveLayerLine) {
	for _, x := range rewards {
		line := naiveLayerLine{Layer: x.Layer, Original: x.Original, Retained: x.Retained}
		if x.Rule != "" {
			line.Rule = &x.Rule
		}
		lines = append(lines, line)
	}
	return lines
}
