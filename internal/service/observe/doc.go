// Package observe shows people who run the service what it does: metrics for
// Prometheus, traces for OpenTelemetry, logs as JSON lines, and whether it is
// alive and ready. Nothing that it shows says who the cardholders are: no account
// ids, no bodies, no keys.
//
// There is no global state. A Metrics has a registry of its own, a Tracing a
// provider of its own.
package observe
