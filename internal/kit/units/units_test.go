package units

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// Flags with a unit print as they are read.
func TestFlagsWithUnits(t *testing.T) {
	for _, c := range []struct {
		flag pflag.Value
		text string
		want string // printed; or an error
	}{
		{new(Permille), "1%", "1%"}, {new(Permille), "0.5%", "0.5%"}, {new(Permille), "2", "2%"}, {new(Permille), "0%", "0%"}, {new(Permille), "100%", "100%"}, {new(Permille), "99.9%", "99.9%"},
		{new(Bytes), "2GiB", "2GiB"}, {new(Bytes), "512 MiB", "512MiB"}, {new(Bytes), "1024MiB", "1GiB"}, {new(Bytes), "1500kB", "1500kB"}, {new(Bytes), "1GB", "1GB"}, {new(Bytes), "7B", "7B"},
		{new(Part), "1/4", "1/4"}, {new(Part), "4/4", "4/4"}, {new(Part), "1/1", "1/1"},
	} {
		if err := c.flag.Set(c.text); err != nil || c.flag.String() != c.want {
			t.Errorf("%s %q is %q, error %v, want %q", c.flag.Type(), c.text, c.flag, err, c.want)
		}
	}
	for _, c := range []struct {
		flag  pflag.Value
		texts string
		want  string
	}{
		{new(Permille), "|%|-1%|1.25%|1.%|.5%|101%|100.1%|1e2|1%%|one|70000", "expected a share from 0% to 100% with at most one decimal"},
		{new(Bytes), "|2|GiB|0B|-1MiB|1.5GiB|2TiB|2097152GiB|18446744073709551616B|2gib", "expected a size such as 512MiB or 2GiB"},
		{new(Part), "|1|0/4|5/4|-1/4|1/0|1/-4|a/b|1/4/2| 1/4", "expected one of several, such as 1/4"},
	} {
		for text := range strings.SplitSeq(c.texts, "|") {
			if err := c.flag.Set(text); err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%s %q is %q, error %v, want %s…", c.flag.Type(), text, c.flag, err, c.want)
			}
		}
	}
	if s := new(Part).String(); s != "" {
		t.Errorf("no shard prints as %q", s)
	}
}
