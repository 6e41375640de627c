package intake_test

import (
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"recoup/internal/intake"
	"recoup/internal/intake/history"
	"recoup/program"
	"recoup/reward"
)

// After a quotation mark in a value the next line is a row again.
func TestGoesOnAfterBareQuotes(t *testing.T) {
	content := "account,amount,posted_at\na1,5,2026-01-05T10:00:00Z\n\"12\" TV,5,2026-01-05T10:00:00Z\n" +
		"a\"2,5,2026-01-05T10:00:00Z\n" + strings.Repeat("a5,5,2026-01-05T10:00:00Z\n", 1000)
	path := write(t, "r.csv", []byte(content))
	var sink collected
	in, err := intake.Read(t.Context(), options("USD", nil, map[string]string{"rewards": path}), &sink)
	if err != nil || in.Rows != 1001 || in.Bad != 2 {
		t.Fatalf("%+v, %v", in, err)
	}
	if want := []string{path + ":3", path + ":4"}; !slices.Equal(in.ByWhy[0].First, want) {
		t.Errorf("%+v", in.ByWhy)
	}
}

// After one that is never closed, or that a later one closes by accident, rows would
// be lost in one value: that is an error, with the line where it begins.
func TestQuotesThatSwallowRows(t *testing.T) {
	const row = "a1,5,2026-01-05T10:00:00Z\n"
	for name, rest := range map[string]string{
		"never closed":                 strings.Repeat(row, 10),
		"never closed, in a long file": strings.Repeat(row, 100_000),
		"closed by the next":           row + "\"a2\",5,2026-01-05T10:00:00Z\n" + row,
	} {
		path := write(t, "r.csv", []byte("account,amount,posted_at\n"+row+"\"a3,5,2026-01-05T10:00:00Z\n"+rest))
		o := options("USD", nil, map[string]string{"rewards": path})
		o.BadLimit = 1000
		in, err := intake.Read(t.Context(), o, &collected{})
		if err == nil || !strings.Contains(err.Error(), path+":3: ") || !strings.Contains(err.Error(), "quotation mark") {
			t.Errorf("%s: %+v, %v; want an error at line 3", name, in, err)
		}
	}
}

// lawful is a sink that refuses rows that are none.
type lawful struct{ t *testing.T }

func (l lawful) Add(rows []history.Row) error {
	for _, r := range rows {
		named := r.Kind == history.Purchase || r.Kind == history.Refund || r.Kind == history.Chargeback
		signed := r.Kind == history.Reward || r.Kind == history.Adjustment || r.Kind == history.Redemption
		switch {
		case r.Kind.String() == "unknown", r.Account == "", r.Amount == 0, r.Amount < 0 && !signed, named && r.ID == "",
			r.Amount > reward.MaxAmount || r.Amount < -reward.MaxAmount, r.At < reward.EarliestInstant || r.At > reward.LatestInstant,
			len(r.Account) > 256, len(r.ID) > 256, len(r.Transaction) > 256, len(r.Merchant) > 256, len(r.Category) > 256:
			l.t.Errorf("row %+v", r)
		}
	}
	return nil
}

// Whatever a file and its mapping hold, what is delivered are lawful rows.
func FuzzRead(f *testing.F) {
	for i, e := range exports {
		f.Add(e.bytesOf(), e.mapping, uint8(i))
	}
	f.Fuzz(func(t *testing.T, content []byte, text string, table uint8) {
		m, err := intake.ParseMapping("map.yaml", []byte(text))
		if err != nil {
			m = nil
		}
		tables := []string{"transactions", "refunds", "rewards", "redemptions"}
		o := options("USD", m, map[string]string{tables[int(table)%len(tables)]: write(t, "x.csv", content)})
		o.BadLimit = 1000
		if in, err := intake.Read(t.Context(), o, lawful{t}); err == nil && in.Rows != in.Files[0].Rows {
			t.Errorf("%+v", in)
		}
	})
}

// What Inspect guesses of any file is a mapping.
func FuzzInspect(f *testing.F) {
	for _, e := range exports {
		f.Add(e.bytesOf())
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		if guess, err := inspect(write(t, "x.csv", content)); err != nil && (strings.Contains(err.Error(), "the mapping guessed") || strings.Contains(err.Error(), "guess.yaml")) {
			t.Errorf("%+v, %v", guess, err)
		}
	})
}

// FuzzMapping: what is no mapping is an *Error, with a line where there is one.
func FuzzMapping(f *testing.F) {
	for _, e := range exports {
		f.Add(e.mapping)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := intake.ParseMapping("map.yaml", []byte(text))
		if refused := (*intake.Error)(nil); err != nil && !errors.As(err, &refused) || err == nil && m == nil {
			t.Errorf("%v, %T: %v", m, err, err)
		}
	})
}

// FuzzDate: no pattern meets a text that it breaks on, moments are within bounds, and
// what is written as RFC 3339 has it is read as the moment that it is.
func FuzzDate(f *testing.F) {
	f.Add("rfc3339", "2026-01-05T10:00:00.5+01:00")
	f.Add("DD.MM.YYYY hh:mm", "29.02.2024 23:59")
	f.Add("M/D/YY h:mm AM Z", "1/5/26 12:05 pm +0100")
	f.Add("unix_ms", "1767607200000.5")
	f.Add("excel", "45000.4166666667")
	f.Add("DD-Mon-YYYY", "05-Mar-2026")
	f.Add("YYYY-MM", "2024-02")
	f.Fuzz(func(t *testing.T, format, text string) {
		at, ok, err := intake.ReadDate(format, text, time.UTC)
		if err != nil || !ok {
			return
		}
		if at < reward.EarliestInstant || at > reward.LatestInstant {
			t.Errorf("%q as %s is %d", text, format, at)
		}
		if again, ok, err := intake.ReadDate("rfc3339", at.String(), time.UTC); err != nil || !ok || again != at {
			t.Errorf("%q as %s is %v, and that %v, %t, %v", text, format, at, again, ok, err)
		}
	})
}

// Counts and totals, worked out by hand and by a spreadsheet program.
func TestDatesThatAreNone(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		format, text string
		zone         *time.Location
		want         string
	}{
		{"excel", "45000", time.UTC, "2023-03-15T00:00:00Z"},
		{"excel", "45000.5", time.UTC, "2023-03-15T12:00:00Z"},
		{"excel", "40148.322916666664", time.UTC, "2009-12-01T07:45:00Z"},
		{"excel", "45000", berlin, "2023-03-14T23:00:00Z"},
		{"YYYY-MM", "2024-02", time.UTC, "2024-02-29T23:59:59.999999999Z"},
		{"MM/YYYY", "12/2025", berlin, "2025-12-31T22:59:59.999999999Z"},
		{"Mon YYYY", "mar 2026", time.UTC, "2026-03-31T23:59:59.999999999Z"},
		{"YYYY M D hh:mm", "2002 9 1 06:21", time.UTC, "2002-09-01T06:21:00Z"},
		{"unix_ms", "1767607200000.5", time.UTC, "2026-01-05T10:00:00.0005Z"},
		{"excel", "-1", time.UTC, ""}, {"excel", "1e5", time.UTC, ""}, {"excel", "1/2", time.UTC, ""}, {"excel", "0x10", time.UTC, ""},
		{"excel", "", time.UTC, ""}, {"excel", "25568", time.UTC, ""}, {"unix", "-5", time.UTC, ""}, {"unix", "1e9", time.UTC, ""},
	} {
		at, ok, err := intake.ReadDate(c.format, c.text, c.zone)
		if err != nil || ok != (c.want != "") || ok && at.String() != c.want {
			t.Errorf("%q as %s is %v, %t, %v; want %s", c.text, c.format, at, ok, err, c.want)
		}
	}
}

// Moments in any pattern are read as they were written.
func TestPatternsOfDates(t *testing.T) {
	layouts := map[string]string{
		"YYYY-MM-DD hh:mm:ss.f": "2006-01-02 15:04:05.000000000", "DD.MM.YYYY hh:mm": "02.01.2006 15:04", "MM/DD/YYYY": "01/02/2006",
		"M/D/YYYY h:mm:ss AM": "1/2/2006 3:04:05 PM", "DD-Mon-YY": "02-Jan-06", "YYYYMMDDThhmmss": "20060102T150405", "rfc3339": time.RFC3339Nano,
		"iso": "2006-01-02 15:04:05", "YYYY/MM/DD hh:mm:ss Z": "2006/01/02 15:04:05 -0700", "Mon D, YYYY": "Jan 2, 2006", "YYYY-MM-DDThh:mm:ssZ": time.RFC3339,
	}
	formats := make([]string, 0, len(layouts))
	for format := range layouts {
		formats = append(formats, format)
	}
	slices.Sort(formats)
	rapid.Check(t, func(t *rapid.T) {
		format := rapid.SampledFrom(formats).Draw(t, "format")
		first := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()
		moment := time.Unix(0, rapid.Int64Range(first, int64(reward.LatestInstant)).Draw(t, "moment")).UTC()
		if strings.HasSuffix(format, "YY") && !strings.HasSuffix(format, "YYYY") {
			moment = moment.AddDate(2000-moment.Year(), 0, 0)
		}
		text := moment.Format(layouts[format])
		want, err := time.Parse(layouts[format], text)
		if err != nil {
			t.Fatal(err)
		}
		if at, ok, err := intake.ReadDate(format, text, time.UTC); err != nil || !ok || at != reward.At(want) {
			t.Fatalf("%q as %s is %v, %t, %v; want %v", text, format, at, ok, err, want)
		}
	})
}

// A local time is the moment at which the clock showed it, the first of two.
func TestLocalTimes(t *testing.T) {
	zones := []string{"Europe/Berlin", "America/New_York", "America/Sao_Paulo", "Asia/Kathmandu", "Australia/Lord_Howe", "Africa/Casablanca", "UTC"}
	rapid.Check(t, func(t *rapid.T) {
		zone, err := time.LoadLocation(rapid.SampledFrom(zones).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		moment := time.Unix(rapid.Int64Range(100_000, 4_000_000_000).Draw(t, "moment"), 0)
		if near := rapid.Bool().Draw(t, "near a change"); near {
			if _, end := moment.In(zone).ZoneBounds(); !end.IsZero() {
				moment = end.Add(time.Duration(rapid.Int64Range(-10_000, 10_000).Draw(t, "seconds")) * time.Second)
			}
		}
		text := moment.In(zone).Format(time.DateTime)
		at, ok, err := intake.ReadDate("iso", text, zone)
		if err != nil || !ok || at.Time().In(zone).Format(time.DateTime) != text || at > reward.At(moment) {
			t.Fatalf("%s in %s is %v, %t, %v; want %v", text, zone, at, ok, err, moment.UTC())
		}
	})
}

// FuzzAmount compares decimals with exact rationals, and with the amounts of
// program files.
func FuzzAmount(f *testing.F) {
	for _, text := range []string{"12.50", "-1,234.5", "12.505", "12.500", "", "-", ".5", "5.", "1e5", "999999999999999999999", "0x1", "1,23"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := intake.ReadAmount(text, ".", ",", 2)
		exact, isNumber := new(big.Rat).SetString(strings.ReplaceAll(strings.Join(strings.Fields(text), ""), ",", ""))
		if ok && (!isNumber || exact.Mul(exact, big.NewRat(100_000, 1)).Cmp(new(big.Rat).SetInt64(got)) != 0) {
			t.Errorf("%q is %d, exactly %v", text, got, exact)
		}
		if want, err := program.ParseDecimal(text, "USD"); err == nil && want <= reward.MaxAmount && want >= -reward.MaxAmount && (!ok || got != want*1000) {
			t.Errorf("%q is %d, %t; want %d", text, got, ok, want)
		}
		if minor, ok := intake.ReadAmount(text, "", "", 2); ok {
			if want, isInt := new(big.Int).SetString(strings.Join(strings.Fields(text), ""), 10); !isInt || !want.IsInt64() || want.Int64()*1000 != minor {
				t.Errorf("%q is %d in minor units, want %v", text, minor, want)
			}
		}
	})
}
