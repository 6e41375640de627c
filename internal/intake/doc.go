// Package intake reads files of purchases, refunds, rewards and redemptions, of
// several formats and layouts, into rows of one form, history.Row. What formats,
// columns and values there are, and what a mapping says of others, is described
// for users in docs/audit-your-program.md; the members of a mapping are in mapping.go.
//
// A file is opened by its name (file.go) as text (csv.go), Parquet (parquet.go) or
// workbook (workbook.go), all of which give columns and rows of text. A rowReader
// finds the columns of one table's layout in them and reads row by row. Inspect
// guesses a layout, and writes it as a mapping.
//
// Without a mapping, text is UTF-8, times are RFC 3339 and amounts are integer
// minor units. What typed columns of Parquet files say of themselves stands above
// the mapping. A number in floating point is taken for the shortest decimal that
// stands for it, in a workbook for its first 15 digits, as Excel shows it.
//
// A row that cannot be read is left out and counted under its reason, with the
// places of the first; where more than Options.BadLimit of a thousand rows of a file
// are bad, reading stops. Rows in another currency than the program's, and those
// that the mapping leaves out, are counted apart and are not bad. A quotation mark
// that is never closed ends a file with an error, since rows would be lost in it.
//
// Ids and other text have at most 256 bytes, amounts are at most reward.MaxAmount,
// times within those of reward. A record has at most 1 MiB, a file at most 4096
// columns, a workbook at most 2 GiB when unpacked. What grows a thousandfold when
// it is unpacked is refused.
package intake
