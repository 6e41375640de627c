package server

import (
	"embed"
	"mime"
	"net/http"
	"path"

	"recoup/internal/kit/page"
)

// The page at /docs shows /openapi.json. It is all here: no other host is asked
// for anything, so it works without a network and under a strict policy.
//
//go:embed docs
var docs embed.FS

func (s *Server) docsRoutes() {
	for route, name := range map[string]string{"/docs": "docs.html", "/docs/docs.css": "docs.css", "/docs/docs.js": "docs.js"} {
		content, err := docs.ReadFile("docs/" + name)
		if err != nil {
			panic("server: " + err.Error()) // the file is part of the program
		}
		s.docsFile(route, content, mime.TypeByExtension(path.Ext(name)))
	}
	s.docsFile("/docs/icon.svg", page.Icon, "image/svg+xml")
	s.describe(http.MethodGet, "/docs", "docs", "This document for people", "A browser asks for a user name, which may be any, and a password, which is the API key.", "text/html", everywhere)
	s.describe(http.MethodGet, "/openapi.json", "openapi", "This document", "OpenAPI 3.1.", documentType, everywhere)
}

func (s *Server) docsFile(route string, content []byte, kind string) {
	s.mux.HandleFunc("GET "+route, s.enterPage(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Write(content)
	}))
}
