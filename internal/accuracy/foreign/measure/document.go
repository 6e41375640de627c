package measure

import (
	"io"

	"recoup/internal/accuracy/figures"
	"recoup/internal/kit/tabular"
)

// figures are those of each tool, as parts of a document.
func (r *Report) figures() (list []figures.Part) {
	for _, tool := range r.Tools {
		list = append(list, figures.Part{Of: "foreign designs, " + string(tool), By: "recoup lab foreign", Write: func(w io.Writer) error {
			out := &tabular.Failing{To: w}
			r.write(out, tool, func(t tabular.Table) { t.RenderMarkdown() })
			return out.Err
		}})
	}
	return list
}

// Document returns a document with the report in the places of its figures. Without a
// document it is the figures between their lines.
func (r *Report) Document(document []byte) ([]byte, error) {
	return figures.Replace(document, r.figures())
}

// CheckDocument refuses a document that lacks a place for the figures of a run.
func (o Options) CheckDocument(document []byte) error {
	_, err := (&Report{Tools: o.WithDefaults().Tools}).Document(document)
	return err
}
