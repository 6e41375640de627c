package budget

import (
	"context"
	"time"
)

// What a preview takes of memory, in bytes: some in any case, and some for each
// transaction of its sample, which is held with what names it and played twice.
const (
	previewBase           = 4 << 20
	previewPerTransaction = 8 << 10
)

// previewMemory is what all previews at work may take together.
func (l *Limits) previewMemory() int64 { return max(l.Memory/8, previewBase) }

// Preview waits until there is memory and a processor for a preview over so many
// transactions, and returns a context within which it must be done and a function that
// ends it. Previews use at most half of the processors. The error is a *Refusal if
// their turn did not come in time, or the context's.
func (b *Budgets) Preview(ctx context.Context, transactions int) (context.Context, func(), error) {
	weight := min(b.most, max(previewBase+previewPerTransaction*int64(transactions), b.most/b.limits.half()))
	within, cancel := context.WithTimeout(ctx, b.limits.Preview)
	if err := b.previews.Acquire(within, weight); err != nil {
		cancel()
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		return nil, nil, b.refuse(Previews, "memory")
	}
	return within, func() { cancel(); b.previews.Release(weight) }, nil
}

// PreviewTime is how long a preview may take, with its waiting.
func (b *Budgets) PreviewTime() time.Duration { return b.limits.Preview }
