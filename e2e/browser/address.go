package browser

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// Open goes to a path of the server, or to an address, and waits until it is
// loaded.
func (p *Page) Open(path string) {
	p.t.Helper()
	address := path
	if strings.HasPrefix(path, "/") {
		address = strings.TrimSuffix(p.options.Server, "/") + path
	}
	p.travel("open "+path, chromedp.Navigate(address))
}

// Reload asks for the page again.
func (p *Page) Reload() {
	p.t.Helper()
	p.travel("reload", chromedp.Reload())
}

// Back goes to the page before.
func (p *Page) Back() {
	p.t.Helper()
	p.travel("go back", chromedp.NavigateBack())
}

func (p *Page) travel(what string, how chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	// A response of 400 and above without a body is an error of loading to the
	// browser. The page complains about its status.
	var failed *chromedp.LoadError
	err := chromedp.Do(ctx, how)
	if errors.As(err, &failed) && failed.ErrorText == "net::ERR_HTTP_RESPONSE_CODE_FAILURE" {
		err = nil
	}
	if err != nil {
		p.t.Fatalf("%s: %v", what, err)
	}
}

// URL is where the page is: the path with its query and fragment if it is on the
// server, otherwise the whole address.
func (p *Page) URL() string {
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	address, err := chromedp.Run(ctx, chromedp.Evaluate[string]("location.href"))
	if err != nil {
		return "nowhere: " + err.Error()
	}
	return p.short(address)
}

func (p *Page) short(address string) string {
	server, err := url.Parse(p.options.Server)
	if err != nil {
		return address
	}
	at, err := url.Parse(address)
	if err != nil || at.Scheme != server.Scheme || at.Host != server.Host {
		return address
	}
	at.Scheme, at.Host, at.User = "", "", nil
	return at.String()
}

// At waits until the page is there: where URL says.
func (p *Page) At(path string) {
	p.t.Helper()
	server := ""
	if strings.HasPrefix(path, "/") {
		server = strings.TrimSuffix(p.options.Server, "/")
	}
	p.await(nil, "At", server+path)
}

// Cookies are those that the browser would send to where the page is, with their
// attributes.
func (p *Page) Cookies() []*http.Cookie {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	got, err := chromedp.Call(ctx, network.GetCookies, network.GetCookiesParams{})
	if err != nil {
		p.t.Fatalf("read cookies: %v", err)
	}
	sameSite := map[network.CookieSameSite]http.SameSite{
		network.CookieSameSiteStrict: http.SameSiteStrictMode,
		network.CookieSameSiteLax:    http.SameSiteLaxMode,
		network.CookieSameSiteNone:   http.SameSiteNoneMode,
	}
	var list []*http.Cookie
	for _, c := range got.Cookies {
		cookie := &http.Cookie{
			Name: c.Name, Value: c.Value, Path: c.Path, Domain: c.Domain,
			Secure: c.Secure, HttpOnly: c.HTTPOnly, SameSite: sameSite[c.SameSite],
		}
		if !c.Session {
			cookie.Expires = time.Unix(int64(c.Expires), 0).UTC()
		}
		list = append(list, cookie)
	}
	return list
}
