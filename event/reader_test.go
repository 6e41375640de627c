package event_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"recoup/event"
	"recoup/reward"
)

// ways are the two ways to read a stream, which must not differ in result.
var ways = []struct {
	name string
	read func(context.Context, *event.Reader) iter.Seq2[[]reward.Event, error]
}{
	{"one worker", func(ctx context.Context, r *event.Reader) iter.Seq2[[]reward.Event, error] {
		r.Workers = 1
		return r.Batches(ctx)
	}},
	{"five workers", func(ctx context.Context, r *event.Reader) iter.Seq2[[]reward.Event, error] {
		r.Workers = 5
		return r.Batches(ctx)
	}},
	{"sequential", func(ctx context.Context, r *event.Reader) iter.Seq2[[]reward.Event, error] {
		return r.Sequential(ctx)
	}},
}

// readAll returns all the events of a stream, and the error that ended it.
func readAll(batches iter.Seq2[[]reward.Event, error]) (events []reward.Event, failed error) {
	for batch, err := range batches {
		events, failed = append(events, batch...), err
	}
	return events, failed
}

// stream returns n numbered lines, some of them longer than others.
func stream(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(numbered(i) + strings.Repeat(" ", i*i%301) + "\n")
	}
	return b.String()
}

func TestReaderKeepsOrder(t *testing.T) {
	const n = 3000
	content := stream(n)
	want := make([]reward.Event, n)
	for i := range want {
		want[i] = decoded(t, numbered(i))
	}
	sources := map[string]func(io.Reader) io.Reader{
		"at once":            func(r io.Reader) io.Reader { return r },
		"byte by byte":       iotest.OneByteReader,
		"in halves":          iotest.HalfReader,
		"with its end early": iotest.DataErrReader,
	}
	for _, way := range ways {
		for name, source := range sources {
			t.Run(way.name+", "+name, func(t *testing.T) {
				r := event.NewReader(source(strings.NewReader(content)), "events.jsonl")
				got, err := readAll(way.read(t.Context(), r))
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got, want) {
					t.Errorf("%d events, not the %d of the stream in its order", len(got), n)
				}
				if r.Consumed() != int64(len(content)) {
					t.Errorf("%d bytes consumed of %d", r.Consumed(), len(content))
				}
			})
		}
	}
}

func TestReaderNamesThePlace(t *testing.T) {
	const bad = "{}"
	const problem = "specversion: missing; every event must have it"
	for _, c := range []struct {
		name, content string
		events        int
		want          string // "" for no error
	}{
		{"nothing", "", 0, ""},
		{"one line", settled, 1, ""},
		{"one line with its newline", settled + "\n", 1, ""},
		{"lines as Windows ends them", settled + "\r\n" + settled + "\r\n", 2, ""},
		{"a newline alone", "\n", 0, "events.jsonl:1: expected an event, found an empty line"},
		{"an empty line at the start", "\n" + settled + "\n", 0, "events.jsonl:1: expected an event, found an empty line"},
		{"an empty line between", settled + "\n\n" + settled + "\n", 1, "events.jsonl:2: expected an event, found an empty line"},
		{"an empty line at the end", settled + "\n\n", 1, "events.jsonl:2: expected an event, found an empty line"},
		{"white space at the end", settled + "\n  ", 1, "events.jsonl:2: expected an event, found an empty line"},
		{"a byte order mark", "\uFEFF" + settled + "\n", 0, "events.jsonl:1: expected UTF-8 without a byte order mark, found one at the start of the line"},
		{"a truncated end", settled + "\n" + settled[:40], 1, "events.jsonl:2: source: the line ends before its object does"},
		{"an object over two lines", strings.Replace(settled, `,"data"`, ",\n\"data\"", 1), 0, "events.jsonl:1: the line ends before its object does"},
		{"the first line bad", bad + "\n" + settled + "\n", 0, "events.jsonl:1: " + problem},
		{"the first of two bad", settled + "\n" + bad + "\n" + bad, 1, "events.jsonl:2: " + problem},
		{"a bad line far on", stream(5000) + bad + "\n" + stream(5000), 5000, "events.jsonl:5001: " + problem},
		{"a bad end far on", stream(5000) + bad, 5000, "events.jsonl:5001: " + problem},
		{"a member", settled + "\n" + strings.Replace(settled, "10000", `"12"`, 1), 1,
			`events.jsonl:2: data.amount: expected an integer number of minor units, found "12"`},
		{"the longest line", padded(event.MaxLine) + "\n" + settled, 2, ""},
		{"a line too long by one", settled + "\n" + padded(event.MaxLine+1) + "\n", 1,
			"events.jsonl:2: expected a line of at most 1048576 bytes, found a longer one"},
		{"an unended line too long by one", settled + "\n" + padded(event.MaxLine+1), 1,
			"events.jsonl:2: expected a line of at most 1048576 bytes, found a longer one"},
		{"a bad line before one too long", settled + "\n" + bad + "\n" + padded(event.MaxLine+1), 1, "events.jsonl:2: " + problem},
	} {
		for _, way := range ways {
			t.Run(c.name+", "+way.name, func(t *testing.T) {
				r := event.NewReader(strings.NewReader(c.content), "events.jsonl")
				events, err := readAll(way.read(t.Context(), r))
				if len(events) != c.events {
					t.Errorf("%d events, want %d", len(events), c.events)
				}
				switch {
				case err == nil && c.want != "":
					t.Errorf("no error, want %s", c.want)
				case err != nil && err.Error() != c.want:
					t.Errorf("error\n\t%s\nwant\n\t%s", err, c.want)
				}
				var bad *event.Error
				if err != nil && !errors.As(err, &bad) {
					t.Errorf("error is a %T", err)
				}
			})
		}
	}
}

// padded returns a good line of that length.
func padded(length int) string { return settled + strings.Repeat(" ", length-len(settled)) }

// source counts the bytes that are read of it, and sees whether it is read after
// it should not be: once it has ended, or once it is finished with.
type source struct {
	io.Reader
	read     atomic.Int64
	finished atomic.Bool
	late     atomic.Bool
}

func (s *source) Read(p []byte) (int, error) {
	if s.finished.Load() {
		s.late.Store(true)
	}
	n, err := s.Reader.Read(p)
	s.read.Add(int64(n))
	if err != nil {
		s.finished.Store(true)
	}
	return n, err
}

// endless repeats a text for ever.
type endless struct {
	text string
	next int
}

func (e *endless) Read(p []byte) (n int, err error) {
	for n < len(p) {
		copied := copy(p[n:], e.text[e.next:])
		n, e.next = n+copied, (e.next+copied)%len(e.text)
	}
	return n, nil
}

func TestHugeLineIsNotBuffered(t *testing.T) {
	const huge = 100 << 20
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			in := &source{Reader: io.MultiReader(strings.NewReader(settled+"\n{\"id\":\""), io.LimitReader(&endless{text: "x"}, huge), strings.NewReader("\"}\n"))}
			events, err := readAll(way.read(t.Context(), event.NewReader(in, "events.jsonl")))
			if want := "events.jsonl:2: expected a line of at most 1048576 bytes, found a longer one"; err == nil || err.Error() != want {
				t.Errorf("error %v, want %s", err, want)
			}
			if len(events) != 1 {
				t.Errorf("%d events before the line, want 1", len(events))
			}
			if read := in.read.Load(); read > 2*event.MaxLine {
				t.Errorf("%d bytes read", read)
			}
		})
	}
}

func TestReaderStopsWhereTheStreamFails(t *testing.T) {
	broken := errors.New("connection reset")
	for _, cause := range []error{broken, io.ErrUnexpectedEOF} {
		for _, way := range ways {
			t.Run(cause.Error()+", "+way.name, func(t *testing.T) {
				in := io.MultiReader(strings.NewReader(stream(1000)+settled[:50]), iotest.ErrReader(cause))
				events, err := readAll(way.read(t.Context(), event.NewReader(in, "events.jsonl")))
				if !errors.Is(err, cause) || err.Error() != "events.jsonl: reading line 1001: "+cause.Error() {
					t.Errorf("error %v", err)
				}
				if len(events) != 1000 {
					t.Errorf("%d events, want the 1000 before the failure", len(events))
				}
			})
		}
	}
}

type silent struct{}

func (silent) Read([]byte) (int, error) { return 0, nil }

func TestReaderGivesUpOnASilentStream(t *testing.T) {
	for _, way := range ways {
		_, err := readAll(way.read(t.Context(), event.NewReader(silent{}, "events.jsonl")))
		if !errors.Is(err, io.ErrNoProgress) {
			t.Errorf("%s: error %v", way.name, err)
		}
	}
}

// TestReaderDoesNotReadPastTheEnd matters where the stream is a terminal, which
// would ask for more.
func TestReaderDoesNotReadPastTheEnd(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				in := &source{Reader: strings.NewReader(settled)}
				for range way.read(t.Context(), event.NewReader(in, "events.jsonl")) {
					synctest.Wait()
				}
				if in.late.Load() {
					t.Error("the stream was read after its end")
				}
			})
		})
	}
}

// TestReaderLeavesNothingBehind stops early in each way; the bubble fails if a
// goroutine is left.
func TestReaderLeavesNothingBehind(t *testing.T) {
	for _, way := range ways {
		for _, batches := range []int{1, 2, 20} {
			t.Run(fmt.Sprintf("%s, after %d", way.name, batches), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					in := &source{Reader: &endless{text: stream(1000)}}
					seen := 0
					for _, err := range way.read(t.Context(), event.NewReader(in, "events.jsonl")) {
						if err != nil {
							t.Fatal(err)
						}
						if seen++; seen == batches {
							break
						}
					}
					in.finished.Store(true)
					synctest.Wait()
					if in.late.Load() {
						t.Error("the stream was read after the end of the sequence")
					}
				})
			})
		}
	}
}

func TestReaderEndsWithItsContext(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				in := &source{Reader: &endless{text: stream(1000)}}
				batches, failed := 0, error(nil)
				for batch, err := range way.read(ctx, event.NewReader(in, "events.jsonl")) {
					if batches++; batches == 3 {
						cancel()
					}
					if failed = err; (len(batch) == 0) != (err != nil) {
						t.Errorf("a batch of %d events with the error %v", len(batch), err)
					}
				}
				in.finished.Store(true)
				if !errors.Is(failed, context.Canceled) {
					t.Errorf("error %v", failed)
				}
				synctest.Wait()
				if in.late.Load() {
					t.Error("the stream was read after the end of the sequence")
				}
			})
		})
	}
}

// TestReaderWaitsForAReadUnderWay: the context's error comes at once, and the
// end of the sequence when the stream lets go.
func TestReaderWaitsForAReadUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		out, in := io.Pipe()
		var told, ended atomic.Bool
		go func() {
			for _, err := range event.NewReader(out, "events.jsonl").Batches(ctx) {
				told.Store(errors.Is(err, context.Canceled))
			}
			ended.Store(true)
		}()
		synctest.Wait()
		cancel()
		synctest.Wait()
		if !told.Load() || ended.Load() {
			t.Errorf("after the cancellation: told %t, ended %t", told.Load(), ended.Load())
		}
		in.Close()
		synctest.Wait()
		if !ended.Load() {
			t.Error("after the stream closed: not ended")
		}
	})
}

func TestReaderDoesNotRunAhead(t *testing.T) {
	const workers = 2
	synctest.Test(t, func(t *testing.T) {
		in := &source{Reader: &endless{text: stream(1000)}}
		r := event.NewReader(in, "events.jsonl")
		r.Workers = workers
		for _, err := range r.Batches(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if read := in.read.Load(); read > 1<<20 {
				t.Errorf("%d bytes read for a consumer that is at its first batch", read)
			}
			if r.Consumed() != 0 {
				t.Errorf("%d bytes consumed before the first batch is", r.Consumed())
			}
			break
		}
	})
}

func TestConsumedFollowsTheConsumer(t *testing.T) {
	content := stream(2000)
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			r := event.NewReader(strings.NewReader(content), "events.jsonl")
			events := 0
			for batch, err := range way.read(t.Context(), r) {
				if err != nil {
					t.Fatal(err)
				}
				if want := lengthOfLines(content, events); r.Consumed() != want {
					t.Fatalf("%d bytes consumed after %d events, want %d", r.Consumed(), events, want)
				}
				events += len(batch)
			}
			if r.Consumed() != int64(len(content)) {
				t.Errorf("%d bytes consumed of %d", r.Consumed(), len(content))
			}
		})
	}
}

// lengthOfLines returns how many bytes the first n lines of the content have.
func lengthOfLines(content string, n int) int64 {
	rest := []byte(content)
	for range n {
		_, rest, _ = bytes.Cut(rest, []byte("\n"))
	}
	return int64(len(content) - len(rest))
}
