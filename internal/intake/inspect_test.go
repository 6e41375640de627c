package intake_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"recoup/internal/intake"
)

// Most kinds of rows are rare, and the first thousands of a ledger may have only
// purchases.
func TestInspectFindsRareKinds(t *testing.T) {
	const purchase = "P,A,SALE,100,USD,2026-01-05T10:00:00Z,BOOKED\n"
	content := "id,account,type,amount,currency,posted_at,status\n" + strings.Repeat(purchase, 5000) +
		"R,A,REFUND,50,USD,2026-02-05T10:00:00Z,BOOKED\n" + strings.Repeat(purchase, 5000) +
		"C,A,CHARGEBACK,50,USD,2026-02-05T10:00:00Z,DECLINED\n" + "F,A,CARD FEE,50,USD,2026-02-05T10:00:00Z,BOOKED\n"
	guess, err := inspect(write(t, "ledger.csv", []byte(content)))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"transactions", "refunds"}; !slices.Equal(guess.Tables, want) {
		t.Errorf("guessed %v, want %v", guess.Tables, want)
	}
	for _, want := range []string{
		"# Guessed from the first 10003 rows of ledger.csv.", "# Check: no table has the rows of these kinds: CARD FEE\n",
		`"CHARGEBACK": chargeback`, `only: {column: "type", values: ["REFUND", "CHARGEBACK"]}`, `skip: {column: "status", values: ["DECLINED"]}`,
	} {
		if !strings.Contains(string(guess.YAML), want) {
			t.Errorf("no %q in\n%s", want, guess.YAML)
		}
	}
}

// Of two kinds of rows in a file of purchases, one of which is known, the other is the other; where
// neither is, it is said that they are there.
func TestInspectOfTwoKinds(t *testing.T) {
	for kinds, want := range map[string][2]string{
		"DR CR": {"DR", "CR"}, "Debit Credit": {"Debit", "Credit"}, "Verkauf Rückgabe": {"Verkauf", "Rückgabe"}, "Kauf Storno": {"Kauf", "Storno"}, "X9 Y9": {},
	} {
		t.Run(kinds, func(t *testing.T) {
			bought, back, _ := strings.Cut(kinds, " ")
			guess, err := inspect(write(t, "card.csv", []byte("Txn Ref,Orig Txn Ref,Cust No,Date,Type,Amount (GBP)\n"+
				"t1,,a1,2026-01-05,"+bought+",10.00\nt2,,a1,2026-01-06,"+bought+",20.00\nr1,t1,a1,2026-01-07,"+back+",10.00\n")))
			if err != nil {
				t.Fatal(err)
			}
			lines := []string{`  only: {column: "Type", values: ["` + want[0] + `"]}  # check`, `  only: {column: "Type", values: ["` + want[1] + `"]}  # check`, `transaction: "Orig Txn Ref"`}
			if want[0] == "" {
				lines = []string{`  # only: {column: "Type", values: ["X9", "Y9"]}  # check: leave those that are purchases`}
			}
			for _, line := range lines {
				if !strings.Contains(string(guess.YAML), line) {
					t.Errorf("no %q in\n%s", line, guess.YAML)
				}
			}
		})
	}
}

// A name that one column alone has needs no check, one that several may have does.
func TestInspectSaysWhatToCheck(t *testing.T) {
	guess, err := inspect(write(t, "umsaetze.csv", []byte(
		"Kontonummer;Umsatznummer;Buchungstag;Wertstellung;Betrag;Währung\nDE01;U1;05.01.2026;06.01.2026;1,50;EUR\n")))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"account: \"Kontonummer\"\n", "posted_at: \"Buchungstag\"  # check\n"} {
		if !strings.Contains(string(guess.YAML), want) {
			t.Errorf("no %q in\n%s", want, guess.YAML)
		}
	}
}

// What is written in no way of amounts says nothing of how the others are.
func TestInspectPassesOverWhatIsNoAmount(t *testing.T) {
	guess, err := inspect(write(t, "t.csv", []byte("konto;datum;Betrag in €;umsatz\n1;2026-01-05;1.234;x\n1;2026-01-06;5-;y\n1;2026-01-07;n/a;z\n")))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"  amount_format: decimal  # check: 2 of 3 samples are written so\n", "  thousands_separator: \".\"\n", "  negatives: trailing_minus\n"} {
		if !strings.Contains(string(guess.YAML), want) {
			t.Errorf("no %q in\n%s", want, guess.YAML)
		}
	}
	if strings.Contains(string(guess.YAML), "symbol") {
		t.Errorf("a symbol in\n%s", guess.YAML)
	}
}

// Statements of banks have no account, refunds on the other side of zero, and a balance.
func TestInspectOfStatementsOfBanks(t *testing.T) {
	for _, c := range []struct {
		name, content string
		wants, rows   []string
	}{
		{"revolut.csv", "Type,Product,Started Date,Completed Date,Description,Amount,Fee,Currency,State,Balance\n" +
			"CARD_PAYMENT,Current,2026-01-02 12:11:00,2026-01-03 09:00:00,Bakery,-67.72,0.00,GBP,COMPLETED,932.28\n" +
			"CARD_REFUND,Current,2026-01-05 10:00:00,2026-01-06 09:00:00,Bakery,67.72,0.00,GBP,COMPLETED,1000.00\n" +
			"CARD_PAYMENT,Current,2026-01-07 10:00:00,,Bakery,-5.00,0.00,GBP,PENDING,995.00\n",
			[]string{`posted_at: "Completed Date"`, `only: {column: "Type", values: ["CARD_PAYMENT"]}`, `"CARD_REFUND": refund`, `skip: {column: "State", values: ["PENDING"]}`},
			[]string{"purchase me revolut#2 6772 at 2026-01-03T09:00:00Z", "refund me revolut#3 6772 at 2026-01-06T09:00:00Z"}},
		{"monzo.csv", "Transaction ID,Date,Time,Type,Name,Amount,Currency\ntx1,02/01/2026,12:11:00,Card payment,Bakery,-67.72,GBP\n" +
			"tx2,13/01/2026,00:05:00,Card payment,Baker,-7.00,GBP\ntx3,14/01/2026,12:11:30,Card payment,Bakery,67.72,GBP\n",
			[]string{`posted_at: ["Date", "Time"]`, `date_format: "DD/MM/YYYY hh:mm:ss"`, `only: {column: "Amount", below: 0}`},
			[]string{"purchase me tx1 6772 at 2026-01-02T12:11:00Z", "purchase me tx2 700 at 2026-01-13T00:05:00Z", "refund me tx3 6772 at 2026-01-14T12:11:30Z"}},
		{"statement.csv", "Date,Description,Amount (GBP)\n01/05/2026,BAKERY,67.72\n01/13/2026,BAKER,7.00\n02/14/2026,BAKERY,-67.72\n",
			[]string{"ids: generated", `only: {column: "Amount (GBP)", above: 0}`, `only: {column: "Amount (GBP)", below: 0}`},
			[]string{"purchase me statement#2 6772 at 2026-01-05T00:00:00Z", "purchase me statement#3 700 at 2026-01-13T00:00:00Z", "refund me statement#4 6772 at 2026-02-14T00:00:00Z"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := write(t, c.name, []byte(c.content))
			guess, err := inspect(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range append(c.wants, "# account:  # check: no column looks like it, and there must be one, or a constant") {
				if !strings.Contains(string(guess.YAML), want) {
					t.Errorf("no %q in\n%s", want, guess.YAML)
				}
			}
			var to collected
			with := mapping(t, "constants: {account: me}\n"+string(guess.YAML))
			if _, err := intake.Read(t.Context(), options("GBP", with, map[string]string{"transactions": path, "refunds": path}), &to); err != nil {
				t.Fatal(err)
			}
			slices.Sort(to.lines)
			if !slices.Equal(to.lines, c.rows) {
				t.Errorf("read %q, want %q", to.lines, c.rows)
			}
		})
	}
}

// Text in UTF-16 says so by its first bytes, whatever the mapping says.
func TestTextInUTF16(t *testing.T) {
	const content = "\ufeffKonto\tBuchungsnr\tDatum\tBetrag in €\tHändler\r\nK1\tA1\t05.01.2026\t1.234,50\tGroß\r\nK1\tA2\t06.01.2026\t-5,00\t日本\r\n"
	for name, order := range map[string][2]int{"little endian.txt": {0, 8}, "big endian.txt": {8, 0}} {
		var text []byte
		for _, unit := range utf16.Encode([]rune(content)) {
			text = append(text, byte(unit>>order[0]), byte(unit>>order[1]))
		}
		path := write(t, name, text)
		guess, err := inspect(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, with := range []string{"", "encoding: windows-1252\n"} {
			var to collected
			if _, err := intake.Read(t.Context(), options("EUR", mapping(t, with+string(guess.YAML)), map[string]string{"transactions": path, "refunds": path}), &to); err != nil {
				t.Fatal(err)
			}
			slices.Sort(to.lines)
			if want := []string{"purchase K1 A1 123450 at 2026-01-05T00:00:00Z Groß", "refund K1 A2 500 at 2026-01-06T00:00:00Z 日本"}; !slices.Equal(to.lines, want) {
				t.Errorf("%s, %q: read %q, want %q", name, with, to.lines, want)
			}
		}
	}
}

// A month in which nothing was earned is no bad row, but says nothing either.
func TestRewardsOfZeroAreLeftOut(t *testing.T) {
	path := write(t, "r.csv", []byte("account,amount,posted_at\na1,0,2026-01-05T10:00:00Z\na1,0,2026-02-05T10:00:00Z\na2,7,2026-02-05T10:00:00Z\n"))
	var to collected
	in, err := intake.Read(t.Context(), options("USD", nil, map[string]string{"rewards": path}), &to)
	if err != nil || in.Bad != 0 || in.Left != 2 || len(to.lines) != 1 {
		t.Errorf("read %q, %+v, %v; want one row, and two left out", to.lines, in, err)
	}
}
