package budget

import "context"

// large is from what size on a body keeps a processor busy for so long that others
// notice, in bytes.
const large = 16 << 10

// Processor waits until a body of so many bytes may be worked on, and returns a
// function that ends it. Large ones have half of the processors, one after the other, so
// that what is small finds one free. The error is the context's.
func (b *Budgets) Processor(ctx context.Context, bytes int) (func(), error) {
	if bytes < large {
		return func() {}, nil
	}
	if err := b.processors.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	return func() { b.processors.Release(1) }, nil
}

// half is how many processors may be busy with what is large.
func (l *Limits) half() int64 { return int64(max(1, l.Processors/2)) }
