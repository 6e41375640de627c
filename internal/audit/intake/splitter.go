package intake

import (
	"errors"
	"io"
	"strings"
)

// Limits on text.
const (
	maxRecord  = 1 << 20 // bytes of one record, and of one line
	maxColumns = 4096
)

// What a splitter says of a record that it cannot split. It goes on with the
// line after the one that the record begins on.
var (
	errBareQuote = errors.New("a quotation mark inside a value")
	errOpenQuote = errors.New("a quotation mark that is never closed")
)

// errLongLine ends a file: what has no line ends is no text.
var errLongLine = errors.New("a line longer than 1 MiB; expected text in lines")

// splitter splits text into records and values, as encoding/csv does by default:
// quotes are doubled inside quotes, lines end in LF or CRLF, empty lines do not
// count. It differs in what follows an error (see above), and in that a record
// may have any number of values. Values are parts of the text, so that nothing
// is allocated for one unless it has quotation marks or CRLF in it.
type splitter struct {
	// more returns the text that follows, at least one byte or io.EOF.
	more  func() ([]byte, error)
	comma byte

	block  string // text, split up to pos
	pos    int
	last   bool  // there is no text after the block
	line   int64 // lines up to pos
	begins int64 // line that the latest record begins on, from 1
	fields []string
	// unescaped collects values that are not parts of the text.
	unescaped strings.Builder
}

// next returns the values of the next record, valid until the next call; the
// strings are valid for good.
func (s *splitter) next() ([]string, error) {
	for {
		rest := s.block[s.pos:]
		end := strings.IndexByte(rest, '\n')
		length := end + 1
		if end < 0 {
			if !s.last {
				if err := s.read(); err != nil {
					return nil, err
				}
				continue
			}
			if rest == "" {
				return nil, io.EOF
			}
			end, length = len(rest), len(rest)
		}
		text := strings.TrimSuffix(rest[:end], "\r")
		if text == "" {
			s.pos += length
			s.line++
			continue
		}
		if strings.IndexByte(text, '"') >= 0 {
			again, err := s.quoted(length)
			if again && err == nil {
				continue
			}
			return s.fields, err
		}
		s.pos += length
		s.line++
		s.begins = s.line
		fields := s.fields[:0]
		for len(fields) < maxColumns {
			i := strings.IndexByte(text, s.comma)
			if i < 0 {
				break
			}
			fields = append(fields, text[:i])
			text = text[i+1:]
		}
		s.fields = append(fields, text)
		return s.fields, nil
	}
}

// read puts more text behind what is not split yet.
func (s *splitter) read() error {
	rest := s.block[s.pos:]
	if len(rest) > maxRecord {
		return errLongLine
	}
	text, err := s.more()
	if err == io.EOF {
		s.last = true
		return nil
	}
	if err != nil {
		return err
	}
	var block strings.Builder
	block.Grow(len(rest) + len(text))
	block.WriteString(rest)
	block.Write(text)
	s.block, s.pos = block.String(), 0
	return nil
}

// quoted splits a record that has quotation marks, whose first line is so long.
// It asks for another try when it had to read more text first.
func (s *splitter) quoted(firstLine int) (again bool, err error) {
	rest := s.block[s.pos:]
	s.fields = s.fields[:0]
	length := 0
	for ends := false; !ends; {
		var v splitValue
		if v, err = s.value(rest[length:]); err == errCut {
			if !s.last && len(rest) <= maxRecord {
				return true, s.read()
			}
			err = errOpenQuote
		}
		if err != nil {
			s.pos += firstLine
			s.line++
			s.begins = s.line
			return false, err
		}
		length += v.length
		ends = v.ends
		if len(s.fields) <= maxColumns {
			s.fields = append(s.fields, v.text)
		}
	}
	s.pos += length
	s.begins = s.line + 1
	s.line += max(1, int64(strings.Count(rest[:length], "\n")))
	return false, nil
}

// splitValue is one value: its text, its length with what ends it, and whether
// the record ends with it.
type splitValue struct {
	text   string
	length int
	ends   bool
}

// errCut says that the text ends before the value does.
var errCut = errors.New("the text ends within a value")

func (s *splitter) value(rest string) (splitValue, error) {
	if rest != "" && rest[0] == '"' {
		return s.quotedValue(rest)
	}
	v := splitValue{text: rest, length: len(rest), ends: true}
	if end := strings.IndexByte(rest, '\n'); end >= 0 {
		v.text, v.length = rest[:end], end+1
	} else if !s.last {
		return v, errCut
	}
	v.text = strings.TrimSuffix(v.text, "\r")
	if i := strings.IndexByte(v.text, s.comma); i >= 0 {
		v = splitValue{text: v.text[:i], length: i + 1}
	}
	if strings.IndexByte(v.text, '"') >= 0 {
		return v, errBareQuote
	}
	return v, nil
}

func (s *splitter) quotedValue(rest string) (v splitValue, err error) {
	escaped := false
	end := 1 // of the value: the quotation mark that closes it
	for {
		i := strings.IndexByte(rest[end:], '"')
		if i < 0 {
			return v, errCut
		}
		end += i
		if end+1 == len(rest) || rest[end+1] != '"' {
			break
		}
		escaped = true
		end += 2
	}
	v.text = rest[1:end]
	switch after := rest[end+1:]; {
	case after == "" || after == "\r":
		if !s.last {
			return v, errCut
		}
		v.length, v.ends = len(rest), true
	case after[0] == s.comma:
		v.length = end + 2
	case after[0] == '\n':
		v.length, v.ends = end+2, true
	case after[0] == '\r' && after[1] == '\n':
		v.length, v.ends = end+3, true
	default:
		return v, errBareQuote
	}
	if escaped || strings.Contains(v.text, "\r\n") {
		v.text = s.unescape(v.text)
	}
	return v, nil
}

var escapes = strings.NewReplacer(`""`, `"`, "\r\n", "\n")

// unescape writes the value where many others are, so that memory is taken for
// many at once.
func (s *splitter) unescape(text string) string {
	if s.unescaped.Cap()-s.unescaped.Len() < len(text) {
		s.unescaped = strings.Builder{}
		s.unescaped.Grow(max(len(text), 1<<14))
	}
	start := s.unescaped.Len()
	if _, err := escapes.WriteString(&s.unescaped, text); err != nil {
		panic(err) // a strings.Builder returns none
	}
	return s.unescaped.String()[start:]
}

// skipLine leaves out a line, whatever is in it.
func (s *splitter) skipLine() error {
	for {
		if i := strings.IndexByte(s.block[s.pos:], '\n'); i >= 0 {
			s.pos += i + 1
			s.line++
			return nil
		}
		if s.last {
			return io.EOF
		}
		if err := s.read(); err != nil {
			return err
		}
	}
}
