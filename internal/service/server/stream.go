package server

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"time"

	"recoup/event"
	"recoup/internal/service/budget"
)

// streamWindow is how much of a stream is received ahead of what is at work, in
// bytes: at least the longest line with its newline.
const streamWindow = event.MaxLine + 64<<10

// streamPiece is how much of a stream is read at once, and streamBase what a stream
// counts for while nothing of it waits: as much as it holds then. Both are in bytes.
const (
	streamPiece = 16 << 10
	streamBase  = 2 * streamPiece
)

// A stream that there is no room for is read no further. It looks for room every
// roomRetry, and if it cannot go on for roomPatience it fails.
const (
	roomRetry    = 50 * time.Millisecond
	roomPatience = 10 * time.Second
)

// stream is a body that is received by a goroutine of its own, up to a window
// ahead of who takes its lines. What it holds beyond its base is charged as it comes.
type stream struct {
	work    *budget.Work
	mu      sync.Mutex
	changed sync.Cond
	filled  []byte // received and not taken
	room    int    // that filled may use
	err     error  // why nothing more is received; io.EOF at the end
	ended   chan struct{}
}

var errAbandoned = errors.New("nobody reads on")

// receive starts to receive a body, whose base is charged to the work already. Nobody
// may use the body or the work until ended is closed.
func receive(body io.Reader, work *budget.Work) *stream {
	s := &stream{work: work, room: streamPiece, ended: make(chan struct{})}
	s.changed.L = &s.mu
	go s.run(body)
	return s
}

func (s *stream) run(body io.Reader) {
	defer close(s.ended)
	piece := make([]byte, streamPiece)
	for {
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
	// Where whole lines wait, room is made as they are taken; else only others can make
	// it, by giving some back.
	for waited := time.Now(); s.err == nil && !s.grow(len(s.filled)+len(piece)); {
		if s.whole() > 0 {
			waited = time.Now()
		}
		if time.Since(waited) < roomPatience {
			s.awaitRoom()
		} else {
			s.err = s.work.Refuse()
		}
	}
	if s.err == nil {
		s.filled = append(s.filled, piece...)
		s.err = err
	}
	s.changed.Broadcast()
	return s.err == nil
}

// grow sees to it that there is room for so many bytes, and reports whether there is.
func (s *stream) grow(bytes int) bool {
	if bytes > s.room && bytes <= streamWindow && s.work.Try(int64(bytes-s.room)) {
		s.room = bytes
	}
	return bytes <= s.room
}

// awaitRoom waits until something has changed here, or may have elsewhere.
func (s *stream) awaitRoom() {
	retry := time.AfterFunc(roomRetry, s.changed.Broadcast)
	s.changed.Wait()
	retry.Stop()
}

// shrink gives back what is not used.
func (s *stream) shrink() {
	if len(s.filled) == 0 && cap(s.filled) > streamPiece {
		s.filled = nil
	}
	if room := max(len(s.filled), streamPiece); room < s.room {
		s.work.Drop(int64(s.room - room))
		s.room = room
		s.changed.Broadcast()
	}
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

// await waits until there are whole lines to be taken, and reports whether the stream
// goes on: it does not after its end or after an error, before which come whole lines.
// Those that were taken before are done with.
func (s *stream) await() (more bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.shrink(); ; s.changed.Wait() {
		switch {
		case s.whole() > 0:
			return true, nil
		case s.err == io.EOF:
			return false, nil
		case s.err != nil:
			return false, s.err
		case len(s.filled) > event.MaxLine:
			return false, errLongLine
		}
	}
}

// take returns, in the buffer, the whole lines that have been received.
func (s *stream) take(into []byte) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	end := s.whole()
	into = append(into[:0], s.filled[:end]...)
	s.filled = s.filled[:copy(s.filled, s.filled[end:])]
	s.changed.Broadcast()
	return into
}

// whole returns where the last whole line that was received ends: at the end of the
// stream it may do without its newline.
func (s *stream) whole() int {
	if s.err == io.EOF {
		return len(s.filled)
	}
	return bytes.LastIndexByte(s.filled, '\n') + 1
}
