// Package draws has tests that draw at random do so less often where there is no time.
package draws

import (
	"flag"
	"os"
	"strconv"
	"testing"
)

// Main is what a TestMain does whose package draws each property so many times: as often as
// -rapid.checks says if that is given, and as rapid does by itself, a hundred times, if
// RECOUP_LONG is set.
func Main(m *testing.M, times int) {
	flag.Parse()
	given := os.Getenv("RECOUP_LONG") != ""
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		if err := flag.Set("rapid.checks", strconv.Itoa(times)); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
