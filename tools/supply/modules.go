package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// module is a third-party module that is linked into the program, with the folders of
// its packages that are.
type module struct {
	path, version, dir string
	packages           []string // folders
}

// platforms are those that the program is built for: what is linked differs.
var platforms = [][2]string{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "arm64"}, {"windows", "amd64"}}

// modulesOf returns the modules of the program whose module is at root, on any platform,
// by path.
func modulesOf(root string) ([]module, error) {
	all := make(map[string]*module)
	for _, p := range platforms {
		cmd := exec.Command("go", "list", "-deps", "-json=Dir,Module,Standard", "./cmd/recoup")
		cmd.Dir, cmd.Stderr = root, os.Stderr
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p[0], "GOARCH="+p[1], "GOFLAGS=")
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s on %s: %w", p[0], p[1], err)
		}
		for d := json.NewDecoder(bytes.NewReader(out)); ; {
			var one struct {
				Dir      string
				Standard bool
				Module   *struct {
					Path, Version, Dir string
					Main               bool
				}
			}
			if err := d.Decode(&one); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, err
			}
			if one.Standard || one.Module == nil || one.Module.Main {
				continue
			}
			m := all[one.Module.Path]
			if m == nil {
				m = &module{path: one.Module.Path, version: one.Module.Version, dir: one.Module.Dir}
				all[m.path] = m
			}
			if !slices.Contains(m.packages, one.Dir) {
				m.packages = append(m.packages, one.Dir)
			}
		}
	}
	var list []module
	for _, m := range all {
		list = append(list, *m)
	}
	slices.SortFunc(list, func(a, b module) int { return strings.Compare(a.path, b.path) })
	return list, nil
}

// legal are the names of files that say under which terms something is handed on.
var legal = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|unlicense)([.-].*)?$`)

// terms returns the texts of a module's licences and notices: of its own folder, and of
// those of its packages up to it.
func (m *module) terms() (texts []string, err error) {
	folders := []string{m.dir}
	for _, p := range m.packages {
		for ; len(p) > len(m.dir); p = filepath.Dir(p) {
			if !slices.Contains(folders, p) {
				folders = append(folders, p)
			}
		}
	}
	slices.Sort(folders)
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if !e.Type().IsRegular() || !legal.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
				continue
			}
			text, err := os.ReadFile(filepath.Join(folder, e.Name()))
			if err != nil {
				return nil, err
			}
			if t := strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")); t != "" && !slices.Contains(texts, t) {
				texts = append(texts, t)
			}
		}
	}
	if len(texts) == 0 {
		return nil, fmt.Errorf("%s %s has no licence: it must not be handed on", m.path, m.version)
	}
	return texts, nil
}

// licences know a licence by words that it has and that no other has, the first that
// fits; words are compared without regard to spaces and case.
var licences = []struct{ id, words string }{
	{"Apache-2.0", "apache license version 2.0"},
	{"Apache-2.0", "licensed under the apache license, version 2.0"},
	{"MPL-2.0", "mozilla public license version 2.0"},
	{"BSD-3-Clause", "neither the name"},
	{"BSD-3-Clause", "may not be used to endorse or promote products"},
	{"BSD-2-Clause", "redistributions in binary form must reproduce"},
	{"ISC", "permission to use, copy, modify, and/or distribute this software"},
	{"ISC", "permission to use, copy, modify, and distribute this software"},
	{"MIT", "permission is hereby granted, free of charge"},
	{"Unlicense", "this is free and unencumbered software"},
}

// identify returns the SPDX id of a licence; "" of a text that is none that is known, as
// a notice.
func identify(text string) string {
	plain := strings.Join(strings.Fields(strings.ToLower(text)), " ")
	for _, l := range licences {
		if strings.Contains(plain, l.words) {
			return l.id
		}
	}
	return ""
}

// ids are the licences of a module, by its texts.
func ids(texts []string) (list []string) {
	for _, t := range texts {
		if id := identify(t); id != "" && !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	return list
}
