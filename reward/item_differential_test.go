package reward_test

import (
	"testing"

	"pgregory.net/rapid"

	"recoup/reward"
)

// TestEngineAgreesWithNaiveModelOverItems plays random traces of purchases with line
// items, under plain programs, programs of terms and of tiers, and compares outcome and state after every
// event, and the review lists.
func TestEngineAgreesWithNaiveModelOverItems(t *testing.T) {
	any := func(t *rapid.T) *reward.Program {
		return rapid.SampledFrom([]func(*rapid.T) *reward.Program{drawTerms, drawPromisedTerms, drawTieredTerms}).Draw(t, "kind")(t)
	}
	agreesOver(t, any, drawItemTrace)
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
