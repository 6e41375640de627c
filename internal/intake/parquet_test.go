package intake_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"

	"recoup/internal/intake"
)

// parquetOf writes rows as a Parquet file, some to a group.
func parquetOf[T any](t testing.TB, rows []T, options ...parquet.WriterOption) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := parquet.Write(&out, rows, append(options, parquet.MaxRowsPerRowGroup(1700), parquet.PageBufferSize(4096))...); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

type parquetSale struct {
	Posted   time.Time `parquet:"posted_at,timestamp(microsecond)"`
	Account  string    `parquet:"account,dict"`
	Txn      string    `parquet:"transaction"`
	Amount   int64     `parquet:"amount,decimal(2:18)"`
	Currency string    `parquet:"currency,enum"`
	Merchant *string   `parquet:"merchant,optional,snappy"`
	MCC      int32     `parquet:"mcc"`
	Tags     []string  `parquet:"tags,list"`
}

func TestParquet(t *testing.T) {
	var sales []parquetSale
	var want []string
	start := time.Date(2026, 1, 5, 10, 0, 0, 123456000, time.UTC)
	for i := range 2500 {
		sale := parquetSale{
			Posted: start.Add(time.Duration(i) * time.Second), Account: fmt.Sprintf("a%d", i%7), Txn: fmt.Sprintf("t%d", i),
			Amount: int64(i + 1), Currency: "USD", MCC: 742, Tags: []string{"x", "y"}[:i%3%2],
		}
		merchant := ""
		if i%2 == 0 {
			merchant = fmt.Sprintf("m%d", i%5)
			sale.Merchant = &merchant
			merchant += " "
		}
		sales = append(sales, sale)
		want = append(want, fmt.Sprintf("purchase a%d t%d %d at %s %s0742", i%7, i, i+1, sale.Posted.Format(time.RFC3339Nano), merchant))
	}
	path := write(t, "sales.parquet", parquetOf(t, sales))
	var sink collected
	in, err := intake.Read(t.Context(), options("USD", mapping(t, "mcc_format: number"), map[string]string{"transactions": path}), &sink)
	if err != nil || in.Rows != 2500 || in.Bad != 0 {
		t.Fatalf("%+v, %v", in, err)
	}
	if !slices.Equal(sink.lines, want) {
		t.Errorf("rows differ; the first are\n%s", strings.Join(sink.lines[:3], "\n"))
	}
	if !slices.Equal(sink.batches, []int{1000, 1000, 500}) {
		t.Errorf("batches of %v rows", sink.batches)
	}
	guess, err := inspect(path)
	if err != nil {
		t.Fatal(err)
	}
	var again collected
	if _, err := intake.Read(t.Context(), options("USD", guess.Mapping, map[string]string{"transactions": path}), &again); err != nil || !slices.Equal(again.lines, want) {
		t.Errorf("as guessed: %d rows, %v\n%s", len(again.lines), err, guess.YAML)
	}
}

// Each type of a column is read as what it stands for.
func TestParquetTypes(t *testing.T) {
	at := time.Date(2026, 1, 5, 10, 0, 0, 0, time.UTC)
	const row = "reward a1 1250 at 2026-01-05T10:00:00Z"
	for _, c := range []struct {
		name, mapping, want string
		content             []byte
	}{
		{"integers in minor units, milliseconds", "", row, parquetOf(t, []struct {
			Account  string    `parquet:"account"`
			Amount   int64     `parquet:"amount"`
			PostedAt time.Time `parquet:"posted_at,timestamp(millisecond)"`
		}{{"a1", 1250, at}})},
		{"nanoseconds, small integers", "", row, parquetOf(t, []struct {
			Account  string    `parquet:"account"`
			Amount   int32     `parquet:"amount"`
			PostedAt time.Time `parquet:"posted_at,timestamp(nanosecond)"`
		}{{"a1", 1250, at}})},
		{"account numbers, whole units", "amount_format: decimal", "reward 4711 1200 at 2026-01-05T10:00:00Z", parquetOf(t, []struct {
			Account  uint64    `parquet:"account"`
			Amount   uint32    `parquet:"amount"`
			PostedAt time.Time `parquet:"posted_at,timestamp(nanosecond)"`
		}{{4711, 12, at}})},
		{"bytes, a number of seconds", "date_format: unix", row, parquetOf(t, []struct {
			Account  []byte `parquet:"account"`
			Amount   []byte `parquet:"amount"`
			PostedAt int64  `parquet:"posted_at"`
		}{{[]byte("a1"), []byte("1250"), at.Unix()}})},
		{"doubles, as data frames have them", "amount_format: decimal", row, parquetOf(t, []struct {
			Account  string  `parquet:"account"`
			Amount   float64 `parquet:"amount"`
			PostedAt string  `parquet:"posted_at"`
		}{{"a1", 12.5, "2026-01-05T10:00:00Z"}})},
		{"a small decimal below zero, a day of a time zone", "time_zone: Europe/Berlin", "reward a1 -5 at 2026-01-04T23:00:00Z", parquetOf(t, []struct {
			Account  string `parquet:"account"`
			Amount   int32  `parquet:"amount,decimal(2:9)"`
			PostedAt int32  `parquet:"posted_at,date"`
		}{{"a1", -5, int32(at.Unix() / 86400)}})},
		{"a decimal in bytes, an id in a group", "columns: {account: customer.id}", "reward 00112233-4455-6677-8899-aabbccddeeff -1250 at 2026-01-05T10:00:00Z",
			parquetOf(t, []struct {
				Customer struct {
					ID [16]byte `parquet:"id,uuid"`
				} `parquet:"customer"`
				Amount   [5]byte   `parquet:"amount,decimal(4:10)"`
				PostedAt time.Time `parquet:"posted_at,timestamp"`
			}{{
				Customer: struct {
					ID [16]byte `parquet:"id,uuid"`
				}{[16]byte{0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff}},
				Amount: [5]byte{0xff, 0xff, 0xfe, 0x17, 0xb8}, PostedAt: at, // −125000
			}})},
		{"a moment as Hive and Spark used to write it", "", row, parquetOf(t, []struct {
			Account  string           `parquet:"account"`
			Amount   int64            `parquet:"amount"`
			PostedAt deprecated.Int96 `parquet:"posted_at"`
		}{{"a1", 1250, int96(at)}})},
		{"a local time", "time_zone: Europe/Berlin", "reward a1 1250 at 2026-01-05T09:00:00Z", parquetOf(t, []struct {
			Account  string `parquet:"account"`
			Amount   int64  `parquet:"amount"`
			PostedAt int64  `parquet:"posted_at,timestamp(microsecond:local)"`
		}{{"a1", 1250, at.UnixMicro()}})},
	} {
		t.Run(c.name, func(t *testing.T) {
			var sink collected
			o := options("USD", mapping(t, c.mapping), map[string]string{"rewards": write(t, "r.parquet", c.content)})
			in, err := intake.Read(t.Context(), o, &sink)
			if err != nil || !slices.Equal(sink.lines, []string{c.want}) {
				t.Errorf("got %q, want %q; %+v, %v", sink.lines, c.want, in, err)
			}
		})
	}
}

// int96 is a moment as nanoseconds of the day and, above them, its Julian day.
func int96(at time.Time) deprecated.Int96 {
	day := at.Truncate(24 * time.Hour)
	nanos := uint64(at.Sub(day))
	return deprecated.Int96{uint32(nanos), uint32(nanos >> 32), uint32(day.Unix()/86400 + 2440588)}
}

// A Parquet file that is damaged anywhere is an error or bad rows, and nothing
// worse.
func TestDamagedParquet(t *testing.T) {
	type rewards struct {
		Account  string    `parquet:"account"`
		Amount   int64     `parquet:"amount"`
		PostedAt time.Time `parquet:"posted_at,timestamp"`
	}
	whole := parquetOf(t, []rewards{{"a1", 1, time.Unix(1e9, 0)}, {"a2", 2, time.Unix(1e9, 0)}})
	path := write(t, "r.parquet", nil)
	failed := 0
	for i := range whole {
		damaged := bytes.Clone(whole)
		damaged[i] ^= 0xff
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		var sink collected
		if _, err := intake.Read(t.Context(), options("USD", nil, map[string]string{"rewards": path}), &sink); err != nil {
			failed++
		}
	}
	if failed < len(whole)/4 {
		t.Errorf("%d of %d damaged files are errors", failed, len(whole))
	}
}

// A file of a few kilobytes may say that it has millions of rows that are all alike:
// it is refused before they are read.
func TestParquetThatGrows(t *testing.T) {
	type reward struct {
		Account  string `parquet:"account,dict"`
		Amount   int64  `parquet:"amount,dict"`
		PostedAt string `parquet:"posted_at,dict"`
	}
	var out bytes.Buffer
	w := parquet.NewGenericWriter[reward](&out, parquet.Compression(&parquet.Zstd))
	rows := slices.Repeat([]reward{{strings.Repeat("a", 200), 1, "2026-01-05T10:00:00Z"}}, 10_000)
	for range 100 {
		if _, err := w.Write(rows); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := write(t, "r.parquet", out.Bytes())
	in, err := intake.Read(t.Context(), options("USD", nil, map[string]string{"rewards": path}), &collected{})
	if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "expected at most 1000-fold") {
		t.Errorf("%d bytes are %+v, %v", out.Len(), in, err)
	}
}

// FuzzParquet: a Parquet file of any bytes is rows or an error.
func FuzzParquet(f *testing.F) {
	type reward struct {
		Account  string    `parquet:"account"`
		Amount   int64     `parquet:"amount"`
		PostedAt time.Time `parquet:"posted_at,timestamp"`
	}
	f.Add(parquetOf(f, []reward{{"a1", 1, time.Unix(1e9, 0)}, {"a2", 2, time.Unix(1e9, 0)}}))
	f.Fuzz(func(t *testing.T, content []byte) {
		o := options("USD", nil, map[string]string{"rewards": write(t, "x.parquet", content)})
		o.BadLimit = 1000
		if in, err := intake.Read(t.Context(), o, lawful{t}); err == nil && in.Rows != in.Files[0].Rows {
			t.Errorf("%+v", in)
		}
	})
}
