package verify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"recoup/reward"
)

// Checkpoint is what is signed of a database: the root of a Merkle tree over what
// is sealed of each account at the time.
type Checkpoint struct {
	Origin   string // names the database, and the key
	Accounts int64
	Root     Hash
	Events   int64
	At       reward.Instant
}

// covers says what it covers in one line.
func (c *Checkpoint) covers() string {
	return fmt.Sprintf("%d events of %d accounts with root %s", c.Events, c.Accounts, c.Root)
}

// Text returns the body of the note: origin, number of accounts and root, as
// checkpoints of transparency logs begin, then what else there is to say.
func (c *Checkpoint) Text() string {
	return fmt.Sprintf("%s\n%d\n%s\nevents %d\ntime %s\n", c.Origin, c.Accounts, c.Root, c.Events, c.At)
}

// ParseCheckpoint reads what Text wrote.
func ParseCheckpoint(text string) (*Checkpoint, error) {
	c, err := parseCheckpoint(text)
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	return c, nil
}

func parseCheckpoint(text string) (*Checkpoint, error) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) != 5 || lines[0] == "" {
		return nil, errors.New("expected five lines: origin, accounts, root, events, time")
	}
	c := &Checkpoint{Origin: lines[0]}
	var err error
	if c.Root, err = parseHash(lines[2]); err != nil {
		return nil, err
	}
	at, isTime := strings.CutPrefix(lines[4], "time ")
	moment, err := time.Parse(time.RFC3339Nano, at)
	if err != nil || !isTime {
		return nil, fmt.Errorf("expected a line such as time 2026-01-05T10:00:00Z, found %q", lines[4])
	}
	c.At = reward.At(moment)
	for _, n := range []struct {
		line, name string
		into       *int64
	}{{lines[1], "", &c.Accounts}, {lines[3], "events ", &c.Events}} {
		digits, named := strings.CutPrefix(n.line, n.name)
		if *n.into, err = strconv.ParseInt(digits, 10, 64); err != nil || !named || *n.into < 0 {
			return nil, fmt.Errorf("expected a line with %sa number, found %q", n.name, n.line)
		}
	}
	if c.Text() != text {
		return nil, errors.New("expected the text that recoup writes, found another form of it")
	}
	return c, nil
}

// Sign returns the checkpoint as a note signed with a key from note.GenerateKey.
// Its origin becomes the key's name.
func (c *Checkpoint) Sign(key string) ([]byte, error) {
	signer, err := signerOf(key)
	if err != nil {
		return nil, err
	}
	c.Origin = signer.Name()
	return note.Sign(&note.Note{Text: c.Text()}, signer)
}

// CheckSigningKey reports whether Sign would take the key.
func CheckSigningKey(key string) error {
	_, err := signerOf(key)
	return err
}

func signerOf(key string) (note.Signer, error) {
	signer, err := note.NewSigner(strings.TrimSpace(key))
	if err != nil {
		return nil, fmt.Errorf("expected a signing key as `recoup checkpoint keygen` writes it: %w", err)
	}
	return signer, nil
}

// ErrNotSigned says that a note is not signed with the key that it should be signed with.
var ErrNotSigned = errors.New("not signed with the key")

// OpenCheckpoint checks the signature of a note with the verifier's key and
// returns the checkpoint. The error is ErrNotSigned if the signature is missing
// or wrong.
func OpenCheckpoint(signed []byte, key string) (*Checkpoint, error) {
	verifier, err := note.NewVerifier(strings.TrimSpace(key))
	if err != nil {
		return nil, fmt.Errorf("expected a verifier's key as `recoup checkpoint keygen` prints it: %w", err)
	}
	n, err := note.Open(signed, note.VerifierList(verifier))
	if err != nil {
		return nil, fmt.Errorf("%w of %s: %v", ErrNotSigned, verifier.Name(), err)
	}
	c, err := ParseCheckpoint(n.Text)
	if err == nil && c.Origin != verifier.Name() {
		return nil, fmt.Errorf("the checkpoint is of %s, expected one of %s", c.Origin, verifier.Name())
	}
	return c, err
}

// TakeCheckpoint seals the whole log and returns a checkpoint of it, not signed
// yet. It calls leaf with what it covers of each account, by name in byte order; the
// leaf is not to be kept. Units of work may go on meanwhile; what they commit
// after their account is looked at is left to the next checkpoint.
func TakeCheckpoint(ctx context.Context, db Database, leaf func(*Leaf) error) (*Checkpoint, error) {
	c := &Checkpoint{At: reward.At(time.Now())}
	if _, err := Seal(ctx, db, math.MaxInt); err != nil {
		return nil, fmt.Errorf("taking a checkpoint: %w", err)
	}
	var s Sealer
	sorted := newLeafSort()
	defer sorted.close()
	for last, more := "", true; more; {
		page, _, err := sealPassed(ctx, db, last, &s)
		if err != nil {
			return nil, fmt.Errorf("taking a checkpoint: %w", err)
		}
		for i := range page {
			l, err := page[i].leaf()
			if err == nil && l.Sequence > 0 {
				err = sorted.add(&l)
			}
			if err != nil {
				return nil, fmt.Errorf("taking a checkpoint: %w", err)
			}
			last = page[i].account
		}
		more = len(page) > 0
	}
	if s.failed != nil {
		return nil, fmt.Errorf("taking a checkpoint: %w", s.failed)
	}
	var tree Tree
	err := sorted.each(func(l *Leaf) error {
		tree.Add(l)
		c.Events += l.Sequence
		return leaf(l)
	})
	if err != nil {
		return nil, fmt.Errorf("taking a checkpoint: %w", err)
	}
	c.Accounts, c.Root = tree.Size(), tree.Root()
	return c, nil
}

// leaf returns what a checkpoint covers of an account that is sealed so far.
func (b *backlog) leaf() (Leaf, error) {
	if err := b.sealed.damage; err != nil {
		return Leaf{}, fmt.Errorf("the seal of account %q is damaged: %w; run recoup verify", b.account, err)
	}
	return Leaf{nameOf(b.account, b.key), b.sealed.sequence, b.sealed.end}, nil
}
