package present_test

import (
	"bytes"
	"strings"
	"testing"

	"recoup/internal/issuer"
	"recoup/internal/lab/design"
	"recoup/internal/probe"
	"recoup/internal/probe/adapter"
	"recoup/internal/probe/present"
	"recoup/internal/scenario"
	"recoup/program"
)

// sandbox is a design that can be had afresh.
type sandbox struct {
	issuer.Issuer
	design design.Design
}

func (s *sandbox) reset() error { s.Issuer = s.design.New(program.Everyday()); return nil }

func target(t *testing.T, subject string) probe.Target {
	t.Helper()
	d, err := design.Find(subject)
	if err != nil {
		t.Fatal(err)
	}
	s := &sandbox{design: d}
	return probe.Target{Issuer: s, Can: adapter.Everything("USD"), Reset: s.reset}
}

func result(t *testing.T, design string) *probe.Result {
	t.Helper()
	r, err := probe.Run(t.Context(), target(t, design), probe.Plan{Name: "http://127.0.0.1:9000"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Both forms say the same: verdict, behaviour beside the paper's issuers, gaps with
// what shows them, losses, what to change, terms.
func TestWhatIsShown(t *testing.T) {
	r := result(t, "Over-refunds ignored")
	r.LeftOut = []string{"what \x1b[31mthe target\x1b[0m <b>said</b>"}
	var table, page bytes.Buffer
	if err := present.WriteTable(&table, r); err != nil {
		t.Fatal(err)
	}
	if err := present.WriteHTML(&page, r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Other: leaks $600.00 an account and year", "Indefinite*", "three fifths, and then the whole price", "a refund above what is left of the purchase is ignored, whole",
		"g02-return-shipping", "$600.00", "never reject it", "rate: 5%, cap: {reward: 5000, per: cycle}", "the protocol has no such call",
	} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("the table lacks %q", want)
		}
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for name, text := range map[string]string{"table": table.String(), "page": page.String()} {
		if strings.ContainsRune(text, '\x1b') {
			t.Errorf("the %s passes an escape on", name)
		}
	}
	if strings.Contains(page.String(), "<b>said</b>") || strings.Contains(page.String(), "<script") {
		t.Error("the page has markup that is not its own")
	}
	first, _, _ := strings.Cut(table.String(), "\n")
	if first != r.Verdict() {
		t.Errorf("the table begins with %q, want the verdict", first)
	}
}

// One scenario is shown beside Recoup, with what the target does otherwise.
func TestComparison(t *testing.T) {
	s, err := scenario.Find("case-1-double-dip")
	if err != nil {
		t.Fatal(err)
	}
	for design, want := range map[string]string{"A": "at the target: expected leak $0.00, got $50.00", "Recoup": "does all that the scenario expects"} {
		c, err := probe.Only(t.Context(), target(t, design), s, probe.Plan{})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := present.WriteComparison(&b, c); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s: no %q in\n%s", design, want, b.String())
		}
	}
}

// What became of requests is said as far as there is something to say.
func TestRequests(t *testing.T) {
	for want, r := range map[string]probe.Result{
		"3503 requests.": {Calls: probe.Calls{Requests: 3503}},
		"90 requests, of which 4 got no answer or a 5xx, 3 were throttled, 2 had been sent before, 1 the program refused; accounts were played anew 9 times.": {
			Calls: probe.Calls{Requests: 90, Failures: 4, Throttled: 3, Retries: 2, Refusals: 1, Replays: 5}, Replays: 4,
		},
	} {
		if got := present.Requests(&r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
