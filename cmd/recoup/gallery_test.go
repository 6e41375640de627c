package main

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Each program of the gallery is checked without a word of warning, and its events end,
// from the command line, with the balance that its course says at last.
func TestGalleryFromTheCommandLine(t *testing.T) {
	programs, err := filepath.Glob("../../examples/programs/*.yaml")
	if err != nil || len(programs) < 20 {
		t.Fatalf("%d programs: %v", len(programs), err)
	}
	balances := regexp.MustCompile(`(?m)^ +balance (\S+)`)
	for _, file := range programs {
		course := strings.TrimSuffix(file, ".yaml")
		t.Run(filepath.Base(course), func(t *testing.T) {
			if said := succeed(t, "program", "check", file); strings.Contains(said, "notice") {
				t.Errorf("check says %s", said)
			}
			found := balances.FindAllStringSubmatch(readFile(t, course+".txt"), -1)
			if found == nil {
				t.Fatal("the course has no balance")
			}
			want, err := strconv.ParseInt(strings.Replace(found[len(found)-1][1], ".", "", 1), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			var state struct{ Accounts []struct{ Balance int64 } }
			if err := json.Unmarshal([]byte(succeed(t, "replay", "--output", "json", "--program", file, course+".jsonl")), &state); err != nil {
				t.Fatal(err)
			}
			if len(state.Accounts) != 1 || state.Accounts[0].Balance != want {
				t.Errorf("replay ends with %+v, and the course with %d", state.Accounts, want)
			}
		})
	}
}
