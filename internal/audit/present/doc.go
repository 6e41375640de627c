// Package present shows what an audit found to people: as tables on a terminal,
// as one page of HTML for those who decide, and as JSON for other programs. It
// computes nothing but sums and shares of what the report has.
//
// Identifiers in exports are text that others chose. Whatever of it is shown goes
// through tabular.Visible first, so that no identifier can move a terminal's cursor, turn
// text around or look like another.
package present
