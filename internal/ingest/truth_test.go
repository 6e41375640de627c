package ingest_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"recoup/event"
	"recoup/internal/ingest"
	"recoup/internal/intake"
	"recoup/reward"
)

// sold is a row of a made-up file.
type sold struct {
	nr, who, what string
	day, n, cents int
}

// Histories of which the truth is known: where each article is bought once, every
// refund names the purchase that it is really of, however often it comes back; no
// purchase is undone beyond what it cost; and events are events.
func TestMatchingFindsTheTruth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var rows []sold
		truth := map[string]string{} // which purchase each refund is of, which nobody tells the importer
		price := map[string]int64{}
		for i := range rapid.IntRange(1, 12).Draw(t, "purchases") {
			p := sold{
				nr: fmt.Sprint("t", i), who: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "account"), what: fmt.Sprint("article-", i),
				day: rapid.IntRange(0, 300).Draw(t, "day"), n: rapid.IntRange(1, 5).Draw(t, "n"), cents: rapid.IntRange(1, 500).Draw(t, "price"),
			}
			rows = append(rows, p)
			price[p.nr] = int64(p.n * p.cents)
			for left, j := p.n, 0; left > 0 && rapid.Bool().Draw(t, "comes back"); j++ {
				r := p
				r.nr, r.n = fmt.Sprint("r", i, "-", j), -rapid.IntRange(1, left).Draw(t, "pieces")
				left += r.n
				r.day += rapid.IntRange(0, 60).Draw(t, "later")
				truth[r.nr] = p.nr
				rows = append(rows, r)
			}
		}
		rows = rapid.Permutation(rows).Draw(t, "order in the file")
		var content strings.Builder
		content.WriteString("nr,who,day,each,n,what,aisle\n")
		for _, r := range rows {
			day := time.Date(2026, 1, 1+r.day, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
			fmt.Fprintf(&content, "%s,%s,%s,%d.%02d,%d,%s,\n", r.nr, r.who, day, r.cents/100, r.cents%100, r.n, r.what)
		}
		mapping := strings.Replace(receipts, "receipts: sum", rapid.SampledFrom([]string{"receipts: sum", "receipts: items", "receipts: none"}).Draw(t, "receipts"), 1)
		i, err := importText(mapping, content.String())
		if err != nil {
			t.Fatal(err)
		}
		undone := map[string]int64{}
		for e := range i.Events() {
			if err := decodes(&e); err != nil {
				t.Fatalf("%s: %v", event.Append(nil, &e), err)
			}
			if e.Type != reward.RefundPosted {
				continue
			}
			if name, _, _ := strings.Cut(e.ID, "/"); e.Transaction != truth[name] {
				t.Fatalf("%s is linked to %q, and is of %s\n%s", name, e.Transaction, truth[name], content.String())
			}
			undone[e.Transaction] += e.Amount
		}
		for nr, cents := range undone {
			if cents > price[nr] {
				t.Fatalf("%s cost %d and %d came back", nr, price[nr], cents)
			}
		}
		if m := i.Report().Matching; m.OnePurchase != len(truth) || m.Choice+m.SeveralPurchases+m.InPart+m.None != 0 {
			t.Fatalf("%+v of %d", m, len(truth))
		}
	})
}

// FuzzImport: any text is events or an error, and events are events.
func FuzzImport(f *testing.F) {
	f.Add(receipts, "nr,who,day,each,n,what,aisle\nt1,a,2026-01-05,2.00,3,milk,GROCERY\nr1,a,2026-01-07,2.00,-2,milk,GROCERY\n")
	f.Add(till, "nr,who,day,sum,shop,of\nt1,a,2026-01-05,10.00,s,\nr1,a,2026-01-06,-4.00,s,t1\n")
	f.Fuzz(func(t *testing.T, mapping, content string) {
		i, err := importText(mapping, content)
		if err != nil {
			return
		}
		events := slices.Collect(i.Events())
		for n, e := range events {
			if err := decodes(&e); err != nil || n > 0 && e.Time < events[n-1].Time {
				t.Errorf("%s: %v", event.Append(nil, &e), err)
			}
		}
	})
}

// importText imports a text by a mapping, in dollars.
func importText(mapping, content string) (*ingest.Imported, error) {
	m, err := intake.ParseMapping("map.yaml", []byte(mapping))
	if err != nil {
		return nil, err
	}
	file, err := os.CreateTemp("", "recoup-*.csv")
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	if _, err := file.WriteString(content); err != nil {
		return nil, err
	}
	return ingest.Import(context.Background(), ingest.Options{
		Mapping: m, Files: []string{file.Name()}, Currency: "USD", Source: "shop", Link: ingest.LinkMatched, BadLimit: -1,
	})
}

// decodes reports whether an event is one on the wire, and the same there.
func decodes(e *reward.Event) error {
	var again reward.Event
	if err := event.NewDecoder().Decode(event.Append(nil, e), &again); err != nil {
		return err
	}
	if again != *e {
		return fmt.Errorf("it is read as %+v", again)
	}
	return nil
}
