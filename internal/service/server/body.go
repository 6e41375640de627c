package server

import (
	"errors"
	"io"
	"net"

	"recoup/internal/service/budget"
)

// firstRead is how much room there is for a body before any of it has come, in bytes.
const firstRead = 4 << 10

// readBody reads a body of at most limit bytes into the buffer; it says that it has
// length, or -1. The buffer grows with what arrives, not with what was promised.
func readBody(body io.Reader, length int64, into []byte, limit int64) ([]byte, *Problem) {
	b := into[:0]
	if length > limit {
		return b, tooLarge(limit)
	}
	// One more than the body has shows where it ends.
	if want := max(0, min(length, firstRead-1)) + 1; int64(cap(b)) < want {
		b = make([]byte, 0, want)
	}
	for {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		n, err := body.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case int64(len(b)) > limit:
			return b, tooLarge(limit)
		case err == io.EOF:
			return b, nil
		case err != nil:
			return b, unreceived(err)
		}
	}
}

func tooLarge(limit int64) *Problem {
	return problemf("body_too_large", "Expected a body of at most %d bytes; send events in smaller batches or as application/x-ndjson.", limit)
}

// unreceived is what is wrong with a body that did not come whole.
func unreceived(err error) *Problem {
	if refusal := (*budget.Refusal)(nil); errors.As(err, &refusal) {
		return overloaded(err)
	}
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return problem("body_timeout", "")
	}
	return problem("body_incomplete", "")
}
