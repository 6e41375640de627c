package replay_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"recoup/event"
	"recoup/internal/replay"
	"recoup/program"
	"recoup/reward"
)

// played is a replay with all that it writes.
type played struct {
	*replay.Result
	outcomes, journal bytes.Buffer
}

// play replays lines of events.
func play(t *testing.T, p *reward.Program, until reward.Instant, lines string) *played {
	t.Helper()
	out := new(played)
	var err error
	out.Result, err = replay.Run(context.Background(), event.NewReader(strings.NewReader(lines), "events.jsonl"), replay.Options{
		Program: p, Until: until, Outcomes: &out.outcomes, Journal: &out.journal,
	})
	if err != nil {
		t.Fatal(err)
	}
	if found := out.Store.Check(); len(found) > 0 {
		t.Fatal(found)
	}
	return out
}

func (p *played) state(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.WriteState(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// line is an event of account a on that day of 2026, such as "01-05".
func line(id, kind, day, data string) string {
	return `{"specversion":"1.0","id":"` + id + `","source":"core","type":"` + kind + `","time":"2026-` + day + `T10:00:00Z","subject":"a","data":{` + data + "}}\n"
}

func on(month time.Month, day int) reward.Instant {
	return reward.At(time.Date(2026, month, day, 0, 0, 0, 0, time.UTC))
}

func parseProgram(t *testing.T, text string) *reward.Program {
	t.Helper()
	p, err := program.Parse("program.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// values reads one JSON value, or one a line. Numbers stay as they are written.
func values(t *testing.T, text []byte) []any {
	t.Helper()
	var list []any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	for d.More() {
		var v any
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
	return list
}

// TestConformanceCases replays the conformance cases from bytes to bytes.
func TestConformanceCases(t *testing.T) {
	var folders []string
	for sort, count := range map[string]int{"cases": 200, "cases-terms": 120, "cases-items": 31, "cases-links": 17} {
		list, err := filepath.Glob("../../testdata/" + sort + "/*/program.yaml")
		if err != nil || len(list) != count {
			t.Fatalf("%d conformance cases in %s, want %d: %v", len(list), sort, count, err)
		}
		folders = append(folders, list...)
	}
	until := reward.At(time.Date(2027, 6, 1, 0, 0, 0, 0, time.UTC))
	for _, programFile := range folders {
		folder := filepath.Dir(programFile)
		t.Run(filepath.Base(filepath.Dir(folder))+" "+filepath.Base(folder), func(t *testing.T) {
			read := func(name string) []byte {
				text, err := os.ReadFile(filepath.Join(folder, name))
				if err != nil {
					t.Fatal(err)
				}
				return text
			}
			p, err := program.Load(programFile)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, p, until, string(read("events.jsonl")))
			compare(t, "outcome", values(t, got.outcomes.Bytes()), values(t, read("outcomes.jsonl")))
			compare(t, "account", accountsOf(t, []byte(got.state(t))), accountsOf(t, read("expected.json")))
		})
	}
}

func accountsOf(t *testing.T, state []byte) []any {
	t.Helper()
	list := values(t, state)
	if len(list) != 1 {
		t.Fatalf("%d JSON values, want one", len(list))
	}
	return list[0].(map[string]any)["accounts"].([]any)
}

func compare(t *testing.T, what string, got, want []any) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d %ss, want %d", len(got), what, len(want))
	}
	for i := range want {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Fatalf("%s %d is\n%v, want\n%v", what, i+1, got[i], want[i])
		}
	}
}

// TestUntil moves the accounts on after their last event, which closes the cycle
// that a purchase under a program of statement grants waits for.
func TestUntil(t *testing.T) {
	p := parseProgram(t, "{id: p, currency: USD, timing: {grant: statement, clawback: refund}, redemption: {grace_days: 5}, rules: [{id: all, rate: 1%}]}")
	purchase := line("e1", "transaction.settled", "01-05", `"transaction":"t1","amount":10000,"currency":"USD"`)
	for _, c := range []struct {
		name      string
		until     reward.Instant
		balance   int64
		holdUntil reward.Instant
	}{
		{"not given", 0, 0, 0},
		{"before the last event", on(time.January, 1), 0, 0},
		{"an instant before the close", on(time.February, 1) - 1, 0, 0},
		{"at the close", on(time.February, 1), 100, on(time.February, 6)},
		{"in a later cycle", on(time.May, 20), 100, on(time.May, 6)},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := play(t, p, c.until, purchase).Store.Account("a").State()
			if s.Balance != c.balance || s.HoldUntil != c.holdUntil {
				t.Errorf("balance %d, held until %v; want %d, %v", s.Balance, s.HoldUntil, c.balance, c.holdUntil)
			}
		})
	}
}

func TestOutcomesAreCounted(t *testing.T) {
	purchase := line("e1", "transaction.settled", "01-05", `"transaction":"t1","amount":10000,"currency":"USD"`)
	nothing := line("e2", "transaction.settled", "01-05", `"transaction":"t2","amount":0,"currency":"USD"`)
	r := play(t, program.Everyday(), 0, purchase+purchase+nothing+nothing+purchase)
	want := map[reward.Result]int64{
		{Outcome: reward.Applied}:                              1,
		{Outcome: reward.Duplicate}:                            2,
		{Outcome: reward.Rejected, Code: reward.InvalidAmount}: 2,
	}
	if r.Events != 5 || !reflect.DeepEqual(r.Outcomes, want) {
		t.Errorf("%d events came to %v, want 5 and %v", r.Events, r.Outcomes, want)
	}
}

func TestABadLineEndsTheReplay(t *testing.T) {
	purchase := line("e1", "transaction.settled", "01-05", `"transaction":"t1","amount":10000,"currency":"USD"`)
	in := event.NewReader(strings.NewReader(purchase+strings.Replace(purchase, "10000", `"x"`, 1)), "events.jsonl")
	r, err := replay.Run(context.Background(), in, replay.Options{Program: program.Everyday()})
	var bad *event.Error
	if r != nil || !errors.As(err, &bad) || bad.File != "events.jsonl" || bad.Line != 2 || bad.Member != "data.amount" {
		t.Errorf("result %v, error %v", r, err)
	}
}

func TestACancelledReplayEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	in := event.NewReader(strings.NewReader(line("e1", "account.closed", "01-05", "")), "events.jsonl")
	if r, err := replay.Run(ctx, in, replay.Options{Program: program.Everyday()}); r != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("result %v, error %v", r, err)
	}
}

// full is a writer without room.
type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestAFullDiskIsAnError(t *testing.T) {
	purchase := line("e1", "transaction.settled", "01-05", `"transaction":"t1","amount":10000,"currency":"USD"`)
	parked := line("e2", "refund.posted", "01-05", `"refund":"r1","transaction":"t9","amount":10000,"currency":"USD"`)
	replayTo := func(o replay.Options) error {
		o.Program = program.Everyday()
		_, err := replay.Run(context.Background(), event.NewReader(strings.NewReader(purchase), "events.jsonl"), o)
		return err
	}
	for name, err := range map[string]error{
		"outcomes": replayTo(replay.Options{Outcomes: full{}}),
		"journal":  replayTo(replay.Options{Journal: full{}}),
		"state":    play(t, program.Everyday(), 0, purchase).WriteState(full{}),
		"reviews":  play(t, program.Everyday(), 0, purchase+parked).WriteReviews(full{}),
		"table":    play(t, program.Everyday(), 0, purchase).WriteTable(full{}),
	} {
		if !errors.Is(err, errFull) {
			t.Errorf("%s: error %v, want %v", name, err, errFull)
		}
	}
}
