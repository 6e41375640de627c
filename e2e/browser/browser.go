package browser

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// patience is how long something may take that takes moments on a machine that
// has nothing else to do.
const patience = 60 * time.Second

// Browser is a chromium that has no window. Its methods may be called side by side.
type Browser struct {
	root context.Context // of the browser; each page has one below it
	gate *gate
}

var shared = sync.OnceValues(launch)

// Start returns the one browser that all tests of this process share, started by
// the first that asks for it. It is removed when the process ends, so there is
// nothing to do in TestMain. A test on a machine without chromium fails.
func Start(t testing.TB) *Browser {
	t.Helper()
	b, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func launch() (*Browser, error) {
	program, err := exec.LookPath("chromium")
	if err != nil {
		return nil, errors.New("these tests run in chromium, which is not there: `make tools` installs Debian's")
	}
	profile, err := os.MkdirTemp("", "recoup-chromium-")
	if err != nil {
		return nil, err
	}
	if err := removeAfterwards(profile); err != nil {
		return nil, err
	}
	g, err := openGate()
	if err != nil {
		return nil, err
	}
	b := &Browser{gate: g}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program),
		chromedp.UserDataDir(filepath.Join(profile, "profile")),
		// What it keeps outside its profile.
		chromedp.Env("XDG_CACHE_HOME="+profile, "XDG_CONFIG_HOME="+profile),
		chromedp.Flag("proxy-server", g.address()),
		// What would ask for something by itself, or asks here, where nobody answers.
		chromedp.Flag("gaia-url", "http://127.0.0.1:1/"),
		chromedp.Flag("component-updater", "url-source=http://127.0.0.1:1/"),
		chromedp.Flag("disable-component-extensions-with-background-pages", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-domain-reliability", true),
		chromedp.Flag("disable-features", "NetworkTimeServiceQuerying,Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,"+
			"AutofillServerCommunication,CertificateTransparencyComponentUpdater,InterestFeedContentSuggestions,HttpsUpgrades,"+
			// A page that one goes back to is loaded again.
			"BackForwardCache"),
		chromedp.Flag("no-pings", true),
		// Text of the same width on every machine.
		chromedp.Flag("font-render-hinting", "none"),
	)
	allocator, _ := chromedp.NewExecAllocator(context.Background(), options...)
	// It complains about events of browsers that are newer than it is.
	root, stop := chromedp.NewContext(allocator, chromedp.WithErrorf(func(string, ...any) {}))
	late := time.AfterFunc(patience, stop)
	defer late.Stop()
	if err := chromedp.Do(root); err != nil {
		return nil, fmt.Errorf("start chromium: %w", err)
	}
	b.root = root
	return b, nil
}

// sweep removes a folder when its standard input ends, which is when the process
// at the other end is gone, however it went. What chromium leaves running for a
// moment may still write to it.
const sweep = `cat >/dev/null
for try in 1 2 3 4 5 6 7 8 9 10; do
	rm -rf "$1" 2>/dev/null && [ ! -e "$1" ] && exit
	sleep 1
done`

func removeAfterwards(folder string) error {
	command := exec.Command("/bin/sh", "-c", sweep, "sh", folder)
	// What is typed at the terminal to end the tests is not for it.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err := command.StdinPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	kept = append(kept, in)
	return nil
}

// kept stays open until the process ends.
var kept []io.Closer
