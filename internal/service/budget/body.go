package budget

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"time"
)

// Body is a body on its way: it must arrive at the minimum rate, or reading it fails
// with a timeout.
type Body struct {
	work    *Work
	answer  http.ResponseWriter
	from    io.ReadCloser
	pace    pace
	lines   bool
	between bool // lines: nothing of the next has come
}

// Body returns the body of the request that is at work, every byte of which is charged
// as it arrives: reading it may fail with a *Refusal.
func (w *Work) Body(answer http.ResponseWriter, r *http.Request) *Body {
	w.body = Body{work: w, answer: answer, from: r.Body, pace: pace{limits: &w.budgets.limits}}
	return &w.body
}

// Lines returns the body as a stream of lines: each line must arrive at the minimum
// rate, and the next begin before long. Nothing is charged.
func (w *Work) Lines(answer http.ResponseWriter, r *http.Request) *Body {
	b := w.Body(answer, r)
	b.lines, b.between = true, true
	return b
}

// Read reads what has arrived.
func (b *Body) Read(into []byte) (int, error) {
	begun := time.Now()
	if b.between {
		b.until(begun.Add(b.pace.limits.Idle))
	} else {
		b.until(b.pace.deadline(begun, 0))
	}
	n, err := b.from.Read(into)
	took := time.Since(begun)
	switch end := bytes.LastIndexByte(into[:n], '\n'); {
	case b.lines && end >= 0:
		b.pace.moved, b.pace.spent, b.between = int64(n-end-1), 0, n == end+1
	case b.between:
		b.pace.moved, b.between = int64(n), n == 0
	default:
		b.pace.add(n, took)
	}
	var timeout net.Error
	switch {
	case err == io.EOF: // what the connection says from here on is another matter
		b.until(time.Time{})
	case errors.As(err, &timeout) && timeout.Timeout():
		b.work.budgets.tooSlow.Add(1)
	}
	if !b.lines {
		if refused := b.work.Hold(int64(n)); refused != nil {
			return 0, refused
		}
	}
	return n, err
}

// Close closes the body.
func (b *Body) Close() error { return b.from.Close() }

// Wake has a Read that waits return with an error, for good.
func (b *Body) Wake() { b.until(time.Unix(1, 0)) }

// until has the body read until then, where there is a connection.
func (b *Body) until(deadline time.Time) {
	_ = http.NewResponseController(b.answer).SetReadDeadline(deadline)
}

// unread is how long the rest of a body that nobody wants is waited for: where it is
// on its way already, the connection stays of use.
const unread = time.Second

// Unread is for a request that is answered without its body: the answer does not wait
// for a body that never comes.
func Unread(answer http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 { // or net/http would take the client for gone
		_ = http.NewResponseController(answer).SetReadDeadline(time.Now().Add(unread))
	}
}
