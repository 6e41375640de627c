package budget

import (
	"errors"
	"net/http"
	"os"
	"time"
)

// Answers goes around a handler: who does not take an answer at the minimum rate has
// it cut off, so that nothing is held for them for long.
func (b *Budgets) Answers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&answer{ResponseWriter: w, control: http.NewResponseController(w), budgets: b, pace: pace{limits: &b.limits}}, r)
	})
}

// answer is an answer on its way.
type answer struct {
	http.ResponseWriter
	control *http.ResponseController
	budgets *Budgets
	pace    pace
}

// answerPiece is what is written between two looks at the clock, in bytes.
const answerPiece = 64 << 10

// Write writes as fast as the client takes it.
func (a *answer) Write(b []byte) (written int, err error) {
	for {
		piece := b[written:min(len(b), written+answerPiece)]
		var n int
		err := a.timed(len(piece), func() (err error) {
			n, err = a.ResponseWriter.Write(piece)
			return err
		})
		written += n
		if err != nil || written == len(b) {
			return written, err
		}
	}
}

// FlushError is how http.ResponseController flushes.
func (a *answer) FlushError() error { return a.timed(0, a.control.Flush) }

// Unwrap lets http.ResponseController reach what it is asked for.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// timed has so many bytes moved in the time that there is for them.
func (a *answer) timed(n int, move func() error) error {
	begun := time.Now()
	_ = a.control.SetWriteDeadline(a.pace.deadline(begun, int64(n)))
	err := move()
	a.pace.add(n, time.Since(begun))
	if errors.Is(err, os.ErrDeadlineExceeded) {
		a.budgets.tooSlow.Add(1)
	}
	return err
}
