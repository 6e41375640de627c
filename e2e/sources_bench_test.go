package e2e_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

// BenchmarkWebhooks compares purchases as a processor's webhooks with the same as events that
// somebody wrote, one and ten a request, by 16 clients. Each is answered when it is durable.
//
//	go test ./e2e -run '^$' -bench Webhooks -benchtime 2000x
func BenchmarkWebhooks(b *testing.B) {
	const clients = 16
	folder := b.TempDir()
	file, secret := filepath.Join(folder, "sources.yaml"), filepath.Join(folder, "secret")
	noError(b, os.WriteFile(secret, []byte("recoup:Passw0rd-made"), 0o600))
	noError(b, os.WriteFile(file, []byte("sources: [{name: marqeta, kind: marqeta, secret: {file: "+secret+"}}]"), 0o600))
	s := serveAs(b, "--dev", "--db", filepath.Join(folder, "data"), "--sources", file)
	var made atomic.Int64
	clearing := func(n int64) string {
		return fmt.Sprintf(`{"type":"authorization.clearing","state":"COMPLETION","token":"w%d","user_token":"u%d","created_time":"2026-11-06T10:00:00Z","amount":60.1,"currency_code":"USD","response":{"code":"0000"},"card_acceptor":{"mid":"200300400","mcc":"5411"}}`, n, n%10_000)
	}
	event := func(n int64) string {
		return fmt.Sprintf(`{"specversion":"1.0","id":"d%d","source":"core","type":"transaction.settled","time":"2026-11-06T10:00:00Z","subject":"v%d","data":{"transaction":"d%d","amount":6010,"currency":"USD","merchant":"200300400","mcc":"5411"}}`, n, n%10_000, n)
	}
	list := func(of func(int64) string, n int) []byte {
		var list bytes.Buffer
		for i := range n {
			if i > 0 {
				list.WriteByte(',')
			}
			list.WriteString(of(made.Add(1)))
		}
		return list.Bytes()
	}
	for _, c := range []struct {
		name, path, media string
		events            int
		body              func(n int) []byte
	}{
		{"webhook of one", "/v1/sources/marqeta", "application/json", 1, func(n int) []byte { return fmt.Appendf(nil, `{"transactions":[%s]}`, list(clearing, n)) }},
		{"event", "/v1/events", "application/cloudevents+json", 1, func(n int) []byte { return list(event, n) }},
		{"webhook of ten", "/v1/sources/marqeta", "application/json", 10, func(n int) []byte { return fmt.Appendf(nil, `{"transactions":[%s]}`, list(clearing, n)) }},
		{"batch of ten", "/v1/events", "application/cloudevents-batch+json", 10, func(n int) []byte { return fmt.Appendf(nil, `[%s]`, list(event, n)) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			next := make(chan struct{}, b.N)
			for range b.N {
				next <- struct{}{}
			}
			close(next)
			var all sync.WaitGroup
			transport := &http.Transport{MaxIdleConnsPerHost: clients}
			defer transport.CloseIdleConnections()
			for range clients {
				all.Go(func() {
					client := &http.Client{Transport: transport}
					for range next {
						r, _ := http.NewRequest(http.MethodPost, s.url+c.path, bytes.NewReader(c.body(c.events)))
						r.Header.Set("Content-Type", c.media)
						r.SetBasicAuth("recoup", "Passw0rd-made")
						answer, err := client.Do(r)
						if err != nil {
							b.Error(err)
							return
						}
						io.Copy(io.Discard, answer.Body)
						answer.Body.Close()
						if answer.StatusCode != http.StatusOK {
							b.Errorf("answered with %d", answer.StatusCode)
							return
						}
					}
				})
			}
			all.Wait()
			b.ReportMetric(float64(b.N*c.events)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
