package reward_test

import (
	"runtime/debug"
	"testing"

	"recoup/internal/kit/draws"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(2000) // a fifth of the time would go to collecting what models leave behind
	draws.Main(m, 25)
}
