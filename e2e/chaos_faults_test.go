package e2e_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// fault has something go wrong for a while.
type fault func(*chaos)

// killed kills a process, and starts it again: at once if there is no other.
func killed(c *chaos) {
	told := "no connection"
	if len(c.posts) == 1 {
		told = "" // it may be back before anybody comes
	}
	c.during("a process is killed", told, c.crash)
}

func (c *chaos) crash(p *phase) {
	dying := c.posts[c.draw.IntN(len(c.posts))]
	time.Sleep(time.Duration(c.draw.Int64N(int64(each))))
	if len(c.posts) > 1 {
		dying.service.kill()
		time.Sleep(lasting)
		c.man(dying)
		return
	}
	over := c.outage(p, true)
	dying.service.kill()
	c.man(dying)
	over()
	time.Sleep(lasting)
}

// processStopped stops one of several processes as it is, with accounts locked or not.
func processStopped(c *chaos) {
	c.during("a process is stopped", "no answer", func(p *phase) {
		p.holds = true
		stopped := c.posts[c.draw.IntN(len(c.posts))].service.command.Process
		time.Sleep(time.Duration(c.draw.Int64N(int64(each))))
		noError(c, stopped.Signal(syscall.SIGSTOP))
		time.Sleep(lasting)
		noError(c, stopped.Signal(syscall.SIGCONT))
	})
}

// copierStopped stops a command that works beside the service of a folder, by way of it.
func copierStopped(c *chaos) {
	to := filepath.Join(c.TempDir(), "copy")
	copier := start(c, recoup(c), []string{"backup", "--db", c.db, to, "--follow", "--every", "20ms"})
	eventually(c, "there is a copy", func() error {
		_, err := os.Stat(filepath.Join(to, "current"))
		return err
	})
	c.during("a command is stopped", "", func(*phase) {
		time.Sleep(time.Duration(c.draw.Int64N(int64(each))))
		noError(c, copier.command.Process.Signal(syscall.SIGSTOP))
		time.Sleep(lasting)
		copier.kill()
	})
}

// rowLocked has three people lock the rows of accounts and not let go of them.
func rowLocked(c *chaos) {
	c.during("rows are locked", "account_locked", func(*phase) {
		for n := range 3 {
			defer holdRow(c.T, c.schemas, fmt.Sprint("busy-", n))()
		}
		time.Sleep(lasting)
	})
}

// damaged has events come of an account that cannot be read, until the end.
func damaged(c *chaos) {
	c.during("an account is damaged", "account_damaged", func(*phase) {
		c.damage()
		time.Sleep(lasting)
	})
}

func (c *chaos) damage() {
	c.damagedUpTo++
	c.unlucky.with(c.fragile[c.damagedUpTo-1])
}

// diskFull leaves less on the disk than the service keeps in reserve, then nothing.
func diskFull(c *chaos) {
	c.during("the disk is full", "store_unavailable", func(p *phase) {
		ballast := filepath.Join(c.dir, "ballast")
		over := c.outage(p, false)
		for began := time.Now(); time.Since(began) < lasting; time.Sleep(20 * time.Millisecond) {
			left := int64(reserve / 2)
			if time.Since(began) > lasting/2 {
				left = 0
			}
			fill(c.T, ballast, left) // what the service frees meanwhile, too
		}
		noError(c, os.Remove(ballast))
		over()
		time.Sleep(lasting / 2)
	})
}

// slowClients has hundreds of connections that are hardly ever done.
func slowClients(c *chaos) {
	c.during("slow clients", "", func(p *phase) {
		hangUp := c.dawdle(p)
		time.Sleep(lasting)
		p.slow.look(c.posts[0].client.Load())
		hangUp()
	})
}

// together has several of these happen at the same time.
func together(c *chaos) {
	c.during("several at once", "account_damaged", func(p *phase) {
		hangUp := c.dawdle(p)
		c.damage()
		release := func() {}
		if c.schemas != nil {
			release = holdRow(c.T, c.schemas, "busy-2")
		}
		time.Sleep(lasting / 2)
		p.slow.look(c.posts[0].client.Load())
		c.crash(p)
		release()
		hangUp()
	})
}

// How many slow clients of each kind there are for each process: more who read than all
// who read may be at a time, of the others some. Of those who read fewReaders are let in at
// least.
var readers = 64*max(2, runtime.GOMAXPROCS(0)) + 72

const trickling, fewReaders = 50, 40

// dawdle has slow clients come to each process, from another address than the crowd, and
// come again as they are sent away or cut off, until they are to hang up. It returns once
// each has been there.
func (c *chaos) dawdle(p *phase) (hangUp func()) {
	body := func(path, media string) string {
		return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nIdempotency-Key: slow\r\nContent-Length: 1000\r\n\r\n", path, media)
	}
	reads := fmt.Sprintf("GET /v1/accounts/%s/entries?limit=400 HTTP/1.1\r\nHost: localhost\r\n\r\n", thick)
	stop := make(chan struct{})
	var ended, begun sync.WaitGroup
	come := func(at *post, n int, request string) {
		for range n {
			begun.Add(1)
			ended.Go(func() {
				once := sync.OnceFunc(begun.Done)
				defer once()
				time.Sleep(rand.N(500 * time.Millisecond)) // they do not all come at once
				for {
					select {
					case <-stop:
						return
					default:
					}
					p.slow.visit(strings.TrimPrefix(at.client.Load().base, "http://"), request, stop, once)
				}
			})
		}
	}
	for _, at := range c.posts {
		come(at, readers, reads)
		come(at, trickling, body("/v1/events", lines.String()))
		come(at, trickling, body("/v1/programs/house/preview", "application/yaml"))
		come(at, trickling, body("/v1/accounts/busy-0/redemptions", "application/json"))
	}
	begun.Wait()
	return func() { close(stop); ended.Wait() }
}

// slow is how slow clients fare.
type slow struct {
	let, sent atomic.Int64
	reading   int // requests for reading that are at work, as a process says
}

var budgetOfReading = regexp.MustCompile(`(?m)^recoup_budget_used\{class="reading",of="requests"\} (\d+)$`)

// look asks a process what it has at work.
func (s *slow) look(at *client) {
	_, text, _ := newClient(at.base).ask("GET", "/metrics", "", nil, nil) // one that waits
	if found := budgetOfReading.FindSubmatch(text); found != nil {
		s.reading, _ = strconv.Atoi(string(found[1]))
	}
}

// visit makes a request that takes next to nothing of its answer at a time, and sends as
// little of what is to come of its body, until the answer is no or the other side is gone.
func (s *slow) visit(address, request string, stop <-chan struct{}, begun func()) {
	// Packets as they are on real networks, and no room for what was not read: of an
	// answer there is then no more on its way than that.
	small := func(_, _ string, raw syscall.RawConn) (err error) {
		failed := raw.Control(func(fd uintptr) {
			if err = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_MAXSEG, 536); err == nil {
				err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096)
			}
		})
		if err == nil {
			err = failed
		}
		return err
	}
	from := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}, Control: small, Timeout: time.Second}
	pause := func() { time.Sleep(time.Duration(500+rand.IntN(500)) * time.Millisecond) }
	conn, err := from.Dial("tcp", address)
	if err != nil {
		begun()
		pause()
		return
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, request); err != nil {
		begun()
		return
	}
	begun()
	status := ""
	let := false
	for some := make([]byte, 4); ; {
		select {
		case <-stop:
			return
		default:
		}
		pause()
		_ = conn.SetReadDeadline(time.Now().Add(time.Millisecond))
		n, err := conn.Read(some)
		if status += string(some[:n]); err != nil && !os.IsTimeout(err) {
			return
		}
		if len(status) >= 12 && !strings.HasPrefix(status, "HTTP/1.1 2") {
			s.sent.Add(1)
			pause()
			return
		}
		if !let && (len(status) >= 12 || status == "") {
			let = true
			s.let.Add(1)
		}
		if strings.HasPrefix(request, "POST") {
			_, _ = conn.Write([]byte("{"))
		}
	}
}
