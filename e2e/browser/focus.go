package browser

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"math"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Stop is where the focus is.
type Stop struct {
	What     string // kind and name, such as link "Accounts"; "" is the page itself
	Selector string // names that element alone
	Ring     bool   // one sees that it has the focus
}

// Focused is what has the focus, without a look at its ring.
func (p *Page) Focused() Stop {
	p.t.Helper()
	f := p.focused()
	return Stop{What: f.What, Selector: f.Selector}
}

// TabOrder presses Tab up to n times and tells where the focus was each time. It
// ends early when the focus leaves the page, which it does after the last stop.
func (p *Page) TabOrder(n int) []Stop {
	p.t.Helper()
	var stops []Stop
	for range n {
		p.Press("Tab")
		f := p.focused()
		if f.What == "" {
			break
		}
		stops = append(stops, Stop{f.What, f.Selector, p.ring(f)})
	}
	return stops
}

// focused is an element with the focus and its box, in CSS pixels of the document.
type focused struct {
	What, Selector      string
	X, Y, Width, Height float64
}

func (p *Page) focused() (f focused) {
	p.t.Helper()
	(&Page{tab: p.tab}).await(&f, "Focused")
	return f
}

// A ring is seen where pixels of an element and what is next to it differ by 3:1
// between having the focus and not having it, as WCAG 2.4.13 says, over a quarter
// of the element's perimeter at least. An insertion mark in a field is less.
const (
	around       = 8 // CSS pixels around an element that its ring may take
	leastChange  = 3.0
	leastOfARing = 0.25
)

// ring compares the element's picture with the focus and without.
func (p *Page) ring(f focused) bool {
	p.t.Helper()
	whole := &Page{tab: p.tab}
	box := page.Viewport{
		X: max(0, f.X-around), Y: max(0, f.Y-around), Scale: 1,
		Width:  min(f.Width+2*around, float64(p.options.Width)),
		Height: min(f.Height+2*around, float64(p.options.Height)),
	}
	with := p.picture(&box, false)
	whole.await(nil, "Blur")
	without := p.picture(&box, false)
	whole.await(nil, "Focus", f.Selector)
	scale := p.options.scale()
	perimeter := 2 * (box.Width + box.Height - 4*around)
	return float64(changed(with, without))/(scale*scale) >= leastOfARing*perimeter
}

// changed counts the pixels that differ by leastChange.
func changed(a, b image.Image) (n int) {
	bounds := a.Bounds().Intersect(b.Bounds())
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			if before, after := a.At(x, y), b.At(x, y); before != after && contrast(before, after) >= leastChange {
				n++
			}
		}
	}
	return n
}

// contrast is WCAG's contrast ratio, from 1 to 21.
func contrast(a, b color.Color) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

// luminance is WCAG's relative luminance, from 0 to 1.
func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	linear := func(v uint32) float64 {
		s := float64(v) / 0xffff
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

// picture takes a picture of a part of the document, or with nil of the window;
// beyond it too if that is said.
func (p *Page) picture(part *page.Viewport, beyond bool) image.Image {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	got, err := chromedp.Call(ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{
		Format: page.CaptureScreenshotFormatPng, Clip: part, CaptureBeyondViewport: &beyond,
	})
	if err != nil {
		p.t.Fatalf("take a picture of %s: %v", p.URL(), err)
	}
	m, err := png.Decode(bytes.NewReader(got.Data))
	if err != nil {
		p.t.Fatalf("take a picture of %s: %v", p.URL(), err)
	}
	return m
}
