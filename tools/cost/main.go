// Command cost is what a test program is started by to know what it costs:
//
//	go test -exec "cost FILE" ./...
//
// adds a line to FILE for each package: seconds of a processor in user and in system mode, of
// the test program and of all that it starts (servers, browsers, the program itself), seconds
// by the clock, and the package. Seconds of a processor are nearly the same on a busy machine,
// those by the clock are not.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: cost FILE PROGRAM [ARGUMENTS]")
		os.Exit(2)
	}
	code, err := run(os.Args[1], os.Args[2:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "cost:", err)
		os.Exit(1)
	}
	os.Exit(code)
}

// prSetChildSubreaper is PR_SET_CHILD_SUBREAPER of linux/prctl.h: processes whose parent ends
// become children of this one, and are counted.
const prSetChildSubreaper = 36

// stragglers is how long servers may take to end that are removed after the test program.
const stragglers = 10 * time.Second

func run(file string, command []string) (code int, err error) {
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0); errno != 0 {
		return 0, errno
	}
	began := time.Now()
	test := exec.Command(command[0], command[1:]...)
	test.Stdin, test.Stdout, test.Stderr = os.Stdin, os.Stdout, os.Stderr
	var exit *exec.ExitError
	if err := test.Run(); err != nil && !errors.As(err, &exit) {
		return 0, err
	}
	took := time.Since(began)
	reap(time.Now().Add(stragglers))

	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &used); err != nil {
		return 0, err
	}
	out, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return 0, err
	}
	defer out.Close()
	_, err = fmt.Fprintf(out, "%.1f\t%.1f\t%.1f\t%s\n", seconds(used.Utime), seconds(used.Stime), took.Seconds(), name())
	return test.ProcessState.ExitCode(), err
}

// reap waits for whatever the test program has left running.
func reap(until time.Time) {
	for time.Now().Before(until) {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if errors.Is(err, syscall.ECHILD) {
			return
		}
		if pid == 0 {
			time.Sleep(10 * time.Millisecond)
		}
	}
}

func seconds(t syscall.Timeval) float64 { return time.Duration(t.Nano()).Seconds() }

// name is the package's folder below that of the module, since `go test` runs a program in the
// folder of its package.
func name() string {
	here, err := os.Getwd()
	if err != nil {
		return err.Error()
	}
	for up := here; up != "/"; up = filepath.Dir(up) {
		if _, err := os.Stat(filepath.Join(up, "go.mod")); err == nil {
			return "." + strings.TrimPrefix(here, up)
		}
	}
	return here
}
