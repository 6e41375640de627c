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
// and above that the test did not announce by Expect. The browser goes out through
// a gate that lets nothing through and tells what it was asked for, so a request
// that would leave the machine is seen whoever makes it, and never leaves.
package browser
