package observe

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Figures are what takes a query to know: the state of the database as a whole.
type Figures struct {
	Accounts int64
	// Money is by currency, in minor units.
	Money map[string]Money
	// Parked is how many refunds wait for their purchase, and ParkedSince since
	// when the oldest of them; zero: none waits.
	Parked      int64
	ParkedSince time.Time
	// Violations is what the last verify found, and Verified when that was; zero:
	// never.
	Violations int64
	Verified   time.Time
	// Deliveries of webhooks that are yet to be made, and those given up.
	DeliveriesDue, DeliveriesDead int64
}

// Money adds up the accounts of one currency, in minor units.
type Money struct {
	Balance int64 // above zero: what is owed to cardholders
	Debt    int64 // what cardholders owe, without sign
	Held    int64 // of the balance, what may not be redeemed yet
}

// Watch asks for the figures at once, and then every so often until the context
// ends. Where the query fails, the figures stay what they were, which
// recoup_figures_timestamp_seconds shows.
func (m *Metrics) Watch(ctx context.Context, every time.Duration, query func(context.Context) (Figures, error), log *slog.Logger) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		switch f, err := query(ctx); {
		case err == nil:
			m.figures.Store(&dated{f, time.Now()})
		case ctx.Err() == nil:
			log.Error("the figures for the metrics could not be read", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// dated is when the figures were read.
type dated struct {
	Figures
	at time.Time
}

func gauge(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("recoup_"+name, help, labels, nil)
}

var (
	accountsGauge   = gauge("accounts", "Accounts.")
	balanceGauge    = gauge("balance_minor_units", "What is owed to cardholders: balances above zero, by currency.", "currency")
	debtGauge       = gauge("debt_minor_units", "What cardholders owe: balances below zero, without sign, by currency.", "currency")
	heldGauge       = gauge("held_minor_units", "Rewards that may not be redeemed yet, by currency.", "currency")
	parkedGauge     = gauge("parked_refunds", "Refunds that wait for their purchase.")
	parkedAgeGauge  = gauge("oldest_parked_refund_age_seconds", "For how long the oldest parked refund has waited; 0: none waits.")
	violationsGauge = gauge("invariant_violations", "Differences that the last verify found.")
	verifiedGauge   = gauge("verified_timestamp_seconds", "When the last verify ended.")
	dueGauge        = gauge("webhook_deliveries_due", "Webhook deliveries that are yet to be made, counted up to 10,000 for each endpoint.")
	deadGauge       = gauge("webhook_deliveries_dead", "Webhook deliveries that were given up and can be replayed, counted up to 10,000 for each endpoint.")
	figuresGauge    = gauge("figures_timestamp_seconds", "When the figures from the database were last read.")
)

// figuresCollector shows the figures as they were read last. Prometheus knows
// numbers of 53 bits only, so that amounts beyond are rounded; they are for
// charts and alerts, never for the books.
type figuresCollector struct{ *Metrics }

func (c figuresCollector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{accountsGauge, balanceGauge, debtGauge, heldGauge, parkedGauge, parkedAgeGauge,
		violationsGauge, verifiedGauge, dueGauge, deadGauge, figuresGauge} {
		out <- d
	}
}

func (c figuresCollector) Collect(out chan<- prometheus.Metric) {
	f := c.figures.Load()
	if f == nil {
		return
	}
	show := func(d *prometheus.Desc, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	show(accountsGauge, float64(f.Accounts))
	for currency, money := range f.Money {
		show(balanceGauge, float64(money.Balance), currency)
		show(debtGauge, float64(money.Debt), currency)
		show(heldGauge, float64(money.Held), currency)
	}
	show(parkedGauge, float64(f.Parked))
	age := 0.0
	if !f.ParkedSince.IsZero() {
		age = max(0, time.Since(f.ParkedSince).Seconds())
	}
	show(parkedAgeGauge, age)
	if !f.Verified.IsZero() {
		show(violationsGauge, float64(f.Violations))
		show(verifiedGauge, unix(f.Verified))
	}
	show(dueGauge, float64(f.DeliveriesDue))
	show(deadGauge, float64(f.DeliveriesDead))
	show(figuresGauge, unix(f.at))
}

func unix(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
