package intake_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"recoup/internal/intake"
	"recoup/internal/intake/history"
)

// collected is a sink that keeps rows as lines of text, by kind of table.
type collected struct {
	mu      sync.Mutex
	lines   []string
	batches []int
}

func (c *collected) Add(rows []history.Row) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.batches = append(c.batches, len(rows))
	for _, r := range rows {
		c.lines = append(c.lines, line(r))
	}
	return nil
}

// line writes a row as "refund a1 r1 of t1 -1250 at 2026-01-05T10:00:00Z m1 5411
// GROCERY", without what it does not have.
func line(r history.Row) string {
	parts := []string{r.Kind.String(), r.Account}
	if r.ID != "" {
		parts = append(parts, r.ID)
	}
	if r.Transaction != "" {
		parts = append(parts, "of", r.Transaction)
	}
	parts = append(parts, fmt.Sprint(r.Amount), "at", r.At.String())
	for _, text := range []string{r.Merchant, r.MCC.String(), r.Category} {
		if text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " ")
}

// write writes a file of a test and returns its path.
func write(t testing.TB, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// mapping parses a mapping; none is nil.
func mapping(t testing.TB, text string) *intake.Mapping {
	t.Helper()
	if text == "" {
		return nil
	}
	m, err := intake.ParseMapping("map.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// guessed is what Inspect says of a file.
type guessed struct {
	YAML    []byte
	Mapping *intake.Mapping
	Tables  []string // with a section in it
}

// inspect guesses the mapping of a file, which has to be one.
func inspect(path string) (*guessed, error) {
	text, err := intake.Inspect(path)
	if err != nil {
		return nil, err
	}
	g := guessed{YAML: text}
	for _, line := range strings.Split(string(text), "\n") {
		if table, section := strings.CutSuffix(line, ":"); section && !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "#") {
			g.Tables = append(g.Tables, table)
		}
	}
	g.Mapping, err = intake.ParseMapping("guess.yaml", text)
	return &g, err
}

// options name the tables' files.
func options(currency string, m *intake.Mapping, files map[string]string) intake.Options {
	o := intake.Options{Currency: currency, Mapping: m}
	for table, path := range files {
		switch table {
		case "transactions":
			o.Transactions = append(o.Transactions, path)
		case "refunds":
			o.Refunds = append(o.Refunds, path)
		case "rewards":
			o.Rewards = append(o.Rewards, path)
		case "redemptions":
			o.Redemptions = append(o.Redemptions, path)
		}
	}
	return o
}

// packed compresses content as the extension says.
func packed(t testing.TB, extension string, content []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	var w io.WriteCloser
	var err error
	switch extension {
	case ".gz":
		w = gzip.NewWriter(&out)
	case ".xz":
		w, err = xz.NewWriter(&out)
	case ".zst":
		w, err = zstd.NewWriter(&out)
	default:
		return content
	}
	if err == nil {
		_, err = w.Write(content)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
