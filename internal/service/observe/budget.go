package observe

import (
	"github.com/prometheus/client_golang/prometheus"

	"recoup/internal/service/budget"
)

// budgetCollector shows budgets as they are when somebody asks.
type budgetCollector struct{ budgets *budget.Budgets }

var (
	budgetUsed    = prometheus.NewDesc("recoup_budget_used", "What is in use of a budget: requests, or bytes of bodies, by class of work.", []string{"class", "of"}, nil)
	budgetSize    = prometheus.NewDesc("recoup_budget_size", "What there is of a budget; one key or address alone can have half of it.", []string{"class", "of"}, nil)
	budgetRefused = prometheus.NewDesc("recoup_budget_refused_total", "Requests refused as their budget was in use.", []string{"class", "of"}, nil)
	tooSlow       = prometheus.NewDesc("recoup_too_slow_total", "Bodies that did not arrive and answers that were not taken at the minimum rate.", nil, nil)
)

// Describe implements prometheus.Collector.
func (budgetCollector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{budgetUsed, budgetSize, budgetRefused, tooSlow} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (c budgetCollector) Collect(out chan<- prometheus.Metric) {
	for _, u := range c.budgets.Usage() {
		class := u.Class.String()
		out <- prometheus.MustNewConstMetric(budgetUsed, prometheus.GaugeValue, float64(u.Used), class, u.What)
		out <- prometheus.MustNewConstMetric(budgetSize, prometheus.GaugeValue, float64(u.Size), class, u.What)
		out <- prometheus.MustNewConstMetric(budgetRefused, prometheus.CounterValue, float64(u.Refusals), class, u.What)
	}
	out <- prometheus.MustNewConstMetric(tooSlow, prometheus.CounterValue, float64(c.budgets.TooSlow()))
}
