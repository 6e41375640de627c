package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"recoup/internal/console"
	"recoup/internal/service/budget"
	"recoup/internal/service/server"
	"recoup/internal/store/durable"
)

// serveOptions are the flags of `recoup serve`.
type serveOptions struct {
	listen, metricsListen string
	metricsHosts          []string
	insecure              bool
	db                    string
	programs              []string
	dev                   bool
	tlsCert, tlsKey       string
	maxAhead, closeAfter  time.Duration
	wait                  time.Duration
	acceptClock           bool
	grace                 time.Duration
	webhookAllowPrivate   bool
	otlp                  string
	otlpShare             float64
	logLevel              string
	logRequests           bool
	workers, maxBatch     int
	commitTarget          time.Duration
	minRate               int64
	demo                  bool
	console               consoleOptions
	secrets               secretsFlag
	checkpoints           safekeeper
	checkpointKey         string
	checkpointEvery       time.Duration
}

func serveCommand() *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the reward ledger as an HTTP service",
		Long: "Answers over HTTP (see /docs once it runs), durably: what it has acknowledged is in\n" +
			"the database. Several processes may run on one PostgreSQL database. It brings the\n" +
			"schema up to date when it starts, closes billing cycles on time, and delivers\n" +
			"webhooks. People look at it at /console/. SIGTERM ends it in good order.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGTERM)
			defer stop()
			cleanUp, err := o.prepareDemo(cmd.Flags().Changed("db"))
			defer cleanUp()
			if err != nil {
				return err
			}
			return o.run(ctx)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.listen, "listen", "127.0.0.1:8080", "address to answer on; port 0 takes a free one")
	f.StringVar(&o.metricsListen, "metrics-listen", "", "address for /metrics without a key, /healthz, /readyz and /debug/pprof; keep it private")
	f.StringSliceVar(&o.metricsHosts, "metrics-host", nil, "name that --metrics-listen is asked under, besides addresses, localhost and the machine's own name; may be repeated")
	f.BoolVar(&o.insecure, "insecure", false, "answer without TLS on an address that others reach too: for behind a proxy that ends TLS")
	f.StringVar(&o.db, "db", "./data", databaseUsage)
	f.StringArrayVar(&o.programs, "program", nil, "program file to put into the database if it is not there; may be repeated, the first ever put is the default")
	f.BoolVar(&o.dev, "dev", false, "let everybody in without a key, on a loopback address only; without --program the everyday program")
	f.BoolVar(&o.demo, "demo", false, "begin with lively sample data, in a database of its own unless --db names an empty one; implies --dev")
	f.StringVar(&o.tlsCert, "tls-cert", "", "certificate with its chain, PEM; read again on SIGHUP")
	f.StringVar(&o.tlsKey, "tls-key", "", "its private key, PEM")
	f.DurationVar(&o.maxAhead, "max-ahead", 15*time.Minute, "how far ahead of its receipt an event may be dated")
	f.BoolVar(&o.acceptClock, "accept-clock", false, "believe the clock of this machine, however far (more than --max-ahead) it is from what the database knows; --dev does")
	f.DurationVar(&o.closeAfter, "close-after", time.Hour, "how long after a cycle's end to close it, so that late events still count in it")
	f.DurationVar(&o.wait, "wait", 30*time.Second, "how long to wait for a database server that is not up yet; 0 does not wait")
	f.DurationVar(&o.grace, "shutdown-grace", 30*time.Second, "how long requests may still take when the service is told to stop")
	f.BoolVar(&o.webhookAllowPrivate, "webhook-allow-private", false, "deliver webhooks to private addresses and over plain HTTP too")
	f.StringVar(&o.otlp, "otlp-endpoint", "", "send OpenTelemetry traces there, for example http://127.0.0.1:4318")
	f.Float64Var(&o.otlpShare, "otlp-share", 0.01, "share of requests to trace, from 0 to 1")
	f.StringVar(&o.logLevel, "log-level", "info", "debug, info, warn or error")
	f.BoolVar(&o.logRequests, "log-requests", false, "log every request, not just failed and slow ones")
	f.IntVar(&o.maxBatch, "max-batch", 1000, "how many events a commit has at most")
	f.DurationVar(&o.commitTarget, "commit-target", 5*time.Millisecond, "how long a commit should take: large requests are cut accordingly, so that others wait no longer")
	f.StringVar(&o.checkpoints.to, "checkpoint-to", "", "keep signed checkpoints of the log in this file, this folder, or at this https address, out of the database's reach")
	f.StringVar(&o.checkpointKey, "checkpoint-key-file", "", "the key that signs them, from checkpoint keygen")
	f.DurationVar(&o.checkpointEvery, "checkpoint-every", 5*time.Minute, "how often; what is lost that is older is noticed")
	f.StringVar(&o.checkpoints.secretFile, "checkpoint-secret-file", "", "the secret (whsec_…) that signs what is posted to an address")
	f.Int64Var(&o.minRate, "min-rate", budget.DefaultRate, "bytes a second at which bodies must arrive and answers be taken, after the first ten seconds")
	o.console.flags(f)
	o.secrets.flags(f)
	f.IntVar(&o.workers, "workers", 1, "how many commits may run at the same time; more than 1 is of use on PostgreSQL with processors to spare")
	return cmd
}

func (o *serveOptions) run(ctx context.Context) (err error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(o.logLevel)); err != nil {
		return fmt.Errorf("--log-level: expected debug, info, warn or error, found %q", o.logLevel)
	}
	if (o.tlsCert == "") != (o.tlsKey == "") {
		return errors.New("--tls-cert and --tls-key: expected both or none")
	}
	if most := durable.ProgramNotice - durable.HomeGrace; o.maxAhead <= 0 || o.maxAhead >= most {
		return fmt.Errorf("--max-ahead: expected more than 0 and less than %v, after which new versions of programs may be in force that are not known yet; found %v", most, o.maxAhead)
	}
	if o.closeAfter < 0 {
		return fmt.Errorf("--close-after: expected 0 or more, found %v", o.closeAfter)
	}
	if o.wait < 0 {
		return fmt.Errorf("--wait: expected 0 or more, found %v", o.wait)
	}
	if o.commitTarget <= 0 {
		return fmt.Errorf("--commit-target: expected more than 0, such as 5ms, found %v", o.commitTarget)
	}
	if err := o.openCheckpoints(); err != nil {
		return err
	}
	if o.minRate <= 0 {
		return fmt.Errorf("--min-rate: expected more than 0 bytes a second, found %d", o.minRate)
	}
	collectRarely()
	l, err := net.Listen("tcp", o.listen)
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	defer l.Close()
	if at, is := l.Addr().(*net.TCPAddr); is && !at.IP.IsLoopback() && o.tlsCert == "" && !o.insecure && !o.dev {
		return fmt.Errorf("--listen %s: keys and accounts would go over the network as they are: name a certificate with --tls-cert and --tls-key, or say --insecure where a proxy in front ends TLS", o.listen)
	}
	aside, err := o.listenAside()
	if err != nil {
		return fmt.Errorf("--metrics-listen: %w", err)
	}
	s, err := openService(ctx, o, level)
	if err != nil {
		if aside != nil {
			aside.Close()
		}
		return err
	}
	defer func() { err = errors.Join(err, s.close(o.grace)) }()
	if aside != nil {
		defer s.serveAside(aside).Close()
	}
	config, scheme := (*tls.Config)(nil), "http"
	if o.tlsCert != "" {
		certificate, err := server.LoadCertificate(o.tlsCert, o.tlsKey)
		if err != nil {
			return err
		}
		config, scheme = certificate.Config(), "https"
		defer reloadOnHangup(certificate, s.log)()
	}
	s.start(ctx)
	fmt.Fprintf(os.Stderr, "recoup: listening on %s://%s\n", scheme, l.Addr())
	fmt.Fprintf(os.Stderr, "recoup: console at %s://%s%s\n", scheme, l.Addr(), console.Path)
	return s.http.Serve(ctx, l, config, o.grace)
}

// openCheckpoints makes sure that checkpoints can be kept, if they are to be.
func (o *serveOptions) openCheckpoints() error {
	switch {
	case o.checkpoints.to == "" && (o.checkpointKey != "" || o.checkpoints.secretFile != ""):
		return errors.New("--checkpoint-key-file and --checkpoint-secret-file: are of use with --checkpoint-to only")
	case o.checkpoints.to == "":
		return nil
	case o.checkpointKey == "":
		return errors.New("--checkpoint-to: expected a key that signs checkpoints, with --checkpoint-key-file")
	case o.checkpointEvery < time.Second:
		return fmt.Errorf("--checkpoint-every: expected 1s or more, found %v", o.checkpointEvery)
	}
	o.checkpoints.allowPrivate = o.webhookAllowPrivate
	if err := o.checkpoints.open(o.checkpointKey); err != nil {
		return fmt.Errorf("--checkpoint-to %s: %w", o.checkpoints.place(), err)
	}
	return nil
}

// collectRarely has the garbage collector work less often, unless the environment
// says how. Accounts at hand are many small objects that stay, and looking at all of
// them each time that memory has doubled took a third of the processor's time. From
// a gigabyte on it works as often as it takes to stay there.
func collectRarely() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(448 << 20)
	}
}

// reloadOnHangup reads the certificate again on SIGHUP, until it is told to stop.
func reloadOnHangup(c *server.Certificate, log *slog.Logger) (stop func()) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	go func() {
		for range hangups {
			if err := c.Reload(); err != nil {
				log.Error("the certificate stays the one that it was", "error", err)
			} else {
				log.Info("the certificate was read again")
			}
		}
	}()
	return func() {
		signal.Stop(hangups)
		close(hangups)
	}
}

// listenAside is where figures are answered without a key; nil: nowhere.
func (o *serveOptions) listenAside() (net.Listener, error) {
	if o.metricsListen == "" {
		return nil, nil
	}
	l, err := net.Listen("tcp", o.metricsListen)
	if err != nil {
		return nil, err
	}
	if at, is := l.Addr().(*net.TCPAddr); is && !at.IP.IsLoopback() && !o.insecure {
		l.Close()
		return nil, fmt.Errorf("%s: figures and profiles would go over the network as they are, to whoever asks: expected a loopback address, or --insecure where the network is private", o.metricsListen)
	}
	return l, nil
}
