package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Bounds of a connection.
const (
	headerTimeout = 10 * time.Second
	readTimeout   = 40 * time.Second // of a request whose body has no other limit; see budget.Body
	answerTimeout = 60 * time.Second // from the end of the header to the beginning of the answer
	idleTimeout   = 2 * time.Minute
	maxHeader     = 16 << 10
	// Of HTTP/2 each connection may have so much received that no handler has taken,
	// in bytes, and so many requests.
	maxReceived   = 256 << 10
	maxConcurrent = 128
)

// Serve answers requests on a listener until the context ends, and then in good
// order: it takes no new requests, ends streams after what they are at, waits at
// most grace for requests that are under way, and returns. It closes the listener.
// A server that is open refuses a listener that others than this machine reach.
//
// config is for TLS; nil: plain HTTP.
func (s *Server) Serve(ctx context.Context, l net.Listener, config *tls.Config, grace time.Duration) error {
	defer l.Close()
	if s.auth == nil && !isLocal(l.Addr().String()) {
		return fmt.Errorf("running open on %s would let everybody in: listen on 127.0.0.1 or [::1], or run with API keys", l.Addr())
	}
	h := &http.Server{
		Handler:           s.budgets.Answers(s),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      answerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug), // what clients do to their connections
		TLSConfig:         config,
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: maxConcurrent, MaxReceiveBufferPerConnection: maxReceived, MaxReceiveBufferPerStream: maxReceived,
			SendPingTimeout: idleTimeout / 4, WriteByteTimeout: headerTimeout,
		},
	}
	l = s.budgets.Listener(l)
	failed := make(chan error, 1)
	go func() {
		if config != nil {
			failed <- h.ServeTLS(l, "", "")
		} else {
			failed <- h.Serve(l)
		}
	}()
	select {
	case err := <-failed:
		s.Close()
		return fmt.Errorf("serving on %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	return s.shutdown(h, failed, grace)
}

// shutdown ends an HTTP server in good order.
func (s *Server) shutdown(h *http.Server, failed <-chan error, grace time.Duration) error {
	s.Close()
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	err := h.Shutdown(ctx)
	if err != nil {
		h.Close()
		err = fmt.Errorf("requests were still under way after %v and were cut off: %w", grace, err)
	}
	if ended := <-failed; !errors.Is(ended, http.ErrServerClosed) {
		return errors.Join(err, ended)
	}
	return err
}
