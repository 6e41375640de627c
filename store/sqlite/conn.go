package sqlite

import (
	"fmt"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	lib "modernc.org/sqlite/lib"
)

// conn is one connection, used by one goroutine at a time. It speaks to SQLite
// without database/sql between them: a unit of work is thousands of small
// statements, each prepared once, whose parameters are copied into memory of the
// connection and whose rows are read in place.
type conn struct {
	tls        *libc.TLS
	db         uintptr
	statements map[string]*statement
	arena      arena
	// frames is where SQLite writes, after each commit of this connection, how
	// many pages the write-ahead log holds.
	frames *int64
}

// pointer turns an address of memory that SQLite owns into a pointer.
func pointer(address uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&address)) }

// openConn opens a connection and executes statements on it.
func openConn(path string, setup ...string) (*conn, error) {
	if err := registerVFS(); err != nil {
		return nil, err
	}
	c := &conn{tls: libc.NewTLS(), statements: make(map[string]*statement)}
	name, err := libc.CString(path)
	if err != nil {
		return nil, err
	}
	defer libc.Xfree(c.tls, name)
	vfs, err := libc.CString(vfsName)
	if err != nil {
		return nil, err
	}
	defer libc.Xfree(c.tls, vfs)
	handle := libc.Xmalloc(c.tls, 8)
	defer libc.Xfree(c.tls, handle)
	code := lib.Xsqlite3_open_v2(c.tls, name, handle, lib.SQLITE_OPEN_READWRITE|lib.SQLITE_OPEN_CREATE|lib.SQLITE_OPEN_NOMUTEX, vfs)
	c.db = *(*uintptr)(pointer(handle))
	if code != lib.SQLITE_OK {
		err := c.failed(code)
		c.close()
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	lib.Xsqlite3_extended_result_codes(c.tls, c.db, 1)
	for _, s := range setup {
		if err := c.exec(s); err != nil {
			c.close()
			return nil, fmt.Errorf("open %s: %s: %w", path, s, err)
		}
	}
	return c, nil
}

// close releases everything. The connection may be half open.
func (c *conn) close() {
	for _, s := range c.statements {
		lib.Xsqlite3_finalize(c.tls, s.handle)
	}
	if c.db != 0 {
		lib.Xsqlite3_close_v2(c.tls, c.db)
	}
	if c.frames != nil {
		libc.Xfree(c.tls, uintptr(unsafe.Pointer(c.frames)))
	}
	c.arena.release(c.tls)
	c.tls.Close()
}

// countFrames has c.frames set after each commit.
func (c *conn) countFrames() {
	at := libc.Xmalloc(c.tls, 8)
	c.frames = (*int64)(pointer(at))
	*c.frames = 0
	hook := func(_ *libc.TLS, frames, _, _ uintptr, n int32) int32 {
		*(*int64)(pointer(frames)) = int64(n)
		return lib.SQLITE_OK
	}
	lib.Xsqlite3_wal_hook(c.tls, c.db, address(hook), at)
}

// address is by what SQLite calls a Go function, which must not be a closure, for
// SQLite does not keep it from being collected.
func address[F any](f F) uintptr { return *(*uintptr)(unsafe.Pointer(&f)) }

// exec executes statements that need no parameters and whose rows do not matter.
func (c *conn) exec(sql string) error {
	text, err := libc.CString(sql)
	if err != nil {
		return err
	}
	defer libc.Xfree(c.tls, text)
	return c.failed(lib.Xsqlite3_exec(c.tls, c.db, text, 0, 0, 0))
}

// inTransaction reports whether a transaction is open.
func (c *conn) inTransaction() bool { return lib.Xsqlite3_get_autocommit(c.tls, c.db) == 0 }

// rollback ends a transaction that is not to be kept, if SQLite has not done so
// itself.
func (c *conn) rollback() error {
	if !c.inTransaction() {
		return nil
	}
	return c.query(`ROLLBACK`).run()
}

// statement is a prepared statement in use: it is given its parameters in order,
// stepped through, and ended. The first error stays and is returned by end.
type statement struct {
	conn      *conn
	handle    uintptr
	parameter int32
	err       error
}

// query takes a statement into use. One text is in use once at a time.
func (c *conn) query(sql string) *statement {
	s := c.statements[sql]
	if s == nil {
		s = &statement{conn: c}
		if s.err = s.prepare(sql); s.err != nil {
			return s
		}
		c.statements[sql] = s
	}
	s.parameter, s.err = 0, nil
	return s
}

func (s *statement) prepare(sql string) error {
	c := s.conn
	text, err := libc.CString(sql)
	if err != nil {
		return err
	}
	defer libc.Xfree(c.tls, text)
	handle := libc.Xmalloc(c.tls, 8)
	defer libc.Xfree(c.tls, handle)
	if err := c.failed(lib.Xsqlite3_prepare_v3(c.tls, c.db, text, -1, lib.SQLITE_PREPARE_PERSISTENT, handle, 0)); err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	s.handle = *(*uintptr)(pointer(handle))
	return nil
}

func (s *statement) bound(code int32) *statement {
	if code != lib.SQLITE_OK {
		s.err = s.conn.failed(code)
	}
	return s
}

// int gives the next parameter.
func (s *statement) int(v int64) *statement {
	if s.err != nil {
		return s
	}
	s.parameter++
	return s.bound(lib.Xsqlite3_bind_int64(s.conn.tls, s.handle, s.parameter, v))
}

// optional gives the next parameter, NULL for zero.
func (s *statement) optional(v int64) *statement {
	if v != 0 || s.err != nil {
		return s.int(v)
	}
	s.parameter++
	return s.bound(lib.Xsqlite3_bind_null(s.conn.tls, s.handle, s.parameter))
}

// text gives the next parameter.
func (s *statement) text(v string) *statement {
	if s.err != nil {
		return s
	}
	s.parameter++
	at := s.conn.arena.put(s.conn.tls, unsafe.Slice(unsafe.StringData(v), len(v)))
	return s.bound(lib.Xsqlite3_bind_text(s.conn.tls, s.handle, s.parameter, at, int32(len(v)), 0))
}

// blob gives the next parameter, NULL for nil.
func (s *statement) blob(v []byte) *statement {
	if s.err != nil {
		return s
	}
	s.parameter++
	if v == nil {
		return s.bound(lib.Xsqlite3_bind_null(s.conn.tls, s.handle, s.parameter))
	}
	at := s.conn.arena.put(s.conn.tls, v)
	return s.bound(lib.Xsqlite3_bind_blob(s.conn.tls, s.handle, s.parameter, at, int32(len(v)), 0))
}

// next moves on to the next row and reports whether there is one.
func (s *statement) next() bool {
	if s.err != nil {
		return false
	}
	switch code := lib.Xsqlite3_step(s.conn.tls, s.handle); code {
	case lib.SQLITE_ROW:
		return true
	case lib.SQLITE_DONE:
	default:
		s.err = s.conn.failed(code)
	}
	return false
}

// end makes the statement ready to be used again, and returns what went wrong.
// Values of rows that were not copied are gone.
func (s *statement) end() error {
	if s.handle != 0 {
		lib.Xsqlite3_reset(s.conn.tls, s.handle)
	}
	s.conn.arena.reset(s.conn.tls)
	return s.err
}

// run executes a statement whose rows, if any, do not matter.
func (s *statement) run() error {
	for s.next() {
	}
	return s.end()
}

// isNull reports whether a column of the row is NULL.
func (s *statement) isNull(column int32) bool {
	return lib.Xsqlite3_column_type(s.conn.tls, s.handle, column) == lib.SQLITE_NULL
}

// intAt returns a column of the row, 0 for NULL.
func (s *statement) intAt(column int32) int64 {
	return lib.Xsqlite3_column_int64(s.conn.tls, s.handle, column)
}

// textAt returns a copy of a column of the row.
func (s *statement) textAt(column int32) string {
	at := lib.Xsqlite3_column_text(s.conn.tls, s.handle, column)
	n := lib.Xsqlite3_column_bytes(s.conn.tls, s.handle, column)
	return string(unsafe.Slice((*byte)(pointer(at)), n))
}

// blobAt returns a copy of a column of the row, nil for NULL.
func (s *statement) blobAt(column int32) []byte {
	if s.isNull(column) {
		return nil
	}
	at := lib.Xsqlite3_column_blob(s.conn.tls, s.handle, column)
	n := lib.Xsqlite3_column_bytes(s.conn.tls, s.handle, column)
	b := make([]byte, n)
	copy(b, unsafe.Slice((*byte)(pointer(at)), n))
	return b
}

// arena is memory outside of Go's for the parameters of one statement.
type arena struct {
	block uintptr
	size  int
	used  int
	full  []uintptr // blocks that became too small while parameters lie in them
}

const smallestArena = 64 << 10

// put copies bytes to where they stay until the next reset.
func (a *arena) put(tls *libc.TLS, b []byte) uintptr {
	if a.used+len(b) > a.size || a.block == 0 {
		if a.block != 0 {
			a.full = append(a.full, a.block)
		}
		a.size = max(smallestArena, 2*a.size, 2*len(b))
		a.block, a.used = libc.Xmalloc(tls, types.Size_t(a.size)), 0
		if a.block == 0 {
			panic("sqlite: no memory for the parameters of a statement")
		}
	}
	at := a.block + uintptr(a.used)
	copy(unsafe.Slice((*byte)(pointer(at)), len(b)), b)
	a.used += len(b)
	return at
}

func (a *arena) reset(tls *libc.TLS) {
	for _, block := range a.full {
		libc.Xfree(tls, block)
	}
	a.full, a.used = a.full[:0], 0
}

func (a *arena) release(tls *libc.TLS) {
	a.reset(tls)
	if a.block != 0 {
		libc.Xfree(tls, a.block)
	}
}
