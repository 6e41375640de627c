package server

import (
	"errors"
	"mime"
	"net/http"

	"recoup/event"
	"recoup/internal/engine"
	"recoup/internal/service/budget"
	"recoup/internal/service/scope"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// Limits of what comes in one request to /v1/events.
const (
	MaxBatch      = 10_000            // events
	maxEventBytes = event.MaxLine + 1 // a line with its newline
	maxBatchBytes = 16 << 20
)

// The content types of events.
const (
	oneType   = "application/cloudevents+json"
	batchType = "application/cloudevents-batch+json"
	linesType = "application/x-ndjson"
)

// mould is what one request is worked on in. Moulds are used again and again, so
// that a request allocates little more than its event.
type mould struct {
	decoder *event.Decoder
	body    []byte
	out     []byte
	events  []reward.Event
	results []reward.Result
	notes   []note
	aside   map[int]*engine.SetAside // by event, those that were not applied
	// Accounts of the first events, as many as were asked about; see follows.
	accounts map[string]bool
	looked   int
}

// begin has the mould have no events.
func (m *mould) begin() {
	clear(m.notes)
	clear(m.accounts)
	m.events, m.notes, m.looked = m.events[:0], m.notes[:0], 0
}

// follows reports whether there is an event of an account before the last.
func (m *mould) follows(account string) bool {
	if m.accounts == nil {
		m.accounts = make(map[string]bool)
	}
	for ; m.looked < len(m.events)-1; m.looked++ {
		m.accounts[m.events[m.looked].Account] = true
	}
	return m.accounts[account]
}

// note is of an event that is not among those to be applied: it could not be read, was
// refused before it reached the engine, or was decided by itself.
type note struct {
	before    int // how many events to be applied came before it
	malformed *event.Error
	refused   refused
	decided   *reward.Result
	aside     *engine.SetAside // of one that was to be decided
	event     reward.Event     // of one that could be read
}

func newMould() *mould { return &mould{decoder: event.NewDecoder()} }

// roomy is from what size on the buffers of a mould are let go of.
const roomy = 1 << 20

func (s *Server) mould() *mould { return s.moulds.Get().(*mould) }

// put lets the mould be used again, without a trace of what was in it.
func (s *Server) put(m *mould) {
	if cap(m.body) > roomy {
		m.body = nil
	}
	if cap(m.out) > roomy {
		m.out = nil
	}
	clear(m.events)
	m.begin()
	m.aside, m.accounts = nil, nil
	s.moulds.Put(m)
}

// events answers POST /v1/events.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	p, ok := s.enter(w, r, scope.Ingest)
	if !ok {
		return
	}
	r = from(r, p)
	holder := s.holder(r, p)
	given := r.Header.Get("Content-Type")
	media := given
	switch media {
	case oneType, batchType, linesType:
	default:
		media, _, _ = mime.ParseMediaType(given)
	}
	switch media {
	case oneType:
		s.within(w, r, budget.Ingestion, holder, func(work *budget.Work) { s.one(w, r, p, work) })
	case batchType:
		s.within(w, r, budget.Ingestion, holder, func(work *budget.Work) { s.batch(w, r, p, work) })
	case linesType:
		s.within(w, r, budget.Ingestion, holder, func(work *budget.Work) { s.lines(w, r, p, work) })
	default:
		budget.Unread(w, r)
		writeProblem(w, unsupported(given, []string{oneType, batchType, linesType}))
	}
}

// one answers for a single event. Malformed, it is the request that is wrong.
func (s *Server) one(w http.ResponseWriter, r *http.Request, p Principal, work *budget.Work) {
	m := s.mould()
	defer s.put(m)
	var failed *Problem
	if m.body, failed = readBody(work.Body(w, r), r.ContentLength, m.body, maxEventBytes); failed != nil {
		writeProblem(w, failed)
		return
	}
	m.events = append(m.events[:0], reward.Event{})
	e := &m.events[0]
	if err := m.decoder.Decode(m.body, e); err != nil {
		s.counter.Malformed()
		why := asEventError(err)
		writeProblem(w, problem("malformed", why.Error()).at(why.Member))
		return
	}
	status := http.StatusOK
	why := s.screen(r.Context(), e, p, s.instant(), m.follows)
	if why.code == "" || why.member != "" {
		of, err := s.programOf(r.Context(), p, e)
		if err != nil {
			writeProblem(w, s.failure(r.Context(), err))
			return
		}
		if !of {
			why = strangers
		}
	}
	if why.code != "" {
		m.notes = append(m.notes[:0], note{refused: why, event: *e})
		if err := s.keepApart(r.Context(), m); err != nil {
			writeProblem(w, s.failure(r.Context(), err))
			return
		}
		why = m.notes[0].refused
		s.counter.Refused(why.code)
		m.out = appendRefused(m.out[:0], e, why)
		if why.member != "" && why.fate == durable.KeptApart {
			status = http.StatusAccepted
		}
	} else if s.weighs(e.Type) {
		n, err := s.deliver(r.Context(), e, p)
		if err != nil {
			writeProblem(w, s.failure(r.Context(), err))
			return
		}
		m.out = s.appendNote(m.out[:0], &n, 0)
	} else {
		results, err := s.applier.Apply(engine.From(r.Context(), s.holder(r, p)), m.events, m.results[:0])
		if err != nil {
			writeProblem(w, s.failure(r.Context(), err))
			return
		}
		m.results = results
		s.counter.Answered(results)
		m.out = appendOutcome(m.out[:0], e, results[0])
	}
	w.Header()["Content-Type"] = jsonType
	w.WriteHeader(status)
	w.Write(append(m.out, '\n'))
}

// asEventError returns what a decoder found wrong.
func asEventError(err error) *event.Error {
	var why *event.Error
	if errors.As(err, &why) {
		return why
	}
	return &event.Error{Problem: err.Error()}
}
