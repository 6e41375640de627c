package marqeta_test

import (
	"testing"

	"recoup/internal/kit/sourcetest"
	"recoup/source"
	"recoup/source/marqeta"
)

func TestScenarios(t *testing.T) {
	sourcetest.Run(t, "testdata/scenarios", &marqeta.Kind, source.Settings{Name: "marqeta", Account: "user_token"})
}
