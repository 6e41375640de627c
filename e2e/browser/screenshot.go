package browser

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Screenshot writes a PNG of what the window shows, or with full of the whole
// page. It keeps 256 colours at most, which is all that a page of text and lines
// needs, so that the file is small enough to be kept.
func (p *Page) Screenshot(file string, full bool) {
	p.t.Helper()
	(&Page{tab: p.tab}).await(nil, "Drawn")
	var part *page.Viewport
	if full {
		got, err := chromedp.Call(p.ctx, page.GetLayoutMetrics, cdp.Empty{})
		if err != nil {
			p.t.Fatalf("Screenshot(%q): %v", file, err)
		}
		part = &page.Viewport{Width: got.CSSContentSize.Width, Height: got.CSSContentSize.Height, Scale: 1}
	}
	m := reduced(p.picture(part, full))
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, m); err != nil {
		p.t.Fatalf("Screenshot(%q): %v", file, err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		p.t.Fatalf("Screenshot(%q): %v", file, err)
	}
	if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
		p.t.Fatalf("Screenshot(%q): %v", file, err)
	}
}

// reduced is an image with the 256 colours that it has most of; others become the
// nearest of those.
func reduced(m image.Image) *image.Paletted {
	bounds := m.Bounds()
	counts := make(map[color.RGBA]int)
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(m.At(x, y)).(color.RGBA) }
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			counts[at(x, y)]++
		}
	}
	colours := make([]color.RGBA, 0, len(counts))
	for c := range counts {
		colours = append(colours, c)
	}
	slices.SortFunc(colours, func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	var palette color.Palette
	for _, c := range colours[:min(len(colours), 256)] {
		palette = append(palette, c)
	}
	index := make(map[color.RGBA]uint8, len(colours))
	for _, c := range colours {
		index[c] = uint8(palette.Index(c))
	}
	out := image.NewPaletted(bounds, palette)
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			out.SetColorIndex(x, y, index[at(x, y)])
		}
	}
	return out
}
