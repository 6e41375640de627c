package pebble

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"recoup/internal/store"
	"recoup/internal/store/durable"
	"recoup/internal/store/record"
)

// Attached is a database that another process holds. Its accounts are read as they were
// when they were first asked for; its records are read and changed as they are.
type Attached struct {
	dir    string
	client *http.Client

	mu      sync.Mutex
	closed  bool
	reading *DB // the checkpoint; nil until there is one
	release func() error
}

var _ durable.Driver = (*Attached)(nil)

// Attach reaches the database in a folder through the process that holds it.
func Attach(ctx context.Context, dir string) (*Attached, error) {
	if _, err := os.Stat(filepath.Join(dir, socketName)); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no process that holds %s lets others in", dir)
	}
	a := &Attached{dir: dir}
	a.client = &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		path, done, err := socketPath(dir)
		if err != nil {
			return nil, err
		}
		defer done()
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}}
	if err := a.Ping(ctx); err != nil {
		return nil, fmt.Errorf("attach to %s: %w", dir, err)
	}
	return a, nil
}

// post sends a request to the holder. What it answers is the caller's to close.
func (a *Attached) post(ctx context.Context, path string, body any) (*http.Response, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://holder"+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	answer, err := a.client.Do(r)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &store.Failure{Reach: store.Database, Err: fmt.Errorf("the process that holds %s does not answer: %w", a.dir, err)}
	}
	if answer.StatusCode == http.StatusInternalServerError {
		defer answer.Body.Close()
		var what heldFor
		if err := json.NewDecoder(answer.Body).Decode(&what); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("the process that holds %s says: %s", a.dir, what.Error)
	}
	return answer, nil
}

// hold asks the holder to keep something until release is called.
func (a *Attached) hold(ctx context.Context, path string) (what heldFor, release func() error, err error) {
	ctx, cancel := context.WithCancel(ctx)
	held, err := a.post(ctx, path, nil)
	if err != nil {
		cancel()
		return what, nil, err
	}
	release = func() error {
		cancel()
		io.Copy(io.Discard, held.Body) // until the holder has let go, or at least knows
		return held.Body.Close()
	}
	if err := json.NewDecoder(held.Body).Decode(&what); err != nil {
		return what, nil, errors.Join(err, release())
	}
	return what, release, nil
}

// Ping implements durable.Driver.
func (a *Attached) Ping(ctx context.Context) error {
	answer, err := a.post(ctx, "/ping", nil)
	if err != nil {
		return err
	}
	return answer.Body.Close()
}

// TryWrite implements durable.Driver: whether the holder can write.
func (a *Attached) TryWrite(ctx context.Context) error {
	answer, err := a.post(ctx, "/try", nil)
	if err != nil {
		return err
	}
	return answer.Body.Close()
}

// Presumes implements durable.Driver.
func (a *Attached) Presumes() bool { return false }

// Update implements durable.Driver: it refuses.
func (a *Attached) Update(context.Context, func(durable.Tx) error) error {
	return fmt.Errorf("%s is held by another process, and only that one can change accounts: send it the events, or stop it", a.dir)
}

// View implements durable.Driver.
func (a *Attached) View(ctx context.Context, f func(durable.Reader) error) error {
	db, err := a.checkpoint(ctx)
	if err != nil {
		return err
	}
	return db.View(ctx, f)
}

// Inspect implements durable.Driver.
func (a *Attached) Inspect(ctx context.Context, f func(durable.Inspector) error) error {
	db, err := a.checkpoint(ctx)
	if err != nil {
		return err
	}
	return db.Inspect(ctx, f)
}

// checkpoint has the holder make a checkpoint the first time that one is needed.
func (a *Attached) checkpoint(ctx context.Context) (*DB, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return nil, ErrClosed
	}
	if a.reading != nil {
		return a.reading, nil
	}
	what, release, err := a.hold(context.WithoutCancel(ctx), "/snapshot")
	if err != nil {
		return nil, err
	}
	if a.reading, err = openSnapshot(filepath.Join(a.dir, "snapshots", what.Folder), Options{}); err != nil {
		return nil, errors.Join(err, release())
	}
	a.release = release
	return a.reading, nil
}

// Close implements durable.Driver.
func (a *Attached) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	defer a.client.CloseIdleConnections()
	if a.reading == nil {
		return nil
	}
	err := errors.Join(a.reading.close(), a.release())
	a.reading = nil
	return err
}

// Backup is DB.Backup.
func (a *Attached) Backup(ctx context.Context, target string) error {
	return backup(ctx, target, a.snapshot)
}

// Follow is DB.Follow.
func (a *Attached) Follow(ctx context.Context, target string, every time.Duration, tell func(error)) error {
	return follow(ctx, every, func() error { return a.Backup(ctx, target) }, tell)
}

// snapshot has the holder make a checkpoint to be copied.
func (a *Attached) snapshot(ctx context.Context, use func(dir string) error) error {
	what, release, err := a.hold(ctx, "/snapshot")
	if err != nil {
		return err
	}
	return errors.Join(use(filepath.Join(a.dir, "snapshots", what.Folder)), release())
}

// Checkpoint is DB.Checkpoint.
func (a *Attached) Checkpoint(ctx context.Context, dir string) error {
	return a.snapshot(ctx, func(from string) error { return copyLedger(ctx, from, dir) })
}

// Read implements record.Store.
func (a *Attached) Read(ctx context.Context, f func(record.Reader) error) (err error) {
	v, err := a.view(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.release()) }()
	return f(v)
}

// Change implements record.Store. What f reads is sent along with what it writes, and f
// is run again if it is not so any more.
func (a *Attached) Change(ctx context.Context, f func(record.Tx) error) error {
	pause := time.Millisecond
	for n := 1; ; n++ {
		err := a.changeOnce(ctx, f)
		if !errors.Is(err, errChanged) {
			return err
		}
		if n == 20 {
			return &store.Failure{Reach: store.Busy, Err: fmt.Errorf("after %d times: %w", n, err)}
		}
		if err := sleep(ctx, pause); err != nil {
			return err
		}
		pause = min(2*pause, 50*time.Millisecond)
	}
}

func (a *Attached) changeOnce(ctx context.Context, f func(record.Tx) error) (err error) {
	v, err := a.view(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.release()) }()
	if err := f(v); err != nil {
		return err
	}
	if len(v.written) == 0 {
		return nil
	}
	answer, err := a.post(ctx, "/change", changes{v.read, v.rows()})
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusConflict {
		return errChanged
	}
	return nil
}

func (a *Attached) view(ctx context.Context) (*remoteView, error) {
	what, release, err := a.hold(ctx, "/view")
	if err != nil {
		return nil, err
	}
	return &remoteView{a: a, id: what.View, release: release, written: make(map[string]map[string][]byte)}, nil
}
