package webhook_test

import (
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"recoup/internal/service/webhook"
	"recoup/internal/store/outbox"
)

func TestOnlyPublicAddressesAreAdded(t *testing.T) {
	inPebble(t, func(t *testing.T, d *database) {
		for _, c := range []struct {
			public bool
			hosts  string
		}{
			{false, "0.0.0.0 0.1.2.3 127.0.0.1 127.255.255.255 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1"},
			{false, "169.254.169.254 169.254.0.1 100.64.0.1 100.127.255.255 100.100.100.200 168.63.129.16"},
			{false, "224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 192.0.0.1 192.0.2.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1"},
			{false, "[::] [::1] [fe80::1] [fe80::1%25lo] [fc00::1] [fd00:ec2::254] [fec0::1] [ff02::1] [ff0e::1]"},
			{false, "[::ffff:127.0.0.1] [::ffff:10.0.0.1] [::ffff:169.254.169.254] [::127.0.0.1] [64:ff9b::10.0.0.1] [64:ff9b:1::1]"},
			{false, "[2001::1] [2001:db8::1] [2002:7f00:1::] [3fff::1] [100::1] [4000::1]"},
			{true, "1.1.1.1 11.0.0.1 172.15.255.255 172.32.0.1 192.167.255.255 169.253.0.1 100.63.255.255 100.128.0.1 223.255.255.255"},
			{true, "[2606:4700::1111] [2a00::1] [::ffff:1.1.1.1] [64:ff9b::1.1.1.1]"},
		} {
			for host := range strings.FieldsSeq(c.hosts) {
				_, _, err := d.outbox().Add(t.Context(), "https://"+host+"/", nil, false)
				if (err == nil) != c.public {
					t.Errorf("%s, public %t: %v", host, c.public, err)
				}
			}
		}
	})
}

// What counts is the address that a name stands for when it is connected to.
func TestANameOfThisMachineIsNotConnectedTo(t *testing.T) {
	inPebble(t, func(t *testing.T, d *database) {
		var connections, requests atomic.Int64
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
		server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
			if state == http.StateNew {
				connections.Add(1)
			}
		}
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.StartTLS()
		defer server.Close()
		_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
		e, _, err := d.outbox().Add(t.Context(), "https://localhost:"+port+"/", nil, false)
		if err != nil {
			t.Fatal(err)
		}
		d.notify(t, outbox.RewardPosted, "a1")

		refused := dispatch(t, d.outbox(), webhook.Options{})
		if a := refused.next(t); a.Fate != webhook.Retried {
			t.Fatalf("the attempt is %+v", a)
		}
		w := d.delivery(t, e.ID)
		if !strings.Contains(w.err, "deliveries to private addresses are not allowed") || connections.Load() != 0 {
			t.Errorf("%d connections, and what is kept is %+v", connections.Load(), w)
		}
		refused.stop(t)

		// Where it is allowed the receiver's certificate still has to be right.
		d.advance(w.next.Sub(d.now()))
		distrusting := dispatch(t, d.outbox(), onThisMachine)
		if a := distrusting.next(t); a.Fate != webhook.Retried || requests.Load() != 0 {
			t.Errorf("without its certificate: %+v", a)
		}
		distrusting.stop(t)
		d.advance(d.delivery(t, e.ID).next.Sub(d.now()))
		o := onThisMachine
		o.TLS = &tls.Config{RootCAs: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs, ServerName: "example.com"}
		if a := dispatch(t, d.outbox(), o).next(t); a.Fate != webhook.Delivered || requests.Load() != 1 {
			t.Errorf("where it is allowed: %+v", a)
		}
	})
}

// An endpoint that was added where private addresses are allowed is not sent to
// where they are not.
func TestPlainHTTPIsNotSpokenUnlessAllowed(t *testing.T) {
	inPebble(t, func(t *testing.T, d *database) {
		r := answering(t, 200)
		e, _ := add(t, d.outbox(), r.URL)
		d.notify(t, outbox.RewardPosted, "a1")
		if a := dispatch(t, d.outbox(), webhook.Options{}).next(t); a.Fate != webhook.Retried || len(r.got) != 0 {
			t.Errorf("the attempt is %+v", a)
		}
		if w := d.delivery(t, e.ID); !strings.Contains(w.err, "expected https") {
			t.Errorf("what is kept is %+v", w)
		}
	})
}

// A proxy would connect in the dispatcher's stead, and to anywhere. TestMain has
// the environment name one. A name that nobody has is not found; it is not the
// proxy that is refused.
func TestNoProxyIsUsed(t *testing.T) {
	inPebble(t, func(t *testing.T, d *database) {
		e, _ := add(t, d.outbox(), "https://recoup.invalid/")
		d.notify(t, outbox.RewardPosted, "a1")
		dispatch(t, d.outbox(), webhook.Options{Timeout: 2 * time.Second}).next(t)
		if w := d.delivery(t, e.ID); w.err == "" || strings.Contains(w.err, "127.0.0.1 is not a public address") {
			t.Errorf("what is kept is %+v", w)
		}
	})
}
