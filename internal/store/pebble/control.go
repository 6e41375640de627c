package pebble

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"

	"recoup/internal/store/record"
)

// While a process holds a folder, others reach it through a socket in it: they read
// accounts in a checkpoint that the holder makes for them, and records through the
// holder, which also changes them. Who may open the folder may open the socket.
const socketName = "control.sock"

// page is how many records one answer has.
const page = 256

// query asks for records of a span of a table, up to limit of them.
type query struct {
	View  string `json:"view"` // the snapshot to read
	Table []byte `json:"table"`
	From  []byte `json:"from"`
	To    []byte `json:"before"`
	Back  bool   `json:"reversed"`
	Limit int    `json:"limit"`
	Sum   []byte `json:"sum,omitempty"` // of the answer that was given before
}

// answer is what was asked for. More: there may be more in the span.
type answer struct {
	Records []row  `json:"records"`
	More    bool   `json:"more"`
	Sum     []byte `json:"sum"` // of the records
}

// row is a record of some table; Gone: it is to be deleted.
type row struct {
	Table []byte `json:"table,omitempty"`
	Key   []byte `json:"key"`
	Value []byte `json:"value,omitempty"`
	Gone  bool   `json:"gone,omitempty"`
}

// changes are what to write if what was read is still so.
type changes struct {
	Read  []query `json:"read"`
	Write []row   `json:"write"`
}

// heldFor is what the holder keeps for as long as the request for it lasts.
type heldFor struct {
	View   string `json:"view,omitempty"`
	Folder string `json:"folder,omitempty"`
	Error  string `json:"error,omitempty"`
}

// ask answers a query.
func ask(ctx context.Context, r record.Reader, q query) (answer, error) {
	a := answer{Records: []row{}}
	sum := sha256.New()
	span := record.Span{From: string(q.From), Before: string(q.To), Reversed: q.Back}
	err := r.Scan(ctx, string(q.Table), span, func(key string, value []byte) (bool, error) {
		if len(a.Records) == q.Limit {
			a.More = true
			return false, nil
		}
		a.Records = append(a.Records, row{Key: []byte(key), Value: append([]byte{}, value...)})
		addTo(sum, []byte(key))
		addTo(sum, value)
		return true, nil
	})
	if a.More {
		sum.Write([]byte{1})
	}
	a.Sum = sum.Sum(nil)
	return a, err
}

func addTo(sum hash.Hash, text []byte) {
	fmt.Fprintf(sum, "%d:", len(text))
	sum.Write(text)
}

// control serves other processes.
type control struct {
	db    *DB
	mu    sync.Mutex
	views map[string]record.Reader
}

// Door is where other processes come in.
type Door struct {
	db       *DB
	listener net.Listener
	path     string
	done     func() error
}

// Listen opens the door: from then on other processes find it, and are answered once Serve
// runs, which must.
func (db *DB) Listen() (_ *Door, err error) {
	if err := db.enter(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			db.gate.leave()
		}
	}()
	path, done, err := socketPath(db.dir)
	if err != nil {
		return nil, err
	}
	listener, err := listen(path)
	if err != nil {
		return nil, errors.Join(err, done())
	}
	return &Door{db: db, listener: listener, path: path, done: done}, nil
}

// Serve lets other processes in until the context ends or the database is closed.
func (d *Door) Serve(ctx context.Context) error {
	defer d.db.gate.leave()
	defer d.done()
	defer os.Remove(d.path)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := &control{db: d.db, views: make(map[string]record.Reader)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /snapshot", c.snapshot)
	mux.HandleFunc("POST /view", c.view)
	mux.HandleFunc("POST /read", c.read)
	mux.HandleFunc("POST /change", c.change)
	mux.HandleFunc("POST /ping", c.ping)
	mux.HandleFunc("POST /try", c.try)
	mux.HandleFunc("POST /replace", c.replace)
	mux.HandleFunc("POST /purge", c.purge)
	server := &http.Server{Handler: mux, BaseContext: func(net.Listener) context.Context { return ctx }}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(d.listener) }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
	case <-d.db.closing:
	}
	cancel() // who holds a view lets go of it
	return errors.Join(err, server.Shutdown(context.Background()))
}

// listen makes the socket under another name, so that it is there only once somebody
// answers.
func listen(path string) (net.Listener, error) {
	fresh := path + ".new"
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err // left by a process that was killed
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: fresh, Net: "unix"})
	if err != nil {
		return nil, err
	}
	listener.SetUnlinkOnClose(false)
	if err := errors.Join(os.Chmod(fresh, 0o600), os.Rename(fresh, path)); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return listener, nil
}

// socketPath is a path of the socket in a folder that is short enough for one.
func socketPath(dir string) (path string, done func() error, err error) {
	path = filepath.Join(dir, socketName)
	if len(path) < 100 { // the system has 108 bytes for it
		return path, func() error { return nil }, nil
	}
	folder, err := os.Open(dir)
	if err != nil {
		return "", nil, err
	}
	return fmt.Sprintf("/proc/self/fd/%d/%s", folder.Fd(), socketName), folder.Close, nil
}

func (c *control) snapshot(w http.ResponseWriter, r *http.Request) {
	dir, remove, err := c.db.snapshot()
	if err != nil {
		refuse(w, err)
		return
	}
	defer remove() // what is left is removed when the database is opened
	hold(w, r, heldFor{Folder: filepath.Base(dir)})
}

func (c *control) view(w http.ResponseWriter, r *http.Request) {
	id := rand.Text()
	err := c.db.Read(r.Context(), func(from record.Reader) error {
		c.mu.Lock()
		c.views[id] = from
		c.mu.Unlock()
		hold(w, r, heldFor{View: id})
		c.mu.Lock()
		delete(c.views, id)
		c.mu.Unlock()
		return nil
	})
	if err != nil {
		refuse(w, err)
	}
}

// hold tells what there is and waits until the client goes.
func hold(w http.ResponseWriter, r *http.Request, what heldFor) {
	if json.NewEncoder(w).Encode(what) == nil && http.NewResponseController(w).Flush() == nil {
		<-r.Context().Done()
	}
}

func refuse(w http.ResponseWriter, err error) {
	w.WriteHeader(http.StatusInternalServerError)
	json.NewEncoder(w).Encode(heldFor{Error: err.Error()})
}

func (c *control) read(w http.ResponseWriter, r *http.Request) {
	var q query
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		refuse(w, err)
		return
	}
	a, err := c.ask(r.Context(), q)
	if err != nil {
		refuse(w, err)
		return
	}
	json.NewEncoder(w).Encode(a)
}

// ask answers from a view, which the lock keeps until it was read.
func (c *control) ask(ctx context.Context, q query) (answer, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	from, there := c.views[q.View]
	if !there {
		return answer{}, errors.New("the view has ended")
	}
	return ask(ctx, from, q)
}

// errChanged: what a change has read is not so any more.
var errChanged = errors.New("what was read has changed")

func (c *control) change(w http.ResponseWriter, r *http.Request) {
	var wanted changes
	if err := json.NewDecoder(r.Body).Decode(&wanted); err != nil {
		refuse(w, err)
		return
	}
	err := c.db.Change(r.Context(), func(tx record.Tx) error {
		for _, q := range wanted.Read {
			a, err := ask(r.Context(), tx, q)
			if err != nil {
				return err
			}
			if string(a.Sum) != string(q.Sum) {
				return errChanged
			}
		}
		for _, x := range wanted.Write {
			if x.Gone {
				tx.Delete(string(x.Table), string(x.Key))
			} else {
				tx.Put(string(x.Table), string(x.Key), x.Value)
			}
		}
		return nil
	})
	switch {
	case errors.Is(err, errChanged):
		w.WriteHeader(http.StatusConflict)
	case err != nil:
		refuse(w, err)
	}
}

func (c *control) try(w http.ResponseWriter, r *http.Request) {
	if err := c.db.TryWrite(r.Context()); err != nil {
		refuse(w, err)
	}
}

func (c *control) ping(w http.ResponseWriter, r *http.Request) {
	if err := c.db.Ping(r.Context()); err != nil {
		refuse(w, err)
	}
}
