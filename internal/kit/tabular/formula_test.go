package tabular_test

import (
	"testing"

	"recoup/internal/kit/tabular"
)

func TestNoCellIsAFormula(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "acct-1": "acct-1", "=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t=1", "\r=1": "'\r=1", "\n=1": "'\n=1",
		"＝1": "'＝1", "'=1": "''=1", "a=1": "a=1", "1-1": "1-1", "\xff=": "\xff=",
	} {
		if got := tabular.Defuse(text); got != want {
			t.Errorf("%q is %q in a cell, want %q", text, got, want)
		}
	}
}
