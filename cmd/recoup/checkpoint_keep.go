package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"recoup/internal/service/verify"
	"recoup/internal/service/webhook"
)

// sealedSuffix is how the names end of sealed checkpoints in a folder: the signed note and
// the leaves after it, in one file.
const sealedSuffix = ".checkpoint"

// safekeeper is who keeps sealed checkpoints: a file, which is written over, a folder, which
// gets one file more each time, or an address that they are posted to.
type safekeeper struct {
	to, secretFile string
	allowPrivate   bool
	key            string // what signs them
	secret         string // what signs posts
}

// Beyond this a checkpoint is too large to be posted: about a million accounts.
const mostPosted = 64 << 20

// postTimeout is how long a post may take.
const postTimeout = time.Minute

func (k *safekeeper) isAddress() bool { return strings.Contains(k.to, "://") }

func (k *safekeeper) isFolder() bool {
	info, err := os.Stat(k.to)
	return strings.HasSuffix(k.to, "/") || err == nil && info.IsDir()
}

// open reads the keys and makes sure that there is a place for what is to be kept.
func (k *safekeeper) open(keyFile string) error {
	key, err := os.ReadFile(keyFile)
	if err != nil {
		return err
	}
	if err := verify.CheckSigningKey(string(key)); err != nil {
		return fmt.Errorf("%s: %w", keyFile, err)
	}
	k.key = string(key)
	switch {
	case k.isAddress():
		if k.secretFile == "" {
			return errors.New("expected a file with the secret that the receiver checks signatures with (whsec_…), as a checkpoint that is posted is signed like a webhook")
		}
		secret, err := os.ReadFile(k.secretFile)
		if err != nil {
			return err
		}
		k.secret = strings.TrimSpace(string(secret))
		if err := webhook.CheckTarget(k.to, k.secret, k.allowPrivate); err != nil {
			return err
		}
	case k.secretFile != "":
		return fmt.Errorf("a secret is of use for an address, and %s is none", k.to)
	case k.isFolder():
		return os.MkdirAll(k.to, 0o700)
	default:
		_, err := os.Stat(filepath.Dir(k.to))
		return err
	}
	return nil
}

// take takes a checkpoint of a database and has it kept.
func (k *safekeeper) take(ctx context.Context, db verify.Database) error {
	leaves, err := os.CreateTemp("", "recoup-*.leaves")
	if err != nil {
		return err
	}
	defer func() {
		leaves.Close()
		os.Remove(leaves.Name())
	}()
	w := verify.NewLeafWriter(leaves)
	taken, err := verify.TakeCheckpoint(ctx, db, w.Write)
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return err
	}
	signed, err := taken.Sign(k.key)
	if err == nil {
		_, err = leaves.Seek(0, io.SeekStart)
	}
	if err != nil {
		return err
	}
	if err := k.keep(ctx, taken, signed, leaves); err != nil {
		return fmt.Errorf("keeping a checkpoint at %s: %w", k.place(), err)
	}
	return verify.RecordCheckpoint(ctx, db, taken, signed)
}

// next takes a checkpoint, unless the database has less than the last one that is kept
// where it can be read: that one says what is lost.
func (k *safekeeper) next(ctx context.Context, db verify.Database) error {
	if !k.isAddress() {
		if err := k.compare(ctx, db); err != nil {
			return err
		}
	}
	return k.take(ctx, db)
}

// compare says what a database lacks of what the last checkpoint covers.
func (k *safekeeper) compare(ctx context.Context, db verify.Database) error {
	signed, leaves, sealed, err := openSealed(k.to)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it is the first
	}
	if err != nil || !sealed {
		return errors.Join(err, fmt.Errorf("%s: expected a checkpoint that is kept there, or nothing", k.to))
	}
	defer leaves.Close()
	from, err := verify.NewLeafReader(leaves)
	if err != nil {
		return fmt.Errorf("%s: %w", k.to, err)
	}
	lack, err := verify.Lacks(ctx, db, from)
	if err == nil && lack.Events > 0 {
		_, rest, _ := strings.Cut(string(signed), "\ntime ")
		at, _, _ := strings.Cut(rest, "\n")
		err = fmt.Errorf("the database lacks %d events of %d accounts%s that the checkpoint of %s in %s covers: events that were acknowledged are lost, or an older database was put in its place; "+
			"recoup verify --checkpoint names them; until that checkpoint is moved elsewhere none is taken", lack.Events, lack.Accounts, suchAs(lack.First), at, k.to)
	}
	return err
}

// place names where checkpoints are kept. In the path of an address there may be a token.
func (k *safekeeper) place() string {
	if scheme, rest, is := strings.Cut(k.to, "://"); is {
		host, _, _ := strings.Cut(rest, "/")
		return scheme + "://" + host
	}
	return k.to
}

func (k *safekeeper) keep(ctx context.Context, taken *verify.Checkpoint, signed []byte, leaves io.Reader) error {
	if k.isAddress() {
		body, err := io.ReadAll(io.MultiReader(bytes.NewReader(signed), io.LimitReader(leaves, mostPosted)))
		if err != nil {
			return err
		}
		if len(body) >= mostPosted {
			return fmt.Errorf("it has more than %d MiB and is too large to be posted: keep it in a file", mostPosted>>20)
		}
		o := webhook.Options{AllowPrivate: k.allowPrivate, Timeout: postTimeout}
		return webhook.Post(ctx, o, k.to, k.secret, "application/vnd.recoup.checkpoint", body)
	}
	name := k.to
	if k.isFolder() {
		name = filepath.Join(k.to, taken.At.Time().UTC().Format("2006-01-02T150405.000Z")+sealedSuffix)
	}
	files := &outputFiles{}
	defer files.discard()
	out, err := files.create(name)
	if err == nil {
		_, err = io.Copy(out, io.MultiReader(bytes.NewReader(signed), leaves))
	}
	if err != nil {
		return err
	}
	return files.keep()
}

// openSealed opens a sealed checkpoint, of a folder the newest, and returns its note; what
// is left to read are its leaves. sealed is false for a note whose leaves are in a file of
// their own.
func openSealed(name string) (note []byte, leaves io.ReadCloser, sealed bool, err error) {
	if info, e := os.Stat(name); e == nil && info.IsDir() {
		if name, err = newestSealed(name); err != nil {
			return nil, nil, false, err
		}
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, nil, false, err
	}
	in := bufio.NewReader(file)
	for {
		begin, err := in.Peek(2)
		if len(begin) == 2 && begin[0] == 0x1f && begin[1] == 0x8b { // no note has such a line, and each gzip file begins so
			return note, readerOf{in, file}, true, nil
		}
		line, ended := in.ReadSlice('\n')
		if note = append(note, line...); len(note) > mostNote {
			return nil, nil, false, errors.Join(fmt.Errorf("%s: expected a signed note of at most %d bytes", name, mostNote), file.Close())
		}
		if err != nil && ended != nil {
			return note, nil, false, file.Close()
		}
	}
}

// mostNote is how long a note may be.
const mostNote = 1 << 16

type readerOf struct {
	io.Reader
	io.Closer
}

// newestSealed returns the newest sealed checkpoint of a folder: they are named after
// their times.
func newestSealed(folder string) (string, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*"+sealedSuffix))
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("%s: there is no checkpoint in it (*%s): %w", folder, sealedSuffix, fs.ErrNotExist)
	}
	if err != nil {
		return "", err
	}
	return slices.Max(names), nil
}

// suchAs names an account, if there is one to be named.
func suchAs(account string) string {
	if account == "" {
		return "" // all of them are gone, and their names with them
	}
	return fmt.Sprintf(", such as %q,", account)
}
