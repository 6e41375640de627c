package browser_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"recoup/e2e/browser"
)

// What is wrong with a page fails its test, each thing by itself.
func TestPageComplains(t *testing.T) {
	script := `<script src="/bad.js"></script>`
	tests := []struct {
		name, body, js string
		want           []string
	}{
		{"an error on the console", script, `console.error("it broke", 3)`, []string{"console error", "it broke", "3"}},
		{"a warning on the console", script, `console.warn("it may break")`, []string{"console warning", "it may break"}},
		{"an assertion", script, `console.assert(1 > 2, "sums")`, []string{"console assert", "sums"}},
		{"an exception", script, `null.field`, []string{"uncaught exception", "TypeError", "bad.js:1"}},
		{"a promise that nobody keeps", script, `Promise.reject(new Error("broken promise"))`, []string{"uncaught exception", "broken promise"}},
		{"an exception later", script, `setTimeout(() => { throw new Error("too late") }, 50); fetch("/")`, []string{"uncaught exception", "too late"}},
		{"an inline script", `<script>document.title = "x"</script>`, "", []string{"security policy", "script-src-elem", "Inline"}},
		{"an inline style", `<p style="color: red">red</p>`, "", []string{"security policy", "style-src-attr"}},
		{"code from text", script, `try { eval("1") } catch {}`, []string{"security policy", "script-src", "Eval"}},
		{"a script that is not what it should be", `<script src="/bad.js" integrity="sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="></script>`,
			"", []string{"error: ", "integrity", "bad.js"}},
		{"a form that leaves", `<form action="http://elsewhere.example/"><button>Go</button></form><script src="/bad.js"></script>`,
			`document.forms[0].requestSubmit()`, []string{"form-action"}},
		{"a picture from elsewhere", `<img alt="" src="http://elsewhere.example/a.png">`, "", []string{"security policy", "img-src", "elsewhere.example"}},
		{"a picture that is not there", `<img alt="" src="/missing.png">`, "", []string{"response 404", "GET", "/missing.png"}},
		{"a request in the background", script, `fetch("/missing", {method: "POST"})`, []string{"response 404", "POST", "/missing"}},
		{"a window", script, `addEventListener("click", () => open("/other"))`, []string{"opened a window", "/other"}},
		{"a dialog", script, `setTimeout(() => alert("Really?"), 0)`, []string{"opened a dialog", "Really?"}},
		{"an error on a worker's console", script, `new Worker("/worker.js")`, []string{"console error", "it broke elsewhere"}},
		{"a request of a worker", script, `new Worker("/worker.js")`, []string{"response 404", "GET", "/missing"}},
		{"a window's picture", script, `addEventListener("click", () => open("/other"))`, []string{"response 404", "GET", "/other.png"}},
	}
	b := browser.Start(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			pages := site{
				"/": document(test.body), "/bad.js": test.js, "/other": document(`<img alt="" src="/other.png">`),
				"/worker.js": `console.error("it broke elsewhere"); fetch("/missing")`,
			}
			failures := try(t, func(t testing.TB) {
				p := b.Page(t, browser.Options{Server: serve(t, pages)})
				p.Open("/")
				if strings.HasPrefix(test.name, "a window") {
					p.Click("h1")
				}
				p.AwaitComplaint(test.want...)
			})
			mentions(t, failures, test.want...)
		})
	}
}

// Another server on this machine is another host too, unless it may be asked.
func TestPageComplainsOfOtherServers(t *testing.T) {
	other := serve(t, site{"/a.css": ""})
	pages := bare(site{"/": document(`<link rel="stylesheet" href="` + other + `/a.css">`)}, "", "")
	look := func(others ...string) []string {
		return try(t, func(t testing.TB) {
			browser.Start(t).Page(t, browser.Options{Server: serve(t, pages), Others: others}).Open("/")
		})
	}
	mentions(t, look(), "request to another host", other)
	if failures := look(other); len(failures) > 0 {
		t.Errorf("of a server that may be asked: %q", failures)
	}
}

func TestPageComplainsOfMixedContent(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte(document(`<script src="http://elsewhere.example/a.js"></script>`)))
	}))
	defer s.Close()
	failures := try(t, func(t testing.TB) {
		browser.Start(t).Page(t, browser.Options{Server: s.URL, AnyTLS: true}).Open("/")
	})
	mentions(t, failures, "mixed content", "http://elsewhere.example/a.js")
}

func TestPageComplainsOfQuirks(t *testing.T) {
	failures := try(t, func(t testing.TB) {
		browser.Start(t).Page(t, browser.Options{Server: serve(t, site{"/": "<title>Old</title><p>old"})}).Open("/")
	})
	mentions(t, failures, "quirks mode")
}

// Responses that are announced are no reason to complain, once each; those that
// do not come are.
func TestExpect(t *testing.T) {
	pages := site{"/": document(`<img alt="" src="/missing.png">`)}
	tests := []struct {
		name     string
		announce []int
		want     []string
	}{
		{"one too few", []int{404}, []string{"response 404", "missing.png"}},
		{"all of them", []int{404, 404}, nil},
		{"one too many", []int{404, 404, 403}, []string{"no response 403"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			failures := try(t, func(t testing.TB) {
				p := browser.Start(t).Page(t, browser.Options{Server: serve(t, pages)})
				p.Expect(test.announce...)
				p.Open("/nowhere")
				p.See("no such page")
				p.Open("/")
			})
			if test.want == nil && len(failures) > 0 {
				t.Errorf("it complains: %q", failures)
			}
			if test.want != nil {
				if len(failures) != 1 {
					t.Errorf("it complains of more: %q", failures)
				}
				mentions(t, failures, test.want...)
			}
		})
	}
}
