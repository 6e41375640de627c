package postgres

import (
	"context"
	"net"
	"testing"
	"time"
)

// A machine that does not answer, and comes first in the URL, holds up one connection and
// not each one. The network 192.0.2.0/24 is nobody's, so nothing answers there.
func TestASilentMachineIsRemembered(t *testing.T) {
	t.Parallel()
	var d dialer
	try := func(within time.Duration) (took time.Duration, err error) {
		ctx, cancel := context.WithTimeout(context.Background(), within)
		defer cancel()
		begun := time.Now()
		c, err := d.dial(ctx, "tcp", "192.0.2.1:5432")
		if err == nil {
			_ = c.Close()
		}
		return time.Since(begun), err
	}
	if _, err := try(time.Second); err == nil {
		t.Skip("something answers at an address that is nobody's")
	}
	if took, err := try(10 * time.Second); err == nil || took > 5*time.Second {
		t.Errorf("the second time it took %v until %v", took, err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	if _, err := d.dial(context.Background(), "tcp", address); err == nil {
		t.Fatal("a closed port answers")
	}
	if _, silent := d.silent[address]; silent {
		t.Error("a server that is starting again is taken to be silent")
	}
}
