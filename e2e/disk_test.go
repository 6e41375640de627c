package e2e_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// TestDiskFull fills the disk that a folder is on, under load, and makes room again: first
// so that there is less than the service keeps in reserve, and then, when it has noticed
// that, to the last byte.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	dir, ok := smallDisk(t)
	if !ok {
		return
	}
	db := filepath.Join(dir, "data")
	s := serve(t, db, untimely, "--program", programFile(t))
	c := s.client(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	l := newLoad(t, 4, 1, seed)
	met := &mishaps{}
	stop, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- l.run(c, stop, met.meet) }()

	ballast := filepath.Join(dir, "ballast")
	for range often(2, 20) {
		progress(t, s, l)
		for _, left := range []int64{reserve / 2, 0} {
			before := met.count()
			eventually(t, "senders are told", func() error {
				fill(t, ballast, left) // what the service frees meanwhile, too
				return s.least(t, met.count(), before+20)
			})
		}
		if err := c.get("/v1/accounts/purse-0", new(any)); err != nil {
			t.Errorf("while the disk is full, reading: %v", err)
		}
		unready(t, c)
		noError(t, os.Remove(ballast))
		progress(t, s, l)
		c.ready(t)
	}
	finish(t, s, l, met, stop, ended)
	s.stop(t)
	kept(t, db, l.senders)
	verified(t, db)
}

// reserve is how much of its disk the service leaves free, in bytes.
const reserve = 64 << 20

// fill fills the disk of a file with it, until so many bytes are left.
func fill(t *testing.T, file string, left int64) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	noError(t, err)
	defer f.Close()
	for size := int64(1 << 20); size > 0; {
		var free syscall.Statfs_t
		noError(t, syscall.Fstatfs(int(f.Fd()), &free))
		if size = min(size, int64(free.Bavail)*free.Bsize-left); size <= 0 {
			return
		}
		if n, err := f.Write(make([]byte, size)); errors.Is(err, syscall.ENOSPC) {
			if n == 0 {
				size /= 2
			}
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// smallDisk mounts a disk of its own. Where only root may, the test runs again
// in a namespace in which it is root, if there are such: then ok is false, and
// there is nothing left to do.
func smallDisk(t *testing.T) (dir string, ok bool) {
	t.Helper()
	dir = t.TempDir()
	err := syscall.Mount("recoup-e2e", dir, "tmpfs", 0, fmt.Sprintf("size=%dm", often(256, 512)))
	if err == nil {
		t.Cleanup(func() {
			if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
				t.Error(err)
			}
		})
		return dir, true
	}
	if os.Getenv(inside) != "" {
		t.Fatalf("mount a small disk: %v", err)
	}
	test, err := os.Executable()
	noError(t, err)
	cmd := exec.Command(test, "-test.v", "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), inside+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		Pdeathsig:   syscall.SIGKILL,
	}
	out, err := cmd.CombinedOutput()
	switch {
	case err == nil:
		t.Logf("run in a namespace of its own:\n%s", out)
	case cmd.ProcessState == nil:
		t.Skipf("no small disk can be mounted here, not even in a namespace: %v", err)
	default:
		t.Errorf("run in a namespace of its own: %v\n%s", err, out)
	}
	return "", false
}

const inside = "RECOUP_E2E_INSIDE"
