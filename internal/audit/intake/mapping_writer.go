package intake

import (
	"strconv"
	"strings"
)

// mappingWriter writes a mapping with comments.
type mappingWriter struct{ strings.Builder }

// line writes a line so many levels deep.
func (w *mappingWriter) line(level int, text, comment string) {
	w.WriteString(strings.Repeat("  ", level) + text)
	if comment != "" {
		w.WriteString("  # " + comment)
	}
	w.WriteByte('\n')
}

// member writes a name and a value, which is quoted unless it is a word.
func (w *mappingWriter) member(level int, name, value, comment string) {
	w.line(level, scalar(name)+": "+scalar(value), comment)
}

// scalar writes a value so that it is read back as it is: in quotes, of which
// YAML's are Go's, unless it is one of our own words.
func scalar(value string) string {
	for i := range len(value) {
		if c := value[i]; c != '_' && c != '-' && (c < 'a' || c > 'z') || i == 0 && c == '-' {
			return strconv.Quote(value)
		}
	}
	switch value {
	case "", "null", "true", "false", "yes", "no", "on", "off", "y", "n":
		return strconv.Quote(value)
	}
	return value
}

// list writes values between brackets.
func list(values []string) string {
	quoted := make([]string, len(values))
	for i, value := range values {
		quoted[i] = strconv.Quote(value)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
