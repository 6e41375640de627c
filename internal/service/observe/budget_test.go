package observe_test

import (
	"testing"

	"recoup/internal/service/budget"
	"recoup/internal/service/observe"
)

func TestBudgetsAreShownByClass(t *testing.T) {
	b := budget.New(budget.Limits{Processors: 1, Memory: 1})
	m := observe.NewMetrics()
	m.Budgets(b)
	work, err := b.Enter(budget.Previews, "somebody")
	if err != nil {
		t.Fatal(err)
	}
	defer work.Leave()
	if err := work.Hold(1000); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Enter(budget.Previews, "somebody"); err == nil {
		t.Fatal("a second preview was let in")
	}
	shows(t, m, map[string]float64{
		`recoup_budget_used{class="previews",of="requests"}`:          1,
		`recoup_budget_used{class="previews",of="bytes"}`:             1000,
		`recoup_budget_used{class="commands",of="requests"}`:          0,
		`recoup_budget_size{class="commands",of="bytes"}`:             16 << 20,
		`recoup_budget_refused_total{class="previews",of="requests"}`: 1,
		`recoup_budget_refused_total{class="commands",of="requests"}`: 0,
		`recoup_too_slow_total`:                                       0,
	})
}
