package accuracy

import (
	"io"

	"recoup/internal/accuracy/figures"
)

// figures are those of each tool of the report, and the settings.
func (r *Report) figures() (list []figures.Part) {
	add := func(of string, write func(io.Writer) error) {
		list = append(list, figures.Part{Of: of, By: "recoup lab accuracy", Write: write})
	}
	for i := range r.Tools {
		t := &r.Tools[i]
		add(string(t.Tool), func(w io.Writer) error { return r.writeMarkdown(w, t) })
	}
	add("settings", func(w io.Writer) error { return writeSettings(w, r.Seeds) })
	return list
}

// Document returns a document with the report in the places of its figures. The
// figures of a tool that the report does not have stay. Without a document it is the
// figures between their lines.
func (r *Report) Document(document []byte) ([]byte, error) {
	return figures.Replace(document, r.figures())
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
