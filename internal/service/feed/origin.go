package feed

import (
	"fmt"
	"net/url"
	"slices"
)

// Door is who may read feeds with tokens: which keys sign these, and which sites' pages may
// ask from a browser; and how often, of one account.
type Door struct {
	Keys    *Keys
	Origins []string // as browsers write them, such as https://app.example

	used pace
}

// Admits reports whether pages of an origin may ask.
func (d *Door) Admits(origin string) bool { return slices.Contains(d.Origins, origin) }

// CheckOrigin refuses what no browser calls an origin. Plain HTTP is for pages on this
// machine.
func CheckOrigin(origin string) error {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || u.Scheme+"://"+u.Host != origin {
		return fmt.Errorf("expected an origin such as https://app.example, without a path, found %q", origin)
	}
	local := u.Hostname() == "localhost" || u.Hostname() == "127.0.0.1" || u.Hostname() == "::1"
	if u.Scheme != "https" && (u.Scheme != "http" || !local) {
		return fmt.Errorf("expected an origin with https, found %q: whoever is on the way could change its pages", origin)
	}
	return nil
}
