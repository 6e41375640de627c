package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recoup/internal/issuer"
	"recoup/internal/lab/design"
	"recoup/internal/probe/adapter"
	"recoup/program"
)

// How late purchases and refunds post decides how long rewards have to mature. The way to gain
// is printed as a scenario file, which the prober plays at somebody's sandbox as it is; a
// program that nothing can be had of ends well.
func TestProgramCheckProve(t *testing.T) {
	coffee, err := filepath.Abs("../../examples/programs/coffee-stamps.yaml")
	if err != nil {
		t.Fatal(err)
	}
	workspace(t)
	prove := func(file string, more ...string) (string, error) {
		stdout, _, err := recoup(append([]string{"program", "check", "--prove", file}, more...)...)
		return stdout, err
	}
	for _, test := range []struct {
		lags  []string
		needs string
	}{
		{nil, "maturity_days: 32"},
		{[]string{"--post-days", "0", "--refund-days", "0"}, "maturity_days: 30"},
		{[]string{"--post-days", "3", "--refund-days", "1", "--return-days", "14"}, "maturity_days: 11"},
	} {
		got, err := prove(coffee, test.lags...)
		if err == nil || !strings.Contains(err.Error(), "a customer gains by returning") || !strings.Contains(got, "$4.00 that nothing backs") || !strings.Contains(got, "with "+test.needs+" nothing of it is left") {
			t.Errorf("%v: %v, and it says\n%s", test.lags, err, got)
		}
	}

	got, _ := prove(coffee)
	_, counterexample, ok := strings.Cut(got, "as a scenario file:\n")
	if !ok {
		t.Fatalf("no scenario in\n%s", got)
	}
	writeFile(t, "counterexample.txt", counterexample)
	text, err := os.ReadFile(coffee)
	if err != nil {
		t.Fatal(err)
	}
	p, err := program.Parse(coffee, text)
	if err != nil {
		t.Fatal(err)
	}
	sandbox := httptest.NewServer(adapter.Handler(func() issuer.Issuer { return design.NewRecoup(p) }, adapter.Everything("USD")))
	defer sandbox.Close()
	play := func(url string) (string, error) {
		stdout, _, err := recoup("probe", "--target", url, "--only", "counterexample.txt", "--rate", "100000", "--settle-bound", "100ms")
		return stdout, err
	}
	if played, err := play(sandbox.URL); err != nil || !strings.Contains(played, "-$4.00") {
		t.Errorf("played, it is %v\n%s", err, played)
	}
	if played, err := play(sandboxOf(t, "Recoup")); err == nil {
		t.Errorf("under other terms it comes to the same:\n%s", played)
	}

	writeFile(t, "closed.yaml", strings.Replace(string(text), "maturity_days: 7", "maturity_days: 32", 1))
	if got, err := prove("closed.yaml"); err != nil || !strings.Contains(got, "nobody gains by buying and returning") {
		t.Errorf("closed, it is %v:\n%s", err, got)
	}
	if got := refuse(t, "program", "check", "--prove", "--post-days", "-1", coffee); !strings.Contains(got, "post") {
		t.Errorf("the message is %q", got)
	}
}
