package feed

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	"recoup/internal/kit/files"
)

// Keys sign tokens. They are in a file, which the issuer's own backend may share: an id and
// a secret on each line, of which the first makes new tokens and all are believed. The file
// is read again while the service runs, so a line that is taken out ends what was signed
// with it, within a second; where the file cannot be read, no token is believed.
type Keys struct {
	file string
	now  func() time.Time

	mu   sync.Mutex
	read time.Time // zero: never
	list []key
	err  error
}

type key struct {
	id     string
	secret []byte
}

const (
	readAgain    = time.Second
	maxKeyFile   = 64 << 10
	maxKeys      = 100
	secretLength = 32
)

var keyID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Open reads the keys of a file.
func Open(file string, now func() time.Time) (*Keys, error) {
	k := &Keys{file: file, now: now}
	_, err := k.current()
	return k, err
}

// current are the keys as the file has them.
func (k *Keys) current() ([]key, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := time.Now() // how often a file is read has nothing to do with the clock of tokens
	if k.read.IsZero() || now.Sub(k.read) >= readAgain {
		k.read = now
		k.list, k.err = readKeys(k.file)
	}
	return k.list, k.err
}

func readKeys(file string) ([]key, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("keys of tokens: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxKeyFile+1))
	if err != nil {
		return nil, fmt.Errorf("keys of tokens: %w", err)
	}
	list, err := parseKeys(text)
	if err != nil {
		return nil, fmt.Errorf("keys of tokens: %s:%w", file, err)
	}
	return list, nil
}

func parseKeys(text []byte) (list []key, err error) {
	if len(text) > maxKeyFile {
		return nil, fmt.Errorf("1: expected at most %d bytes", maxKeyFile)
	}
	known := make(map[string]bool)
	for i, line := range strings.Split(string(text), "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) != 2 || !keyID.MatchString(fields[0]) {
			return nil, fmt.Errorf("%d: expected an id of letters, digits, - and _, and a secret", i+1)
		}
		secret, err := base64.StdEncoding.Strict().DecodeString(fields[1])
		if err != nil || len(secret) < secretLength {
			return nil, fmt.Errorf("%d: the secret of %s: expected base64 of %d bytes or more", i+1, fields[0], secretLength)
		}
		if known[fields[0]] {
			return nil, fmt.Errorf("%d: the id %s is there already", i+1, fields[0])
		}
		known[fields[0]] = true
		list = append(list, key{fields[0], secret})
	}
	if len(list) == 0 || len(list) > maxKeys {
		return nil, fmt.Errorf("1: expected 1 to %d keys, found %d", maxKeys, len(list))
	}
	return list, nil
}

// New puts a new key before those of a file, which is made if it is not there, and returns
// its id.
func New(file string, now time.Time) (id string, err error) {
	before, err := os.ReadFile(file)
	switch {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return "", err
	default:
		if _, err := parseKeys(before); err != nil {
			return "", fmt.Errorf("%s:%w", file, err)
		}
	}
	secret := make([]byte, secretLength)
	rand.Read(secret)
	id = "fk-" + now.UTC().Format("20060102") + "-" + strings.ToLower(rand.Text()[:8])
	text := id + " " + base64.StdEncoding.EncodeToString(secret) + "\n" + string(before)
	return id, files.Write(file, bytes.NewBufferString(text))
}
