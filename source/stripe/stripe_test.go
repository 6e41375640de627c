package stripe_test

import (
	"testing"

	"recoup/internal/kit/sourcetest"
	"recoup/source"
	"recoup/source/stripe"
)

func TestScenarios(t *testing.T) {
	sourcetest.Run(t, "testdata/scenarios", &stripe.Kind, source.Settings{Name: "stripe", Account: "cardholder"})
}
