package postgres

import (
	"context"
	"fmt"
	"net"
	"os"
	"syscall"
	"testing"
	"time"
)

// A machine that does not answer, and comes first in the URL, holds up one connection and
// not each one.
func TestASilentMachineIsRemembered(t *testing.T) {
	t.Parallel()
	address := silentAddress(t)
	var d dialer
	try := func(within time.Duration) (took time.Duration, err error) {
		ctx, cancel := context.WithTimeout(context.Background(), within)
		defer cancel()
		begun := time.Now()
		c, err := d.dial(ctx, "tcp", address)
		if err == nil {
			_ = c.Close()
		}
		return time.Since(begun), err
	}
	const patient = 900 * time.Millisecond
	if took, err := try(patient); err == nil || took < patient {
		t.Fatalf("the first time it ends with %v after %v", err, took)
	}
	if took, err := try(time.Minute); err == nil || took < forSilent || took > 5*time.Second {
		t.Errorf("the second time it ends with %v after %v, want about %v", err, took, forSilent)
	}
	d.silent[address] = time.Now().Add(-remembered)
	if took, err := try(patient); err == nil || took < patient {
		t.Errorf("when that is forgotten it ends with %v after %v, want %v", err, took, patient)
	}
}

// A server that is starting again refuses connections. That is an answer.
func TestAServerThatRefusesIsNotSilent(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	var d dialer
	if _, err := d.dial(context.Background(), "tcp", address); err == nil {
		t.Fatal("a closed port answers")
	}
	if len(d.silent) > 0 {
		t.Error("it is taken to be silent")
	}
}

// silentAddress is one where nothing answers: somebody listens there for one connection and
// accepts none, so the system leaves all further ones unanswered.
func silentAddress(t *testing.T) string {
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	f := os.NewFile(uintptr(socket), "silent")
	t.Cleanup(func() { _ = f.Close() })
	if err := syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(socket, 0); err != nil {
		t.Fatal(err)
	}
	at, err := syscall.Getsockname(socket)
	if err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("127.0.0.1:%d", at.(*syscall.SockaddrInet4).Port)
	for {
		c, err := net.DialTimeout("tcp", address, 500*time.Millisecond)
		if err != nil {
			return address
		}
		t.Cleanup(func() { _ = c.Close() })
	}
}
