package observe_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"recoup/internal/service/observe"
)

func TestOnlyKnownHostsAreAnswered(t *testing.T) {
	h := observe.OnlyHosts(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {}), "Metrics.internal")
	for host, want := range map[string]int{
		"127.0.0.1:9": 200, "10.1.2.3:9090": 200, "[::1]:9": 200, "::1": 200, "localhost": 200, "LOCALHOST:9": 200, "metrics.internal:9": 200, "metrics.internal.": 200,
		"evil.example:9": 403, "localhost.evil.example": 403, "127.0.0.1.evil.example": 403, "": 403,
	} {
		r := httptest.NewRequest("GET", "/metrics", nil)
		r.Host = host
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != want {
			t.Errorf("under %q: %d, want %d", host, w.Code, want)
		}
	}
}
