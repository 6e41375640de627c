package event_test

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"testing"

	"recoup/event"
	"recoup/reward"
)

// numbered returns the i-th line of a made-up stream: mostly purchases, some
// refunds and redemptions, of 5,000 accounts and 300 merchants.
func numbered(i int) string {
	head := fmt.Sprintf(`{"specversion":"1.0","id":"evt-%08d","source":"core","type":%%q,"time":"2026-%02d-%02dT%02d:%02d:%02dZ","subject":"acct-%05d","data":%%s}`,
		i, 1+i/1_000_000%12, 1+i/30_000%28, i/3600%24, i/60%60, i%60, i*7919%5000)
	switch i % 10 {
	case 7:
		return fmt.Sprintf(head, "refund.posted", fmt.Sprintf(`{"refund":"ref-%08d","amount":%d,"currency":"USD","transaction":"txn-%08d"}`, i, 100+i%997, i-7))
	case 8:
		return fmt.Sprintf(head, "refund.posted", fmt.Sprintf(`{"refund":"ref-%08d","amount":%d,"currency":"USD","merchant":"merchant-%03d","mcc":"5411"}`, i, 100+i%997, i%300))
	case 9:
		return fmt.Sprintf(head, "redemption.requested", fmt.Sprintf(`{"redemption":"red-%08d","amount":%d,"currency":"USD"}`, i, 100+i%997))
	}
	return fmt.Sprintf(head, "transaction.settled",
		fmt.Sprintf(`{"transaction":"txn-%08d","amount":%d,"currency":"USD","merchant":"merchant-%03d","mcc":"5411","category":"GROCERY"}`, i, 100+i*31%99_991, i%300))
}

func BenchmarkDecode(b *testing.B) {
	lines := make([][]byte, 50_000)
	var size int64
	for i := range lines {
		lines[i] = []byte(numbered(i))
		size += int64(len(lines[i]))
	}
	d := event.NewDecoder()
	var e reward.Event
	b.SetBytes(size / int64(len(lines)))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if err := d.Decode(lines[i%len(lines)], &e); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	var e reward.Event
	if err := event.NewDecoder().Decode([]byte(settled), &e); err != nil {
		b.Fatal(err)
	}
	var line []byte
	b.ReportAllocs()
	for b.Loop() {
		line = event.Append(line[:0], &e)
	}
}

// BenchmarkReader reads a stream of 200,000 events; an operation is an event.
func BenchmarkReader(b *testing.B) {
	const events = 200_000
	var stream bytes.Buffer
	for i := range events {
		stream.WriteString(numbered(i) + "\n")
	}
	for _, way := range []struct {
		name    string
		batches func(*event.Reader, context.Context) iter.Seq2[[]reward.Event, error]
	}{
		{"Batches", (*event.Reader).Batches},
		{"Sequential", (*event.Reader).Sequential},
	} {
		b.Run(way.name, func(b *testing.B) {
			b.SetBytes(int64(stream.Len()) / events)
			b.ReportAllocs()
			for read := 0; read < b.N; {
				r := event.NewReader(bytes.NewReader(stream.Bytes()), "stream")
				for batch, err := range way.batches(r, b.Context()) {
					if err != nil {
						b.Fatal(err)
					}
					if read += len(batch); read >= b.N {
						break
					}
				}
			}
		})
	}
}
