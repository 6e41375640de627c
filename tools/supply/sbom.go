package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// writeSBOM writes what a binary of the program whose module is at root is made of beside
// it, by what the binary says itself. It has no time and no random number in it: of one
// binary it is the same again.
func writeSBOM(root, binary string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(content)
	known, err := licencesOf(root)
	if err != nil {
		return err
	}
	main := component(&info.Main)
	main.Type, main.Licenses = cdx.ComponentTypeApplication, licensed("Apache-2.0")
	main.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum[:])}}
	var components []cdx.Component
	depends := []string{}
	std := component(&debug.Module{Path: "std", Version: info.GoVersion})
	std.Licenses = licensed("BSD-3-Clause")
	components = append(components, std)
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		c := component(m)
		list, is := known[m.Path]
		if !is {
			return fmt.Errorf("%s is in %s and not among the modules of the source: build it anew", m.Path, binary)
		}
		c.Licenses = licensed(list...)
		components = append(components, c)
	}
	slices.SortFunc(components, func(a, b cdx.Component) int { return strings.Compare(a.BOMRef, b.BOMRef) })
	for _, c := range components {
		depends = append(depends, c.BOMRef)
	}
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Component: &main}
	bom.Components = &components
	bom.Dependencies = &[]cdx.Dependency{{Ref: main.BOMRef, Dependencies: &depends}}
	out, err := os.Create(binary + ".cdx.json")
	if err != nil {
		return err
	}
	defer out.Close()
	if err := cdx.NewBOMEncoder(out, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bom); err != nil {
		return err
	}
	return out.Close()
}

// component is a module as the bill has it. The sum of a module is that of go.sum, which
// is none that CycloneDX knows, and so is a property.
func component(m *debug.Module) cdx.Component {
	url := "pkg:golang/" + m.Path + "@" + m.Version
	c := cdx.Component{Type: cdx.ComponentTypeLibrary, BOMRef: url, Name: m.Path, Version: m.Version, PackageURL: url}
	if m.Sum != "" {
		c.Properties = &[]cdx.Property{{Name: "go:sum", Value: m.Sum}}
	}
	return c
}

func licensed(ids ...string) *cdx.Licenses {
	var list cdx.Licenses
	for _, id := range ids {
		list = append(list, cdx.LicenseChoice{License: &cdx.License{ID: id}})
	}
	return &list
}

// licencesOf are the ids of the licences of all modules of the program, by path.
func licencesOf(root string) (map[string][]string, error) {
	modules, err := modulesOf(root)
	if err != nil {
		return nil, err
	}
	by := make(map[string][]string)
	for i := range modules {
		terms, err := modules[i].terms()
		if err != nil {
			return nil, err
		}
		by[modules[i].path] = ids(terms)
	}
	return by, nil
}
