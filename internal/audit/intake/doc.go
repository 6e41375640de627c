// Package intake reads files of purchases, refunds, rewards and redemptions: of
// several formats and layouts into rows of one form, history.Row.
//
// # Files
//
// There are up to four tables: transactions, refunds, rewards and redemptions, each
// in one file or several. The name of a file says its format:
//
//	.csv .tsv .txt       text with a header, values between delimiters (a comma,
//	                     in .tsv a tab, unless the mapping says otherwise)
//	.csv.gz .xz .zst     the same, compressed; likewise .tsv and .txt
//	.parquet             Parquet; columns are found by name, one within a group
//	                     as "group.column"
//	.xlsx                a sheet of a workbook, the first unless the mapping says
//
// The columns of each table, those in brackets may be missing:
//
//	transactions  transaction account amount currency posted_at [merchant mcc category]
//	refunds       refund account amount posted_at [transaction kind merchant mcc category currency]
//	rewards       account amount posted_at [transaction kind currency]
//	redemptions   account amount posted_at [currency]
//
// Columns may be in any order, and there may be others. Names count without the
// spaces around them, and if no column is called just so, in any case of letters,
// or else with other spaces. So do values without the spaces around them.
//
// Without a mapping, text is UTF-8, times are RFC 3339 and amounts are integer
// minor units. Amounts of transactions and refunds are above zero. Of rewards,
// what is below zero was taken back; of redemptions, what was put back. Kinds of
// refunds are refund (also where it is empty), chargeback, refund_reversed and
// chargeback_reversed; the latter two name the refund that did not stand. Kinds
// of rewards are reward (also where it is empty; grant, clawback, restore and
// reallocation mean the same) and adjustment, which is made by hand.
//
// In Parquet files timestamps, dates and decimals are what they are, whatever the
// mapping says of others; a timestamp that is not of UTC and a date are local to
// time_zone. A number in floating point is taken for the shortest decimal that
// stands for it, in a workbook for its first 15 digits, as Excel shows it.
//
// # Mapping
//
// A mapping is a YAML file that says how other layouts are to be read: the members
// are listed in layout.go, and described for users in docs/audit-your-program.md.
// Members of a table are for its files; members at the top are for all tables that
// do not say otherwise (a list or a condition replaces the one at the top; columns,
// constants and kinds add to those at the top). Unknown members are errors. Text is
// read as it is written, so that quotes matter only where YAML needs them: a column
// may be called 7, and NO is the text "NO".
//
// A file that holds several tables, such as a ledger, is given for each of them,
// and the conditions only and skip say which rows are whose: by values, a pattern,
// or the side of a number. A number that cannot be read is a bad row, and does not
// belong to nobody.
//
// Decimal amounts are exact: they may have more digits than the currency has
// decimals only if those are zeros, or rounding is down. Cycles are months in UTC:
// where statements close by the clock of the file, time_zone stays UTC, which takes
// times as they stand; another moves the first of a month into the month before.
//
// # Bad rows
//
// A row that cannot be read is left out and counted under its reason, with the
// places of the first; the others are read. Zero is no amount. Where more than
// Options.BadLimit of a thousand rows of a file are bad, reading stops. Rows in
// another currency than the program's, and those that the mapping leaves out, are
// counted apart and are not bad. A quotation mark that is never closed ends a file
// with an error, since rows would be lost in it.
//
// # Limits
//
// Ids and other text have at most 256 bytes, amounts are at most
// reward.MaxAmount, times within those of reward. A record has at most 1 MiB, a
// file at most 4096 columns, a workbook at most 2 GiB when unpacked. What grows a
// thousandfold when it is unpacked is refused.
package intake
