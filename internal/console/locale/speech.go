package locale

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// speech is a language that the console's words are in.
type speech struct {
	tag      language.Tag
	name     string // as those call it who speak it
	leftward bool   // lines run from right to left
	forms    []plural.Form
	lines    map[string][]Line // of the catalogue, by their English
}

// Line is a message of a catalogue.
type Line struct {
	English, Said string
	// Places are the files that have the message. Where an English word is several of
	// another language, it has several lines, each for the files that it names.
	Places []string
}

//go:embed catalogue
var catalogues embed.FS

// English is the language that all words of the console are written in.
const English = "en"

var english = &speech{tag: language.English, name: "English", forms: []plural.Form{plural.One, plural.Other}}

// speeches are the languages that there are, English first.
var speeches = []*speech{
	english,
	withCatalogue(speech{tag: language.German, name: "Deutsch", forms: []plural.Form{plural.One, plural.Other}}),
	withCatalogue(speech{tag: language.Arabic, name: "العربية", leftward: true, forms: []plural.Form{plural.Zero, plural.One, plural.Two, plural.Few, plural.Many, plural.Other}}),
}

// Language is one that the console speaks.
type Language struct {
	Tag  string // BCP 47
	Name string // as those call it who speak it
}

// Languages are those that the console speaks, English first.
func Languages() (list []Language) {
	for _, s := range speeches {
		list = append(list, Language{s.tag.String(), s.name})
	}
	return list
}

func speechOf(tag string) *speech {
	for _, s := range speeches {
		if s.tag.String() == tag {
			return s
		}
	}
	return nil
}

// withCatalogue returns a language with its messages.
func withCatalogue(s speech) *speech {
	text, err := catalogues.ReadFile("catalogue/" + s.tag.String() + ".tsv")
	if err != nil {
		panic("locale: " + err.Error()) // the file is part of the program
	}
	lines, err := ReadCatalogue(string(text))
	if err != nil {
		panic("locale: catalogue of " + s.tag.String() + ": " + err.Error())
	}
	s.lines = make(map[string][]Line, len(lines))
	for _, line := range lines {
		if line.Said != "" {
			s.lines[line.English] = append(s.lines[line.English], line)
		}
	}
	return &s
}

// ReadCatalogue reads a catalogue: a message on each line, as its English, what is said
// for it, which may be empty, and the files that have it, with tabs between them. What
// comes after # is a comment.
func ReadCatalogue(text string) (list []Line, err error) {
	for i, line := range strings.Split(text, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		columns := strings.Split(line, "\t")
		if len(columns) != 3 || columns[0] == "" {
			return nil, fmt.Errorf("line %d: expected a message, what is said for it and where, with tabs between, found %q", i+1, line)
		}
		list = append(list, Line{columns[0], columns[1], strings.Fields(columns[2])})
	}
	return list, nil
}

// find returns what is said for a message in a file, "" for any; where no line names the
// file, the first one is for all.
func (s *speech) find(file, message string) (string, bool) {
	lines := s.lines[message]
	if len(lines) == 0 {
		return "", false
	}
	for _, line := range lines {
		if slices.Contains(line.Places, file) {
			return line.Said, true
		}
	}
	return lines[0].Said, true
}
