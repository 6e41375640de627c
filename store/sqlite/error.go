package sqlite

import (
	"errors"
	"fmt"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// ErrFull: there is no room for the database to grow. Nothing was changed, and
// the same work succeeds once there is.
var ErrFull = errors.New("no space is left for the database")

// failure is an error that SQLite reported.
type failure struct {
	code int32 // extended
	text string
}

func (f *failure) Error() string {
	advice := ""
	switch f.primary() {
	case lib.SQLITE_FULL:
		advice = ": free some space on its disk; nothing was changed, and work goes on as soon as there is room"
	case lib.SQLITE_IOERR:
		advice = ": the disk or file system failed; nothing was changed; see the system's log"
	case lib.SQLITE_READONLY, lib.SQLITE_PERM, lib.SQLITE_CANTOPEN:
		advice = ": the file and its folder must be writable for this user, and on a local disk"
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB:
		advice = ": the file is damaged or not a database of Recoup; restore it from a backup"
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		advice = ": another process holds the database"
	}
	return fmt.Sprintf("%s (SQLite code %d)%s", f.text, f.code, advice)
}

func (f *failure) primary() int32 { return f.code & 0xff }

// Is makes a full disk an ErrFull.
func (f *failure) Is(target error) bool { return target == ErrFull && f.primary() == lib.SQLITE_FULL }

// busy reports whether an error says that somebody else holds a lock.
func busy(err error) bool {
	var f *failure
	return errors.As(err, &f) && (f.primary() == lib.SQLITE_BUSY || f.primary() == lib.SQLITE_LOCKED)
}

// failed returns the error for a result code.
func (c *conn) failed(code int32) error {
	if code == lib.SQLITE_OK {
		return nil
	}
	if c.db == 0 {
		return &failure{code, libc.GoString(lib.Xsqlite3_errstr(c.tls, code))}
	}
	return &failure{code, libc.GoString(lib.Xsqlite3_errmsg(c.tls, c.db))}
}
