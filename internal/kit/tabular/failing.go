package tabular

import "io"

// Failing is a writer that remembers the first error of another, which tables do not
// return, and writes nothing after it.
type Failing struct {
	To  io.Writer
	Err error
}

// Write implements io.Writer.
func (f *Failing) Write(p []byte) (int, error) {
	if f.Err != nil {
		return 0, f.Err
	}
	var n int
	n, f.Err = f.To.Write(p)
	return n, f.Err
}
