package accuracy

import (
	"bytes"
	"fmt"
	"io"
)

// figures are a part of a document that a report writes. They stand between two lines
// that mark them; all else in a document is written by hand.
type figures struct {
	of    string // such as "audit"
	write func(io.Writer) error
}

func (f *figures) begin() string {
	return fmt.Sprintf("<!-- figures of %s: written by recoup lab accuracy -->", f.of)
}

func (f *figures) end() string { return fmt.Sprintf("<!-- end of the figures of %s -->", f.of) }

// figures are those of each tool of the report, and the settings.
func (r *Report) figures() (list []figures) {
	for i := range r.Tools {
		t := &r.Tools[i]
		list = append(list, figures{string(t.Tool), func(w io.Writer) error { return r.writeMarkdown(w, t) }})
	}
	return append(list, figures{"settings", func(w io.Writer) error { return writeSettings(w, r.Seeds) }})
}

// Document returns a document with the report in the places of its figures. The
// figures of a tool that the report does not have stay. Without a document it is the
// figures between their lines.
func (r *Report) Document(document []byte) ([]byte, error) {
	fresh := len(document) == 0
	for _, f := range r.figures() {
		if fresh {
			document = fmt.Appendf(document, "%s\n%s\n\n", f.begin(), f.end())
		}
		before, rest, begins := bytes.Cut(document, []byte(f.begin()))
		_, after, ends := bytes.Cut(rest, []byte(f.end()))
		if !begins || !ends {
			return nil, fmt.Errorf("accuracy: expected a document with the lines %q and %q", f.begin(), f.end())
		}
		var b bytes.Buffer
		b.Write(before)
		fmt.Fprintf(&b, "%s\n\n", f.begin())
		if err := f.write(&b); err != nil {
			return nil, err
		}
		b.WriteString(f.end())
		b.Write(after)
		document = b.Bytes()
	}
	return document, nil
}

// CheckDocument refuses a document that lacks a place for the figures of a run. One
// that is empty is none.
func (o Options) CheckDocument(document []byte) error {
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	r := &Report{}
	for _, tool := range o.Tools {
		r.Tools = append(r.Tools, ToolReport{Tool: tool})
	}
	_, err = r.Document(document)
	return err
}
