package e2e_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// largeLedger is a database with many accounts of ordinary size, one with very many
// events and one with many purchases, and some of what is in it.
type largeLedger struct {
	db string
	// ordinary, busy and long are purchases of ordinary accounts, of the account with
	// 2,000 of them, and of the one with 100,000 events, in order of time.
	ordinary, busy, long []purchase
	refunds              []string // of ordinary accounts
}

// purchase is a settled purchase.
type purchase struct{ account, id string }

// accountsOf are the accounts of purchases.
func accountsOf(list []purchase) (ids []string) {
	for _, p := range list {
		ids = append(ids, p.account)
	}
	return ids
}

// stream is made-up traffic.
type stream struct {
	name             string // of its one account, and before its ids; empty: as they are made
	accounts, events int
	keep             *[]purchase
	every            int // one purchase in so many is kept
	block            int // so many events come at once, as an export of a day has them
	returns          int // per mille of purchases
}

// ledgerDays is over how many days the traffic is spread, from ledgerStart on.
const (
	ledgerStart = "2025-03-01"
	ledgerDays  = 600
)

// newLargeLedger fills a database, unless it is there. The events of all accounts
// come in the order of their times, so that those of one lie far apart; the two
// large ones' come in blocks.
func newLargeLedger(t testing.TB, db string, there bool, accounts, events, longest int) *largeLedger {
	t.Helper()
	l := &largeLedger{db: db}
	streams := []stream{
		{"", accounts, events, &l.ordinary, max(1, events/2000), 1, 75},
		{"busy", 1, min(events, 3500), &l.busy, 20, 500, 75},
		// Unlinked refunds of an account with so many purchases take long to place.
		{"long", 1, longest, &l.long, max(1, longest/2000), 2000, 5},
	}
	var sources []*eventSource
	for i := range streams {
		sources = append(sources, l.source(t, &streams[i], uint64(i)+1))
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "events.jsonl"))
	noError(t, err)
	defer file.Close()
	out := bufio.NewWriterSize(file, 1<<20)
	for {
		var first *eventSource
		for _, s := range sources {
			if s.line != nil && (first == nil || s.time < first.time) {
				first = s
			}
		}
		if first == nil {
			break
		}
		_, err := out.Write(first.line)
		noError(t, err)
		l.note(t, first)
		first.next(t)
	}
	noError(t, out.Flush())
	if !there {
		if got := command(t, "load", "--db", db, "--program", everydayFile(t), file.Name()); got.code != 0 {
			t.Fatalf("recoup load exits %d\n%s", got.code, got.stderr)
		}
	}
	return l
}

// everydayFile is the program that a service has if it is given none.
func everydayFile(t testing.TB) string {
	t.Helper()
	return filepath.Join("..", "program", "everyday.yaml")
}

// eventSource is a stream at its next event.
type eventSource struct {
	*stream
	lines *bufio.Reader
	line  []byte // nil: there is no more
	time  string // of its block
	read  int
	event struct {
		Time, Type string
		Subject    string
		Data       struct{ Transaction, Refund string }
	}
	seen int // purchases
}

// source starts making up a stream.
func (l *largeLedger) source(t testing.TB, s *stream, seed uint64) *eventSource {
	t.Helper()
	cmd := exec.Command(recoup(t), "generate", "--accounts", strconv.Itoa(s.accounts), "--events", strconv.Itoa(s.events), "--seed", fmt.Sprint(seed),
		"--start", ledgerStart, "--days", strconv.Itoa(ledgerDays), "--returns", strconv.Itoa(s.returns), "--over-refunds", "100", "--program", everydayFile(t))
	pipe, err := cmd.StdoutPipe()
	noError(t, err)
	noError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	source := &eventSource{stream: s, lines: bufio.NewReaderSize(pipe, 1<<20)}
	source.next(t)
	return source
}

// idFields are the ids of a stream, after which its name comes.
var idFields = []string{`"id":"`, `"transaction":"`, `"refund":"`, `"redemption":"`, `"chargeback":"`}

// next goes to the next event.
func (s *eventSource) next(t testing.TB) {
	t.Helper()
	line, err := s.lines.ReadBytes('\n')
	if err == io.EOF {
		s.line = nil
		return
	}
	noError(t, err)
	if s.name != "" {
		line = bytes.Replace(line, []byte(`"subject":"acct-1"`), []byte(`"subject":"`+s.name+`"`), 1)
		for _, field := range idFields {
			line = bytes.Replace(line, []byte(field), []byte(field+s.name+"-"), 1)
		}
	}
	s.line = line
	noError(t, json.Unmarshal(line, &s.event))
	if s.read%s.block == 0 {
		s.time = s.event.Time
	}
	s.read++
}

// note keeps some of what goes into the database.
func (l *largeLedger) note(t testing.TB, s *eventSource) {
	t.Helper()
	e := &s.event
	switch e.Type {
	case "transaction.settled":
		if s.seen++; s.seen%s.every == 0 {
			*s.keep = append(*s.keep, purchase{e.Subject, e.Data.Transaction})
		}
	case "refund.posted":
		if s.name == "" && len(l.refunds) < 1000 {
			l.refunds = append(l.refunds, e.Data.Refund)
		}
	}
}
