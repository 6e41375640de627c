package event

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Error says what is wrong with one line.
type Error struct {
	// File and Line say where the line is, the first being line 1. A Decoder,
	// which sees no more than the line, leaves them zero.
	File string
	Line int64
	// Member is the path of the member at fault, such as "data.amount"; empty
	// where the line as a whole is at fault.
	Member string
	// Problem says what was expected and what was found.
	Problem string
}

// Error renders the error as "file:line: member: problem".
func (e *Error) Error() string {
	var b strings.Builder
	if e.Line > 0 {
		fmt.Fprintf(&b, "%s:%d: ", e.File, e.Line)
	}
	if e.Member != "" {
		b.WriteString(e.Member + ": ")
	}
	b.WriteString(e.Problem)
	return b.String()
}

// fault returns an error about a member, or about the line if member is "".
func fault(member, problem string) error {
	return &Error{Member: member, Problem: problem}
}

// wrong returns the error about a member whose value is not what it should be.
func wrong(member, want string, found jsontext.Value) error {
	return fault(member, "expected "+want+", found "+excerpt(found))
}

// twice returns the error about a member that is there more than once.
func twice(member string) error { return fault(member, "appears twice") }

// excerptLength is the most that a message repeats of somebody's input, in
// bytes.
const excerptLength = 48

// excerpt makes a piece of input fit to be shown on a terminal and in a log.
func excerpt[Text ~[]byte | ~string](text Text) string {
	shown, more := string(text[:min(len(text), excerptLength)]), ""
	if len(text) > excerptLength {
		more = "…"
		for len(shown) > 0 && !utf8.RuneStart(text[len(shown)]) {
			shown = shown[:len(shown)-1]
		}
	}
	var b strings.Builder
	for _, r := range shown {
		if strconv.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRuneToASCII(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String() + more
}

// kindOf names the kind of a value that is no object, for those that may be too
// long to be shown.
func kindOf(kind jsontext.Kind) string {
	switch kind {
	case jsontext.KindBeginArray:
		return "an array"
	case jsontext.KindString:
		return "a string"
	case jsontext.KindNumber:
		return "a number"
	}
	return kind.String()
}

var byteOrderMark = []byte("\uFEFF")

// malformed words what the JSON decoder found wrong with the line.
func malformed(line []byte, err *jsontext.SyntacticError) *Error {
	if bytes.HasPrefix(line, byteOrderMark) {
		return &Error{Problem: "expected UTF-8 without a byte order mark, found one at the start of the line"}
	}
	var path []string
	for name := range err.JSONPointer.Tokens() {
		path = append(path, excerpt(name))
		if len(path) == 2 {
			break
		}
	}
	problem := fmt.Sprintf("invalid JSON at byte %d: %v", err.ByteOffset+1, err.Err)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		problem = "the line ends before its object does"
	}
	return &Error{Member: strings.Join(path, "."), Problem: problem}
}
