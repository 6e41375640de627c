package server

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"recoup/event"
)

// streamWindow is how much of a stream is received ahead of what is at work, in
// bytes: at least the longest line with its newline.
const streamWindow = event.MaxLine + 64<<10

// stream is a body that is received by a goroutine of its own, up to a window
// ahead of who takes its lines.
type stream struct {
	mu      sync.Mutex
	changed sync.Cond
	filled  []byte // received and not taken
	err     error  // why nothing more is received; io.EOF at the end
	ended   chan struct{}
}

var errAbandoned = errors.New("nobody reads on")

// receive starts to receive a body; beforeRead is called before each piece of it.
// Nobody may use the body until ended is closed.
func receive(body io.Reader, beforeRead func()) *stream {
	s := &stream{ended: make(chan struct{})}
	s.changed.L = &s.mu
	go s.run(body, beforeRead)
	return s
}

func (s *stream) run(body io.Reader, beforeRead func()) {
	defer close(s.ended)
	piece := make([]byte, 32<<10)
	for {
		beforeRead()
		n, err := body.Read(piece)
		if !s.add(piece[:n], err) {
			return
		}
	}
}

// add adds what was received, as soon as there is room, and reports whether to
// go on.
func (s *stream) add(piece []byte, err error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.err == nil && len(s.filled)+len(piece) > streamWindow {
		s.changed.Wait()
	}
	if s.err == nil {
		s.filled = append(s.filled, piece...)
		s.err = err
	}
	s.changed.Broadcast()
	return s.err == nil
}

// fail ends the stream before its end.
func (s *stream) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
		s.changed.Broadcast()
	}
}

// abandon ends the stream and reports whether it was received to its end.
func (s *stream) abandon() bool {
	s.fail(errAbandoned)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err == io.EOF
}

// next returns, in the buffer, the whole lines that have been received since the
// last call; it waits until there is one, and at the end of the stream returns
// none. Whole lines before an error come before the error.
func (s *stream) next(into []byte) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		end := bytes.LastIndexByte(s.filled, '\n') + 1
		if s.err == io.EOF {
			end = len(s.filled) // the last line may do without its newline
		}
		switch {
		case end > 0:
			into = append(into[:0], s.filled[:end]...)
			s.filled = s.filled[:copy(s.filled, s.filled[end:])]
			s.changed.Broadcast()
			return into, nil
		case s.err == io.EOF:
			return into[:0], nil
		case s.err != nil:
			return into[:0], s.err
		case len(s.filled) > event.MaxLine:
			return into[:0], errLongLine
		}
		s.changed.Wait()
	}
}
