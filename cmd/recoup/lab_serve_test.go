package main

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"

	"recoup/internal/cli"
	"recoup/internal/issuer"
	"recoup/internal/probe"
)

// A design is served until the command is told to stop, with the rules of the
// program that is given.
func TestLabServe(t *testing.T) {
	workspace(t)
	writeFile(t, "program.yaml", strings.Replace(everyday, "rate: 1%", "rate: 2%", 1))
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	cmd := newRoot()
	cmd.SetOut(in)
	cmd.SetArgs([]string{"lab", "serve", "--issuer", "f", "--program", "program.yaml", "--failures", "20"})
	ended := make(chan error, 1)
	go func() {
		err := cmd.ExecuteContext(ctx)
		in.CloseWithError(err)
		ended <- err
	}()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	c, err := probe.Connect(t.Context(), strings.TrimSpace(address), probe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Reset(); err != nil {
		t.Fatal(err)
	}
	if err := c.Open("a"); err != nil {
		t.Fatal(err)
	}
	if err := c.Settle(issuer.Settlement{Account: "a", Transaction: "t1", Amount: 100_00}); err != nil {
		t.Fatal(err)
	}
	if shown, err := c.Balance("a"); err != nil || shown.Balance != 2_00 {
		t.Errorf("%+v, %v", shown, err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestLabServeRefuses(t *testing.T) {
	workspace(t)
	tests := []struct {
		args []string
		want string
	}{
		{[]string{}, `required flag(s) "issuer" not set`},
		{[]string{"--issuer", "Z"}, `--issuer: design "Z": expected one of A, B`},
		{[]string{"--issuer", "A", "--listen", "0.0.0.0:0"}, "expected a loopback address"},
		{[]string{"--issuer", "A", "--listen", "nowhere"}, "--listen"},
		{[]string{"--issuer", "A", "--failures", "1001"}, "--failures: expected 0 to 1000, found 1001"},
		{[]string{"--issuer", "A", "--latency", "-1s"}, "expected no time below zero"},
		{[]string{"--issuer", "A", "--program", "none.yaml"}, "none.yaml"},
	}
	for _, test := range tests {
		_, _, err := recoup(append([]string{"lab", "serve"}, test.args...)...)
		if err == nil || !strings.Contains(err.Error(), test.want) || cli.ExitCode(err) != cli.BadInput {
			t.Errorf("%v: %v, want %q", test.args, err, test.want)
		}
	}
}
