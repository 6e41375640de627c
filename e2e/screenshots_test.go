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
	full       bool // all of the page, not just what the window shows
}{
	{"docs.png", "/docs", browser.Options{}, false},
	{"docs-dark.png", "/docs", browser.Options{Dark: true}, false},
	{"docs-phone.png", "/docs", browser.Options{Phone: true}, false},
}

// largestPicture is how large a picture may be that is kept with the code.
const largestPicture = 200 << 10

// TestScreenshots writes the pictures into the folder RECOUP_SCREENSHOTS, and into
// one that is thrown away without it: pages change, and the pictures have to be
// possible still.
func TestScreenshots(t *testing.T) {
	folder := os.Getenv("RECOUP_SCREENSHOTS")
	if folder == "" {
		folder = t.TempDir()
	}
	s := serveAs(t, "--dev", "--db", "sqlite:"+filepath.Join(t.TempDir(), "recoup.db"))
	for _, picture := range pictures {
		t.Run(picture.file, func(t *testing.T) {
			file := filepath.Join(folder, picture.file)
			p := s.page(t, picture.options)
			p.Open(picture.path)
			p.Screenshot(file, picture.full)
			info, err := os.Stat(file)
			noError(t, err)
			if info.Size() > largestPicture {
				t.Errorf("%s has %d bytes, expected %d at most", picture.file, info.Size(), largestPicture)
			}
		})
	}
}
