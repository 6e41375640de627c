package lab

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"recoup/internal/cli"
	"recoup/internal/issuer"
	"recoup/internal/lab/design"
	"recoup/internal/probe/adapter"
	"recoup/program"
	"recoup/reward"
)

// labServeOptions are the flags of `recoup lab serve`.
type labServeOptions struct {
	issuer, program string
	listen          string
	anyAddress      bool
	faults          adapter.Faults
}

func serveCommand() *cobra.Command {
	var o labServeOptions
	cmd := &cobra.Command{
		Use:   "serve --issuer X",
		Short: "Serve a design as a sandbox that 'recoup probe' can be tried on",
		Long: "Answers the calls of the adapter protocol (see 'recoup probe') for one design of the\n" +
			"lab, and prints its address on standard output when it is ready. It keeps everything\n" +
			"in memory and knows nobody's money. With faults it is slow, fails, or shows balances\n" +
			"late, as sandboxes do. SIGTERM ends it.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGTERM)
			defer stop()
			return o.run(ctx, cmd)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.issuer, "issuer", "", "the design, such as A, F, V3a, \"Literal (instant)\" or Recoup")
	cli.Require(cmd, "issuer")
	f.StringVar(&o.program, "program", "", "program file whose currency and rules it publishes (default: the everyday program)")
	f.StringVar(&o.listen, "listen", "127.0.0.1:0", "address to answer on; port 0 takes a free one")
	f.BoolVar(&o.anyAddress, "allow-any-address", false, "answer on an address that is not loopback, too")
	f.DurationVar(&o.faults.Latency, "latency", 0, "hold each call up for a random time, this long at most")
	f.IntVar(&o.faults.Failures, "failures", 0, "of a thousand calls, how many fail, before or after they were done")
	f.DurationVar(&o.faults.LagTime, "lag", 0, "show balances late, by this long at most")
	f.Uint64Var(&o.faults.Seed, "seed", 1, "seed of the faults")
	return cmd
}

func (o *labServeOptions) run(ctx context.Context, cmd *cobra.Command) error {
	if o.faults.Latency < 0 || o.faults.LagTime < 0 {
		return errors.New("--latency, --lag: expected no time below zero")
	}
	if o.faults.Failures < 0 || o.faults.Failures > 1000 {
		return fmt.Errorf("--failures: expected 0 to 1000, found %d", o.faults.Failures)
	}
	design, err := design.Find(o.issuer)
	if err != nil {
		return fmt.Errorf("--issuer: %w", err)
	}
	published, err := publishedProgram(o.program)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", o.listen)
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	defer l.Close()
	if at := l.Addr().(*net.TCPAddr); !at.IP.IsLoopback() && !o.anyAddress {
		return fmt.Errorf("--listen %s: expected a loopback address, or --allow-any-address", o.listen)
	}
	fresh := func() issuer.Issuer { return design.New(published) }
	sandbox := adapter.Handler(fresh, adapter.Of(fresh(), published.Currency))
	server := &http.Server{Handler: o.faults.Wrap(sandbox), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second}
	stopped := context.AfterFunc(ctx, func() { server.Close() })
	defer stopped()
	fmt.Fprintf(cmd.OutOrStdout(), "http://%s\n", l.Addr())
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// publishedProgram reads a program file, or takes the everyday program.
func publishedProgram(file string) (*reward.Program, error) {
	if file == "" {
		return program.Everyday(), nil
	}
	return program.Load(file)
}
