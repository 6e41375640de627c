// Package progress shows people how far something is that takes its time.
package progress

import (
	"io"
	"os"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
)

// Unknown is the size of what has an end that nobody knows.
const Unknown = -1

// What is counted.
var (
	Bytes = progress.UnitsBytes
	Units = progress.UnitsDefault
)

// Show shows a bar of how many of the bytes, or of other units, are consumed, and when
// it is going to be all, and returns the function that ends it. There is none where standard error is no terminal,
// NO_COLOR is set, or the size is zero; where it is Unknown, what is consumed is
// counted.
func Show(what string, units progress.Units, size int64, consumed func() int64) (done func()) {
	if size == 0 || os.Getenv("NO_COLOR") != "" || !isTerminal(os.Stderr) {
		return func() {}
	}
	return show(os.Stderr, what, units, size, consumed)
}

func show(w io.Writer, what string, units progress.Units, size int64, consumed func() int64) (done func()) {
	bar := progress.NewWriter()
	bar.SetOutputWriter(w)
	bar.Style().Visibility.ETA = size > 0
	bar.SetUpdateFrequency(100 * time.Millisecond)
	tracker := &progress.Tracker{Message: what, Total: max(size, 0), Units: units}
	bar.AppendTracker(tracker)
	go bar.Render()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				value := consumed()
				if size > 0 {
					value = min(value, size-1)
				}
				tracker.SetValue(value)
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
		tracker.MarkAsDone()
		bar.Stop()
	}
}

// isTerminal reports whether the file is a character device.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
