// Package yamltree reads the YAML files that people write for Recoup, strictly:
// one document a file, no anchors, aliases and tags, no member twice, none that
// is unknown. A document is a tree whose nodes know where they stand, so that
// every error names the file, the line, the member and what was expected. JSON is
// YAML and is read as such.
package yamltree

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

// Limits on every document.
const (
	MaxSize = 1 << 20 // bytes of a file
	MaxText = 256     // bytes of a text, see Node.Text
	MaxList = 10_000  // values of a list, see Node.List
)

// Form is a kind of document.
type Form struct {
	// Name is what messages call a document of the form, without its article:
	// "program" makes them speak of a program.
	Name string
	// Verbatim takes text as it is written, whatever YAML takes it for and
	// whatever characters it has: a column may be called 7, and a value NO. A
	// form that is not verbatim wants such text in quotes.
	Verbatim bool
}

// document is the file that nodes are of.
type document struct {
	form Form
	file string
}

// Parse reads the one document of a file and returns its top; file is what
// errors call it. An error is an *Error.
func (f Form) Parse(file string, data []byte) (Node, error) {
	d := &document{f, file}
	if len(data) > MaxSize {
		return Node{}, d.fail(0, "expected a %s of at most %d bytes", f.Name, MaxSize)
	}
	if err := d.checkText(data); err != nil {
		return Node{}, err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(jsonAsYAML(data)))
	var first, second yaml.Node
	switch err := decoder.Decode(&first); {
	case errors.Is(err, io.EOF):
		return Node{}, d.fail(1, "expected a %s, but the file is empty", f.Name)
	case err != nil:
		return Node{}, d.syntaxError(err)
	}
	switch err := decoder.Decode(&second); {
	case err == nil:
		return Node{}, d.fail(second.Content[0].Line, "expected one %s, but a second document starts here", f.Name)
	case !errors.Is(err, io.EOF):
		return Node{}, d.syntaxError(err)
	}
	return Node{doc: d, yaml: first.Content[0]}, nil
}

// fail returns an error about a line, 0 for the file as a whole.
func (d *document) fail(line int, format string, args ...any) error {
	return &Error{File: d.file, Line: line, Reason: fmt.Sprintf(format, args...)}
}

func (d *document) noAliases() string {
	return fmt.Sprintf("anchors and aliases are not allowed in a %s; write the value out", d.form.Name)
}

// checkText refuses what the YAML reader would refuse without naming a line.
// %TAG is refused here because many of them make the parser slow, and no form
// has a use for tags.
func (d *document) checkText(data []byte) error {
	line := 0
	for content := range bytes.Lines(data) {
		line++
		switch {
		case !utf8.Valid(content):
			return d.fail(line, "expected UTF-8 text")
		case bytes.HasPrefix(content, []byte("%TAG")):
			return d.fail(line, "tags are not allowed in a %s", d.form.Name)
		}
		if line == 1 {
			content = bytes.TrimPrefix(content, []byte("\uFEFF"))
		}
		if i := bytes.IndexFunc(content, unprintable); i >= 0 {
			r, _ := utf8.DecodeRune(content[i:])
			return d.fail(line, "the character %U is not allowed", r)
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
// know, \/ and surrogate pairs, so that all JSON can be read. Lines stay where
// they are. What is not JSON is returned as it is.
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
func (d *document) syntaxError(err error) error {
	parts := yamlMessage.FindStringSubmatch(err.Error())
	if parts == nil {
		return d.fail(0, "%v", err)
	}
	reason := parts[2]
	if strings.HasPrefix(reason, "unknown anchor") {
		return d.fail(0, "%s", d.noAliases())
	}
	// The parser leaves the line out where it is the first, and its grammar
	// errors, unlike its scanner's, count lines from zero.
	line, _ := strconv.Atoi(parts[1])
	if line == 0 || strings.HasPrefix(reason, "did not find expected") {
		line++
	}
	return d.fail(line, "not well-formed YAML: %s", reason)
}
