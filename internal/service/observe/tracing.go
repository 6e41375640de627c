package observe

import (
	"context"
	"fmt"
	"log/slog"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Tracing sends traces of requests and units of work. A nil Tracing is none.
type Tracing struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

// StartTracing sends traces to a collector by OTLP over HTTP, such as
// http://localhost:4318; environment variables OTEL_EXPORTER_OTLP_… apply too.
// Of requests that do not come with a decision, every share-th (0 < share ≤ 1)
// is traced. The collector need not be there: what cannot be sent is dropped,
// and the log says so.
func StartTracing(ctx context.Context, endpoint, version string, share float64, log *slog.Logger) (*Tracing, error) {
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(endpoint))
	if err != nil {
		return nil, fmt.Errorf("tracing to %s: %w", endpoint, err)
	}
	provider := sdk.NewTracerProvider(
		sdk.WithBatcher(loggedExporter{exporter, log}),
		sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(share))),
		sdk.WithResource(resource.NewSchemaless(attribute.String("service.name", "recoup"), attribute.String("service.version", version))))
	return &Tracing{provider: provider, tracer: provider.Tracer("recoup")}, nil
}

// loggedExporter tells the log of failures, and not whoever has set a handler of
// errors for the whole process.
type loggedExporter struct {
	sdk.SpanExporter
	log *slog.Logger
}

func (e loggedExporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	if err := e.SpanExporter.ExportSpans(ctx, spans); err != nil {
		e.log.Warn("traces could not be sent", "spans", len(spans), "error", err)
	}
	return nil
}

// End sends what has not been sent yet, and stops.
func (t *Tracing) End(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// Span starts a span within that of the context, if there is one and it is
// recorded, and returns what ends it.
func (t *Tracing) Span(ctx context.Context, name string, attributes ...attribute.KeyValue) (context.Context, func(error)) {
	if t == nil {
		return ctx, func(error) {}
	}
	ctx, span := t.tracer.Start(ctx, name, trace.WithAttributes(attributes...))
	return ctx, func(err error) {
		if err != nil {
			span.SetStatus(codes.Error, scrub(err.Error()))
		}
		span.End()
	}
}

// server starts the span of a request.
func (t *Tracing) server(ctx context.Context, method string) (context.Context, trace.Span) {
	return t.tracer.Start(ctx, method, trace.WithSpanKind(trace.SpanKindServer))
}

// endServer ends the span of a request. It has the route and not the path, which
// would name accounts.
func endServer(span trace.Span, method, route string, status int) {
	span.SetName(method + " " + route)
	span.SetAttributes(attribute.String("http.request.method", method), attribute.String("http.route", route), attribute.Int("http.response.status_code", status))
	if status >= 500 {
		span.SetStatus(codes.Error, "")
	}
	span.End()
}
