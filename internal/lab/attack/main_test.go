package attack_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain has garbage collected less often, to which a third of the processor's time would go,
// but for the searches through millions of positions, which need the memory.
func TestMain(m *testing.M) {
	if os.Getenv("RECOUP_LONG") == "" {
		debug.SetGCPercent(400)
	}
	os.Exit(m.Run())
}
