package lithic_test

import (
	"testing"

	"recoup/internal/kit/sourcetest"
	"recoup/source"
	"recoup/source/lithic"
)

func TestScenarios(t *testing.T) {
	sourcetest.Run(t, "testdata/scenarios", &lithic.Kind, source.Settings{Name: "lithic", Account: "account_token"})
}
