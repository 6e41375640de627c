package main

import (
	"strings"
	"testing"
)

// TestPlainHTTPIsForThisMachineAlone: without TLS others than this machine reach the
// service only where somebody says that this is meant.
func TestPlainHTTPIsForThisMachineAlone(t *testing.T) {
	workspace(t)
	for _, c := range []struct {
		args string
		want string
	}{
		{"--listen 0.0.0.0:0", "--insecure"},
		{"--listen [::]:0", "--tls-cert"},
		{"--listen :0", "--insecure"},
		{"--listen 127.0.0.1:0 --metrics-listen 0.0.0.0:0", "--insecure where the network is private"},
		// These are refused for what comes after.
		{"--listen 0.0.0.0:0 --insecure", "there is no ledger"},
		{"--listen 127.0.0.1:0 --metrics-listen 127.0.0.1:0", "there is no ledger"},
		{"--listen 127.0.0.1:0 --metrics-listen 0.0.0.0:0 --insecure", "there is no ledger"},
		{"--listen 127.0.0.1:0", "there is no ledger"},
		{"--listen 0.0.0.0:0 --dev", "running open"},
	} {
		_, _, err := recoup(append([]string{"serve", "--db", "data"}, strings.Fields(c.args)...)...)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.args, err, c.want)
		}
	}
}

// A service that others reach without TLS, but for a proxy perhaps, says before anything else
// what becomes of the console's cookies.
func TestCookiesWithoutTLSAreWarnedOf(t *testing.T) {
	workspace(t)
	for flags, warned := range map[string]bool{
		"--listen 0.0.0.0:0 --insecure":                  true,
		"--listen 0.0.0.0:0 --insecure --secure-cookies": false,
		"--listen 127.0.0.1:0":                           false,
	} {
		got := end(t, runs(t, append([]string{"serve", "--db", "data"}, strings.Fields(flags)...)...)).stderr
		if strings.Contains(got, "WARNING") != warned || warned && !strings.Contains(got, "--secure-cookies") {
			t.Errorf("%s: it says %q", flags, got)
		}
	}
}
