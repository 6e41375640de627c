package replay

import (
	"os"
	"runtime/debug"
)

// CollectLess has the garbage collector work less often unless GOGC says
// otherwise: nearly all that a replay allocates it keeps. What it keeps is about
// as large as the file, so that is how much memory the time is bought with.
func CollectLess(size int64) {
	switch {
	case os.Getenv("GOGC") != "":
	case size > 0 && size < 1<<30:
		debug.SetGCPercent(400)
	default:
		debug.SetGCPercent(200)
	}
}
