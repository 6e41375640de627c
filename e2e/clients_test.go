package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestQuickStarts runs the commands of each client's page as they are written, with the real
// program: an event, the account, a redemption. That of TypeScript has to be compiled first,
// with node, which make test-clients does where there is one; RECOUP_NODE says that it has.
func TestQuickStarts(t *testing.T) {
	t.Parallel()
	for language, missing := range map[string]func() string{
		"go": func() string { return "" },
		"python": func() string {
			if err := exec.Command("python3", "-c", "import sys; sys.exit(sys.version_info < (3, 11))").Run(); err != nil {
				return "there is no python3 of 3.11 or later"
			}
			return ""
		},
		"typescript": func() string {
			if os.Getenv("RECOUP_NODE") == "" {
				return "make test-clients runs it, where node is"
			}
			return ""
		},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			if why := missing(); why != "" {
				t.Skip(why)
			}
			page, err := os.ReadFile(filepath.Join("../clients", language, "README.md"))
			noError(t, err)
			blocks := fences.FindAllStringSubmatch(string(page), -1)
			if len(blocks) < 3 || !strings.HasPrefix(blocks[0][2], "recoup serve ") {
				t.Fatalf("the page has %d blocks that are run, expected a service, a command and what it prints", len(blocks))
			}
			followPage(t, blocks)
		})
	}
}
