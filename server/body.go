package server

import (
	"errors"
	"io"
	"net"
	"net/http"
)

// readBody reads a body of at most limit bytes into the buffer.
func readBody(r *http.Request, into []byte, limit int64) ([]byte, *Problem) {
	b := into[:0]
	if r.ContentLength > limit {
		return b, tooLarge(limit)
	}
	if want := int(r.ContentLength) + 1; cap(b) < want { // one more shows where it ends
		b = make([]byte, 0, want)
	}
	for {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		n, err := r.Body.Read(b[len(b):cap(b)])
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
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return problem("body_timeout", "")
	}
	return problem("body_incomplete", "")
}
