package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"recoup/event"
	"recoup/internal/engine"
	"recoup/internal/service/budget"
)

const (
	// pieceEvents is how many events of a stream are applied at once, at most.
	pieceEvents = 1000
	// busyPatience is how long a piece of a stream waits for its turn.
	busyPatience = 30 * time.Second
)

// lines answers for a stream of lines, of any length. While a piece of it is being
// committed the next is received; what has come by then is the next piece, so a
// sender that waits for each answer has it at once, and one that does not is
// answered in large pieces. A client must read answers while it sends.
func (s *Server) lines(w http.ResponseWriter, r *http.Request, p Principal, work *budget.Work) {
	control := http.NewResponseController(w)
	_ = control.EnableFullDuplex() // only HTTP/1.1 needs to be told
	a := answers{w: w, control: control}
	if err := work.Hold(streamBase); err != nil {
		a.fail(0, overloaded(err))
		return
	}
	ctx := engine.From(r.Context(), s.holder(r, p))
	body := work.Lines(w, r)
	in := receive(body, work)
	stop := context.AfterFunc(s.ending, func() { in.fail(engine.ErrClosed) })
	defer func() {
		stop()
		if !in.abandon() {
			body.Wake()
		}
		<-in.ended
	}()
	for index := int64(0); ; {
		more, err := in.await()
		switch {
		case err != nil:
			a.fail(index, s.streamProblem(r.Context(), err))
			return
		case !more:
			a.end()
			return
		}
		if index, err = s.piece(ctx, in, index, p, &a); err != nil {
			a.fail(index, s.failure(r.Context(), err))
			return
		}
	}
}

// piece applies the whole lines that have come and answers for them. It returns the
// index of the next, or of the first that is not answered for.
func (s *Server) piece(ctx context.Context, in *stream, index int64, p Principal, a *answers) (int64, error) {
	m := s.mould()
	defer s.put(m)
	m.body = in.take(m.body)
	for rest := m.body; len(rest) > 0; {
		var err error
		if rest, err = s.sortLines(ctx, m, rest, p); err != nil {
			return index, err
		}
		if err := s.outside(ctx, m, p); err != nil {
			return index, err
		}
		if err := s.keepApart(ctx, m); err != nil {
			return index, err
		}
		if err := s.deliverAll(ctx, m, p); err != nil {
			return index, err
		}
		if err := s.applyPatiently(ctx, m); err != nil {
			return index, err
		}
		m.out = append(s.appendAnswers(m.out[:0], m, index, "\n"), '\n')
		if err := a.write(m.out); err != nil {
			return index, err
		}
		index += int64(len(m.events) + len(m.notes))
	}
	return index, nil
}

// sortLines reads the events of the next lines, and returns the lines after these.
func (s *Server) sortLines(ctx context.Context, m *mould, rest []byte, p Principal) ([]byte, error) {
	done, err := s.budgets.Processor(ctx, len(rest))
	if err != nil {
		return rest, err
	}
	defer done()
	now := s.instant()
	m.begin()
	for len(rest) > 0 && len(m.events)+len(m.notes) < pieceEvents {
		line, after, _ := bytes.Cut(rest, newline)
		if s.sort(ctx, m, line, p, now) == notFirst { // it is looked at once those before it are applied
			m.notes = m.notes[:len(m.notes)-1]
			break
		}
		rest = after
	}
	return rest, nil
}

var newline = []byte{'\n'}

// applyPatiently waits where there is too much to do: who sends a stream has
// given up asking again. What it has not read in the meantime stays on the wire.
func (s *Server) applyPatiently(ctx context.Context, m *mould) error {
	pause := 5 * time.Millisecond
	for waited := time.Duration(0); ; waited += pause {
		err := s.apply(ctx, m)
		if !errors.Is(err, engine.ErrBusy) || waited > busyPatience {
			return err
		}
		pause = min(2*pause, time.Second)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		case <-s.ending.Done():
			return engine.ErrClosed
		}
	}
}

// streamProblem is why a stream cannot go on being received.
func (s *Server) streamProblem(ctx context.Context, err error) *Problem {
	switch {
	case errors.Is(err, engine.ErrClosed):
		return s.failure(ctx, err)
	case errors.Is(err, errLongLine):
		return problem("body_too_large", err.Error()+".")
	}
	return unreceived(err)
}

var errLongLine = fmt.Errorf("expected lines of at most %d bytes, found a longer one", event.MaxLine)

// answers are the answers to a stream on their way. Until the first of them the
// request can still fail as any other.
type answers struct {
	w       http.ResponseWriter
	control *http.ResponseController
	begun   bool
}

func (a *answers) begin() {
	if !a.begun {
		a.begun = true
		a.w.Header()["Content-Type"] = ndjsonType
		a.w.WriteHeader(http.StatusOK)
	}
}

// write has lines reach the client.
func (a *answers) write(lines []byte) error {
	a.begin()
	if _, err := a.w.Write(lines); err != nil {
		return err
	}
	return a.control.Flush()
}

// end ends a stream that was answered for to its end.
func (a *answers) end() { a.begin() }

// fail ends a stream with what went wrong, as its last line if it has begun.
func (a *answers) fail(index int64, p *Problem) {
	if !a.begun {
		a.w.Header().Set("Connection", "close")
		writeProblem(a.w, p)
		return
	}
	_ = a.write(append(appendFailed(nil, index, p), '\n'))
}
