// Package browser tests pages in a real browser: Debian's chromium, without a
// window, driven over its debugging protocol.
//
//	func TestReviewIsDismissed(t *testing.T) {
//		p := browser.Start(t).Page(t, browser.Options{Server: url})
//		p.Open("/console/reviews")
//		p.Within("#review-7").Click("Dismiss")
//		p.Fill("Reason", "the merchant's double")
//		p.Click("Dismiss review")
//		p.At("/console/reviews")
//		p.DoNotSee("review 7")
//		p.Axe()
//	}
//
// Whatever is said of a page is awaited: a test says what is to be seen, and
// fails if it is not seen in the end. Nothing is said twice as fast as the
// browser works, so nothing sleeps.
//
// Each page watches itself, and fails its test at the end for what its user would
// never see: errors and warnings on the console, exceptions, violations of the
// security policy, mixed content, requests to other hosts, and responses of 400
// and above that the test did not announce by Expect. So do its frames, its workers
// of any kind and the windows that it opens, each from before its first request.
//
// The browser's way out is a gate that lets nothing through. Of the requests that
// come there nobody can say who made them, and browsers ask for things by
// themselves, other things in each version; so what pages ask for is judged by what
// the browser tells of pages, and the gate judges nothing. It does not tell of
// calls by WebRTC, which have no way out either.
package browser
