package intake_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"

	"recoup/internal/intake"
)

// export is a file as some system writes it.
type export struct {
	name     string
	file     string
	currency string
	content  string
	mapping  string
	tables   []string // that the file holds
	want     []string // rows, in order of table and file
	// guessed replaces, in the guessed mapping, what no file can say: the time zone,
	// which of two readings is meant.
	guessed map[string]string
	latin1  bool
	windows bool // windows-1252, of which latin1 is a part
}

var exports = []export{
	{
		name: "native transactions, columns in another order, one more, CRLF and a byte order mark",
		file: "transactions.csv", currency: "USD", tables: []string{"transactions"},
		content: "\ufeffposted_at,account,transaction,note,currency,amount,mcc,merchant\r\n" +
			"2026-01-05T10:00:00Z,a1,t1,x,USD,10000,5411,m1\r\n" +
			"2026-01-05T10:00:00.000000001Z,a1,t2,\"x,\"\"y\"\"\",usd,250,0742,\"m, 2\"\r\n" +
			"2026-01-05T10:00:00+02:00,a2,t3,,USD,1,,\r\n",
		want: []string{
			"purchase a1 t1 10000 at 2026-01-05T10:00:00Z m1 5411",
			"purchase a1 t2 250 at 2026-01-05T10:00:00.000000001Z m, 2 0742",
			"purchase a2 t3 1 at 2026-01-05T08:00:00Z",
		},
	},
	{
		name: "native refunds of every kind", file: "refunds.csv", currency: "USD", tables: []string{"refunds"},
		content: "refund,account,amount,posted_at,transaction,kind\n" +
			"r1,a1,100,2026-02-01T00:00:00Z,t1,\nr2,a1,100,2026-02-02T00:00:00Z,,refund\nc1,a1,50,2026-02-03T00:00:00Z,t1,chargeback\n" +
			"r2,a1,100,2026-02-04T00:00:00Z,,refund_reversed\nc1,a1,50,2026-02-05T00:00:00Z,t1,CHARGEBACK_REVERSED\n",
		want: []string{
			"refund a1 r1 of t1 100 at 2026-02-01T00:00:00Z", "refund a1 r2 100 at 2026-02-02T00:00:00Z",
			"chargeback a1 c1 of t1 50 at 2026-02-03T00:00:00Z", "refund_reversed a1 r2 100 at 2026-02-04T00:00:00Z",
			"chargeback_reversed a1 c1 of t1 50 at 2026-02-05T00:00:00Z",
		},
	},
	{
		name: "native rewards", file: "rewards.csv", currency: "USD", tables: []string{"rewards"},
		content: "account,amount,posted_at,transaction,kind\n" +
			"a1,500,2026-01-05T10:00:00Z,t1,grant\na1,-200,2026-01-09T10:00:00Z,t1,clawback\na1,25,2026-01-10T00:00:00Z,,adjustment\n",
		want: []string{
			"reward a1 of t1 500 at 2026-01-05T10:00:00Z", "reward a1 of t1 -200 at 2026-01-09T10:00:00Z", "adjustment a1 25 at 2026-01-10T00:00:00Z",
		},
	},
	{
		name: "German export: semicolons, decimal comma, local days, latin-1, a preamble", file: "umsaetze.csv", currency: "EUR",
		tables: []string{"transactions"}, latin1: true,
		content: "Umsätze der Kreditkarte;;;;;\r\nerstellt am 31.03.2026;;;;;\r\n" +
			"Kontonummer;Umsatznummer;Buchungstag;Betrag;Währung;Händler;MCC\r\n" +
			"DE01;U1;05.01.2026;-1.234,50;EUR;Bäckerei Groß;5462\r\n" +
			"DE01;U2;29.03.2026;-0,99;EUR;;742\r\n" +
			"DE02;U3;01.07.2026;-12,00;EUR;\"Kiosk \"\"Süd\"\"; Berlin\";5411\r\n",
		mapping: `
transactions:
  delimiter: ";"
  encoding: latin-1
  skip_lines: 2
  columns: {account: Kontonummer, transaction: Umsatznummer, posted_at: Buchungstag, amount: Betrag, currency: Währung, merchant: Händler}
  date_format: DD.MM.YYYY
  time_zone: Europe/Berlin
  amount_format: decimal
  decimal_separator: ","
  thousands_separator: "."
  sign: negated
  mcc_format: number
`,
		want: []string{
			"purchase DE01 U1 123450 at 2026-01-04T23:00:00Z Bäckerei Groß 5462",
			"purchase DE01 U2 99 at 2026-03-28T23:00:00Z 0742",
			`purchase DE02 U3 1200 at 2026-06-30T22:00:00Z Kiosk "Süd"; Berlin 5411`,
		},
		guessed: map[string]string{"time_zone: \"UTC\"": "time_zone: Europe/Berlin"},
	},
	{
		name: "US export: dollars, parentheses below zero, month first, rows that did not happen", file: "card-refunds.csv", currency: "USD",
		tables: []string{"refunds"},
		content: "Refund ID,Customer ID,Original Transaction ID,Posting Date,Amount,Status,Type\n" +
			"R1,C1,T1,01/25/2026 09:30 PM,\"($1,234.50)\",SETTLED,CR\n" +
			"R2,C1,,01/26/2026 12:05 AM,($5.00),PENDING,CR\n" +
			"R3,C2,T9,01/26/2026 12:05 AM,($12.50),SETTLED,CB\nR4,C2,T9,01/26/2026 12:05 PM,($1.00),SETTLED,CR\n",
		mapping: `
date_format: MM/DD/YYYY hh:mm AM
time_zone: America/New_York
amount_format: decimal
thousands_separator: ","
negatives: parentheses
symbol: $
refunds:
  columns: {refund: Refund ID, account: Customer ID, transaction: Original Transaction ID, posted_at: Posting Date, kind: Type}
  kinds: {CR: refund, CB: chargeback}
  sign: negated
  skip: {column: Status, values: [DECLINED, PENDING]}
`,
		want: []string{
			"refund C1 R1 of T1 123450 at 2026-01-26T02:30:00Z",
			"chargeback C2 R3 of T9 1250 at 2026-01-26T05:05:00Z",
			"refund C2 R4 of T9 100 at 2026-01-26T17:05:00Z",
		},
		guessed: map[string]string{"time_zone: \"UTC\"": "time_zone: America/New_York"},
	},
	{
		name: "rewards with a column of debits and credits", file: "reward_ledger.tsv", currency: "USD", tables: []string{"rewards"},
		content: "acct_id\ttxn_id\treward_amount\tdc\tposted\ttype\n" +
			"A1\tT1\t5.00\tC\t2026-01-05 10:00:00\tACCRUAL\nA1\tT1\t2.5\tD\t2026-01-06 10:00:00\tACCRUAL\nA1\t\t1.00\tC\t2026-01-07 00:00:00\tGOODWILL\n",
		mapping: `
rewards:
  columns: {account: acct_id, transaction: txn_id, amount: reward_amount, posted_at: posted, kind: type}
  kinds: {ACCRUAL: reward, GOODWILL: adjustment}
  date_format: YYYY-MM-DD hh:mm:ss
  amount_format: decimal
  direction: {column: DC, negative: [D], positive: [C]}
`,
		want: []string{
			"reward A1 of T1 500 at 2026-01-05T10:00:00Z", "reward A1 of T1 -250 at 2026-01-06T10:00:00Z", "adjustment A1 100 at 2026-01-07T00:00:00Z",
		},
	},
	{
		name: "credits and debits in two columns", file: "rewards.csv", currency: "USD", tables: []string{"rewards"},
		content: "account,posted_at,credit,debit\nA1,2026-01-05T10:00:00Z,500,\nA1,2026-01-06T10:00:00Z,,200\n",
		mapping: "rewards: {columns: {amount: credit, negative_amount: debit}}",
		want:    []string{"reward A1 500 at 2026-01-05T10:00:00Z", "reward A1 -200 at 2026-01-06T10:00:00Z"},
	},
	{
		name: "credits and debits in two columns, a zero in the other", file: "rewards.csv", currency: "USD", tables: []string{"rewards"},
		content: "account,posted_at,credit,debit\nA1,2026-01-05T10:00:00Z,5.00,0.00\nA1,2026-01-06T10:00:00Z,0.00,2.00\n",
		mapping: "rewards: {columns: {amount: credit, negative_amount: debit}, amount_format: decimal}",
		want:    []string{"reward A1 500 at 2026-01-05T10:00:00Z", "reward A1 -200 at 2026-01-06T10:00:00Z"},
	},
	{
		name: "redemptions with milliseconds since 1970", file: "redemptions.csv", currency: "USD", tables: []string{"redemptions"},
		content: "user_id,amount_cents,redeemed_at\nu1,500,1767607200000\nu1,-500,1767607200123\n",
		mapping: "redemptions: {columns: {account: user_id, amount: amount_cents, posted_at: redeemed_at}, date_format: unix_ms}",
		want:    []string{"redemption u1 500 at 2026-01-05T10:00:00Z", "redemption u1 -500 at 2026-01-05T10:00:00.123Z"},
	},
	{
		name: "a ledger of purchases, refunds and fees", file: "ledger.csv", currency: "USD", tables: []string{"transactions", "refunds"},
		content: "txn_id|account_no|txn_type|amount|currency|posted_at|orig_txn_id|merchant\n" +
			"L1|A1|SALE|100.00|USD|2026-01-05T10:00:00Z||M1\nL2|A1|REFUND|-40.00|USD|2026-01-09T10:00:00Z|L1|M1\n" +
			"L3|A1|FEE|5.00|USD|2026-01-10T10:00:00Z||\nL4|A2|CHARGEBACK|10.00|USD|2026-01-11T10:00:00Z||M2\nL5|A2|SALE|7.25|USD|2026-01-12T10:00:00Z||M2\n",
		mapping: `
delimiter: "|"
columns: {account: account_no, posted_at: posted_at}
amount_format: decimal
transactions:
  columns: {transaction: txn_id}
  only: {column: txn_type, values: [SALE]}
refunds:
  columns: {refund: txn_id, transaction: orig_txn_id, kind: txn_type}
  kinds: {REFUND: refund, CHARGEBACK: chargeback}
  only: {column: txn_type, values: [REFUND, CHARGEBACK]}
  sign: absolute
`,
		want: []string{
			"purchase A1 L1 10000 at 2026-01-05T10:00:00Z M1", "purchase A2 L5 725 at 2026-01-12T10:00:00Z M2",
			"refund A1 L2 of L1 4000 at 2026-01-09T10:00:00Z M1", "chargeback A2 L4 1000 at 2026-01-11T10:00:00Z M2",
		},
	},
	{
		name: "local times where the clock changes", file: "transactions.csv", currency: "EUR", tables: []string{"transactions"},
		content: "transaction,account,amount,currency,posted_at\n" +
			"t0,a1,1,EUR,2026-01-31 12:00:00\nt1,a1,1,EUR,2026-03-29 01:59:59\nt2,a1,1,EUR,2026-03-29 02:30:00\nt3,a1,1,EUR,2026-03-29 03:00:00\n" +
			"t4,a1,1,EUR,2026-10-25 01:30:00\nt5,a1,1,EUR,2026-10-25 02:30:00\nt6,a1,1,EUR,2026-10-25 03:00:00\n",
		mapping: "date_format: YYYY-MM-DD hh:mm:ss\ntime_zone: Europe/Berlin\n",
		want: []string{
			"purchase a1 t0 1 at 2026-01-31T11:00:00Z",
			"purchase a1 t1 1 at 2026-03-29T00:59:59Z",
			"purchase a1 t2 1 at 2026-03-29T01:30:00Z", // a time that the clock skips
			"purchase a1 t3 1 at 2026-03-29T01:00:00Z",
			"purchase a1 t4 1 at 2026-10-24T23:30:00Z",
			"purchase a1 t5 1 at 2026-10-25T00:30:00Z", // shown twice: the first
			"purchase a1 t6 1 at 2026-10-25T02:00:00Z",
		},
		guessed: map[string]string{"time_zone: \"UTC\"": "time_zone: Europe/Berlin"},
	},
	{
		name: "old mainframe: numbers with the minus behind, days without signs, constants", file: "rewards_export.txt", currency: "JPY",
		tables:  []string{"rewards"},
		content: "CUST_NO;POST_DATE;AMT\n  0001 ;20260105; 1,234,567 ;\n  0001 ;20260106; 200- \n",
		mapping: `
rewards: {delimiter: ";", columns: {account: CUST_NO, posted_at: POST_DATE, amount: AMT}, date_format: YYYYMMDD,
  negatives: trailing_minus, thousands_separator: ",", constants: {kind: grant, currency: jpy}}`,
		want: []string{"reward 0001 1234567 at 2026-01-05T00:00:00Z", "reward 0001 -200 at 2026-01-06T00:00:00Z"},
	},
}

// Layouts of files that people have, and that no reward program made: what is a refund
// only the sign says, rows have no ids, dates are in several columns or counted.
var foreignExports = []export{
	{
		name: "card transactions with the date in columns, no ids and refunds below zero", file: "card_transaction.csv", currency: "USD",
		tables: []string{"transactions", "refunds"},
		content: "User,Card,Year,Month,Day,Time,Amount,Use Chip,Merchant Name,Merchant City,Zip,MCC,Errors?,Is Fraud?\n" +
			"0,0,2002,9,1,06:21,$134.09,Swipe Transaction,3527213246127876953,La Verne,91750.0,5300,,No\n" +
			"0,0,2002,9,1,06:42,$38.48,Swipe Transaction,-727612092139916043,Monterey Park,91754.0,5411,,No\n" +
			"0,0,2002,9,5,20:18,$-99.00,Swipe Transaction,3527213246127876953,La Verne,91750.0,5300,,No\n" +
			"0,1,2002,12,31,23:59,\"$1,019.25\",Online Transaction,-34,ONLINE,,742,,No\n",
		mapping: `
amount_format: decimal
symbol: $
thousands_separator: ","
columns: {account: User, posted_at: [Year, Month, Day, Time], merchant: Merchant Name, mcc: MCC}
constants: {currency: USD}
date_format: YYYY M D hh:mm
mcc_format: number
ids: generated
transactions: {only: {column: Amount, above: 0}}
refunds: {only: {column: Amount, below: 0}, sign: negated}
`,
		want: []string{
			"purchase 0 card_transaction#2 13409 at 2002-09-01T06:21:00Z 3527213246127876953 5300",
			"purchase 0 card_transaction#3 3848 at 2002-09-01T06:42:00Z -727612092139916043 5411",
			"purchase 0 card_transaction#5 101925 at 2002-12-31T23:59:00Z -34 0742",
			"refund 0 card_transaction#4 9900 at 2002-09-05T20:18:00Z 3527213246127876953 5300",
		},
	},
	{
		name: "purchases below zero and refunds above, in windows-1252, with the currency in the header", file: "umsaetze.csv", currency: "EUR",
		tables: []string{"transactions", "refunds"}, windows: true,
		content: "Konto;Txn Ref;Buchungstag;Betrag in €;Händler\r\nK1;A1;05.01.2026;-1.234,50;„Groß“\r\nK1;A2;06.01.2026;-5,00;Café\r\nK1;A3;07.01.2026;5,00;Café\r\n",
		mapping: `
delimiter: ";"
encoding: windows-1252
columns: {account: Konto, amount: Betrag in €, posted_at: Buchungstag, merchant: Händler}
constants: {currency: EUR}
date_format: DD.MM.YYYY
amount_format: decimal
decimal_separator: ","
thousands_separator: "."
transactions: {columns: {transaction: Txn Ref}, only: {column: Betrag in €, below: 0}, sign: negated}
refunds: {columns: {refund: Txn Ref}, only: {column: Betrag in €, above: 0}}
`,
		want: []string{
			"purchase K1 A1 123450 at 2026-01-05T00:00:00Z „Groß“", "purchase K1 A2 500 at 2026-01-06T00:00:00Z Café",
			"refund K1 A3 500 at 2026-01-07T00:00:00Z Café",
		},
	},
	{
		name: "purchase cards of a town: amounts in pounds, dates of a spreadsheet", file: "purchase-cards.csv", currency: "GBP",
		tables: []string{"transactions", "refunds"},
		content: "Cardholder,Trans Date,Merchant Name,Merchant Category Code (MCC),Amount (GBP)\n" +
			"C1,45000,Stationers,5943,120.00\nC1,45001.5,Stationers,5943,-20.00\nC2,45002.25,Ferries,4111,9.5\n",
		mapping: `
columns: {account: Cardholder, posted_at: Trans Date, merchant: Merchant Name, mcc: Merchant Category Code (MCC), amount: Amount (GBP)}
constants: {currency: GBP}
date_format: excel
amount_format: decimal
ids: generated
transactions: {only: {column: Amount (GBP), above: 0}}
refunds: {only: {column: Amount (GBP), below: 0}, sign: negated}
`,
		want: []string{
			"purchase C1 purchase-cards#2 12000 at 2023-03-15T00:00:00Z Stationers 5943", "purchase C2 purchase-cards#4 950 at 2023-03-17T06:00:00Z Ferries 4111",
			"refund C1 purchase-cards#3 2000 at 2023-03-16T12:00:00Z Stationers 5943",
		},
	},
	{
		name: "totals of months of a program that grants at once", file: "cashback-totals.csv", currency: "USD", tables: []string{"rewards"},
		content: "Member No,Month,Cashback ($)\nM1,2026-01,12.50\nM1,2026-02,-0.75\n",
		mapping: "rewards: {columns: {account: Member No, posted_at: Month, amount: Cashback ($)}, date_format: YYYY-MM, amount_format: decimal}",
		want:    []string{"reward M1 1250 at 2026-01-31T23:59:59.999999999Z", "reward M1 -75 at 2026-02-28T23:59:59.999999999Z"},
	},
}

func init() { exports = append(exports, foreignExports...) }

// A long file in latin-1 is read whole.
func TestLatin1(t *testing.T) {
	content := "account,amount,posted_at\n" + strings.Repeat("\xe4\xff,5,2026-01-05T10:00:00Z\n", 50_000)
	var sink collected
	o := options("USD", mapping(t, "encoding: latin-1"), map[string]string{"rewards": write(t, "r.csv", []byte(content))})
	if _, err := intake.Read(t.Context(), o, &sink); err != nil || len(sink.lines) != 50_000 {
		t.Fatalf("%d rows, %v", len(sink.lines), err)
	}
	for _, got := range sink.lines {
		if got != "reward äÿ 5 at 2026-01-05T10:00:00Z" {
			t.Fatal(got)
		}
	}
}

// bytesOf is the export's file.
func (e *export) bytesOf() []byte {
	if e.windows {
		content, err := charmap.Windows1252.NewEncoder().String(e.content)
		if err != nil {
			panic(err)
		}
		return []byte(content)
	}
	if !e.latin1 {
		return []byte(e.content)
	}
	var content []byte
	for _, r := range e.content {
		content = append(content, byte(r))
	}
	return content
}

// readAs reads the file as each of the tables, one after the other.
func (e *export) readAs(t *testing.T, path string, m *intake.Mapping) []string {
	t.Helper()
	var lines []string
	for _, table := range e.tables {
		var sink collected
		in, err := intake.Read(t.Context(), options(e.currency, m, map[string]string{table: path}), &sink)
		if err != nil {
			t.Fatal(err)
		}
		if in.Bad != 0 || in.Rows != int64(len(sink.lines)) {
			t.Errorf("%d bad rows, %d rows of %d: %+v", in.Bad, in.Rows, len(sink.lines), in.ByWhy)
		}
		lines = append(lines, sink.lines...)
	}
	return lines
}

func TestExports(t *testing.T) {
	for _, e := range exports {
		for _, extension := range []string{"", ".gz", ".xz", ".zst"} {
			t.Run(e.name+extension, func(t *testing.T) {
				path := write(t, e.file+extension, packed(t, extension, e.bytesOf()))
				if got := e.readAs(t, path, mapping(t, e.mapping)); !slices.Equal(got, e.want) {
					t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(e.want, "\n"))
				}
			})
		}
	}
}

// What Inspect guesses reads the file as somebody who knows it would, but for
// what the file does not say.
func TestInspect(t *testing.T) {
	for _, e := range exports {
		t.Run(e.name, func(t *testing.T) {
			path := write(t, e.file, e.bytesOf())
			guess, err := inspect(path)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(guess.Tables, e.tables) {
				t.Fatalf("guessed %v, want %v\n%s", guess.Tables, e.tables, guess.YAML)
			}
			text := string(guess.YAML)
			for _, old := range slices.Sorted(maps.Keys(e.guessed)) {
				if !strings.Contains(text, old) {
					t.Errorf("no %q in the guess", old)
				}
				text = strings.ReplaceAll(text, old, e.guessed[old])
			}
			if got := e.readAs(t, path, mapping(t, text)); !slices.Equal(got, e.want) {
				t.Errorf("got\n%s\nwant\n%s\nby\n%s", strings.Join(got, "\n"), strings.Join(e.want, "\n"), text)
			}
			if got := e.readAs(t, path, guess.Mapping); len(got) != len(e.want) && len(e.guessed) == 0 {
				t.Errorf("the guessed mapping reads %d rows, want %d", len(got), len(e.want))
			}
		})
	}
}
