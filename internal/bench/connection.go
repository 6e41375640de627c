package bench

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// target is where requests go.
type target struct {
	address string // host and port
	tls     *tls.Config
	head    string // of a request, up to its content type
}

// parseTarget reads the address of a service, http://host[:port][/prefix].
func parseTarget(address, key string) (*target, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.User != nil {
		return nil, fmt.Errorf("target %q: expected the address of a service, such as http://127.0.0.1:8080", address)
	}
	t := &target{address: u.Host}
	port := "80"
	if u.Scheme == "https" {
		port = "443"
		t.tls = &tls.Config{ServerName: u.Hostname(), MinVersion: tls.VersionTLS12}
	}
	if u.Port() == "" {
		t.address = net.JoinHostPort(u.Hostname(), port)
	}
	if strings.ContainsAny(key, "\r\n") {
		return nil, errors.New("the key has a line break in it")
	}
	t.head = "POST " + strings.TrimSuffix(u.EscapedPath(), "/") + "/v1/events HTTP/1.1\r\nHost: " + u.Host + "\r\n"
	if key != "" {
		t.head += "Authorization: Bearer " + key + "\r\n"
	}
	t.head += "Content-Type: "
	return t, nil
}

// connection is one connection that is kept alive, for one request at a time. It
// knows as much of HTTP/1.1 as a load needs.
type connection struct {
	target  *target
	conn    net.Conn
	in      *bufio.Reader
	request []byte
	answer  []byte
}

// maxAnswer bounds an answer, in bytes.
const maxAnswer = 64 << 20

// dial opens the connection. No request may last beyond the deadline.
func dial(ctx context.Context, t *target, deadline time.Time) (*connection, error) {
	dialer := net.Dialer{Deadline: deadline}
	conn, err := dialer.DialContext(ctx, "tcp", t.address)
	if err != nil {
		return nil, err
	}
	if t.tls != nil {
		conn = tls.Client(conn, t.tls)
	}
	if err := conn.SetDeadline(deadline); err != nil {
		return nil, err
	}
	return &connection{target: t, conn: conn, in: bufio.NewReaderSize(conn, 16<<10)}, nil
}

func (c *connection) close() { _ = c.conn.Close() }

// post sends a request and returns the status of its answer and the answer, which
// holds until the next request. After an error the connection is of no use.
func (c *connection) post(contentType string, body []byte) (status int, answer []byte, err error) {
	c.request = append(append(c.request[:0], c.target.head...), contentType...)
	c.request = append(c.request, "\r\nContent-Length: "...)
	c.request = strconv.AppendInt(c.request, int64(len(body)), 10)
	c.request = append(append(c.request, "\r\n\r\n"...), body...)
	if _, err := c.conn.Write(c.request); err != nil {
		return 0, nil, err
	}
	return c.read()
}

var errProtocol = errors.New("the answer is not HTTP/1.1 as expected")

func (c *connection) read() (status int, answer []byte, err error) {
	line, err := c.line()
	if err != nil {
		return 0, nil, err
	}
	version, rest, _ := bytes.Cut(line, []byte{' '})
	if !bytes.HasPrefix(version, []byte("HTTP/1.1")) || len(rest) < 3 {
		return 0, nil, fmt.Errorf("%w: it begins with %q", errProtocol, line)
	}
	if status, err = strconv.Atoi(string(rest[:3])); err != nil {
		return 0, nil, fmt.Errorf("%w: its status is %q", errProtocol, rest)
	}
	length, chunked := -1, false
	for {
		if line, err = c.line(); err != nil {
			return 0, nil, err
		}
		if len(line) == 0 {
			break
		}
		if value, ok := header(line, "content-length"); ok {
			if length, err = strconv.Atoi(string(value)); err != nil || length < 0 || length > maxAnswer {
				return 0, nil, fmt.Errorf("%w: its length is %q", errProtocol, value)
			}
		} else if value, ok := header(line, "transfer-encoding"); ok {
			chunked = bytes.EqualFold(value, []byte("chunked"))
		}
	}
	c.answer = c.answer[:0]
	switch {
	case chunked:
		err = c.chunks()
	case length >= 0:
		err = c.take(length)
	default:
		err = fmt.Errorf("%w: it does not say how long it is", errProtocol)
	}
	return status, c.answer, err
}

// line reads a line and returns it without its end.
func (c *connection) line() ([]byte, error) {
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	return bytes.TrimRight(line, "\r\n"), nil
}

// header returns the value of a header line with the name, given in lower case.
func header(line []byte, name string) (value []byte, ok bool) {
	if len(line) <= len(name) || line[len(name)] != ':' || !bytes.EqualFold(line[:len(name)], []byte(name)) {
		return nil, false
	}
	return bytes.TrimSpace(line[len(name)+1:]), true
}

// take reads n more bytes of the answer.
func (c *connection) take(n int) error {
	start := len(c.answer)
	if start+n > maxAnswer {
		return fmt.Errorf("%w: it is longer than %d bytes", errProtocol, maxAnswer)
	}
	if cap(c.answer) < start+n {
		c.answer = append(make([]byte, 0, 2*(start+n)), c.answer...)
	}
	c.answer = c.answer[:start+n]
	_, err := io.ReadFull(c.in, c.answer[start:])
	return err
}

func (c *connection) chunks() error {
	for {
		line, err := c.line()
		if err != nil {
			return err
		}
		size, _, _ := bytes.Cut(line, []byte{';'})
		n, err := strconv.ParseUint(string(bytes.TrimSpace(size)), 16, 31)
		if err != nil {
			return fmt.Errorf("%w: a chunk's size is %q", errProtocol, size)
		}
		if err := c.take(int(n)); err != nil {
			return err
		}
		for { // the end of the chunk; after the last one there may be trailers
			if line, err = c.line(); err != nil {
				return err
			}
			if n > 0 || len(line) == 0 {
				break
			}
		}
		if n == 0 {
			return nil
		}
	}
}
