// Package keep takes checkpoints of a database, keeps them out of its reach, and reads those
// that are kept.
package keep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"recoup/internal/kit/files"
	"recoup/internal/service/verify"
	"recoup/internal/service/webhook"
)

// sealedSuffix is how the names end of sealed checkpoints in a folder: the signed note and
// the leaves after it, in one file.
const sealedSuffix = ".checkpoint"

// Keeper is who keeps sealed checkpoints: a file, which is written over, a folder, which
// gets one file more each time, or an address that they are posted to.
type Keeper struct {
	To           string // file, folder, or address
	SecretFile   string // of an address: has the secret that signs posts
	AllowPrivate bool   // a private address, and http
	key          string // what signs them
	secret       string // what signs posts
}

// Beyond this a checkpoint is too large to be posted: about a million accounts.
const mostPosted = 64 << 20

// postTimeout is how long a post may take.
const postTimeout = time.Minute

func (k *Keeper) isAddress() bool { return strings.Contains(k.To, "://") }

func (k *Keeper) isFolder() bool {
	info, err := os.Stat(k.To)
	return strings.HasSuffix(k.To, "/") || err == nil && info.IsDir()
}

// Open reads the keys and makes sure that there is a place for what is to be kept.
func (k *Keeper) Open(keyFile string) error {
	key, err := ReadKey(keyFile)
	if err != nil {
		return err
	}
	k.key = key
	switch {
	case k.isAddress():
		if k.SecretFile == "" {
			return errors.New("expected a file with the secret that the receiver checks signatures with (whsec_…), as a checkpoint that is posted is signed like a webhook")
		}
		secret, err := os.ReadFile(k.SecretFile)
		if err != nil {
			return err
		}
		k.secret = strings.TrimSpace(string(secret))
		if err := webhook.CheckTarget(k.To, k.secret, k.AllowPrivate); err != nil {
			return err
		}
	case k.SecretFile != "":
		return fmt.Errorf("a secret is of use for an address, and %s is none", k.To)
	case k.isFolder():
		return os.MkdirAll(k.To, 0o700)
	default:
		_, err := os.Stat(filepath.Dir(k.To))
		return err
	}
	return nil
}

// Take takes a checkpoint of a database and has it kept.
func (k *Keeper) Take(ctx context.Context, db verify.Database) error {
	leaves, err := os.CreateTemp("", "recoup-*.leaves")
	if err != nil {
		return err
	}
	defer func() {
		leaves.Close()
		os.Remove(leaves.Name())
	}()
	taken, signed, err := Take(ctx, db, k.key, leaves)
	if err == nil {
		_, err = leaves.Seek(0, io.SeekStart)
	}
	if err != nil {
		return err
	}
	if err := k.keep(ctx, taken, signed, leaves); err != nil {
		return fmt.Errorf("keeping a checkpoint at %s: %w", k.Place(), err)
	}
	return verify.RecordCheckpoint(ctx, db, taken, signed)
}

// Next takes a checkpoint, unless the database has less than the last one that is kept
// where it can be read: that one says what is lost.
func (k *Keeper) Next(ctx context.Context, db verify.Database) error {
	if !k.isAddress() {
		if err := k.compare(ctx, db); err != nil {
			return err
		}
	}
	return k.Take(ctx, db)
}

// compare says what a database lacks of what the last checkpoint covers.
func (k *Keeper) compare(ctx context.Context, db verify.Database) error {
	signed, leaves, sealed, err := openSealed(k.To)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it is the first
	}
	if err != nil || !sealed {
		return errors.Join(err, fmt.Errorf("%s: expected a checkpoint that is kept there, or nothing", k.To))
	}
	defer leaves.Close()
	from, err := verify.NewLeafReader(leaves)
	if err != nil {
		return fmt.Errorf("%s: %w", k.To, err)
	}
	lack, err := verify.Lacks(ctx, db, from)
	if err == nil && lack.Events > 0 {
		_, rest, _ := strings.Cut(string(signed), "\ntime ")
		at, _, _ := strings.Cut(rest, "\n")
		err = fmt.Errorf("the database lacks %d events of %d accounts%s that the checkpoint of %s in %s covers: events that were acknowledged are lost, or an older database was put in its place; "+
			"recoup verify --checkpoint names them; until that checkpoint is moved elsewhere none is taken", lack.Events, lack.Accounts, suchAs(lack.First), at, k.To)
	}
	return err
}

// Place names where checkpoints are kept. In the path of an address there may be a token.
func (k *Keeper) Place() string {
	if scheme, rest, is := strings.Cut(k.To, "://"); is {
		host, _, _ := strings.Cut(rest, "/")
		return scheme + "://" + host
	}
	return k.To
}

func (k *Keeper) keep(ctx context.Context, taken *verify.Checkpoint, signed []byte, leaves io.Reader) error {
	if k.isAddress() {
		body, err := io.ReadAll(io.MultiReader(bytes.NewReader(signed), io.LimitReader(leaves, mostPosted)))
		if err != nil {
			return err
		}
		if len(body) >= mostPosted {
			return fmt.Errorf("it has more than %d MiB and is too large to be posted: keep it in a file", mostPosted>>20)
		}
		o := webhook.Options{AllowPrivate: k.AllowPrivate, Timeout: postTimeout}
		return webhook.Post(ctx, o, k.To, k.secret, "application/vnd.recoup.checkpoint", body)
	}
	name := k.To
	if k.isFolder() {
		name = filepath.Join(k.To, taken.At.Time().UTC().Format("2006-01-02T150405.000Z")+sealedSuffix)
	}
	return files.Write(name, io.MultiReader(bytes.NewReader(signed), leaves))
}

// suchAs names an account, if there is one to be named.
func suchAs(account string) string {
	if account == "" {
		return "" // all of them are gone, and their names with them
	}
	return fmt.Sprintf(", such as %q,", account)
}
