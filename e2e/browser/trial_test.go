package browser_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// trial is a test within a test, which may fail: what it says is kept.
type trial struct {
	testing.TB
	said     []string
	cleanups []func()
}

// try runs a test to its end, with what it cleans up, and returns what it failed
// for.
func try(t *testing.T, test func(t testing.TB)) []string {
	t.Helper()
	one := &trial{TB: t}
	ended := make(chan struct{})
	go func() { // which a fatal failure ends
		defer close(ended)
		defer func() {
			for _, clean := range slices.Backward(one.cleanups) {
				clean()
			}
		}()
		test(one)
	}()
	<-ended
	return one.said
}

func (o *trial) Helper()             {}
func (o *trial) Cleanup(f func())    { o.cleanups = append(o.cleanups, f) }
func (o *trial) Failed() bool        { return len(o.said) > 0 }
func (o *trial) Logf(string, ...any) {}

func (o *trial) Errorf(format string, args ...any) {
	o.said = append(o.said, fmt.Sprintf(format, args...))
}

func (o *trial) Fatalf(format string, args ...any) {
	o.Errorf(format, args...)
	runtime.Goexit()
}

func (o *trial) Fatal(args ...any) {
	o.Fatalf("%s", fmt.Sprint(args...))
}

// mentions fails the test unless one of the failures contains all the words.
func mentions(t *testing.T, failures []string, words ...string) {
	t.Helper()
	for _, f := range failures {
		if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(f, word) }) {
			return
		}
	}
	t.Errorf("no failure mentions %q; there are %q", words, failures)
}
