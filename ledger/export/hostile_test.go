package export_test

import (
	"context"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"recoup/ledger/export"
	"recoup/program"
	"recoup/reward"
)

// hostile are ids that try to end the field they are in, in some format.
var hostile = []string{
	"", " ", "  two  spaces  ", "%", "%0A", "%%41",
	"x\n2026-01-01 * (x) theft\n    expenses:rewards  1000000 USD\n    liabilities:cardholder rewards:available\n",
	"x\r\n2026-01-01 open Expenses:Theft", "\n\n2026-01-01 balance Expenses:Rewards  7.00 USD",
	"x\n    assets:receivable from cardholders  1.00 USD", "\u2028x\u2029y\u0085z\vw\fv", "x\x00y\x1b[31m",
	"; comment", "a;b", "a, date: 1999-01-01", "date:1999-01-01", "[1999-01-01]", "[=1999-01-01]", "a: b, cardholder: somebody else",
	"!", "*", "(code)", "a) b", ") * x", "|", "payee | note", "a | b ; c: d", "#tag ^link", "{1.00 USD} @ 2.00 USD", "= 5.00 USD", "==* 0",
	`"`, `\`, `\"`, `x" "y`, `x\`, `"` + "\n  Expenses:Rewards  9.00 USD\n", "'", "''", `a""b`, `a","b`, "a,b", "a;=1+1", "a\t=1+1",
	"=1+1", "+1", "-1", "@SUM(A1)", "＝1+1", "=cmd|' /C calc'!A0", "\t=1+1", " =1+1", "\ufeff=1+1", "\u200b=1+1", "\u202e=1+1",
	"liabilities:cardholder rewards:available", ":", "::", "a:b:c", "a  b", "expenses:rewards  5.00 USD", "comment", "end comment", "include /etc/passwd",
	"\u00a0\u3000x\u00a0", "\u00e9", "e\u0301", "ЖЖ", "日本", "\xff\xfe", "a\xffb", "�", "😀", strings.Repeat("x", 256), strings.Repeat("\n", 256),
	"-2D", "-", "--", "acct-1", "acct_1", "acct.1", "ACCT-1", "1", "Id-1",
}

// Each format's lines, whatever texts are in them.
var (
	hledgerHead      = regexp.MustCompile(`^2026-01-05 \* (\([^)]+\) )?[^;|]*$`)
	hledgerDetail    = regexp.MustCompile(`^    ; ([a-z-]+): ([^,]+)$`)
	hledgerLeg       = regexp.MustCompile(`^    (liabilities:cardholder rewards:available:[-_.@%0-9A-Za-z]*|expenses:adjustments)  -?[0-9]+\.[0-9]{2} USD$`)
	beancountHead    = regexp.MustCompile(`^2026-01-05 \* "(?:[^"\\]|\\["\\])*"$`)
	beancountDetail  = regexp.MustCompile(`^  ([a-z][a-z-]+): "((?:[^"\\]|\\["\\])+)"$`)
	beancountLeg     = regexp.MustCompile(`^  (Liabilities:CardholderRewards:Available:Id-[-0-9A-Za-z]*|Expenses:Adjustments)  -?[0-9]+\.[0-9]{2} USD$`)
	beancountUnquote = strings.NewReplacer(`\\`, `\`, `\"`, `"`)
)

// oneOf is a transaction with the text in every place that text may come to.
func oneOf(text string) *export.Transaction {
	return &export.Transaction{
		At: at("01-05 10:00"), Cardholder: text, Divided: true, Currency: export.Currency{Code: "USD", Decimals: 2}, Kind: "adjustment",
		Text: "Adjustment " + text + " by " + text + ", " + text + ": $5.00.", Source: text, Event: text, Type: reward.AdjustmentPosted, Number: 1,
		Purchase: text, Fact: text, Program: text, Rule: text, Reason: text, Actor: text, Approver: text, Principal: text,
		Legs: []export.Leg{{Account: export.Adjustments, Amount: 500}, {Account: export.Available, Amount: -500}},
	}
}

// details are those of oneOf that have the text.
var details = []string{"cardholder", "source", "event", "purchase", "fact", "program", "rule", "reason", "actor", "approver", "principal"}

// block writes a transaction and returns its lines, without the declarations.
func block(t *testing.T, format string, transaction *export.Transaction) []string {
	t.Helper()
	var b strings.Builder
	w, err := export.NewWriter(format, &b)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Transaction(transaction); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, r := range text {
		if r != '\n' && !(r == '\r' && format == "csv") && !unicode.IsPrint(r) {
			t.Errorf("%s has the character %U", format, r)
		}
	}
	at := strings.Index(text, "\n2026-01-05 * ")
	if format == "csv" {
		return []string{text}
	}
	return strings.Split(strings.TrimSuffix(text[at+1:], "\n"), "\n")
}

// expectHarmless writes a text in all formats: there must be nothing but the
// lines that any text gives, and the text must come back.
func expectHarmless(t *testing.T, text string) {
	t.Helper()
	expectDetails := func(format string, got map[string]string) {
		for _, key := range details {
			if value, err := url.PathUnescape(got[key]); err != nil || value != text {
				t.Errorf("%s: %s comes back as %q (%v), want %q", format, key, value, err, text)
			}
		}
	}
	for format, f := range map[string]struct {
		head, detail, leg *regexp.Regexp
		unquote           func(string) string
	}{
		"hledger":   {hledgerHead, hledgerDetail, hledgerLeg, func(s string) string { return s }},
		"beancount": {beancountHead, beancountDetail, beancountLeg, beancountUnquote.Replace},
	} {
		rows := block(t, format, oneOf(text))
		if !f.head.MatchString(rows[0]) {
			t.Errorf("%s begins a transaction with %q", format, rows[0])
		}
		for _, leg := range rows[len(rows)-2:] {
			if !f.leg.MatchString(leg) {
				t.Errorf("%s has the leg %q", format, leg)
			}
		}
		got := make(map[string]string)
		for _, row := range rows[1 : len(rows)-2] {
			m := f.detail.FindStringSubmatch(row)
			if m == nil || got[m[1]] != "" {
				t.Errorf("%s has the line %q", format, row)
				continue
			}
			got[m[1]] = f.unquote(m[2])
		}
		expectDetails(format, got)
	}

	rows := rowsOf(t, block(t, "csv", oneOf(text))[0])
	if len(rows) != 2 {
		t.Fatalf("csv has %d rows, want one for each leg", len(rows))
	}
	for _, row := range rows {
		for column, cell := range row {
			if cell != "" && strings.ContainsRune("=+-@＝＋－＠\t\r", []rune(cell)[0]) {
				t.Errorf("csv has %q in column %s, which a spreadsheet takes for a formula", cell, column)
			}
			row[column] = strings.TrimPrefix(cell, "'")
		}
		expectDetails("csv", row)
		if row["debit"]+row["credit"] != "5.00" {
			t.Errorf("csv has the amounts %q and %q", row["debit"], row["credit"])
		}
	}
}

func TestNoTextGetsOutOfItsField(t *testing.T) {
	for _, text := range hostile {
		expectHarmless(t, text)
	}
}

func FuzzNoTextGetsOutOfItsField(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	f.Fuzz(expectHarmless)
}

// Sub-accounts of different cardholders must be different, in any format.
func TestSubAccountsKeepCardholdersApart(t *testing.T) {
	for _, format := range []string{"hledger", "beancount"} {
		seen := make(map[string]string)
		for _, id := range hostile {
			rows := block(t, format, oneOf(id))
			name, _, _ := strings.Cut(strings.TrimSpace(rows[len(rows)-1]), "  ")
			if other, there := seen[name]; there {
				t.Errorf("%s: the cardholders %q and %q share %s", format, other, id, name)
			}
			seen[name] = id
		}
	}
}

// hostileService has accounts, purchases, refunds, redemptions, adjustments and
// events with hostile ids.
func hostileService(t *testing.T) *service {
	s := newService(t, maturing())
	for i, id := range hostile {
		make := func(day string, kind reward.Type, purchase, fact string, amount int64) {
			s.deliver(reward.Event{
				Source: id, ID: strconv.Itoa(len(s.entries)) + id, Account: id, Time: at(day), Type: kind, Transaction: purchase, Fact: fact,
				Amount: amount, HasAmount: true, Currency: "USD", Category: "GROCERY", Merchant: id, Reason: id, Actor: id, Approver: id, Method: id,
			})
			s.entries[len(s.entries)-1].Principal = id
		}
		make("01-05", reward.TransactionSettled, id, "", 10_000+int64(i))
		make("01-25", reward.RefundPending, id, id, 4_000)
		make("01-26", reward.RefundPosted, id, id, 6_000)
		make("01-27", reward.RedemptionRequested, "", id, 100)
		make("01-28", reward.AdjustmentPosted, "", id, 5)
	}
	return s
}

func TestHostileIdsTieOutInTheAccountantsPrograms(t *testing.T) {
	s := hostileService(t)
	want := s.expected()
	for _, by := range []bool{false, true} {
		o := options()
		o.ByAccount = by
		for _, format := range []string{"hledger", "beancount", "csv"} {
			file, got := checked(t, s, format, o)
			expectSums(t, format, got, want)
			if by && len(got) < len(hostile) && format != "csv" {
				t.Errorf("%s has %d accounts for %d cardholders", format, len(got), len(hostile))
			}
			switch format {
			case "hledger":
				expectTags(t, s, tool(t, "hledger", "-f", file, "print", "-O", "json"))
			case "beancount":
				out := tool(t, "bean-query", "-f", "csv", file, "SELECT count(position) WHERE account ~ 'Adjustments' AND entry_meta('kind') = 'adjustment'")
				if rows := strings.Fields(out); rows[len(rows)-1] != strconv.Itoa(len(hostile)) {
					t.Errorf("Beancount counts %v adjustments, want %d", rows, len(hostile))
				}
			}
		}
	}
}

// expectTags compares what hledger reads with what was exported, by its own parser.
func expectTags(t *testing.T, s *service, printed string) {
	t.Helper()
	var read []struct {
		Code string      `json:"tcode"`
		Date string      `json:"tdate"`
		Tags [][2]string `json:"ttags"`
	}
	if err := json.Unmarshal([]byte(printed), &read); err != nil {
		t.Fatal(err)
	}
	all := &transactions{}
	if _, err := export.Write(context.Background(), s, all, options()); err != nil {
		t.Fatal(err)
	}
	if len(read) != len(all.list)+1 { // and that of the assertions
		t.Fatalf("hledger reads %d transactions, want %d", len(read), len(all.list)+1)
	}
	for _, r := range read[:len(read)-1] {
		tags := make(map[string]string)
		for _, tag := range r.Tags {
			value, err := url.PathUnescape(tag[1])
			if _, twice := tags[tag[0]]; err != nil || twice {
				t.Fatalf("hledger reads the tags %q (%v)", r.Tags, err)
			}
			tags[tag[0]] = value
		}
		code, _ := url.PathUnescape(r.Code)
		i := slices.IndexFunc(all.list, func(w export.Transaction) bool {
			return w.Event == tags["event"] && w.Kind == tags["kind"] && w.Cardholder == tags["cardholder"]
		})
		if i < 0 {
			t.Errorf("hledger reads a transaction that was not exported: %q", tags)
			continue
		}
		if w := all.list[i]; code != w.Event || r.Date != w.At.Time().Format("2006-01-02") || tags["source"] != w.Source ||
			tags["purchase"] != w.Purchase || tags["fact"] != w.Fact || tags["reason"] != w.Reason || tags["actor"] != w.Actor || tags["approver"] != w.Approver || tags["principal"] != w.Principal {
			t.Errorf("hledger reads %q of %s, exported was %+v", tags, r.Date, w)
		}
	}
}

// transactions is a format for tests that keeps what it is given.
type transactions struct {
	lines
	list []export.Transaction
}

func (x *transactions) Transaction(t *export.Transaction) error {
	w := *t
	w.Legs = nil
	x.list = append(x.list, w)
	return x.lines.Transaction(t)
}

func TestAmountsAreExactInEveryCurrency(t *testing.T) {
	for _, currency := range []string{"JPY", "USD", "KWD", "CLF"} {
		decimals, _ := program.MinorUnits(currency)
		for _, amount := range []int64{1, 9, 10, 99, 100, 999, 1000, 1001, 12345, 10_000, 1_000_000_000_000_000, 4_000_000_000_000_000_001} {
			w := oneOf("x")
			w.Currency = export.Currency{Code: currency, Decimals: decimals}
			w.Legs[0].Amount, w.Legs[1].Amount = amount, -amount
			for _, format := range []string{"hledger", "beancount"} {
				rows := block(t, format, w)
				for i, want := range []int64{amount, -amount} {
					_, text, _ := strings.Cut(strings.TrimSpace(rows[len(rows)-2+i]), "  ")
					text, ok := strings.CutSuffix(text, " "+currency)
					if n, err := program.ParseDecimal(text, currency); !ok || err != nil || n != want {
						t.Errorf("%s writes %d minor units of %s as %q", format, want, currency, text)
					}
				}
			}
		}
	}
}

// hledger would take 1.500 for fifteen hundred if nothing told it otherwise.
func TestCurrenciesWithOtherDecimalsTieOut(t *testing.T) {
	for currency, c := range map[string]struct{ hledger, beancount string }{
		"KWD": {"\"-1.500 KWD\"", "-1.500"}, "JPY": {"\"-1500 JPY\"", "-1500"},
	} {
		p := program.Everyday()
		p.Currency, p.Rules[0].Cap = currency, reward.NoCap
		s := newService(t, p)
		e := settled("01-05 10:00", "t1")
		e.Currency, e.Amount = currency, 30_000
		s.deliver(e)
		for format, want := range map[string]string{"hledger": c.hledger, "beancount": c.beancount} {
			text, _ := written(t, s, format, options())
			file := fileOf(t, text, format)
			var out string
			if format == "hledger" {
				tool(t, "hledger", "-f", file, "check", "--strict")
				out = tool(t, "hledger", "-f", file, "balance", "--flat", "-N", "-O", "csv", "liabilities")
			} else {
				tool(t, "bean-check", file)
				out = tool(t, "bean-query", "-f", "csv", file, "SELECT sum(number) WHERE account ~ 'Liabilities'")
			}
			if !strings.Contains(out, want) {
				t.Errorf("%s reads %q, want %s", format, out, want)
			}
		}
	}
}
