package intake_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"recoup/internal/intake"
	"recoup/internal/intake/history"
)

// counting is a sink that counts.
type counting struct{ rows atomic.Int64 }

func (c *counting) Add(rows []history.Row) error {
	c.rows.Add(int64(len(rows)))
	return nil
}

// BenchmarkCSV reads transactions of eight columns from one file, in one
// goroutine beside the one that reads ahead.
func BenchmarkCSV(b *testing.B) {
	const rows = 500_000
	var plain bytes.Buffer
	plain.WriteString("transaction,account,amount,currency,posted_at,merchant,mcc,category\n")
	for i := range rows {
		fmt.Fprintf(&plain, "txn-%09d,acct-%06d,%d,USD,2026-%02d-%02dT%02d:%02d:%02dZ,merchant-%04d,5411,GROCERY\n",
			i, i*7919%100_000, 100+i%50_000, 1+i%12, 1+i%28, i%24, i%60, i*7%60, i%5000)
	}
	quoted := bytes.ReplaceAll(plain.Bytes(), []byte("GROCERY"), []byte(`"GROCERY, ""FOOD"""`))
	decimal := bytes.ReplaceAll(plain.Bytes(), []byte(",USD,"), []byte(".25,USD,"))
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(plain.Bytes()); err != nil {
		b.Fatal(err)
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	mapping, err := intake.ParseMapping("map.yaml", []byte("amount_format: decimal\ndate_format: \"YYYY-MM-DDThh:mm:ssZ\"\n"))
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		file    string
		content []byte
		mapping *intake.Mapping
	}{
		{"plain", "t.csv", plain.Bytes(), nil},
		{"quoted", "t.csv", quoted, nil},
		{"mapped", "t.csv", decimal, mapping},
		{"gzip", "t.csv.gz", packed.Bytes(), nil},
	} {
		b.Run(c.name, func(b *testing.B) {
			path := filepath.Join(b.TempDir(), c.file)
			if err := os.WriteFile(path, c.content, 0o600); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(plain.Len()))
			b.ReportAllocs()
			for b.Loop() {
				var sink counting
				in, err := intake.Read(b.Context(), intake.Options{Currency: "USD", Mapping: c.mapping, Transactions: []string{path}}, &sink)
				if err != nil || in.Rows != rows || sink.rows.Load() != rows {
					b.Fatalf("read %+v, %v", in, err)
				}
			}
			b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
