package console

import (
	"net/http"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzhttp"
)

// What an answer's length tells of it is told to whoever sees it pass, and a compressed
// page is shorter where a guess that somebody put into its address is in the page as well
// (BREACH). Nobody can have a person's browser try guesses but from a page of another
// site, and those requests say where they are from. So a page is compressed only for one
// that says that it is from a page of ours, or typed by a person: what says nothing, as
// all browsers do without TLS, is answered as it is. Styles and scripts are the same for
// everybody, and always compressed. A few bytes of chance go with each answer besides.

// jitter is how many bytes of chance a compressed answer has at most.
const jitter = 32

// compressed answers in gzip or zstd, as a browser asks for it, what may be.
func compressed(next http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.EnableZstd(true), gzhttp.RandomJitter(jitter, 0, false))
	if err != nil {
		panic("console: " + err.Error()) // the options are constants
	}
	packed := wrap(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, Path+"static/") {
			packed.ServeHTTP(w, r)
			return
		}
		w.Header().Add("Vary", "Sec-Fetch-Site")
		if from := r.Header.Get("Sec-Fetch-Site"); slices.Contains([]string{"same-origin", "none"}, from) {
			packed.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}
