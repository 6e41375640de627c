package browser

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// patience is how long something may take that takes moments on a machine that
// has nothing else to do.
const patience = 60 * time.Second

// Browser is a chromium that has no window. Its methods may be called side by side.
type Browser struct {
	root     context.Context // of the browser; each page has one below it
	gate     *gate
	sessions *sessions
}

var shared = sync.OnceValues(func() (*Browser, error) { return launch(slices.Concat(unattended, quiet)) })

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

// unattended are the flags of a browser that nobody sits in front of, and whose
// pages look alike on every machine.
var unattended = []string{
	"headless", "hide-scrollbars", "mute-audio", "no-first-run", "no-default-browser-check", "enable-automation",
	"disable-background-timer-throttling", "disable-backgrounding-occluded-windows", "disable-renderer-backgrounding",
	"disable-breakpad", "disable-dev-shm-usage", "disable-hang-monitor", "disable-ipc-flooding-protection",
	"disable-popup-blocking", "disable-prompt-on-repost", "password-store=basic",
	"force-color-profile=srgb", "font-render-hinting=none",
}

// quiet are the flags that keep the browser from asking for things by itself, as
// far as there are flags: it has less to do then. What it asks for all the same
// does not pass the gate.
var quiet = []string{
	"disable-background-networking", "disable-client-side-phishing-detection", "disable-component-extensions-with-background-pages",
	"disable-component-update", "disable-default-apps", "disable-domain-reliability", "disable-extensions", "disable-sync",
	"metrics-recording-only", "safebrowsing-disable-auto-update", "num-raster-threads=1",
	"disable-features=NetworkTimeServiceQuerying,Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider," +
		"AutofillServerCommunication,CertificateTransparencyComponentUpdater,InterestFeedContentSuggestions,HttpsUpgrades,PreloadTopChromeWebUI," +
		// A page that one goes back to is loaded again.
		"BackForwardCache," +
		// The next page of a tab is drawn by the process that drew the last. To start one for each, and another
		// ahead of time, took a sixth of the processor.
		"SpareRendererForSitePerProcess,ProactivelySwapBrowsingInstance,RenderDocument",
}

// launch starts a browser with these flags, behind a gate of its own.
func launch(flags []string) (*Browser, error) {
	profile, err := os.MkdirTemp("", "recoup-chromium-")
	if err != nil {
		return nil, err
	}
	sweeper, err := removeAfterwards(profile)
	if err != nil {
		return nil, err
	}
	g, err := openGate()
	if err != nil {
		return nil, err
	}
	p := &process{profile: profile, sweeper: sweeper, flags: slices.Concat(flags, g.flags())}
	b := &Browser{gate: g}
	allocator, _ := chromedp.NewAllocatorContext(context.Background(), p)
	// It complains about events of browsers that are newer than it is.
	root, stop := chromedp.NewContext(allocator, chromedp.WithErrorf(func(string, ...any) {}))
	late := time.AfterFunc(patience, stop)
	defer late.Stop()
	err = chromedp.Do(root)
	if err == nil {
		err = callBrowser(root, target.SetAutoAttach, held(ofBrowser))
	}
	if err != nil {
		return nil, fmt.Errorf("start chromium: %w\n%s", err, p.said())
	}
	b.root, b.sessions = root, p.sessions
	return b, nil
}

// process is the browser's, which chromedp is connected to by two pipes. It ends
// when they are closed, at the latest with the process that holds their other ends.
type process struct {
	profile  string    // folder of what it keeps
	sweeper  io.Writer // is told its number
	flags    []string
	sessions *sessions // once it has been started
}

// Attaches tells chromedp that it has nothing to do for the end of the process.
func (p *process) Attaches() bool { return true }

// Wait has nothing to wait for.
func (p *process) Wait() {}

// Allocate starts the process for chromedp.
func (p *process) Allocate(ctx context.Context, options ...chromedp.BrowserOption) (*chromedp.Browser, error) {
	program, err := exec.LookPath("chromium")
	if err != nil {
		return nil, errors.New("these tests run in chromium, which is not there: `make tools` installs Debian's")
	}
	command := exec.Command(program, "--remote-debugging-pipe", "--user-data-dir="+filepath.Join(p.profile, "profile"))
	for _, flag := range p.flags {
		command.Args = append(command.Args, "--"+flag)
	}
	if os.Getuid() == 0 {
		command.Args = append(command.Args, "--no-sandbox") // root has none
	}
	command.Args = append(command.Args, "about:blank")
	// What it keeps outside its profile.
	command.Env = append(os.Environ(), "XDG_CACHE_HOME="+p.profile, "XDG_CONFIG_HOME="+p.profile)
	commands, commandsIn, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	eventsOut, events, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	said, err := os.Create(p.saidFile())
	if err != nil {
		return nil, err
	}
	command.ExtraFiles = []*os.File{commands, events}
	command.Stdout, command.Stderr = said, said
	err = command.Start()
	for _, f := range []*os.File{commands, events, said} {
		f.Close() // it has its own
	}
	if err != nil {
		return nil, err
	}
	go command.Wait()
	if _, err := fmt.Fprintln(p.sweeper, command.Process.Pid); err != nil {
		return nil, err
	}
	p.sessions = newSessions(chromedp.NewPipeConn(eventsOut, commandsIn))
	return chromedp.NewBrowserTransport(ctx, p.sessions, options...)
}

func (p *process) saidFile() string { return filepath.Join(p.profile, "said") }

// said is what the process has said, for messages.
func (p *process) said() string {
	text, err := os.ReadFile(p.saidFile())
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(text))
}

// sweep removes a folder when its standard input ends, which is when the process
// at the other end is gone, however it went. Its first line is the number of the
// browser, which would write to its folder once more when it ends by itself; what
// that leaves running for a moment may do so still, so it is looked at once more.
const sweep = `read browser
cat >/dev/null
[ -z "$browser" ] || ! grep -q -F "$1" "/proc/$browser/cmdline" 2>/dev/null || kill -9 "$browser"
for try in 1 2 3 4 5 6 7 8 9 10; do
	rm -rf "$1" 2>/dev/null
	sleep 1
	[ -e "$1" ] || exit
done`

func removeAfterwards(folder string) (io.Writer, error) {
	command := exec.Command("/bin/sh", "-c", sweep, "sh", folder)
	// What is typed at the terminal to end the tests is not for it.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	kept = append(kept, in)
	return in, nil
}

// kept stays open until the process ends.
var kept []io.Closer
