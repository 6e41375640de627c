package extract

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"time"

	"github.com/parquet-go/parquet-go"

	"recoup/event"
	"recoup/internal/store/durable"
	"recoup/ledger"
	"recoup/reward"
)

// exportRun is one run of an export.
type exportRun struct {
	folder   string
	number   int64
	before   *standings
	met      int // of the accounts that there were before
	accounts *tableFile[accountRow]
	entries  *tableFile[entryRow]
	events   *tableFile[eventRow]
	decoder  *event.Decoder
	postings []reward.Posting
	counts   Counts
}

func (r *exportRun) begin() (err error) {
	r.decoder = event.NewDecoder()
	if r.accounts, err = newTable[accountRow](r.folder, "accounts", r.number); err != nil {
		return err
	}
	if r.entries, err = newTable[entryRow](r.folder, "entries", r.number); err != nil {
		return err
	}
	r.events, err = newTable[eventRow](r.folder, "events", r.number)
	return err
}

func (r *exportRun) standing(v *durable.Standing, has durable.Had) error {
	if r.before.has(v.Account) {
		r.met++
	}
	r.counts.Accounts++
	return r.accounts.add(accountOf(v, has))
}

func (r *exportRun) logged(row *durable.EventRow) error {
	failed := func(err error) error {
		return fmt.Errorf("account %q, event %d: %w", row.Account, row.Sequence, err)
	}
	var e reward.Event
	if err := r.decoder.Decode(row.Event, &e); err != nil {
		return failed(err)
	}
	if err := r.events.add(eventOf(row, &e)); err != nil {
		return failed(err)
	}
	r.counts.Events++
	var err error
	if r.postings, err = ledger.ParsePostings(row.Postings, row.Account, r.postings[:0]); err != nil {
		return failed(err)
	}
	for i := range r.postings {
		if err := r.entries.add(entryOf(row, &r.postings[i])); err != nil {
			return failed(err)
		}
		r.counts.Entries++
	}
	return nil
}

// finish ends the files, makes them durable and gives them their names.
func (r *exportRun) finish(at time.Time) (done manifestRun, err error) {
	done = manifestRun{Run: r.number, At: at.UTC().Format(time.RFC3339)}
	for _, t := range []interface {
		keep() (manifestFile, bool, error)
	}{r.accounts, r.entries, r.events} {
		f, there, err := t.keep()
		if err != nil {
			return done, err
		}
		if there {
			done.Files = append(done.Files, f)
		}
	}
	return done, nil
}

// discard lets go of what was not finished.
func (r *exportRun) discard() {
	r.accounts.discard()
	r.entries.discard()
	r.events.discard()
}

// rowsInGroup is how many rows are in memory before they are written.
const rowsInGroup = 50_000

// tableFile is a file of a table that is being written.
type tableFile[Row any] struct {
	folder, table, name string
	file                *os.File
	writer              *parquet.GenericWriter[Row]
	one                 [1]Row
	rows                int64
}

func newTable[Row any](folder, table string, run int64) (*tableFile[Row], error) {
	t := &tableFile[Row]{folder: folder, table: table, name: fileOf(table, run)}
	if err := os.MkdirAll(filepath.Join(folder, table), 0o700); err != nil {
		return nil, err
	}
	var err error
	if t.file, err = os.OpenFile(t.path()+partEnding, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600); err != nil {
		return nil, err
	}
	t.writer = parquet.NewGenericWriter[Row](t.file, parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(rowsInGroup), parquet.CreatedBy("recoup", "", ""))
	return t, nil
}

func (t *tableFile[Row]) path() string { return filepath.Join(t.folder, t.name) }

func (t *tableFile[Row]) add(row Row) error {
	t.one[0] = row
	t.rows++
	_, err := t.writer.Write(t.one[:])
	return err
}

// keep finishes the file, unless it has no rows.
func (t *tableFile[Row]) keep() (f manifestFile, there bool, err error) {
	if t.rows == 0 && t.table != "accounts" {
		return f, false, nil // discard removes it
	}
	if err := errors.Join(t.writer.Close(), t.file.Sync(), t.file.Close()); err != nil {
		return f, false, fmt.Errorf("%s: %w", t.name, err)
	}
	t.file = nil
	if err := os.Rename(t.path()+partEnding, t.path()); err != nil {
		return f, false, err
	}
	return manifestFile{t.table, t.name, t.rows}, true, syncFolder(filepath.Dir(t.path()))
}

func (t *tableFile[Row]) discard() {
	if t != nil && t.file != nil {
		_ = t.file.Close()
		_ = removeAll(t.path() + partEnding)
	}
}

// standings are the accounts of the run before, by name.
type standings struct {
	names []string // in byte order
	upTo  []durable.Had
}

func (s *standings) len() int { return len(s.names) }

func (s *standings) has(account string) bool {
	at := sort.SearchStrings(s.names, account)
	return at < len(s.names) && s.names[at] == account
}

func (s *standings) had(account string) durable.Had {
	if at := sort.SearchStrings(s.names, account); at < len(s.names) && s.names[at] == account {
		return s.upTo[at]
	}
	return durable.Had{}
}

// readStandings reads the accounts of the last run.
func readStandings(folder string, m *manifest) (*standings, error) {
	s := new(standings)
	for _, f := range m.current() {
		if f.Table != "accounts" {
			continue
		}
		if err := s.read(filepath.Join(folder, f.Name)); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		if int64(s.len()) != f.Rows || !sort.StringsAreSorted(s.names) {
			return nil, fmt.Errorf("%s: expected %d accounts by name, as the manifest has it, found %d", f.Name, f.Rows, s.len())
		}
	}
	return s, nil
}

func (s *standings) read(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	reader := parquet.NewGenericReader[accountRow](f)
	defer reader.Close()
	rows := make([]accountRow, 1000)
	for {
		n, err := reader.Read(rows)
		for i := range rows[:n] {
			s.names = append(s.names, rows[i].Account)
			s.upTo = append(s.upTo, durable.Had{Events: rows[i].Events, Last: rows[i].LastEvent})
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
