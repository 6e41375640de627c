package event

import (
	"bufio"
	"context"
	"io"
	"iter"

	"recoup/reward"
)

// Write writes events as lines, in the form of Append, until there are no more or the
// context ends. The error is that of w, or the context's.
func Write(ctx context.Context, w io.Writer, events iter.Seq[reward.Event]) error {
	out := bufio.NewWriterSize(w, 1<<16)
	var line []byte
	for e := range events {
		line = append(Append(line[:0], &e), '\n')
		if _, err := out.Write(line); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return out.Flush()
}
