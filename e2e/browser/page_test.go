package browser_test

import (
	"fmt"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"recoup/e2e/browser"
)

const form = `<form method="post" action="/sent">
	<label for="who">Account <span>(any)</span></label> <input id="who" name="who" value="old">
	<label>Amount <input name="amount" type="number"></label>
	<label>From <input name="from" type="date"></label>
	<label>Reason <select name="reason"><option value="1">Duplicate</option><option value="2">Other reason</option></select></label>
	<label>Note <textarea name="note"></textarea></label>
	<label><input type="checkbox" name="sure"> I am sure</label>
	<label><input type="radio" name="way" value="link"> Link</label> <label><input type="radio" name="way" value="dismiss"> Dismiss</label>
	<input aria-label="Search" name="q">
	<button>Send it</button></form>`

// A form is filled by its labels and sent, with scripts or without, on a desk or
// a phone, and the page that follows is there when the click is done.
func TestForm(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("/", site{"/": document(form)})
	mux.HandleFunc("POST /sent", func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(300 * time.Millisecond) // a slow answer, which the click waits for
		if err := r.ParseForm(); err != nil {
			t.Error(err)
		}
		http.Redirect(w, r, "/thanks?"+r.PostForm.Encode(), http.StatusSeeOther)
	})
	mux.HandleFunc("/thanks", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, document("<p>Thank you</p>"))
	})
	for name, o := range map[string]browser.Options{"desk": {}, "phone": {Phone: true}, "without scripts": {NoScript: true}} {
		t.Run(name, func(t *testing.T) {
			o.Server = serve(t, mux)
			p := browser.Start(t).Page(t, o)
			p.Open("/")
			p.Fill("Account", "acct-1 <b>")
			p.Fill("Amount", "12")
			p.Fill("From", "2026-01-31")
			p.Fill("Reason", "Other reason")
			p.Fill("Note", "two\nlines")
			p.Fill("Search", "gone")
			p.Fill("Search", "")
			p.Check("I am sure", true)
			p.Check("I am sure", true)
			p.Check("Dismiss", true)
			if got := []string{p.Value("Account"), p.Value("Reason"), p.Value("I am sure"), p.Value("Link")}; !reflect.DeepEqual(got, []string{"acct-1 <b>", "Other reason", "true", "false"}) {
				t.Errorf("the fields hold %q", got)
			}
			p.Click("Send it")
			if got, want := p.URL(), "/thanks?amount=12&from=2026-01-31&note=two%0D%0Alines&q=&reason=2&sure=on&way=dismiss&who=acct-1+%3Cb%3E"; got != want {
				t.Errorf("it sent %s\nwant    %s", got, want)
			}
			p.See("Thank you")
			p.Back()
			p.At("/")
		})
	}
}

// What a page shows late is awaited, wherever it comes from.
func TestSee(t *testing.T) {
	pages := site{
		"/": document(`<p id="now" hidden>Settled &nbsp; on
			time</p><p id="then">Pending</p><ul><li id="a">First <button>Open</button></li><li id="b">Second <button>Open</button></li></ul>
			<details><summary>More</summary><p>The rest</p></details><a href="/next">Next</a><p id="said"></p><script src="/late.js"></script>`),
		"/late.js": `setTimeout(() => { now.hidden = false; then.remove(); }, 300);
			document.querySelectorAll("button").forEach((b) => b.addEventListener("click", () => { said.textContent = b.parentElement.id; }));
			addEventListener("keydown", (e) => { said.textContent = [e.ctrlKey, e.shiftKey, e.key].join(" "); });`,
		"/next": document("<p>The next page</p>"),
	}
	p := browser.Start(t).Page(t, browser.Options{Server: serve(t, pages)})
	p.Open("/")
	p.See("Settled on time")
	p.DoNotSee("Pending")
	p.DoNotSee("The rest")
	p.Click("More")
	p.See("The rest")
	p.Within("#b").Click("Open")
	if got := p.Text("#said"); got != "b" {
		t.Errorf("the second button says %q", got)
	}
	p.Click("#a button")
	p.Within("#said").See("a")
	p.Click("h1") // takes the focus from the button, which keys would press
	for key, want := range map[string]string{"a": "false false a", "Control+ArrowDown": "true false ArrowDown", "Shift+Escape": "false true Escape", "Space": "false false"} {
		p.Press(key)
		if got := p.Text("#said"); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	if got := p.Texts("li"); !reflect.DeepEqual(got, []string{"First Open", "Second Open"}) {
		t.Errorf("the list reads %q", got)
	}
	if got := p.Attribute("main a", "href"); got != "/next" {
		t.Errorf("the link leads to %q", got)
	}
	p.Await("document.title === 'A page'")
	if got := p.Title(); got != "A page" {
		t.Errorf("the title is %q", got)
	}
	p.Click("Next")
	p.See("The next page")
	p.At("/next")
}

// What cannot be done ends the test at once, if no waiting helps.
func TestAmbiguity(t *testing.T) {
	pages := site{"/": document(`<button>Open</button><button>Open</button><label>Name <input></label><label>Name <input></label><label><input type="checkbox">Yes</label>`)}
	tests := []struct {
		do   func(*browser.Page)
		want string
	}{
		{func(p *browser.Page) { p.Click("Open") }, "2 things have that name: body > main > button:nth-of-type(1), body > main > button:nth-of-type(2)"},
		{func(p *browser.Page) { p.Fill("Name", "x") }, "2 fields have that label"},
		{func(p *browser.Page) { p.Fill("Yes", "x") }, "a checkbox is not filled"},
		{func(p *browser.Page) { p.Press("Return") }, "expected a character or the name of a key"},
		{func(p *browser.Page) { p.Press("Strg+a") }, "expected Shift, Control, Alt or Meta"},
		{func(p *browser.Page) { p.Evaluate("nothing.field", nil) }, "ReferenceError"},
	}
	url := serve(t, pages)
	for _, test := range tests {
		failures := try(t, func(t testing.TB) {
			p := browser.Start(t).Page(t, browser.Options{Server: url})
			p.Open("/")
			test.do(p)
			t.Errorf("it was done")
		})
		if len(failures) != 1 {
			t.Errorf("it goes on: %q", failures)
		}
		mentions(t, failures, test.want)
	}
}

func TestDownload(t *testing.T) {
	pages := site{"/": document(`<a href="/entries.csv">Export</a>`), "/entries.csv": "account,amount\na,1\n"}
	p := browser.Start(t).Page(t, browser.Options{Server: serve(t, pages)})
	p.Open("/")
	name, content := p.Download("Export")
	if name != "entries.csv" || string(content) != pages["/entries.csv"] {
		t.Errorf("%s holds %q", name, content)
	}
	p.At("/")
}

// Pages share no cookies, and tell the attributes of theirs.
func TestCookies(t *testing.T) {
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "1", Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, MaxAge: 3600})
		w.Header().Set("Content-Type", "text/html")
		_, err := r.Cookie("session")
		fmt.Fprint(w, document(fmt.Sprintf("<p>known: %t</p>", err == nil)))
	}))
	for range 2 {
		p := browser.Start(t).Page(t, browser.Options{Server: url})
		p.Open("/")
		p.See("known: false")
		p.Reload()
		p.See("known: true")
		c := p.Cookies()
		if len(c) != 1 || c[0].Name != "session" || !c[0].HttpOnly || c[0].SameSite != http.SameSiteStrictMode || c[0].Expires.Before(time.Now()) {
			t.Errorf("the cookies are %+v", c)
		}
	}
}

// Options are what the page and its server see of the user.
func TestOptions(t *testing.T) {
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, document("<p>asks in "+strings.Split(r.Header.Get("Accept-Language"), ",")[0]+"</p>"))
	}))
	tests := []struct {
		options browser.Options
		want    string
	}{
		{browser.Options{}, "1280 800 1 light en-US 1,234.5 UTC false"},
		{browser.Options{Width: 1000, Height: 700, Dark: true, Locale: "de-DE"}, "1000 700 1 dark de-DE 1.234,5 UTC false"},
		{browser.Options{Phone: true, Locale: "fr-FR"}, "390 844 2 light fr-FR 1\u202f234,5 UTC true"},
	}
	for _, test := range tests {
		test.options.Server = url
		p := browser.Start(t).Page(t, test.options)
		p.Open("/")
		var got string
		p.Evaluate(`[innerWidth, innerHeight, devicePixelRatio, matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light", navigator.language,
			(1234.5).toLocaleString(), Intl.DateTimeFormat().resolvedOptions().timeZone, matchMedia("(pointer: coarse)").matches].join(" ")`, &got)
		if got != test.want {
			t.Errorf("the page sees %s\nwant          %s", got, test.want)
		}
		locale := test.options.Locale
		if locale == "" {
			locale = "en-US"
		}
		p.See("asks in " + locale)
	}
}

func TestNoScript(t *testing.T) {
	pages := site{"/": document(`<p id="p">plain</p><noscript>no scripts</noscript><script src="/a.js"></script>`), "/a.js": `p.textContent = "scripted"`}
	url := serve(t, pages)
	p := browser.Start(t).Page(t, browser.Options{Server: url, NoScript: true})
	p.Open("/")
	p.See("plain no scripts")
	p.Axe()
	p.See("plain no scripts")
	p = browser.Start(t).Page(t, browser.Options{Server: url})
	p.Open("/")
	p.See("scripted")
}

func TestScreenshot(t *testing.T) {
	pages := site{"/": document(`<link rel="stylesheet" href="/a.css"><p>text</p>`), "/a.css": "main { height: 3000px; background: linear-gradient(red, blue) }"}
	url := serve(t, pages)
	tests := []struct {
		options       browser.Options
		full          bool
		width, height int
	}{
		{browser.Options{}, false, 1280, 800},
		{browser.Options{Width: 600}, true, 600, 3000},
		{browser.Options{Phone: true}, false, 780, 1688},
	}
	for _, test := range tests {
		test.options.Server = url
		file := filepath.Join(t.TempDir(), "pictures", "a.png")
		p := browser.Start(t).Page(t, test.options)
		p.Open("/")
		p.Screenshot(file, test.full)
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		m, err := png.Decode(f)
		if err != nil {
			t.Fatal(err)
		}
		if size := m.Bounds().Size(); size.X != test.width || size.Y < test.height || size.Y > test.height+100 {
			t.Errorf("%+v: the picture is %v", test, size)
		}
		if info, err := f.Stat(); err != nil || info.Size() > 200<<10 {
			t.Errorf("%+v: the file has %d bytes, %v", test, info.Size(), err)
		}
		if r, _, b, _ := m.At(test.width/2, m.Bounds().Dy()/4).RGBA(); r <= b {
			t.Errorf("%+v: the picture is not red above", test)
		}
	}
}
