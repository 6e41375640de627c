package consume

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"recoup/event"
	"recoup/internal/kit/broker"
	"recoup/reward"
)

const (
	linesType = "application/x-ndjson"
	// asideTries is how often an account that cannot be written to just now is tried again
	// before its events go to the dead letters: it must not stop all others.
	asideTries = 5
	// maxRequest is how many bytes of events one request has, about.
	maxRequest = 8 << 20
)

// answer is a line of what the service answers to a stream of events.
type answer struct {
	Index   *int64  `json:"index"` // of an event that could not be read, or where the stream ended
	ID      *string `json:"id"`
	Outcome string  `json:"outcome"`
	Code    *string `json:"code"`
	Detail  string  `json:"detail"`
}

func (a *answer) code() string {
	if a.Code == nil {
		return ""
	}
	return *a.Code
}

// pending is an event that is to be answered for.
type pending struct {
	at    int // in the batch
	line  []byte
	tries int // for which its account was set aside
}

// events hands over messages that are events, in the order in which they were taken.
func (d *door) events(ctx context.Context, batch []broker.Record, count func(string)) (dead []poison, err error) {
	var left []pending
	for i := range batch {
		line, why := lineOf(&batch[i])
		if why != "" {
			dead = append(dead, poison{i, "malformed", why})
			continue
		}
		left = append(left, pending{at: i, line: line})
	}
	tired := patience{log: d.log}
	for len(left) > 0 {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		before := len(left)
		var aside []pending
		done, failed := d.stream(ctx, left, func(i int, a *answer) {
			p := left[i]
			switch {
			case a.Outcome == "failed" && a.code() == "account_locked" && p.tries < asideTries:
				p.tries++
				aside = append(aside, p)
			case a.Outcome == "failed", a.Outcome == "rejected" && (a.Detail != "" || noTrace[a.code()]):
				dead = append(dead, poison{p.at, a.code(), cmp.Or(a.Detail, "the ledger rejects the event, and has nothing of it")})
			default:
				count(a.Outcome)
			}
		})
		left = append(aside, left[done:]...)
		var refused *problem
		asked := time.Duration(0)
		if errors.As(failed, &refused) {
			if !refused.passes() {
				return nil, failed
			}
			asked = refused.after
		}
		switch {
		case len(left) == 0:
		case failed != nil:
			if len(left) < before {
				tired.rested()
			}
			tired.wait(ctx, "handing events to the service", failed, asked)
		case len(aside) > 0:
			tired.wait(ctx, "writing to some accounts", errors.New("they are set aside"), 0)
		}
	}
	return dead, ctx.Err()
}

// noTrace are the codes of events that the ledger has nothing of, though they could be read:
// nobody would find them there.
var noTrace = func() map[string]bool {
	codes := map[string]bool{reward.IDReused.String(): true}
	for c := reward.NoCode + 1; c.String() != "unknown"; c++ {
		if (reward.Result{Outcome: reward.Rejected, Code: c}).LeavesNoTrace() {
			codes[c.String()] = true
		}
	}
	return codes
}()

// stream sends events in one request and calls f with the answers, in order. It returns how
// many were answered for, which is durable whatever the error is, and why no more were.
func (d *door) stream(ctx context.Context, events []pending, f func(int, *answer)) (done int, err error) {
	var body []byte
	n := 0
	for ; n < len(events) && (n == 0 || len(body)+len(events[n].line) < maxRequest); n++ {
		body = append(append(body, events[n].line...), '\n')
	}
	response, err := d.post(ctx, "/v1/events", linesType, nil, body)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, event.MaxLine)
	for lines.Scan() {
		var a answer
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil || a.Outcome == "" {
			return done, fmt.Errorf("the service answers %.200q, expected a line for each event", lines.Text())
		}
		if a.Outcome == "failed" && a.ID == nil { // the stream ends here
			return done, fmt.Errorf("the service stops: %s: %s", a.code(), a.Detail)
		}
		if done == n {
			return done, fmt.Errorf("the service answers for more than %d events", n)
		}
		f(done, &a)
		done++
	}
	if err := lines.Err(); err != nil {
		return done, err
	}
	if done < n {
		return done, fmt.Errorf("the service answers for %d events of %d", done, n)
	}
	return done, nil
}

// lineOf returns the event of a message as a line, or why it cannot be one. Whether it is an
// event is for the service to judge.
func lineOf(r *broker.Record) (line []byte, why string) {
	value := r.Value
	if id := attribute(r, "id"); id != "" {
		value = structured(r)
	}
	if len(value) > event.MaxLine {
		return nil, fmt.Sprintf("expected at most %d bytes, found %d", event.MaxLine, len(value))
	}
	if strings.IndexByte(string(value), '\n') < 0 && strings.IndexByte(string(value), '\r') < 0 && len(value) > 0 {
		return value, ""
	}
	compact := jsontext.Value(append([]byte(nil), value...))
	if err := compact.Compact(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return nil, "expected a CloudEvent in JSON, found none"
	}
	return compact, ""
}

// attribute returns an attribute of a CloudEvent in binary mode: Kafka's binding has it under
// ce_, that of NATS under ce-.
func attribute(r *broker.Record, name string) string {
	for _, h := range r.Headers {
		if rest, is := strings.CutPrefix(strings.ToLower(h.Name), "ce"); is && (rest == "_"+name || rest == "-"+name) {
			return h.Value
		}
	}
	return ""
}

// structured is an event in binary mode as it would be in structured mode: attributes that
// are headers, and data that is the value.
func structured(r *broker.Record) []byte {
	out := []byte{'{'}
	for _, h := range r.Headers {
		name := strings.ToLower(h.Name)
		if !strings.HasPrefix(name, "ce_") && !strings.HasPrefix(name, "ce-") {
			continue
		}
		out, _ = jsontext.AppendQuote(out, name[len("ce_"):])
		out = append(out, ':')
		out, _ = jsontext.AppendQuote(out, h.Value)
		out = append(out, ',')
	}
	out = append(out, `"data":`...)
	if len(r.Value) == 0 {
		return append(out, "{}}"...)
	}
	return append(append(out, r.Value...), '}')
}
