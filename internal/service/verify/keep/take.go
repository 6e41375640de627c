package keep

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/mod/sumdb/note"

	"recoup/internal/service/verify"
)

// Take takes a checkpoint of a database and signs it; what it covers of each account goes
// to leaves. The caller records it with verify.RecordCheckpoint once it is kept.
func Take(ctx context.Context, db verify.Database, key string, leaves io.Writer) (taken *verify.Checkpoint, signed []byte, err error) {
	w := verify.NewLeafWriter(leaves)
	if taken, err = verify.TakeCheckpoint(ctx, db, w.Write); err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, nil, err
	}
	signed, err = taken.Sign(key)
	return taken, signed, err
}

// ReadKey reads a signing key from a file.
func ReadKey(file string) (string, error) {
	key, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	if err := verify.CheckSigningKey(string(key)); err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	return string(key), nil
}

// NewKey writes a new signing key to a new file, and returns the key that checks its
// signatures. The name says whose checkpoints they are.
func NewKey(file, name string) (public string, err error) {
	private, public, err := note.GenerateKey(rand.Reader, name)
	if err != nil {
		return "", err
	}
	if _, err := note.NewVerifier(public); err != nil {
		return "", fmt.Errorf("name %q: expected one without spaces and plus signs", name)
	}
	return public, writeNewKey(file, private)
}

// writeNewKey writes a secret to a file that is not there yet, for its owner
// alone.
func writeNewKey(name, key string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s: exists; a key that signs checkpoints is never written over", name)
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, key+"\n")
	return errors.Join(err, f.Sync(), f.Close())
}
