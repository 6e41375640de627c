// Package present shows what an audit found: to people as tables on a terminal and as one
// page of HTML, both of one list of sections (page.go), and to programs as JSON and
// SARIF. It computes nothing but sums and shares of what the report has.
//
// Identifiers in exports are text that others chose. Whatever of it is shown goes through
// tabular.Visible first, so that no identifier can move a terminal's cursor, turn text around
// or look like another.
package present
