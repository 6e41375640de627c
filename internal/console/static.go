package console

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"recoup/internal/kit/page"
)

//go:embed static
var static embed.FS

// asset is a file that pages use. Its address has a part of its hash, so that it may
// be kept for good.
type asset struct {
	path, kind string
	content    []byte
}

// assets are all files by name. The style sheets are one: the palette and charts of
// reports, then the console's own in order of their names.
var assets = func() map[string]asset {
	all := make(map[string]asset)
	entries, err := static.ReadDir("static")
	if err != nil {
		panic("console: " + err.Error()) // the folder is part of the program
	}
	styles := [][]byte{[]byte(page.Palette), []byte(page.Charts)}
	for _, e := range entries {
		content, err := static.ReadFile("static/" + e.Name())
		if err != nil {
			panic("console: " + err.Error())
		}
		if path.Ext(e.Name()) == ".css" {
			styles = append(styles, content)
			continue
		}
		all[e.Name()] = newAsset(e.Name(), content)
	}
	all["icon.svg"] = newAsset("icon.svg", page.Icon)
	all["console.css"] = newAsset("console.css", bytes.Join(styles, []byte("\n")))
	return all
}()

func newAsset(name string, content []byte) asset {
	sum := sha256.Sum256(content)
	extension := path.Ext(name)
	kind := mime.TypeByExtension(extension)
	if extension == ".js" {
		kind = "text/javascript; charset=utf-8"
	}
	return asset{Path + "static/" + strings.TrimSuffix(name, extension) + "-" + hex.EncodeToString(sum[:6]) + extension, kind, content}
}

// staticPath is the address of a file that pages use. It panics for one that is not
// there, which shows in any test of the page.
func staticPath(name string) string {
	a, ok := assets[name]
	if !ok {
		panic("console: there is no file " + name)
	}
	return a.path
}

func (c *Console) staticRoutes() {
	for _, a := range assets {
		c.mux.HandleFunc("GET "+a.path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", a.kind)
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(slices.Clip(a.content)))
		})
	}
}
