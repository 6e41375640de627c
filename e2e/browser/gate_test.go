package browser_test

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"recoup/e2e/browser"
)

// bare serves a site without a policy of its own, so that nothing but the gate is
// in the way of what its pages ask for, and with a header if it is given one.
func bare(pages site, header, value string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if header != "" {
			w.Header().Set(header, value)
		}
		pages.ServeHTTP(unguarded{w}, r)
	})
}

// unguarded is a response without a policy.
type unguarded struct{ http.ResponseWriter }

func (u unguarded) Write(p []byte) (int, error) {
	u.Header().Del("Content-Security-Policy")
	return u.ResponseWriter.Write(p)
}

// elsewhere is no server under test.
const elsewhere = "http://elsewhere.example"

// Whatever asks for something elsewhere, and however, its page complains. A third of the ways are
// tried where there is no time for all.
func TestPageThatAsksElsewhere(t *testing.T) {
	const script = `<script src="/page.js"></script>`
	const asks, connects = `fetch("` + elsewhere + `/a").catch(() => {})`, `new WebSocket("ws://elsewhere.example/a")`
	tests := []struct {
		name, body string
		js, worker string // of /page.js and /worker.js
		what       string // method and address that are complained of; "" is a GET of /a
	}{
		{"a picture", `<img alt="" src="` + elsewhere + `/a">`, "", "", ""},
		{"a picture, encrypted", `<img alt="" src="https://elsewhere.example/a">`, "", "", "GET https://elsewhere.example/a"},
		{"a film", `<video src="` + elsewhere + `/a"></video>`, "", "", ""},
		{"a stylesheet", `<link rel="stylesheet" href="` + elsewhere + `/a">`, "", "", ""},
		{"a stylesheet that another one imports", `<link rel="stylesheet" href="/import.css">`, "", "", ""},
		{"a font", `<link rel="stylesheet" href="/font.css"><p>text</p>`, "", "", ""},
		{"a script", `<script src="` + elsewhere + `/a"></script>`, "", "", ""},
		{"a request", script, asks, "", ""},
		{"a beacon", script, `navigator.sendBeacon("` + elsewhere + `/a")`, "", "POST " + elsewhere + "/a"},
		{"a beacon when it is left", script, `addEventListener("pagehide", () => navigator.sendBeacon("` + elsewhere + `/a"))`, "", "POST " + elsewhere + "/a"},
		{"a request when it is left", script, `addEventListener("pagehide", () => fetch("` + elsewhere + `/a", {keepalive: true}))`, "", ""},
		{"a ping of a link", `<a href="/other" ping="` + elsewhere + `/a">Go</a>`, "", "", "POST " + elsewhere + "/a"},
		{"events", script, `new EventSource("` + elsewhere + `/a")`, "", ""},
		{"a socket", script, connects, "", "socket ws://elsewhere.example/a"},
		{"a transport", script, `new WebTransport("https://elsewhere.example/a").ready.catch(() => {})`, "", "transport https://elsewhere.example/a"},

		{"a frame", `<iframe title="a" src="` + elsewhere + `/a"></iframe>`, "", "", ""},
		{"a frame's picture", `<iframe title="a" src="/frame"></iframe>`, "", "", ""},
		{"the picture of a frame without an address", script, `const f = document.createElement("iframe"); f.srcdoc = "<img src='` + elsewhere + `/a'>"; document.body.append(f)`, "", ""},
		{"the picture of a frame of another site", `<iframe title="a" src="http://localhost:PORT/frame"></iframe>`, "", "", ""},

		{"a worker's request", script, `new Worker("/worker.js")`, asks, ""},
		{"a worker's socket", script, `new Worker("/worker.js")`, connects, "socket ws://elsewhere.example/a"},
		{"a worker's script", script, `new Worker("/worker.js")`, `try { importScripts("` + elsewhere + `/a") } catch {}`, ""},
		{"the request of a worker without an address", script, `new Worker(URL.createObjectURL(new Blob(['` + asks + `'])))`, "", ""},
		{"a worker's worker's request", script, `new Worker("/nest.js")`, asks, ""},
		{"a worker's worker's socket", script, `new Worker("/nest.js")`, connects, "socket ws://elsewhere.example/a"},
		{"a shared worker's request", script, `new SharedWorker("/worker.js")`, asks, ""},
		{"a shared worker's socket", script, `new SharedWorker("/worker.js")`, connects, "socket ws://elsewhere.example/a"},
		{"a service worker's request", script, `navigator.serviceWorker.register("/worker.js")`, asks, ""},
		{"a service worker's socket", script, `navigator.serviceWorker.register("/worker.js")`, connects, "socket ws://elsewhere.example/a"},

		{"what may be needed next", `<link rel="prefetch" href="` + elsewhere + `/a">`, "", "", ""},
		{"what will be needed soon", `<link rel="preload" as="image" href="` + elsewhere + `/a">`, "", "", ""},
		{"a module that will be needed soon", `<link rel="modulepreload" href="` + elsewhere + `/a">`, "", "", ""},
		{"a page that may be next", `<script type="speculationrules">{"prefetch":[{"source":"list","urls":["https://elsewhere.example/a"],"eagerness":"immediate"}]}</script>`, "", "",
			"prefetch https://elsewhere.example/a"},
		{"a page that is next", `<script type="speculationrules">{"prerender":[{"source":"list","urls":["` + elsewhere + `/a"],"eagerness":"immediate"}]}</script>`, "", "",
			"prerender " + elsewhere + "/a"},
		{"a connection", `<link rel="preconnect" href="` + elsewhere + `">`, "", "", "link " + elsewhere},
		{"a connection, encrypted", `<link rel="preconnect" href="https://elsewhere.example">`, "", "", "link https://elsewhere.example"},
		{"a name", `<link rel="dns-prefetch" href="//elsewhere.example">`, "", "", "link " + elsewhere},
		{"a connection of a frame", `<iframe title="a" src="/connect"></iframe>`, "", "", "link " + elsewhere},
		{"a connection of a page without scripts", `<link rel="preconnect" href="` + elsewhere + `">`, "", "", "link " + elsewhere},
		{"an icon", `<link rel="icon" href="` + elsewhere + `/a">`, "", "", "link " + elsewhere + "/a"},
		{"a manifest", `<link rel="manifest" href="` + elsewhere + `/a">`, "", "", "link " + elsewhere + "/a"},
	}
	b := browser.Start(t)
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if i%3 > 0 && os.Getenv("RECOUP_LONG") == "" {
				t.Skip("each takes half a second of a processor: set RECOUP_LONG=1")
			}
			t.Parallel()
			pages := site{
				"/page.js": test.js, "/worker.js": test.worker, "/nest.js": `new Worker("/worker.js")`, "/other": document("another"),
				"/font.css":   `@font-face { font-family: a; src: url("` + elsewhere + `/a") } p { font-family: a }`,
				"/import.css": `@import url("` + elsewhere + `/a");`,
				"/frame":      document(`<img alt="" src="` + elsewhere + `/a">`),
				"/connect":    document(`<link rel="preconnect" href="` + elsewhere + `">`),
			}
			server := serve(t, bare(pages, "", ""))
			_, port, _ := strings.Cut(strings.TrimPrefix(server, "http://"), ":")
			pages["/"] = document(strings.ReplaceAll(test.body, "PORT", port))
			what := test.what
			if what == "" {
				what = "GET " + elsewhere + "/a"
			}
			failures := try(t, func(t testing.TB) {
				p := b.Page(t, browser.Options{Server: server, Others: []string{"http://localhost:" + port}, NoScript: strings.HasSuffix(test.name, "without scripts")})
				p.Open("/")
				switch {
				case strings.HasSuffix(test.name, "when it is left"):
					p.Open("/other")
				case strings.Contains(test.name, "ping"):
					p.Click("Go")
				}
				p.AwaitComplaint(what)
			})
			mentions(t, failures, "request to another host: "+what)
		})
	}
}

// Addresses that a response's headers have the browser ask.
func TestHeadersThatAskElsewhere(t *testing.T) {
	tests := []struct{ name, header, value, want string }{
		{"a connection", "Link", "</a.css>; rel=next, <" + elsewhere + ">; rel=preconnect; crossorigin", "Link " + elsewhere},
		{"a name", "Link", `<//elsewhere.example>; rel="dns-prefetch"`, "Link " + elsewhere},
		{"reports", "Reporting-Endpoints", `a="/reports", b="https://elsewhere.example/a"`, "Reporting-Endpoints https://elsewhere.example/a"},
		{"reports of old", "Report-To", `{"group":"a","max_age":1,"endpoints":[{"url":"https://elsewhere.example/a"}]}`, "Report-To https://elsewhere.example/a"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			failures := try(t, func(t testing.TB) {
				url := serve(t, bare(site{"/": document("text")}, test.header, test.value))
				browser.Start(t).Page(t, browser.Options{Server: url}).Open("/")
			})
			mentions(t, failures, "request to another host: "+test.want)
		})
	}
}

// A page with a policy complains of what the policy forbids, where nothing is
// asked for.
func TestPolicyForbidsElsewhere(t *testing.T) {
	const script = `<script src="/page.js"></script>`
	tests := []struct{ directive, body, js string }{
		{"img-src", `<img alt="" src="` + elsewhere + `/a">`, ""},
		{"style-src-elem", `<link rel="stylesheet" href="` + elsewhere + `/a">`, ""},
		{"frame-src", `<iframe title="a" src="` + elsewhere + `/a"></iframe>`, ""},
		{"connect-src", script, `fetch("` + elsewhere + `/a").catch(() => {})`},
		{"connect-src", script, `new WebSocket("ws://elsewhere.example/a")`},
	}
	for _, test := range tests {
		t.Run(test.directive, func(t *testing.T) {
			t.Parallel()
			failures := try(t, func(t testing.TB) {
				p := browser.Start(t).Page(t, browser.Options{Server: serve(t, site{"/": document(test.body), "/page.js": test.js})})
				p.Open("/")
				p.AwaitComplaint("security policy")
			})
			mentions(t, failures, "security policy", test.directive, "elsewhere.example")
		})
	}
}

// What the browser asks for by itself is refused, and no page is blamed for it.
func TestBrowserAsksByItself(t *testing.T) {
	b := browser.Talkative(t)
	pages := site{
		"/": document(`<p>Nothing from elsewhere</p><script src="/page.js"></script>`), "/worker.js": `postMessage("worked")`,
		"/page.js": `new Worker("/worker.js").onmessage = (e) => { document.title = e.data }`,
	}
	p := b.Page(t, browser.Options{Server: serve(t, pages)})
	p.Open("/")
	b.AskByItself(t, "http://of-the-browser.example/")
	refused := b.AwaitRefusal(t, "of-the-browser.example")
	p.Reload()
	p.Await("document.title === 'worked'")
	if complaints := p.Complaints(); len(complaints) > 0 {
		t.Errorf("the page complains: %q", complaints)
	}
	version, err := exec.Command("chromium", "--version").Output()
	t.Logf("%s refused %q, %v", version, refused, err)
}

// Calls between browsers make no event. They do not get out all the same.
func TestCallsDoNotLeave(t *testing.T) {
	there, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer there.Close()
	pages := site{"/": document(`<script src="/page.js"></script>`), "/page.js": `
		const call = new RTCPeerConnection({iceServers: [{urls: "stun:` + there.LocalAddr().String() + `"}]});
		call.onicegatheringstatechange = () => { document.title = call.iceGatheringState };
		call.createDataChannel("a");
		call.createOffer().then((offer) => call.setLocalDescription(offer))`}
	p := browser.Start(t).Page(t, browser.Options{Server: serve(t, pages)})
	p.Open("/")
	p.Await("document.title === 'complete'")
	if err := there.SetReadDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if n, from, err := there.ReadFrom(make([]byte, 100)); err == nil {
		t.Errorf("%d bytes came from %v", n, from)
	}
}
