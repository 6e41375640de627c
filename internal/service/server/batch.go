package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"recoup/internal/engine"
	"recoup/internal/service/budget"
	"recoup/reward"
)

// batch answers for an array of events: one that is malformed or refused fails
// alone. An array that cannot be read to its end is refused whole, before
// anything of it is applied.
func (s *Server) batch(w http.ResponseWriter, r *http.Request, p Principal, work *budget.Work) {
	m := s.mould()
	defer s.put(m)
	var failed *Problem
	if m.body, failed = readBody(work.Body(w, r), r.ContentLength, m.body, maxBatchBytes); failed != nil {
		writeProblem(w, failed)
		return
	}
	if failed = s.sortBatch(r.Context(), m, p); failed != nil {
		writeProblem(w, failed)
		return
	}
	err := s.outside(r.Context(), m, p)
	if err == nil {
		err = s.keepApart(r.Context(), m)
	}
	if err == nil {
		err = s.deliverAll(r.Context(), m, p)
	}
	if err == nil {
		err = s.apply(engine.From(r.Context(), s.holder(r, p)), m)
	}
	if err != nil {
		writeProblem(w, s.failure(r.Context(), err))
		return
	}
	out := append(m.out[:0], '[')
	m.out = append(s.appendAnswers(out, m, 0, ",\n"), "]\n"...)
	w.Header()["Content-Type"] = jsonType
	w.Write(m.out)
}

// sortBatch reads the events of the body.
func (s *Server) sortBatch(ctx context.Context, m *mould, p Principal) *Problem {
	done, err := s.budgets.Processor(ctx, len(m.body))
	if err != nil {
		return s.failure(ctx, err)
	}
	defer done()
	now := s.instant()
	return splitArray(m.body, func(element []byte) { s.sort(ctx, m, element, p, now) })
}

// apply applies the events of the mould, if there are any. That some are of accounts which
// are set aside is no error: the others are answered as ever.
func (s *Server) apply(ctx context.Context, m *mould) (err error) {
	m.results, m.aside = m.results[:0], nil
	if len(m.events) == 0 {
		return nil
	}
	results, err := s.applier.Apply(ctx, m.events, m.results)
	if apart := (*engine.AsideError)(nil); errors.As(err, &apart) {
		m.aside, err = apart.Failed, nil
	}
	if err == nil {
		m.results = results
	}
	return err
}

// sort reads an event and puts it with those to be applied, or notes why not: code is that
// of one that is refused.
func (s *Server) sort(ctx context.Context, m *mould, element []byte, p Principal, now reward.Instant) (code string) {
	n := len(m.events)
	m.events = append(m.events, reward.Event{})
	e := &m.events[n]
	if err := m.decoder.Decode(element, e); err != nil {
		m.notes = append(m.notes, note{before: n, malformed: asEventError(err)})
	} else if why := s.screen(ctx, e, p, now, m.follows); why.code != "" {
		m.notes, code = append(m.notes, note{before: n, refused: why, event: *e}), why.code
	} else {
		return ""
	}
	m.events = m.events[:n]
	return code
}

// appendAnswers appends the answers to all events of the mould, in the order in
// which they came, first being the index of the first.
func (s *Server) appendAnswers(b []byte, m *mould, first int64, between string) []byte {
	s.count(m)
	notes := m.notes
	for i := 0; i < len(m.events) || len(notes) > 0; {
		if index := i + len(m.notes) - len(notes); index > 0 {
			b = append(b, between...)
		}
		if len(notes) == 0 || notes[0].before > i {
			if why := m.aside[i]; why != nil {
				b = appendAside(b, &m.events[i], why)
			} else {
				b = appendOutcome(b, &m.events[i], m.results[i])
			}
			i++
			continue
		}
		b = s.appendNote(b, &notes[0], first+int64(i+len(m.notes)-len(notes)))
		notes = notes[1:]
	}
	return b
}

// appendNote answers for an event that was not among those to be applied, and counts it.
func (s *Server) appendNote(b []byte, n *note, index int64) []byte {
	switch {
	case n.malformed != nil:
		s.counter.Malformed()
		return appendMalformed(b, index, n.malformed)
	case n.aside != nil:
		s.counter.Refused(asideCode(n.aside))
		return appendAside(b, &n.event, n.aside)
	case n.decided != nil:
		s.counter.Answered([]reward.Result{*n.decided})
		return appendOutcome(b, &n.event, *n.decided)
	}
	s.counter.Refused(n.refused.code)
	return appendRefused(b, &n.event, n.refused)
}

// count counts the answers to the events that reached the engine.
func (s *Server) count(m *mould) {
	if len(m.aside) == 0 {
		s.counter.Answered(m.results)
		return
	}
	for i := range m.results {
		if why := m.aside[i]; why != nil {
			s.counter.Refused(asideCode(why))
		} else {
			s.counter.Answered(m.results[i : i+1])
		}
	}
}

// splitArray calls f with each element of a JSON array, once the array was seen
// to be whole. What is in the elements is for f to judge, duplicate names and
// broken characters included.
func splitArray(body []byte, f func(element []byte)) *Problem {
	notArray := func(err error) *Problem {
		return problemf("malformed", "Expected a JSON array of events, at most %d of them; nothing was applied. %v.", MaxBatch, err)
	}
	d := jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	open, err := d.ReadToken()
	switch {
	case err != nil:
		return notArray(plain(err))
	case open.Kind() != jsontext.KindBeginArray:
		return notArray(fmt.Errorf("found no array; a single event has the Content-Type %s", oneType))
	}
	type span struct{ from, to int64 }
	var elements []span
	for d.PeekKind() != jsontext.KindEndArray {
		element, err := d.ReadValue()
		if err != nil {
			return notArray(plain(err))
		}
		if len(elements) == MaxBatch {
			return problemf("batch_too_large", "Expected at most %d events, found more; nothing was applied. Send several batches, or a stream of lines as %s.", MaxBatch, linesType)
		}
		end := d.InputOffset()
		elements = append(elements, span{end - int64(len(element)), end})
	}
	if _, err := d.ReadToken(); err != nil {
		return notArray(plain(err))
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return notArray(fmt.Errorf("found more after the array"))
	}
	for _, e := range elements {
		f(body[e.from:e.to])
	}
	return nil
}

// plain leaves out of an error which library it is of.
func plain(err error) error {
	text := err.Error()
	if _, rest, ok := bytes.Cut([]byte(text), []byte("jsontext: ")); ok {
		text = string(rest)
	}
	return fmt.Errorf("%s", text)
}
