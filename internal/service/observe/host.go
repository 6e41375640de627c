package observe

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// OnlyHosts answers requests that name this machine by an address, as localhost, or by
// one of some names, and refuses others with 403: a page elsewhere whose name was made to
// point here would otherwise have somebody's browser read to it what wants no key.
func OnlyHosts(next http.Handler, names ...string) http.Handler {
	known := []string{"localhost"}
	for _, name := range names {
		known = append(known, strings.ToLower(name))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
		if _, err := netip.ParseAddr(host); err != nil && !slices.Contains(known, host) {
			http.Error(w, "this is not answered under that name: ask for it by an address, or have the service started with --metrics-host NAME", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
