package server_test

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recoup/internal/service/budget"
	"recoup/internal/service/server"
)

// listening is a service on a real listener.
type listening struct {
	*service
	url    string
	client *http.Client
	stop   context.CancelFunc
	ended  chan error
}

func listen(t *testing.T, f *service, config *tls.Config, grace time.Duration) *listening {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &listening{f, "http://" + l.Addr().String(), &http.Client{Transport: &http.Transport{}}, stop, make(chan error, 1)}
	go func() { s.ended <- f.Serve(ctx, l, config, grace); close(s.ended) }()
	t.Cleanup(func() {
		stop()
		for range s.ended {
		}
		s.client.CloseIdleConnections()
	})
	return s
}

func (s *listening) post(contentType string, body io.Reader) (*http.Response, error) {
	r, err := http.NewRequest("POST", s.url+"/v1/events", body)
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer ingest")
	r.Header.Set("Content-Type", contentType)
	return s.client.Do(r)
}

// conversation is a stream of lines that is sent and answered line by line.
type conversation struct {
	testing.TB
	send    *io.PipeWriter
	answers *bufio.Scanner
	body    io.Closer
}

// converse begins a stream with a first line.
func (s *listening) converse(first string) *conversation {
	s.Helper()
	in, out := io.Pipe()
	go io.WriteString(out, first)
	r, err := s.post(lines, in)
	if err != nil {
		s.Fatal(err)
	}
	if r.StatusCode != http.StatusOK || r.Header.Get("Content-Type") != lines {
		s.Fatalf("a stream is answered %d %q", r.StatusCode, r.Header.Get("Content-Type"))
	}
	return &conversation{s.TB, out, bufio.NewScanner(r.Body), r.Body}
}

func (c *conversation) say(line string) {
	c.Helper()
	if _, err := io.WriteString(c.send, line); err != nil {
		c.Fatal(err)
	}
}

func (c *conversation) hear(part string) {
	c.Helper()
	if !c.answers.Scan() {
		c.Fatalf("the stream ended, want %s: %v", part, c.answers.Err())
	}
	if !strings.Contains(c.answers.Text(), part) {
		c.Errorf("heard %s, want %s", c.answers.Text(), part)
	}
}

func (c *conversation) over() {
	c.Helper()
	if c.answers.Scan() {
		c.Errorf("heard %s after the end", c.answers.Text())
	}
	c.send.Close()
	c.body.Close()
}

// Who sends a line and waits for its answer gets it before sending the next.
func TestAStreamIsAnsweredWhileItIsSent(t *testing.T) {
	s := listen(t, newService(t), nil, time.Minute)
	c := s.converse(purchase(0, "acct", 100) + "\n")
	c.hear(`"id":"e0"`)
	for n := 1; n < 20; n++ {
		c.say(purchase(n, "acct", 100) + "\n")
		c.hear(fmt.Sprintf(`{"id":"e%d","source":"core","account":"acct","outcome":"applied"`, n))
	}
	half := purchase(20, "acct", 100)
	c.say(half[:30])
	c.say(half[30:]) // a last line without its newline
	c.send.Close()
	c.hear(`"id":"e20"`)
	c.over()
	s.get("/v1/accounts/acct").has("version", "21")
}

func TestAStreamWhoseSenderGoesAway(t *testing.T) {
	s := listen(t, newService(t), nil, time.Minute)
	c := s.converse(purchase(0, "acct", 100) + "\n")
	c.hear(`"id":"e0"`)
	c.send.CloseWithError(io.ErrUnexpectedEOF)
	c.body.Close() // that nothing of it is left is seen at the end of all tests
	s.get("/v1/accounts/acct").has("version", "1")
}

// patient gives bodies so long to arrive that a test which had to wait for it
// would not end.
func patient(o *server.Options) {
	o.Budgets = budget.New(budget.Limits{Patience: time.Hour, Idle: time.Hour})
}

func TestALineThatIsTooLongEndsItsStream(t *testing.T) {
	s := listen(t, newService(t, patient), nil, time.Minute)
	c := s.converse(purchase(0, "acct", 100) + "\n")
	c.hear(`"id":"e0"`)
	go io.WriteString(c.send, strings.Repeat("x", 3<<20))
	c.hear(`{"index":1,"outcome":"failed","code":"body_too_large"`)
	c.over()
}

func TestABodyThatDoesNotArrive(t *testing.T) {
	f := newService(t, func(o *server.Options) { o.Budgets = budget.New(budget.Limits{Idle: 50 * time.Millisecond}) })
	s := listen(t, f, nil, time.Minute)
	c := s.converse(purchase(0, "acct", 100) + "\n")
	c.hear(`"id":"e0"`)
	c.hear(`{"index":1,"outcome":"failed","code":"body_timeout"`)
	c.over()
}

// A service that ends answers what it has taken on, tells streams from where on
// they are to be sent again, and takes nothing new.
func TestEndingInGoodOrder(t *testing.T) {
	gate := &gated{reached: make(chan struct{}), open: make(chan struct{})}
	f := newService(t, patient, func(o *server.Options) { gate.Applier = o.Applier; o.Applier = gate })
	s := listen(t, f, nil, time.Minute)
	c := s.converse(purchase(0, "stream", 100) + "\n")
	c.hear(`"id":"e0"`)

	gate.closed.Store(true)
	answered := make(chan string, 1)
	go func() {
		r, err := s.post(one, strings.NewReader(purchase(1, "acct", 100)))
		if err != nil {
			answered <- err.Error()
			return
		}
		defer r.Body.Close()
		answered <- readAll(t, r.Body)
	}()
	<-gate.reached // the request is being applied
	s.stop()
	c.hear(`{"index":1,"outcome":"failed","code":"shutting_down"`)
	c.over()
	select {
	case err := <-s.ended:
		t.Fatalf("ended with a request under way: %v", err)
	default:
	}
	close(gate.open)
	if got := <-answered; !strings.Contains(got, `"outcome":"applied"`) {
		t.Errorf("answered %s", got)
	}
	if err := <-s.ended; err != nil {
		t.Error(err)
	}
	if _, err := s.post(one, strings.NewReader(purchase(2, "acct", 100))); err == nil {
		t.Error("a request was taken after the end")
	}
}

// What does not end in time is cut off.
func TestEndingIsBounded(t *testing.T) {
	gate := &gated{reached: make(chan struct{}), open: make(chan struct{})}
	gate.closed.Store(true)
	f := newService(t, func(o *server.Options) { gate.Applier = o.Applier; o.Applier = gate })
	s := listen(t, f, nil, time.Millisecond)
	cut := make(chan error, 1)
	go func() {
		r, err := s.post(one, strings.NewReader(purchase(1, "acct", 100)))
		if err == nil {
			r.Body.Close()
		}
		cut <- err
	}()
	<-gate.reached
	s.stop()
	if err := <-s.ended; err == nil || !strings.Contains(err.Error(), "cut off") {
		t.Errorf("ended with %v", err)
	}
	if err := <-cut; err == nil {
		t.Error("the request was answered")
	}
}

func TestAServiceThatIsOpenListensToThisMachineAlone(t *testing.T) {
	f := newServiceAt(t, "localhost", func(o *server.Options) { o.Authenticator, o.Open = nil, true })
	l, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // it would end at once
	if err := f.Serve(ctx, l, nil, time.Second); err == nil || !strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("on all addresses: %v", err)
	}
	if l, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	if err := f.Serve(ctx, l, nil, time.Second); err != nil {
		t.Errorf("on loopback: %v", err)
	}
}

func TestTLSWithACertificateThatIsRenewed(t *testing.T) {
	cert, key := filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	issue(t, 1, cert, key)
	c, err := server.LoadCertificate(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	s := listen(t, newService(t), c.Config(), time.Minute)
	serial := func() int64 {
		transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true}
		defer transport.CloseIdleConnections()
		r, err := (&http.Client{Transport: transport}).Get(strings.Replace(s.url, "http:", "https:", 1) + "/healthz")
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if r.Header.Get("Strict-Transport-Security") == "" || r.ProtoMajor != 2 {
			t.Errorf("%s with headers %v", r.Proto, r.Header)
		}
		return r.TLS.PeerCertificates[0].SerialNumber.Int64()
	}
	if n := serial(); n != 1 {
		t.Errorf("certificate %d, want 1", n)
	}
	issue(t, 2, cert, key)
	if err := c.Reload(); err != nil {
		t.Fatal(err)
	}
	if n := serial(); n != 2 {
		t.Errorf("certificate %d, want 2", n)
	}
	if err := os.WriteFile(key, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := c.Reload(); err == nil {
		t.Error("a key that is none was taken")
	}
	if n := serial(); n != 2 {
		t.Errorf("after a reload that failed: certificate %d, want 2", n)
	}
	if _, err := server.LoadCertificate(cert, key); err == nil {
		t.Error("a key that is none was loaded")
	}
}

// issue writes a certificate that signs itself, and its key.
func issue(t *testing.T, serial int64, certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "recoup"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: der}, keyFile: {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// What there is no room for is refused at once, what is at work goes on, and other keys
// and other kinds of work have room of their own.
func TestMoreThanThereIsRoomFor(t *testing.T) {
	gate := &gated{reached: make(chan struct{}), open: make(chan struct{})}
	gate.closed.Store(true)
	f := newService(t, func(o *server.Options) {
		gate.Applier = o.Applier
		o.Applier = gate
		o.Budgets = budget.New(budget.Limits{Processors: 1, Memory: 1})
	})
	const most = 1024 // of one key: half of the room for events
	answers := make(chan *answer, most)
	for i := range most {
		go func() {
			answers <- f.call("ingest", "POST", "/v1/events", one, purchase(i, fmt.Sprint("acct", i), 100))
		}()
	}
	for range most {
		<-gate.reached
	}
	for _, contentType := range []string{one, batch, lines} {
		a := f.call("ingest", "POST", "/v1/events", contentType, purchase(most, "acct", 100)).fails(429, "overloaded").has("budget", `"ingestion.requests"`)
		if got := a.header.Get("Retry-After"); got != "1" {
			t.Errorf("Retry-After %q", got)
		}
	}
	f.get("/v1/programs").status200()
	f.call("", "GET", "/healthz", "", "").status200()
	other := make(chan *answer, 1)
	go func() { other <- f.call("sender", "POST", "/v1/events", one, purchase(most, "acct", 100)) }()
	<-gate.reached
	close(gate.open)
	(<-other).status200()
	for range most {
		(<-answers).status200()
	}
	f.get("/v1/accounts/acct").status200().has("version", "1")
}
