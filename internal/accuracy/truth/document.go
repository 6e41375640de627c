package truth

import (
	"io"

	"recoup/internal/accuracy/figures"
	"recoup/internal/kit/tabular"
)

// figures are the report's parts of a document.
func (r *Report) figures() []figures.Part {
	const by = "recoup lab truth"
	return []figures.Part{
		{Of: "distortions", By: by, Write: writeDistortions},
		{Of: "truth", By: by, Write: r.writeMarkdown},
	}
}

// Document returns a document with the report in the places of its figures. Without a
// document it is the figures between their lines.
func (r *Report) Document(document []byte) ([]byte, error) {
	return figures.Replace(document, r.figures())
}

// CheckDocument refuses a document that lacks a place for the figures.
func CheckDocument(document []byte) error {
	_, err := new(Report).Document(document)
	return err
}

// writeDistortions writes a table of what networks do to refunds.
func writeDistortions(w io.Writer) error {
	out := &tabular.Failing{To: w}
	table := tabular.New(out, "refunds", "data", "what becomes of a return")
	for _, d := range Distortions() {
		table.AppendRow(tabular.Row{d.Name, data(d.True), d.Means})
	}
	table.RenderMarkdown()
	if out.Err == nil {
		_, out.Err = io.WriteString(out, "\n")
	}
	return out.Err
}
