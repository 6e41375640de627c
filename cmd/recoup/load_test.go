package main

import (
	"strings"
	"testing"
)

// A file of events is of senders, who may not deliver what only a service makes itself; one
// that is a log may have that, and is said to be one. Either shows in the security log.
func TestLoadTakesWhatAServiceMadeFromALogAlone(t *testing.T) {
	for name, line := range map[string][2]string{
		"an approval":      {`"source":"core"`, `"source":"recoup:console"`},
		"a redemption":     {`"source":"core"`, `"source":"api"`},
		"terms":            {`"subject":"acct-1"`, `"subject":"recoup:terms"`},
		"the next service": {`"source":"core"`, `"source":"recoup:else"`},
	} {
		t.Run(name, func(t *testing.T) {
			workspace(t)
			changed := strings.Replace(purchase, line[0], line[1], 1)
			if changed == purchase {
				t.Fatalf("the event has no %s", line[0])
			}
			writeFile(t, "events.jsonl", changed)
			load := []string{"load", "--db", "data", "--program", "program.yaml", "events.jsonl"}
			if _, _, err := recoup(load...); err == nil || !strings.Contains(err.Error(), "which is the service's own") || !strings.Contains(err.Error(), "--replay") {
				t.Errorf("it says %v", err)
			}
			if log, _, err := runExport("events", "--db", "data"); log != "" || err != nil {
				t.Errorf("the log has %s (%v)", log, err)
			}
			succeed(t, append(load, "--replay")...)
			log := strings.Split(strings.TrimSpace(succeed(t, "security-log", "--db", "data")), "\n")
			if last := log[len(log)-1]; !strings.Contains(last, `"events_loaded"`) || !strings.Contains(last, "events.jsonl, as a log that is replayed") || !strings.Contains(last, "local:") {
				t.Errorf("the security log ends with %s", last)
			}
		})
	}
}

// What a service would keep apart for the number of a card is not let into the log by a file.
func TestLoadLooksForCardNumbers(t *testing.T) {
	workspace(t)
	writeFile(t, "events.jsonl", strings.Replace(purchase, `"merchant":"m1"`, `"merchant":"4111111111111111"`, 1))
	load := []string{"load", "--db", "data", "--program", "program.yaml", "events.jsonl"}
	if _, _, err := recoup(load...); err == nil || !strings.Contains(err.Error(), "data.merchant of event") || !strings.Contains(err.Error(), "number of a card") {
		t.Errorf("it says %v", err)
	}
	succeed(t, "exemptions", "add", "--db", "data", "--source", "core", "--member", "data.merchant", "--reason", "a test")
	succeed(t, load...)
}
