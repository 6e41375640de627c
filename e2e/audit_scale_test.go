package e2e_test

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// TestAuditAtScale audits the exports of many cardholders, made of those of a
// few by giving every copy accounts of its own. Each figure must then be so many
// times the figure of the few, in no more memory than was said.
func TestAuditAtScale(t *testing.T) {
	events, copies, memory := 5_000, 20, "16MiB"
	if long() {
		events, copies, memory = 100_000, 85, "512MiB"
	} else {
		t.Parallel() // nobody reads how long it took
	}
	few := exportOf(t, "F", events)
	one, _ := audited(t, few, memory)

	many := t.TempDir()
	for _, name := range exports {
		copied(t, filepath.Join(few, name), filepath.Join(many, name), copies)
	}
	start := time.Now()
	all, peak := audited(t, many, memory)
	took := time.Since(start)
	t.Logf("%d rows in %v, %.0f rows/s; at most %d MB resident", all.Input.Rows, took.Round(time.Second/10), float64(all.Input.Rows)/took.Seconds(), peak>>20)

	n := int64(copies)
	if all.Input.Rows != n*one.Input.Rows || all.Input.Bad != 0 {
		t.Errorf("%d rows and %d bad ones, want %d times %d and none", all.Input.Rows, all.Input.Bad, n, one.Input.Rows)
	}
	for name, amount := range one.Figures {
		if got := all.Figures[name]; got != n*amount {
			t.Errorf("%s: %d, want %d times %d", name, got, n, amount)
		}
	}
	if len(one.Figures) < 10 || one.Figures["taken_back"] == 0 || one.Figures["short_paid"] == 0 {
		t.Errorf("figures of the few: %v, want many, and none of these zero", one.Figures)
	}
	if all.Verdict.Class != "V3(b)" || one.Verdict.Class != "V3(b)" {
		t.Errorf("F is %q by many and %q by few, want V3(b)", all.Verdict.Class, one.Verdict.Class)
	}
	if bound := int64(2 << 30); peak > bound {
		t.Errorf("at most %d MB resident, want less than %d", peak>>20, bound>>20)
	}
}

// exports are the files of one program.
var exports = []string{"transactions.csv", "refunds.csv", "rewards.csv", "redemptions.csv"}

// exportOf has the lab write what the systems of a design would export.
func exportOf(t testing.TB, design string, events int) (folder string) {
	t.Helper()
	folder = t.TempDir()
	stream := filepath.Join(folder, "events.jsonl")
	generated := command(t, "generate", "--accounts", strconv.Itoa(max(20, events/250)), "--events", strconv.Itoa(events), "--seed", "1")
	if generated.code != 0 {
		t.Fatalf("recoup generate exits %d\n%s", generated.code, generated.stderr)
	}
	noError(t, os.WriteFile(stream, []byte(generated.stdout), 0o600))
	got := command(t, "lab", "export", "--issuer", design, "--program", programFile(t), "--events", stream, "--dir", folder, "--force")
	if got.code != 0 {
		t.Fatalf("recoup lab export exits %d\n%s", got.code, got.stderr)
	}
	return folder
}

// copied writes a file of exports so many times over, with the ids of every copy
// its own.
func copied(t testing.TB, from, to string, copies int) {
	t.Helper()
	content, err := os.ReadFile(from)
	noError(t, err)
	rows, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
	noError(t, err)
	file, err := os.Create(to)
	noError(t, err)
	defer file.Close()
	out := bufio.NewWriterSize(file, 1<<20)
	w := csv.NewWriter(out)
	noError(t, w.Write(rows[0]))
	row := make([]string, len(rows[0]))
	for k := range copies {
		for _, original := range rows[1:] {
			copy(row, original)
			for i, column := range rows[0] {
				if slices.Contains([]string{"account", "transaction", "refund"}, column) && row[i] != "" {
					row[i] = fmt.Sprintf("%s-%d", row[i], k)
				}
			}
			noError(t, w.Write(row))
		}
	}
	w.Flush()
	noError(t, w.Error())
	noError(t, out.Flush())
}

// auditReport is what the tests read of a report.
type auditReport struct {
	Input struct {
		Rows int64 `json:"rows"`
		Bad  int64 `json:"bad_rows"`
	} `json:"input"`
	Verdict struct {
		Class string `json:"class"`
	} `json:"verdict"`
	Figures map[string]int64 `json:"figures"`
}

// audited audits the exports in a folder, and says how much memory it took.
func audited(t testing.TB, folder, memory string) (r auditReport, peak int64) {
	t.Helper()
	args := []string{"audit", "--program", programFile(t), "--output", "json", "--memory", memory, "--temp-dir", t.TempDir()}
	for _, name := range exports {
		args = append(args, "--"+name[:len(name)-len(".csv")], filepath.Join(folder, name))
	}
	cmd := exec.Command(recoup(t), args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code != 1 {
		t.Fatalf("recoup audit: %v, want exit code 1\n%s", err, errs.String())
	}
	noError(t, json.Unmarshal(out.Bytes(), &r))
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		t.Fatal("the system does not say how much memory a process took")
	}
	return r, usage.Maxrss << 10
}
