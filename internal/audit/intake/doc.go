// Package intake reads the exports of reward programs: files of several formats
// and layouts into rows of one form, history.Row.
//
// # Files
//
// An export has up to four tables: transactions, refunds, rewards and
// redemptions, each in one file or several. The name of a file says its format:
//
//	.csv .tsv .txt       text with a header, values between delimiters (a comma,
//	                     in .tsv a tab, unless the mapping says otherwise)
//	.csv.gz .xz .zst     the same, compressed; likewise .tsv and .txt
//	.parquet             Parquet; columns are found by name, one within a group
//	                     as "group.column"
//
// The columns of each table, those in brackets may be missing:
//
//	transactions  transaction account amount currency posted_at [merchant mcc category]
//	refunds       refund account amount posted_at [transaction kind merchant mcc category currency]
//	rewards       account amount posted_at [transaction kind currency]
//	redemptions   account amount posted_at [currency]
//
// Columns may be in any order, and there may be others. Names count without the
// spaces around them, and if no column is called just so, in any case of letters.
// So do values without the spaces around them. Values may be in double quotes, a
// quote among them doubled; lines end in LF or CRLF.
//
// Without a mapping, text is UTF-8, times are RFC 3339 and amounts are integer
// minor units. Amounts of transactions and refunds are above zero. Of rewards,
// what is below zero was taken back; of redemptions, what was put back. Kinds of
// refunds are refund (also where it is empty), chargeback, refund_reversed and
// chargeback_reversed; the latter two name the refund that did not stand. Kinds
// of rewards are reward (also where it is empty; grant, clawback, restore and
// reallocation mean the same) and adjustment, which is made by hand.
//
// In Parquet files timestamps, dates and decimals are what they are, whatever
// date_format and amount_format say of others; a timestamp that is not of UTC and
// a date are local to time_zone. Decimals without digits after the point are
// integers like any. A number in floating point is taken for the shortest decimal
// that stands for it.
//
// # Mapping
//
// A mapping is a YAML file that says how other layouts are to be read. Members of
// a table are for its files; members at the top are for all tables that do not
// say otherwise (a list or a condition replaces the one at the top; columns,
// constants and kinds add to those at the top). Unknown members are errors. Text
// is read as it is written, so that quotes matter only where YAML needs them:
// a column may be called 7, and NO is the text "NO".
//
//	delimiter: ";"                  # one character; "\t" for a tab
//	encoding: latin-1               # utf-8 (default) or latin-1
//	skip_lines: 3                   # lines before the header
//	time_zone: Europe/Berlin        # of times without an offset; default UTC
//	date_format: DD.MM.YYYY hh:mm   # see below; default rfc3339
//	amount_format: decimal          # minor (default): integer minor units
//	decimal_separator: ","          # default "."
//	thousands_separator: "."        # default none; groups of three digits
//	negatives: trailing_minus       # 12.50-; parentheses: (12.50); default minus: -12.50
//	symbol: "€"                     # of a currency, before or after the number
//	mcc_format: number              # 742 is 0742; default text: four digits
//	constants: {currency: EUR}      # for columns that are not there: currency,
//	                                # kind, merchant, mcc, category
//
//	transactions:
//	  columns:                      # what columns are called
//	    transaction: Umsatznummer
//	    account: Kontonummer
//	    posted_at: Buchungstag
//	    amount: Betrag
//	    category: ~                 # none, though a column has that name
//	  sign: negated                 # amounts are exported below zero
//	  only: {column: Art, values: [KAUF, EINKAUF]}
//	  skip: {column: Status, values: [vorgemerkt, storniert]}
//
//	refunds:
//	  columns: {refund: Umsatznummer, transaction: Ursprung, kind: Art}
//	  kinds: {GUTSCHRIFT: refund, RUECKBELASTUNG: chargeback}
//	  sign: absolute
//	  only: {column: Art, values: [GUTSCHRIFT, RUECKBELASTUNG]}
//
//	rewards:
//	  columns: {amount: Punktwert}
//	  direction: {column: SH, negative: [S], positive: [H]}
//
// A file that holds several tables, such as a ledger, is given for each of them,
// and only says which rows are whose. Rows for which a condition of skip holds
// are left out, and those for which one of only does not; both may be a list of
// conditions. Values are compared exactly, "" is an empty one.
//
// The sign of an amount: sign takes it as_is, negated or absolute; then direction
// turns the amounts of rows with one of the negative values around. With positive,
// rows with neither are bad. An export with two columns of amounts, one for each
// side, names the second as negative_amount among the columns.
//
// Times: date_format is rfc3339, iso (ISO 8601: T or a space, and time, seconds
// and offset may be missing), a count since 1970 (unix, unix_ms, unix_us,
// unix_ns), or a pattern of
//
//	YYYY YY      year; YY is of this century
//	MM M Mon     month, in two digits, in one or two, in three English letters
//	DD D         day
//	hh h         hour, of the day, or of half a day with AM
//	mm ss f      minute, second, and one to nine digits of its fraction
//	AM           AM or PM
//	Z            the offset from UTC: Z, UTC, +01:00, +0100 or +01
//
// with T, spaces and signs between them. What the pattern does not have is zero.
// Cycles are months in UTC: where statements close by the clock of the file, or
// the file has days without times, time_zone stays UTC, which takes times as they
// stand; another moves the first of a month into the month before.
//
// Of a local time that the clock shows twice the first counts; one that the clock
// skips counts as if the clock had not been put forward yet.
//
// Decimal amounts are exact: they may have more digits than the currency has
// decimals only if those are zeros.
//
// # Bad rows
//
// A row that cannot be read is left out and counted under its reason, with the
// places of the first; the others are read. Zero is no amount. Where more than
// Options.BadLimit of a thousand rows of a file are bad, reading stops. Rows in
// another currency than the program's, and those that the mapping leaves out, are
// counted apart and are not bad.
//
// # Limits
//
// Ids and other text have at most 256 bytes, amounts are at most
// reward.MaxAmount, times within those of reward. A line, and a record over
// several, has at most 1 MiB, a file at most 4096 columns. A compressed file that
// grows a thousandfold is refused.
package intake
