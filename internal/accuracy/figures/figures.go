// Package figures writes what commands measure into documents that are otherwise
// written by hand.
package figures

import (
	"bytes"
	"fmt"
	"io"
)

// Part is a part of a document that a command writes. It stands between two lines
// that mark it.
type Part struct {
	Of    string // such as "audit"
	By    string // the command, such as "recoup lab accuracy"
	Write func(io.Writer) error
}

func (p *Part) begin() string {
	return fmt.Sprintf("<!-- figures of %s: written by %s -->", p.Of, p.By)
}

func (p *Part) end() string { return fmt.Sprintf("<!-- end of the figures of %s -->", p.Of) }

// Replace returns a document with the parts in their places; everything else in it
// stays. Without a document it is the parts between their lines. A document that lacks
// a place is an error.
func Replace(document []byte, parts []Part) ([]byte, error) {
	fresh := len(document) == 0
	for _, p := range parts {
		if fresh {
			document = fmt.Appendf(document, "%s\n%s\n\n", p.begin(), p.end())
		}
		before, rest, begins := bytes.Cut(document, []byte(p.begin()))
		_, after, ends := bytes.Cut(rest, []byte(p.end()))
		if !begins || !ends {
			return nil, fmt.Errorf("figures: expected a document with the lines %q and %q", p.begin(), p.end())
		}
		var b bytes.Buffer
		b.Write(before)
		fmt.Fprintf(&b, "%s\n\n", p.begin())
		if err := p.Write(&b); err != nil {
			return nil, err
		}
		b.WriteString(p.end())
		b.Write(after)
		document = b.Bytes()
	}
	return document, nil
}
