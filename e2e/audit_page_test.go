package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// commandsAndWhatTheyPrint are blocks of a page with what it says that they print, if anything.
var commandsAndWhatTheyPrint = regexp.MustCompile("(?s)```sh\n(.*?)```(?:\n\n```\n(.*?)```)?")

// TestThePageOfTheAudit follows docs/audit-your-program.md from four CSV files to the report, and
// through files with other layouts: every verdict and figure on the way is what the page shows.
func TestThePageOfTheAudit(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/audit-your-program.md")
	noError(t, err)
	page, _, _ := strings.Cut(string(text), "### Two more layouts")
	blocks := commandsAndWhatTheyPrint.FindAllStringSubmatch(page, -1)
	var script strings.Builder // of one shell, since the page changes folders
	shown := 0
	for i, block := range blocks {
		fmt.Fprintf(&script, "%s\necho ' end of %d'\n", block[1], i)
		if block[2] != "" {
			shown++
		}
	}
	if shown < 3 {
		t.Fatalf("the page shows what %d of %d blocks print", shown, len(blocks))
	}
	folder := t.TempDir()
	noError(t, os.Symlink(recoup(t), filepath.Join(folder, "recoup")))
	cmd := exec.Command("sh", "-c", script.String()) // an audit that finds something exits with 1
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"))
	out, err := cmd.Output()
	noError(t, err)
	left := string(out)
	for i, block := range blocks {
		printed, rest, ok := strings.Cut(left, fmt.Sprintf(" end of %d\n", i))
		if !ok {
			t.Fatalf("block %d did not end:\n%s", i, block[1])
		}
		if left = rest; block[2] != "" && printed != block[2] {
			t.Errorf("%s\nprints\n%s\nand the page shows\n%s", block[1], printed, block[2])
		}
	}
}
