package budget

import (
	"cmp"
	"math"
	"runtime"
	"runtime/debug"
	"time"
)

// complete works out what nobody has said.
func (l *Limits) complete() {
	l.Processors = cmp.Or(l.Processors, runtime.GOMAXPROCS(0))
	if l.Memory == 0 {
		l.Memory = debug.SetMemoryLimit(-1)
		if l.Memory == math.MaxInt64 {
			l.Memory = 1 << 30
		}
	}
	l.Rate = cmp.Or(l.Rate, DefaultRate)
	l.Patience = cmp.Or(l.Patience, 10*time.Second)
	l.Idle = cmp.Or(l.Idle, 30*time.Second)
	l.Preview = cmp.Or(l.Preview, 30*time.Second)
}

const mebi = 1 << 20

// sizes returns how many requests of a class may be at work at a time, and how many
// bytes of their bodies there may be. One holder alone can have half of either.
//
// Events and commands wait for the disk: a processor can have many of them at work.
// Reading keeps it busy, and others wait meanwhile: so many reads of a holder take a
// fraction of a second together.
func (l *Limits) sizes(c Class) (requests, bytes int64) {
	processors := int64(l.Processors)
	switch c {
	case Reading:
		return max(64*processors, 128), max(l.Memory/64, 4*mebi)
	case Ingestion:
		return max(1024*processors, 2048), max(l.Memory/4, 64*mebi)
	case Commands:
		return max(512*processors, 1024), max(l.Memory/16, 16*mebi)
	case Previews:
		return max(16*processors, 64), max(l.Memory/16, 32*mebi)
	case Administration:
		return 64, max(l.Memory/16, 16*mebi)
	case SigningIn:
		return max(32*processors, 64), max(l.Memory/64, 4*mebi)
	case Connections: // with its buffers each is some tens of kilobytes
		return min(max(l.Memory/(128<<10), 1024), openFiles()/2), 0
	}
	return 0, 0
}
