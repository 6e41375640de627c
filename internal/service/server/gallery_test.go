package server_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Each course of the gallery, posted as it is, ends with the balance that it says at last.
func TestGalleryOverHTTP(t *testing.T) {
	programs, err := filepath.Glob("../../../examples/programs/*.yaml")
	if err != nil || len(programs) < 20 {
		t.Fatalf("%d programs: %v", len(programs), err)
	}
	read := func(t *testing.T, file string) string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	name, balances := regexp.MustCompile(`(?m)^id: .*`), regexp.MustCompile(`(?m)^ +balance (\S+)`)
	moment := regexp.MustCompile(`"time":"([^"]+)"`)
	for _, file := range programs {
		course := strings.TrimSuffix(file, ".yaml")
		t.Run(filepath.Base(course), func(t *testing.T) {
			t.Parallel()
			f := newServiceOf(t, name.ReplaceAllString(read(t, file), "id: everyday"))
			events := read(t, course+".jsonl")
			times := moment.FindAllStringSubmatch(events, -1)
			last, err := time.Parse(time.RFC3339, times[len(times)-1][1])
			if err != nil {
				t.Fatal(err)
			}
			f.clock.pass(last.Sub(f.clock.read())) // what ends later has not ended
			f.call("admin", "POST", "/v1/events", lines, events).status200()
			found := balances.FindAllStringSubmatch(read(t, course+".txt"), -1)
			want, err := strconv.ParseInt(strings.Replace(found[len(found)-1][1], ".", "", 1), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			var account struct{ Balance int64 }
			a := f.get("/v1/accounts/card-1")
			a.status200().read(&account)
			if account.Balance != want {
				t.Errorf("it ends with %d, and the course with %d: %s", account.Balance, want, a.body)
			}
		})
	}
}
