package recoup

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"
	"time"
)

// process is a real service, which loses what it answers.
type process struct {
	t       *testing.T
	args    []string
	running *exec.Cmd
	asked   int
}

// serve starts a service with a database of its own, at an address that it keeps.
func serve(t *testing.T, more ...string) (*process, *Client) {
	program := os.Getenv("RECOUP_PROGRAM")
	if program == "" {
		t.Skip("RECOUP_PROGRAM names no program: make test-clients does")
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	p := &process{t: t, args: append([]string{program, "serve", "--dev", "--log-level", "error", "--db", t.TempDir() + "/data", "--listen", address}, more...)}
	p.start()
	t.Cleanup(p.kill)
	c, err := New("http://"+address, "")
	if err != nil {
		t.Fatal(err)
	}
	c.Retry = Retry{Attempts: 1000, First: 10 * time.Millisecond, Most: 50 * time.Millisecond, Patience: time.Minute}
	if _, err := c.ListPrograms(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p, c
}

func (p *process) start() {
	p.running = exec.Command(p.args[0], p.args[1:]...)
	if err := p.running.Start(); err != nil {
		p.t.Fatal(err)
	}
}

func (p *process) kill() {
	p.running.Process.Kill()
	p.running.Wait()
}

// RoundTrip makes a request. Of each ten, one finds nobody, and one is done and its answer
// lost, as the service is killed, and started again.
func (p *process) RoundTrip(r *http.Request) (*http.Response, error) {
	p.asked++
	switch p.asked % 10 {
	case 3:
		p.kill()
		defer p.start()
	case 7:
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err == nil {
			answer.Body.Close()
		}
		p.kill()
		p.start()
		return nil, errors.New("the answer was lost")
	}
	return http.DefaultTransport.RoundTrip(r)
}

// TestNothingIsDoneTwice: events and redemptions, with keys that the client makes up, each count once,
// whatever becomes of the service and of its answers.
func TestNothingIsDoneTwice(t *testing.T) {
	p, c := serve(t)
	c.HTTP.Transport = p
	for i := range 30 {
		_, err := c.Deliver(t.Context(), Event("core", fmt.Sprint("e", i), CloudEventTypeTransactionSettled, "acct-1", time.Now(),
			map[string]any{"transaction": fmt.Sprint("t", i), "amount": 10000, "currency": "USD"}))
		if err != nil {
			t.Fatal(err)
		}
	}
	for range 20 {
		if _, err := c.Redeem(t.Context(), "acct-1", nil, RedemptionRequest{Amount: 50, Currency: "USD"}); err != nil {
			t.Fatal(err)
		}
	}
	account, err := c.Account(t.Context(), "acct-1")
	if err != nil || account.Balance != 30*100-20*50 || account.Redeemed != 20*50 || account.Version != 50 {
		t.Errorf("%v: %+v", err, account)
	}
	if p.asked < 60 {
		t.Errorf("only %d requests were made: none was lost", p.asked)
	}
}

// TestANoticeOfTheService: what the service sends is taken, with the secret that it gave, and
// nothing that differs from it.
func TestANoticeOfTheService(t *testing.T) {
	type sent struct {
		header http.Header
		body   []byte
	}
	got := make(chan sent, 100)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- sent{r.Header, body}
	}))
	defer receiver.Close()
	_, c := serve(t, "--webhook-allow-private")
	added, err := c.AddWebhook(t.Context(), NewWebhook{URL: receiver.URL})
	if err != nil {
		t.Fatal(err)
	}
	// Only what happens from about a second later on is told.
	for i := range 600 {
		_, err := c.Deliver(t.Context(), Event("core", fmt.Sprint("e", i), CloudEventTypeTransactionSettled, "acct-1", time.Now(),
			map[string]any{"transaction": fmt.Sprint("t", i), "amount": 10000, "currency": "USD"}))
		if err != nil {
			t.Fatal(err)
		}
		select {
		case s := <-got:
			n, err := VerifyNotice(s.header, s.body, added.Secret)
			if err != nil || n.Type != "reward.posted" || n.ID == "" {
				t.Errorf("%+v, %v", n, err)
			}
			if _, err := VerifyNotice(s.header, append(s.body, ' '), added.Secret); !errors.Is(err, ErrSignature) {
				t.Errorf("another body is taken: %v", err)
			}
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
	t.Error("no notice came")
}
