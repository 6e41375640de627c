package browser_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"recoup/e2e/browser"
)

// Each violation fails the test with its rule and its element, and only those.
func TestAxe(t *testing.T) {
	pages := site{
		"/good":     document(`<p>Plain text</p><label>Name <input></label>`),
		"/contrast": document(`<link rel="stylesheet" href="/a.css"><p id="faint">Faint text</p>`),
		"/label":    document(`<input id="bare">`),
		"/targets":  document(`<link rel="stylesheet" href="/a.css"><button class="tiny" aria-label="a" id="one"></button><button class="tiny" aria-label="b"></button>`),
		"/language": `<!doctype html><html><head><title>A page</title></head><body><main><h1>Heading</h1></main></body></html>`,
		"/a.css":    "p { color: #aaa; background: #fff } .tiny { width: 8px; height: 8px; padding: 0; border: 0; margin: 0 }",
	}
	url := serve(t, pages)
	tests := []struct {
		path string
		want []string
	}{
		{"/good", nil},
		{"/contrast", []string{"color-contrast at #faint", "4.5:1"}},
		{"/label", []string{"label at #bare", "Form elements must have labels"}},
		{"/targets", []string{"target-size at #one"}},
		{"/language", []string{"html-has-lang at html"}},
	}
	for _, test := range tests {
		t.Run(test.path, func(t *testing.T) {
			failures := try(t, func(t testing.TB) {
				p := browser.Start(t).Page(t, browser.Options{Server: url})
				p.Open(test.path)
				p.Axe()
			})
			if test.want == nil && len(failures) > 0 {
				t.Errorf("it fails for %q", failures)
			}
			if test.want != nil {
				mentions(t, failures, test.want...)
			}
		})
	}
}

// axe-core is taken from the cache if it is what was published, whoever put it
// there; what is not is fetched again; and what comes instead is refused.
func TestAxeIsFetched(t *testing.T) {
	asked := 0
	var answer []byte
	registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if answer == nil {
			http.Error(w, "gone", http.StatusGone)
			return
		}
		w.Write(answer)
	}))
	defer registry.Close()
	file := filepath.Join(t.TempDir(), "recoup", "axe.tgz")
	if _, err := browser.Fetched(file, registry.URL); err == nil {
		t.Error("nothing was fetched, and nothing said so")
	} else {
		mentions(t, []string{err.Error()}, "need axe-core once from the npm registry", registry.URL, file, "410 Gone")
	}
	answer = []byte("something else")
	if _, err := browser.Fetched(file, registry.URL); err == nil {
		t.Error("something else was taken for axe-core")
	} else {
		mentions(t, []string{err.Error()}, "expected the SHA-512")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	script, err := browser.AxeSource()
	if err != nil {
		t.Fatal(err)
	}
	if answer, err = os.ReadFile(filepath.Join(cache, "recoup", browser.AxeName)); err != nil {
		t.Fatal(err)
	}
	asked = 0
	for range 2 {
		if got, err := browser.Fetched(file, registry.URL); err != nil || got != script {
			t.Errorf("%d bytes of script, %v", len(got), err)
		}
	}
	if asked != 1 {
		t.Errorf("it was fetched %d times", asked)
	}
	if err := os.WriteFile(file, answer[:1000], 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := browser.Fetched(file, registry.URL); err != nil || got != script || asked != 2 {
		t.Errorf("in place of half a file: %d bytes of script, %v, asked %d times", len(got), err, asked)
	}
}

func TestFits(t *testing.T) {
	pages := site{
		"/narrow": document(`<p>Some text that goes over into a next line where there is no room for it.</p>`),
		"/wide":   document(`<link rel="stylesheet" href="/a.css"><p id="wide">wide</p>`),
		"/scroll": document(`<link rel="stylesheet" href="/a.css"><div tabindex="0"><p>wide</p></div>`),
		"/zoomed": `<!doctype html><html lang="en"><title>For desks</title><p>no viewport`,
		"/a.css":  "p { width: 500px } div { overflow-x: auto }",
	}
	url := serve(t, pages)
	for path, want := range map[string][]string{
		"/narrow": nil, "/scroll": nil,
		"/wide": {"pixels wide in a window of 390", `"#wide"`}, "/zoomed": {"980 pixels wide"},
	} {
		failures := try(t, func(t testing.TB) {
			p := browser.Start(t).Page(t, browser.Options{Server: url, Phone: true})
			p.Open(path)
			p.Fits()
		})
		if want == nil && len(failures) > 0 {
			t.Errorf("%s: %q", path, failures)
		}
		if want != nil {
			mentions(t, failures, want...)
		}
	}
}

// The order of the stops and whether one sees where the focus is, of rings of all
// kinds, and of those that are none.
func TestTabOrder(t *testing.T) {
	pages := site{
		"/": document(`<link rel="stylesheet" href="/a.css">
			<a href="/">Plain</a> <a href="/" id="second">Bare</a> <button id="third">Faint</button>
			<label>Field <input id="field"></label> <label>Bare field <input id="bare"></label>
			<button tabindex="-1">Not reached</button> <button disabled>Nor this</button> <button id="shadow">Shadow</button>`),
		"/a.css": `#second:focus, #bare:focus { outline: none } #third:focus { outline: 2px solid #eee }
			#shadow:focus { outline: none; box-shadow: 0 0 0 3px #00f }`,
	}
	p := browser.Start(t).Page(t, browser.Options{Server: serve(t, pages)})
	p.Open("/")
	want := []browser.Stop{
		{What: `link "Plain"`, Selector: "body > main > a:nth-of-type(1)", Ring: true},
		{What: `link "Bare"`, Selector: "#second", Ring: false},
		{What: `button "Faint"`, Selector: "#third", Ring: false},
		{What: `text "Field"`, Selector: "#field", Ring: true},
		{What: `text "Bare field"`, Selector: "#bare", Ring: false},
		{What: `button "Shadow"`, Selector: "#shadow", Ring: true},
	}
	if got := p.TabOrder(20); !reflect.DeepEqual(got, want) {
		t.Errorf("the stops are\n%+v, want\n%+v", got, want)
	}
	p.Click("#field")
	if got := p.Focused(); got.Selector != "#field" {
		t.Errorf("the focus is on %+v", got)
	}
}
