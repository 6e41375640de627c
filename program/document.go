package program

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// MaxSize is the largest program file, in bytes: 1 MiB.
const MaxSize = 1 << 20

// document reads the one YAML document of a file as a tree that still knows its
// lines.
func document(name string, data []byte) (node, error) {
	if len(data) > MaxSize {
		return node{}, &Error{File: name, Reason: fmt.Sprintf("expected a program of at most %d bytes", MaxSize)}
	}
	if err := checkText(name, data); err != nil {
		return node{}, err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(jsonAsYAML(data)))
	var first, second yaml.Node
	switch err := decoder.Decode(&first); {
	case errors.Is(err, io.EOF):
		return node{}, &Error{File: name, Line: 1, Reason: "expected a program, but the file is empty"}
	case err != nil:
		return node{}, syntaxError(name, err)
	}
	switch err := decoder.Decode(&second); {
	case err == nil:
		return node{}, &Error{File: name, Line: second.Content[0].Line, Reason: "expected one program, but a second document starts here"}
	case !errors.Is(err, io.EOF):
		return node{}, syntaxError(name, err)
	}
	return node{file: name, yaml: first.Content[0]}, nil
}

// checkText refuses what the YAML reader would refuse without naming a line.
// %TAG is refused here because many of them make the parser slow, and a program
// has no use for tags.
func checkText(name string, data []byte) error {
	line := 0
	for content := range bytes.Lines(data) {
		line++
		fail := func(reason string) error { return &Error{File: name, Line: line, Reason: reason} }
		switch {
		case !utf8.Valid(content):
			return fail("expected UTF-8 text")
		case bytes.HasPrefix(content, []byte("%TAG")):
			return fail("tags are not allowed in a program")
		}
		if line == 1 {
			content = bytes.TrimPrefix(content, []byte("\uFEFF"))
		}
		if i := bytes.IndexFunc(content, unprintable); i >= 0 {
			r, _ := utf8.DecodeRune(content[i:])
			return fail(fmt.Sprintf("the character %U is not allowed", r))
		}
	}
	return nil
}

// unprintable reports whether YAML 1.1 bars the character from a stream. The
// line separator U+0085 is barred too, to keep the count of lines plain.
func unprintable(r rune) bool {
	switch {
	case r == '\t' || r == '\n' || r == '\r':
		return false
	case r < ' ' || r >= 0x7F && r <= 0x9F:
		return true
	}
	return r == 0xFEFF || r == 0xFFFE || r == 0xFFFF
}

// jsonEscape is a surrogate pair, or any other escape of a JSON string.
var jsonEscape = regexp.MustCompile(`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\.`)

// jsonAsYAML rewrites the two escapes of JSON that the YAML parser does not
// know, \/ and surrogate pairs, so that every JSON program is a program. Lines
// stay where they are. What is not JSON is returned as it is.
func jsonAsYAML(data []byte) []byte {
	if !json.Valid(data) {
		return data
	}
	return jsonEscape.ReplaceAllFunc(data, func(escape []byte) []byte {
		switch {
		case len(escape) == len(`\ud83d\ude00`):
			high, _ := strconv.ParseUint(string(escape[2:6]), 16, 16)
			low, _ := strconv.ParseUint(string(escape[8:12]), 16, 16)
			return []byte(string(utf16.DecodeRune(rune(high), rune(low))))
		case string(escape) == `\/`:
			return []byte("/")
		}
		return escape
	})
}

var yamlMessage = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

// syntaxError puts the YAML parser's message in this package's form.
func syntaxError(name string, err error) error {
	parts := yamlMessage.FindStringSubmatch(err.Error())
	if parts == nil {
		return &Error{File: name, Reason: err.Error()}
	}
	reason := parts[2]
	if strings.HasPrefix(reason, "unknown anchor") {
		return &Error{File: name, Reason: noAliases}
	}
	// The parser leaves the line out where it is the first, and its grammar
	// errors, unlike its scanner's, count lines from zero.
	line, _ := strconv.Atoi(parts[1])
	if line == 0 || strings.HasPrefix(reason, "did not find expected") {
		line++
	}
	return &Error{File: name, Line: line, Reason: "not well-formed YAML: " + reason}
}
