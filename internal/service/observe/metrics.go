package observe

import (
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"recoup/internal/engine"
	"recoup/internal/service/budget"
	"recoup/reward"
)

// Metrics are what the service counts. All methods are safe for concurrent use
// and cheap enough for every event.
type Metrics struct {
	registry *prometheus.Registry

	events   *prometheus.CounterVec
	byResult [8][256]atomic.Pointer[prometheus.Counter] // looked up once each

	commits       prometheus.Histogram // how long
	applying      prometheus.Histogram // how long of that the rules took
	storing       prometheus.Histogram // and the rest
	putOff        prometheus.Counter
	waits         prometheus.Histogram
	commitFailed  prometheus.Counter
	commitEvents  prometheus.Histogram // how many events in one
	commitCallers prometheus.Histogram // how many callers one answered

	requests *prometheus.CounterVec
	latency  *prometheus.HistogramVec
	inFlight prometheus.Gauge

	figures atomic.Pointer[dated]
}

// NewMetrics returns metrics with everything at zero.
func NewMetrics() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		events: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recoup_events_total", Help: "Events answered, by outcome and code."}, []string{"outcome", "code"}),
		commits: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "recoup_commit_duration_seconds", Help: "How long a commit took: load, apply, write durably.", Buckets: latencies}),
		applying: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "recoup_commit_apply_seconds", Help: "How long of a commit the rules of rewards took.", Buckets: append([]float64{0.00005, 0.0001, 0.0002}, latencies...)}),
		storing: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "recoup_commit_store_seconds", Help: "How long of a commit reading, writing and syncing took: the rest.", Buckets: latencies}),
		putOff: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "recoup_commit_put_off_events_total", Help: "Events left for a later commit, as the time for applying was spent."}),
		waits: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "recoup_queue_wait_seconds", Help: "How long requests waited until the commit with their first events began.", Buckets: latencies}),
		commitFailed: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "recoup_commit_failures_total", Help: "Commits that failed, of which nothing was kept."}),
		commitEvents: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "recoup_commit_events", Help: "Events in one durable commit.", Buckets: sizes}),
		commitCallers: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "recoup_commit_callers", Help: "Callers that one durable commit answered.", Buckets: sizes}),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "recoup_http_requests_total", Help: "HTTP requests answered, by method, route and status."}, []string{"method", "route", "status"}),
		latency: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "recoup_http_request_duration_seconds", Help: "How long HTTP requests took, by method and route.", Buckets: latencies}, []string{"method", "route"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "recoup_http_requests_in_flight", Help: "HTTP requests at work."}),
	}
	m.registry.MustRegister(m.events, m.commits, m.applying, m.storing, m.putOff, m.waits, m.commitFailed, m.commitEvents, m.commitCallers, m.requests, m.latency, m.inFlight,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), figuresCollector{m})
	return m
}

// Buckets of histograms: seconds around the targets for one event, and sizes of
// batches up to the largest that a request may have.
var (
	latencies = []float64{0.0005, 0.001, 0.002, 0.005, 0.01, 0.015, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}
	sizes     = []float64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 10_000}
)

// Handler answers scrapes. It asks nobody: what takes a query is asked for by
// Watch, in its own time.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry})
}

// Answered counts the answers to events.
func (m *Metrics) Answered(results []reward.Result) {
	for _, r := range results {
		m.counter(r).Inc()
	}
}

// Malformed counts an event that could not be read, and so has no result.
func (m *Metrics) Malformed() { m.events.WithLabelValues("malformed", "").Inc() }

// Refused counts an event that was refused before any rule of rewards looked at it.
func (m *Metrics) Refused(code string) {
	m.events.WithLabelValues(reward.Rejected.String(), code).Inc()
}

func (m *Metrics) counter(r reward.Result) prometheus.Counter {
	place := &m.byResult[int(r.Outcome)%len(m.byResult)][r.Code]
	if c := place.Load(); c != nil {
		return *c
	}
	c := m.events.WithLabelValues(r.Outcome.String(), r.Code.String())
	place.Store(&c)
	return c
}

// Committed counts a commit of a group; it is what engine.GroupOptions.Observe
// wants.
func (m *Metrics) Committed(c engine.Commit) {
	m.commits.Observe(c.Took.Seconds())
	if c.Err != nil {
		m.commitFailed.Inc()
		return
	}
	m.applying.Observe(c.Applying.Seconds())
	m.storing.Observe((c.Took - c.Applying).Seconds())
	m.putOff.Add(float64(c.PutOff))
	m.commitEvents.Observe(float64(c.Events))
	m.commitCallers.Observe(float64(c.Callers))
}

// Waited counts how long a caller waited for its commit to begin; it is what
// engine.GroupOptions.Waited wants.
func (m *Metrics) Waited(d time.Duration) { m.waits.Observe(d.Seconds()) }

// Queue has every scrape ask how many events wait for their commit, such as of
// engine.Group.Waiting. It may be called once.
func (m *Metrics) Queue(depth func() int) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "recoup_queue_events", Help: "Events that wait for their commit to begin."}, func() float64 { return float64(depth()) }))
}

// Home has every scrape ask since when what is kept apart from the accounts cannot be
// reached; zero: it can. It may be called once.
func (m *Metrics) Home(lost func() time.Time) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "recoup_home_unreachable_seconds", Help: "For how long the home of a ledger over shards cannot be reached; 0: it can."}, func() float64 {
		if since := lost(); !since.IsZero() {
			return time.Since(since).Seconds()
		}
		return 0
	}))
}

// Aside has every scrape ask how many accounts are set aside, by reason; all reasons must
// be there each time. It may be called once.
func (m *Metrics) Aside(count func() map[string]int) { m.registry.MustRegister(asideCollector(count)) }

// asideCollector shows how many accounts are set aside.
type asideCollector func() map[string]int

var asideGauge = gauge("accounts_set_aside", "Accounts that nothing is applied to, since they cannot be read or locked.", "reason")

// Describe implements prometheus.Collector.
func (asideCollector) Describe(to chan<- *prometheus.Desc) { to <- asideGauge }

// Collect implements prometheus.Collector.
func (c asideCollector) Collect(to chan<- prometheus.Metric) {
	for reason, n := range c() {
		to <- prometheus.MustNewConstMetric(asideGauge, prometheus.GaugeValue, float64(n), reason)
	}
}

// Budgets has every scrape ask what is in use of budgets, and how many bodies and
// answers were too slow. It may be called once.
func (m *Metrics) Budgets(b *budget.Budgets) { m.registry.MustRegister(budgetCollector{b}) }

// request counts an HTTP request that was answered.
func (m *Metrics) request(method, route string, status int, took time.Duration) {
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
	m.latency.WithLabelValues(method, route).Observe(took.Seconds())
}
