package labtest

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/ulikunitz/xz"

	"recoup/internal/ingest"
	"recoup/internal/intake"
)

// startRows are the rows that RetailStart reads: about two months, 1,500 customers, and
// some of their returns.
const startRows = 90_000

// Retail imports Online Retail II (D. Chen, UCI Machine Learning Repository, CC BY 4.0,
// doi:10.24432/C5CG6D), which is no part of the repository: the test is skipped where
// it is not there. Root is the way to the root of the repository.
func Retail(t testing.TB, root string, link ingest.Link) *ingest.Imported {
	t.Helper()
	return retail(t, root, published(t, root), link)
}

// RetailStart imports how Online Retail II begins; with RECOUP_LONG all of it.
func RetailStart(t testing.TB, root string, link ingest.Link) *ingest.Imported {
	t.Helper()
	path := published(t, root)
	if os.Getenv("RECOUP_LONG") == "" {
		path = start(t, path)
	}
	return retail(t, root, path, link)
}

func published(t testing.TB, root string) string {
	t.Helper()
	path := filepath.Join(root, "../shared/data/online_retail_ii.csv.xz")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the Online Retail II data is not there (docs/testing.md says where it is to be had): %v", err)
	}
	return path
}

// start writes how a file begins to another.
func start(t testing.TB, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	plain, err := xz.NewReader(bufio.NewReader(f))
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "start.csv")
	to, err := os.Create(cut)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	w, lines := bufio.NewWriter(to), bufio.NewScanner(plain)
	for n := 0; n <= startRows && lines.Scan(); n++ {
		w.Write(append(lines.Bytes(), '\n'))
	}
	if err := errors.Join(lines.Err(), w.Flush()); err != nil {
		t.Fatal(err)
	}
	return cut
}

func retail(t testing.TB, root, path string, link ingest.Link) *ingest.Imported {
	t.Helper()
	mapping, err := intake.LoadMapping(filepath.Join(root, "examples/imports/online-retail.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	imported, err := ingest.Import(t.Context(), ingest.Options{
		Mapping: mapping, Files: []string{path}, Currency: "GBP", Source: "online-retail-ii", Link: link, BadLimit: -1,
	})
	if err != nil {
		t.Fatal(err)
	}
	return imported
}
