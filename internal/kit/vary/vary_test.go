package vary_test

import (
	"fmt"
	"slices"
	"testing"

	"recoup/internal/kit/vary"
)

type part struct {
	Text string
	Yes  bool
}

type whole struct {
	Number int64
	Small  uint8
	Parts  []part
}

func TestEach(t *testing.T) {
	if got, want := fmt.Sprint(vary.Full[whole]()), "{1 1 [{a false}]}"; got != want {
		t.Errorf("full is %s, want %s", got, want)
	}
	var got []string
	for name, v := range vary.Each[whole]() {
		got = append(got, fmt.Sprint(name, " ", v))
	}
	want := []string{"Number {2 1 [{a false}]}", "Small {1 2 [{a false}]}", "Parts.Text {1 1 [{b false}]}", "Parts.Yes {1 1 [{a true}]}"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
