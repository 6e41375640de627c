package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"recoup/internal/kit/pgtest"
	"recoup/internal/store"
	"recoup/internal/store/durable"
	"recoup/internal/store/postgres"
)

// warm makes an account with two events, so that the connection has prepared
// what a further one takes: preparing is an exchange of its own, and one that
// is safe to repeat.
func warm(t *testing.T, d *postgres.DB) {
	t.Helper()
	for range 2 {
		if err := d.Update(context.Background(), func(tx durable.Tx) error { return post(tx, "acct-1") }); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAServerThatDies(t *testing.T) {
	t.Parallel()
	c := pgtest.Start(t)
	d := open(t, c.NewDatabase(t), postgres.Options{Migrate: true})
	unit := func(tx durable.Tx) error { return post(tx, "acct-1") }
	warm(t, d)

	t.Run("in the middle of a unit of work leaves nothing of it", func(t *testing.T) {
		times := 0
		err := d.Update(context.Background(), func(tx durable.Tx) error {
			times++
			if err := unit(tx); err != nil {
				return err
			}
			c.Kill(t)
			return nil
		})
		// The server was gone before the commit, which the driver cannot know.
		if !errors.Is(err, postgres.ErrOutcomeUnknown) || times != 1 || store.ReachOf(err) != store.Database {
			t.Errorf("the unit of work ends with %v after %d times, want an unknown outcome after one", err, times)
		}
	})
	t.Run("is said to be unreachable", func(t *testing.T) {
		for what, err := range map[string]error{
			"Update": d.Update(context.Background(), unit),
			"View": d.View(context.Background(), func(r durable.Reader) error {
				_, _, err := r.Account(context.Background(), "acct-1")
				return err
			}),
			"Ping": d.Ping(context.Background()),
		} {
			if err == nil || !strings.Contains(err.Error(), "cannot be reached") || store.ReachOf(err) != store.Database {
				t.Errorf("%s: %v", what, err)
			}
		}
	})
	t.Run("is used again when it is back", func(t *testing.T) {
		c.Restart(t)
		expectVersion(t, d, "acct-1", 2)
		if err := d.Update(context.Background(), unit); err != nil {
			t.Error(err)
		}
		expectVersion(t, d, "acct-1", 3)
	})
	t.Run("between two units of work is not noticed", func(t *testing.T) {
		c.Restart(t)
		if err := d.Update(context.Background(), unit); err != nil {
			t.Error(err)
		}
		expectVersion(t, d, "acct-1", 4)
	})
	t.Run("before a unit of work is done is tried again", func(t *testing.T) {
		times := 0
		err := d.Update(context.Background(), func(tx durable.Tx) error {
			times++
			if err := unit(tx); err != nil {
				return err
			}
			if times == 1 {
				c.Restart(t)
			}
			_, err := tx.Load(context.Background(), &durable.Request{Accounts: []string{"acct-1"}, Held: []int64{-1}})
			return err
		})
		if err != nil || times != 2 {
			t.Errorf("the unit of work ends with %v after %d times, want 2", err, times)
		}
		expectVersion(t, d, "acct-1", 5)
	})
}

// A commit whose answer is lost has been done all the same; the driver must
// neither do it again nor say that it failed.
func TestALostAnswerIsAnUnknownOutcome(t *testing.T) {
	t.Parallel()
	c := pgtest.Shared(t)
	url := c.NewDatabase(t)
	direct := open(t, url, postgres.Options{Migrate: true})
	p := newProxy(t, c.Port())
	d := open(t, strings.Replace(url, fmt.Sprint(c.Port()), fmt.Sprint(p.port()), 1), postgres.Options{})
	warm(t, d)

	times := 0
	err := d.Update(context.Background(), func(tx durable.Tx) error {
		times++
		if err := post(tx, "acct-1"); err != nil {
			return err
		}
		p.dropAnswers()
		return nil
	})
	if !errors.Is(err, postgres.ErrOutcomeUnknown) || times != 1 {
		t.Errorf("the unit of work ends with %v after %d times, want an unknown outcome after one", err, times)
	}
	expectVersion(t, direct, "acct-1", 3)
}

// proxy stands between a client and the server, until it drops the server's next
// answer, and the connection with it, or cuts all connections.
type proxy struct {
	net.Listener
	server string
	mu     sync.Mutex
	drop   bool
	open   []net.Conn // to the server
}

func newProxy(t *testing.T, server int) *proxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{Listener: l, server: fmt.Sprintf("127.0.0.1:%d", server)}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(client)
		}
	}()
	return p
}

func (p *proxy) port() int { return p.Addr().(*net.TCPAddr).Port }

func (p *proxy) dropAnswers() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drop = true
}

// cut closes everything, as the system does for a process that is killed.
func (p *proxy) cut() {
	_ = p.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.open {
		_ = c.Close()
	}
}

func (p *proxy) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		return
	}
	defer server.Close()
	p.mu.Lock()
	p.open = append(p.open, server)
	p.mu.Unlock()
	go func() {
		_, _ = io.Copy(server, client)
		_ = server.Close()
	}()
	answer := make([]byte, 1<<16)
	for {
		n, err := server.Read(answer)
		if err != nil {
			return
		}
		p.mu.Lock()
		drop := p.drop
		p.mu.Unlock()
		if drop {
			// One exchange is one answer: the server has committed.
			return
		}
		if _, err := client.Write(answer[:n]); err != nil {
			return
		}
	}
}
