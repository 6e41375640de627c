package e2e_test

import (
	"os"
	"path/filepath"
	"testing"

	"recoup/e2e/browser"
)

// pictures are those that the documents show: each a file, and what it shows.
var pictures = []struct {
	file, path string
	options    browser.Options
	press      string // what is clicked before; "" is nothing
	says       string // what is there then
	from       string // id of what the picture begins with; "" is the top of the page
	rate       string // that the first rule of a draft is given before; "" leaves it
}{
	{"overview.png", "", browser.Options{Height: 1100}, "", "What needs somebody", "", ""},
	{"overview-dark.png", "", browser.Options{Height: 900, Dark: true}, "", "What needs somebody", "", ""},
	{"risk.png", "risk", browser.Options{Height: 1300}, "", "Exposure", "", ""},
	{"accounts.png", "accounts?sort=debt", browser.Options{Height: 800}, "", "they owe", "", ""},
	{"account.png", "account?id=anna", browser.Options{Height: 1100}, "", "−$1.00 balance", "", ""},
	{"account-phone.png", "account?id=anna", browser.Options{Phone: true}, "", "−$1.00 balance", "", ""},
	{"reviews.png", "reviews", browser.Options{Height: 900}, "", "matched without link", "", ""},
	{"review.png", "review?account=farid&kind=refund&id=farid-refund&queue=all", browser.Options{Height: 1000}, "", "Gives back", "", ""},
	{"draft.png", "program/draft?id=everyday", browser.Options{Height: 900}, "Preview", "Publish this draft", "preview", "6.5%"},
	{"draft-form.png", "program/draft?id=everyday", browser.Options{Height: 1000}, "", "Which purchases", "", ""},
	{"simulator.png", "program/simulate?id=everyday&story=buy+80+at+mcc+5411+on+Saturday%0Aredeem+all%0Areturn+half", browser.Options{Height: 900}, "", "In the end", "", ""},
	{"playground.png", "playground", browser.Options{Height: 1180}, "To the end", "What came of it:", "", ""},
}

// largestPicture is how large a picture may be that is kept with the code.
const largestPicture = 200 << 10

// TestScreenshots writes the pictures into the folder RECOUP_SCREENSHOTS, and into
// one that is thrown away without it: pages change, and the pictures have to be
// possible still. Where there is no time, those are one of a phone and one in the
// dark: what the others say, TestConsole sees.
func TestScreenshots(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("RECOUP_SCREENSHOTS")
	if folder == "" {
		folder = t.TempDir()
	}
	s, _ := sampleData(t)
	for _, picture := range pictures {
		t.Run(picture.file, func(t *testing.T) {
			if !picture.options.Phone && !picture.options.Dark && os.Getenv("RECOUP_SCREENSHOTS") == "" && !long() {
				t.Skip("on a desk, in the light: set RECOUP_LONG=1")
			}
			file := filepath.Join(folder, picture.file)
			p := s.page(t, picture.options)
			p.Open("/console/" + picture.path)
			if picture.rate != "" {
				p.Evaluate("document.getElementsByName('f.rules.0.rate')[0].value = '"+picture.rate+"'", nil)
			}
			if picture.press != "" {
				p.Click(picture.press)
			}
			p.See(picture.says)
			if picture.from != "" {
				p.Evaluate("document.getElementById('"+picture.from+"').scrollIntoView()", nil)
			}
			p.Screenshot(file, false)
			info, err := os.Stat(file)
			noError(t, err)
			if info.Size() > largestPicture {
				t.Errorf("%s has %d bytes, expected %d at most", picture.file, info.Size(), largestPicture)
			}
		})
	}
}
