package probe_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"recoup/internal/issuer"
	"recoup/internal/lab/design"
	"recoup/internal/probe"
	"recoup/internal/probe/adapter"
	"recoup/program"
)

// A probe moves money: it goes nowhere but to this machine, or where it is told to
// by name.
func TestTargetsThatAreRefused(t *testing.T) {
	addresses := map[string][]netip.Addr{
		"127.0.0.1":    {netip.MustParseAddr("127.0.0.1")},
		"10.0.0.7":     {netip.MustParseAddr("10.0.0.7")},
		"0.0.0.0":      {netip.MustParseAddr("0.0.0.0")},
		"bank.example": {netip.MustParseAddr("192.0.2.1")},
		"mixed.test":   {netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("192.0.2.1")},
		"mapped.test":  {netip.MustParseAddr("::ffff:192.0.2.1")},
	}
	tests := []struct {
		name, target string
		options      probe.Options
		want         string
	}{
		{"another machine", "http://bank.example", probe.Options{}, "192.0.2.1 is not a loopback address"},
		{"an address", "http://10.0.0.7:80", probe.Options{}, "must be allowed by its name, 10.0.0.7"},
		{"every address", "http://0.0.0.0:80", probe.Options{}, "not a loopback address"},
		{"one of several addresses", "http://mixed.test", probe.Options{}, "192.0.2.1 is not"},
		{"an address in IPv6 clothes", "http://mapped.test", probe.Options{}, "192.0.2.1 is not"},
		{"another name than the one allowed", "http://bank.example", probe.Options{AllowHosts: []string{"example"}}, "not a loopback address"},
		{"a name without an address", "http://nowhere.test", probe.Options{AllowHosts: []string{"nowhere.test"}}, "no address"},
		{"credentials", "http://user:hunter2@127.0.0.1", probe.Options{}, "no place for credentials"},
		{"credentials in what is no URL", "http://user:hunter2@127.0.0.1:x y", probe.Options{}, "expected a URL"},
		{"another scheme", "ftp://127.0.0.1", probe.Options{}, "expected a URL such as"},
		{"a query", "http://127.0.0.1/?token=hunter2", probe.Options{}, "without a query"},
		{"a token in the clear", "http://bank.example", probe.Options{AllowHosts: []string{"bank.example"}, Token: "hunter2"}, "expected https"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := probe.ConnectResolving(t.Context(), test.target, test.options, func(host string) []netip.Addr { return addresses[host] })
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

func sandbox(name string) http.Handler {
	d, err := design.Find(name)
	if err != nil {
		panic(err)
	}
	return adapter.Handler(func() issuer.Issuer { return d.New(program.Everyday()) }, least)
}

// Only the addresses that were checked are called: the name means nothing any
// more, here for want of anybody else who knows it.
func TestOnlyCheckedAddressesAreCalled(t *testing.T) {
	server := httptest.NewServer(sandbox("C"))
	defer server.Close()
	at := netip.MustParseAddrPort(server.Listener.Addr().String())
	_, port, _ := strings.Cut(server.Listener.Addr().String(), ":")
	c, err := probe.ConnectResolving(t.Context(), "http://sandbox.invalid:"+port, quick(), func(string) []netip.Addr { return []netip.Addr{at.Addr()} })
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Reset(); err != nil {
		t.Error(err)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	elsewhere := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
	defer other.Close()
	for _, status := range []int{301, 302, 307, 308} {
		server := httptest.NewServer(http.RedirectHandler(other.URL, status))
		_, err := probe.Connect(t.Context(), server.URL, quick())
		server.Close()
		if err == nil || !strings.Contains(err.Error(), "which is not followed") {
			t.Errorf("%d: %v", status, err)
		}
	}
	if elsewhere > 0 {
		t.Errorf("%d requests went elsewhere", elsewhere)
	}
}

func TestLongAnswersAreRefused(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte(`{"currency":"` + strings.Repeat("x", probe.MaxBody) + `"}`))
	}))
	defer server.Close()
	_, err := probe.Connect(t.Context(), server.URL, quick())
	if err == nil || !strings.Contains(err.Error(), "longer than 65536 bytes") {
		t.Error(err)
	}
}

func TestTheTokenGoesWithEveryRequest(t *testing.T) {
	var without []string
	inside := sandbox("C")
	o := quick()
	o.Token = "secret"
	c := connect(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" {
			without = append(without, r.URL.Path)
		}
		inside.ServeHTTP(w, r)
	}), o)
	if err := c.Open("a"); err != nil {
		t.Error(err)
	}
	if _, err := c.Balance("a"); err != nil || len(without) > 0 {
		t.Errorf("%v, without it %v", err, without)
	}
}
