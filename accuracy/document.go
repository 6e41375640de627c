package accuracy

import (
	"bytes"
	"fmt"
)

// Between these lines of a document stand the figures; all else in it is written by
// hand.
const (
	Begin = "<!-- figures: written by recoup lab accuracy -->"
	End   = "<!-- end of figures -->"
)

// Document returns a document with the report in the place of its figures. Without a
// document it is the figures between the lines.
func (r *Report) Document(document []byte) ([]byte, error) {
	before, rest, begins := bytes.Cut(document, []byte(Begin))
	_, after, ends := bytes.Cut(rest, []byte(End))
	if len(document) > 0 && (!begins || !ends) {
		return nil, fmt.Errorf("accuracy: expected a document with the lines %q and %q", Begin, End)
	}
	if len(document) == 0 {
		after = []byte("\n")
	}
	var b bytes.Buffer
	b.Write(before)
	fmt.Fprintf(&b, "%s\n\n", Begin)
	if err := r.WriteMarkdown(&b); err != nil {
		return nil, err
	}
	if err := Settings(&b, r.Seeds); err != nil {
		return nil, err
	}
	b.WriteString(End)
	b.Write(after)
	return b.Bytes(), nil
}
