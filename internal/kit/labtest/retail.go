package labtest

import (
	"os"
	"path/filepath"
	"testing"

	"recoup/internal/audit/intake"
	"recoup/internal/ingest"
)

// Retail imports Online Retail II (D. Chen, UCI Machine Learning Repository, CC BY 4.0,
// doi:10.24432/C5CG6D), which is no part of the repository: the test is skipped where
// it is not there. Root is the way to the root of the repository.
func Retail(t testing.TB, root string, link ingest.Link) *ingest.Imported {
	t.Helper()
	path := filepath.Join(root, "../shared/data/online_retail_ii.csv.xz")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the Online Retail II data is not there (docs/testing.md says where it is to be had): %v", err)
	}
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
