package adyen_test

import (
	"bytes"
	"fmt"
	"testing"

	"recoup/internal/kit/sourcetest"
	"recoup/source"
	"recoup/source/adyen"
)

func settings() source.Settings {
	return source.Settings{Name: "adyen", Account: adyen.Kind.Accounts[0]}
}

func TestScenarios(t *testing.T) {
	sourcetest.Run(t, "testdata/scenarios", &adyen.Kind, settings())
}

// FuzzTranslate: whatever a body is, it is translated to events that are well formed, or to
// a reason why not; and the same again is translated to the same.
func FuzzTranslate(f *testing.F) {
	for _, body := range sourcetest.Bodies(f, "testdata/scenarios") {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		notes := func(string) string { return "" }
		once, again := adyen.Kind.Translate(bytes.Clone(body), settings(), notes), adyen.Kind.Translate(body, settings(), notes)
		if fmt.Sprint(once) != fmt.Sprint(again) {
			t.Fatalf("%v, and then %v", once, again)
		}
		if len(once.Events) == 0 && once.Dead == "" && once.Ignored == "" {
			t.Fatal("nothing follows, and nothing says why")
		}
		for i := range once.Events {
			if e := &once.Events[i]; e.HasAmount && e.Amount <= 0 || e.Source != "adyen" {
				t.Fatalf("%+v", e)
			}
		}
	})
}
