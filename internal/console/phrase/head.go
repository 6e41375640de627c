package phrase

import "strings"

// asRow is what the elements of a table are, which stay that in a window in which a row is
// no row to look at.
var asRow = map[string]string{"table": "table", "tr": "row", "td": "cell"}

// Head writes at each cell of a table of class rows which column it is of, for windows in
// which the headings have no room: as data-head, the heading's own text. A heading that an
// action makes is left out.
func Head(source string) string {
	var out, heading strings.Builder
	var heads []string
	column, within, body := 0, false, false
	inHeading := false
	for _, tok := range scan(source) {
		if !within && (tok.name != "table" || tok.kind != opening || !strings.Contains(tok.text, `class="rows"`)) {
			out.WriteString(tok.text)
			continue
		}
		switch {
		case tok.kind == closing && tok.name == "table":
			within = false
		case tok.kind == closing && tok.name == "th" && inHeading:
			heads, inHeading = append(heads, heading.String()), false
		case tok.kind == opening:
			tok.text = marked(tok, heads, column, body)
			switch tok.name {
			case "table":
				within, heads, body = true, nil, false
			case "tbody":
				body = true
			case "tr":
				column = 0
			case "th", "td":
				if column++; !body {
					inHeading = true
					heading.Reset()
				}
			}
		case inHeading:
			heading.WriteString(tok.text)
		}
		out.WriteString(tok.text)
	}
	return out.String()
}

// marked is the tag of a table's element with its role and, of a cell, its column.
func marked(tok token, heads []string, column int, body bool) string {
	role := asRow[tok.name]
	if tok.name == "th" {
		if role = "columnheader"; body {
			role = "rowheader"
		}
	}
	if role == "" {
		return tok.text
	}
	said := ` role="` + role + `"`
	if tok.name == "td" && body && column < len(heads) && !strings.ContainsAny(heads[column], `{"<`) {
		said += ` data-head="` + heads[column] + `"`
	}
	return strings.TrimSuffix(tok.text, ">") + said + ">"
}
