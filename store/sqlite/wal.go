package sqlite

import (
	"errors"
	"sync"
	"unsafe"

	"modernc.org/libc"
	"modernc.org/libc/sys/types"
	lib "modernc.org/sqlite/lib"
)

// SQLite writes each page of a commit to the write-ahead log with two system
// calls, one for a header of 24 bytes and one for the page. That is a third of
// the time that a commit takes. The file system below is SQLite's own, except
// that it joins adjoining writes to the log and hands them on together.
//
// What was written is handed on before the log is synced, read, measured,
// shortened or closed. Nothing is durable sooner or later than it would be
// otherwise: a commit syncs the log (synchronous=FULL) before it tells anybody
// of the pages in it, and until then no other connection reads them. A
// connection that did not sync on commit must not use this file system.

const vfsName = "recoup"

// joined is how many bytes are handed on at once at most. SQLite's write takes
// less than 128 KiB at a time.
const joined = 120 << 10

// logFile is what the file system keeps of an open log, behind what SQLite's own
// keeps of it.
type logFile struct {
	methods uintptr // SQLite's own
	buffer  uintptr
	at      int64 // where in the file the buffer belongs
	n       int32 // bytes in it
}

// The functions that a file system and its files consist of.
type (
	openFunc  = func(tls *libc.TLS, vfs, name, file uintptr, flags int32, flagsOut uintptr) int32
	closeFunc = func(tls *libc.TLS, file uintptr) int32
	moveFunc  = func(tls *libc.TLS, file, data uintptr, n int32, at int64) int32
	syncFunc  = func(tls *libc.TLS, file uintptr, flags int32) int32
	cutFunc   = func(tls *libc.TLS, file uintptr, size int64) int32
	sizeFunc  = func(tls *libc.TLS, file, size uintptr) int32
)

// function is the Go function that SQLite calls by an address.
func function[F any](address uintptr) F { return *(*F)(unsafe.Pointer(&address)) }

var (
	ownVFS     uintptr // SQLite's own file system
	logAt      uintptr // where in an open file the logFile begins
	logMethods lib.Tsqlite3_io_methods
	ownMethods uintptr // that logMethods were made from
	methodsMu  sync.Mutex
)

// registerVFS makes the file system known to SQLite, once.
var registerVFS = sync.OnceValue(func() error {
	tls := libc.NewTLS()
	defer tls.Close()
	ownVFS = lib.Xsqlite3_vfs_find(tls, 0)
	if ownVFS == 0 {
		return errors.New("sqlite: there is no file system for this platform")
	}
	own := (*lib.Tsqlite3_vfs)(pointer(ownVFS))
	// It is used for as long as the process lives, and never released.
	at := libc.Xmalloc(tls, types.Size_t(unsafe.Sizeof(*own)))
	name, err := libc.CString(vfsName)
	if err != nil || at == 0 {
		return errors.New("sqlite: no memory for the file system")
	}
	vfs := (*lib.Tsqlite3_vfs)(pointer(at))
	*vfs = *own
	logAt = (uintptr(own.FszOsFile) + 7) &^ 7
	vfs.FszOsFile = int32(logAt + unsafe.Sizeof(logFile{}))
	vfs.FzName, vfs.FpNext = name, 0
	vfs.FxOpen = address(openFile)
	if code := lib.Xsqlite3_vfs_register(tls, at, 0); code != lib.SQLITE_OK {
		return &failure{code, "register the file system"}
	}
	return nil
})

// openFile opens a file as SQLite does, and takes over its methods if it is a
// write-ahead log.
func openFile(tls *libc.TLS, _, name, file uintptr, flags int32, flagsOut uintptr) int32 {
	own := (*lib.Tsqlite3_vfs)(pointer(ownVFS))
	code := function[openFunc](own.FxOpen)(tls, ownVFS, name, file, flags, flagsOut)
	if code != lib.SQLITE_OK || flags&lib.SQLITE_OPEN_WAL == 0 {
		return code
	}
	methods := (*uintptr)(pointer(file))
	taken, ok := takeOver(*methods)
	if !ok {
		return code // another kind of file than the first: it works, only slower
	}
	buffer := libc.Xmalloc(tls, joined)
	if buffer == 0 {
		return code
	}
	*(*logFile)(pointer(file + logAt)) = logFile{methods: *methods, buffer: buffer}
	*methods = taken
	return code
}

// takeOver returns the methods of a log whose own methods are given.
func takeOver(own uintptr) (uintptr, bool) {
	methodsMu.Lock()
	defer methodsMu.Unlock()
	if ownMethods == 0 {
		ownMethods = own
		logMethods = *(*lib.Tsqlite3_io_methods)(pointer(own))
		logMethods.FxClose = address(closeLog)
		logMethods.FxRead = address(readLog)
		logMethods.FxWrite = address(writeLog)
		logMethods.FxTruncate = address(truncateLog)
		logMethods.FxSync = address(syncLog)
		logMethods.FxFileSize = address(sizeOfLog)
	}
	return uintptr(unsafe.Pointer(&logMethods)), ownMethods == own
}

func logOf(file uintptr) (*logFile, *lib.Tsqlite3_io_methods) {
	l := (*logFile)(pointer(file + logAt))
	return l, (*lib.Tsqlite3_io_methods)(pointer(l.methods))
}

// handOn writes what is in the buffer. What cannot be written is dropped: the
// error reaches the commit that it is part of, for it has yet to sync.
func handOn(tls *libc.TLS, file uintptr) int32 {
	l, own := logOf(file)
	if l.n == 0 {
		return lib.SQLITE_OK
	}
	n := l.n
	l.n = 0
	return function[moveFunc](own.FxWrite)(tls, file, l.buffer, n, l.at)
}

func writeLog(tls *libc.TLS, file, data uintptr, n int32, at int64) int32 {
	l, own := logOf(file)
	if l.n > 0 && (at != l.at+int64(l.n) || l.n+n > joined) {
		if code := handOn(tls, file); code != lib.SQLITE_OK {
			return code
		}
	}
	if n > joined {
		return function[moveFunc](own.FxWrite)(tls, file, data, n, at)
	}
	if l.n == 0 {
		l.at = at
	}
	copy(unsafe.Slice((*byte)(pointer(l.buffer+uintptr(l.n))), n), unsafe.Slice((*byte)(pointer(data)), n))
	l.n += n
	return lib.SQLITE_OK
}

func readLog(tls *libc.TLS, file, data uintptr, n int32, at int64) int32 {
	if code := handOn(tls, file); code != lib.SQLITE_OK {
		return code
	}
	_, own := logOf(file)
	return function[moveFunc](own.FxRead)(tls, file, data, n, at)
}

func syncLog(tls *libc.TLS, file uintptr, flags int32) int32 {
	if code := handOn(tls, file); code != lib.SQLITE_OK {
		return code
	}
	_, own := logOf(file)
	return function[syncFunc](own.FxSync)(tls, file, flags)
}

func truncateLog(tls *libc.TLS, file uintptr, size int64) int32 {
	if code := handOn(tls, file); code != lib.SQLITE_OK {
		return code
	}
	_, own := logOf(file)
	return function[cutFunc](own.FxTruncate)(tls, file, size)
}

func sizeOfLog(tls *libc.TLS, file, size uintptr) int32 {
	if code := handOn(tls, file); code != lib.SQLITE_OK {
		return code
	}
	_, own := logOf(file)
	return function[sizeFunc](own.FxFileSize)(tls, file, size)
}

func closeLog(tls *libc.TLS, file uintptr) int32 {
	code := handOn(tls, file)
	l, own := logOf(file)
	libc.Xfree(tls, l.buffer)
	if closed := function[closeFunc](own.FxClose)(tls, file); closed != lib.SQLITE_OK {
		return closed
	}
	return code
}
