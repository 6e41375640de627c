package run

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"
	"time"

	"recoup/internal/console"
	"recoup/internal/service/observe"
	"recoup/internal/service/server"
	"recoup/internal/service/sources"
)

// Serve runs a service until the context ends, and then ends it in good order. What it says
// to who started it goes to standard error.
func Serve(ctx context.Context, o *Options) (err error) {
	cleanUp, err := o.prepareDemo()
	defer cleanUp()
	if err != nil {
		return err
	}
	level, err := o.check()
	if err != nil {
		return err
	}
	collectRarely()
	l, err := net.Listen("tcp", o.Listen)
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	defer l.Close()
	if at, is := l.Addr().(*net.TCPAddr); is && !at.IP.IsLoopback() && o.TLSCert == "" && !o.Insecure && !o.Dev {
		return fmt.Errorf("--listen %s: keys and accounts would go over the network as they are: name a certificate with --tls-cert and --tls-key, or say --insecure where a proxy in front ends TLS", o.Listen)
	}
	if at, is := l.Addr().(*net.TCPAddr); is && !at.IP.IsLoopback() && !o.Dev && !o.secureCookies() {
		fmt.Fprintln(os.Stderr, "recoup: WARNING: browsers send the console's cookies without TLS too, where anybody on the way signs in by them: if a proxy in front ends TLS, start with --secure-cookies")
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
	defer func() { err = errors.Join(err, s.close(o.Grace)) }()
	if aside != nil {
		defer s.serveAside(aside).Close()
	}
	var again []reading
	if o.Sources != "" {
		again = append(again, reading{"the file of sources", s.readSources})
	}
	config, scheme := (*tls.Config)(nil), "http"
	if o.TLSCert != "" {
		certificate, err := server.LoadCertificate(o.TLSCert, o.TLSKey)
		if err != nil {
			return err
		}
		config, scheme = certificate.Config(), "https"
		again = append(again, reading{"the certificate", certificate.Reload})
	}
	defer readOnHangup(again, s.log)()
	s.start(ctx)
	fmt.Fprintf(os.Stderr, "recoup: listening on %s://%s\n", scheme, l.Addr())
	fmt.Fprintf(os.Stderr, "recoup: console at %s://%s%s\n", scheme, l.Addr(), console.Path)
	return s.http.Serve(ctx, l, config, o.Grace)
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

// reading is a file that can be read again while the service runs.
type reading struct {
	what string
	read func() error // an error leaves it as it was
}

// readOnHangup reads files again on SIGHUP, until it is told to stop. Where there are none
// the signal ends the process, as it always did.
func readOnHangup(files []reading, log *slog.Logger) (stop func()) {
	if len(files) == 0 {
		return func() {}
	}
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	go func() {
		for range hangups {
			for _, f := range files {
				if err := f.read(); err != nil {
					log.Error(f.what+" stays the one that it was", "error", err)
				} else {
					log.Info(f.what + " was read again")
				}
			}
		}
	}()
	return func() {
		signal.Stop(hangups)
		close(hangups)
	}
}

// readSources reads the file of sources and the secrets that it refers to again.
func (s *service) readSources() error {
	list, err := sources.ReadFile(s.options.Sources)
	if err != nil {
		return err
	}
	s.sources.Configure(list)
	return nil
}

// serveAside answers those who watch the service, on an address of their own.
func (s *service) serveAside(l net.Listener) *http.Server {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", s.metrics.Handler())
	mux.HandleFunc("GET /healthz", s.health.Live)
	mux.HandleFunc("GET /readyz", s.health.Ready)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	names := s.options.MetricsHosts
	if own, err := os.Hostname(); err == nil {
		names = append(slices.Clone(names), own)
	}
	h := &http.Server{Handler: observe.OnlyHosts(mux, names...), ReadHeaderTimeout: 10 * time.Second}
	s.background.Go(func() {
		if err := h.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("the address for metrics does not answer any more", "error", err)
		}
	})
	return h
}

// listenAside is where figures are answered without a key; nil: nowhere.
func (o *Options) listenAside() (net.Listener, error) {
	if o.MetricsListen == "" {
		return nil, nil
	}
	l, err := net.Listen("tcp", o.MetricsListen)
	if err != nil {
		return nil, err
	}
	if at, is := l.Addr().(*net.TCPAddr); is && !at.IP.IsLoopback() && !o.Insecure {
		l.Close()
		return nil, fmt.Errorf("%s: figures and profiles would go over the network as they are, to whoever asks: expected a loopback address, or --insecure where the network is private", o.MetricsListen)
	}
	return l, nil
}
