package search

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"

	"recoup/internal/probe"
	"recoup/internal/scenario"
	"recoup/program"
)

// curl writes a find as a script for sh that makes the calls of the protocol one
// after another and shows the account after each move. The last line that it
// prints is the account at the end.
func curl(s *scenario.Scenario, find *Find, can *probe.Capabilities) string {
	w := &script{can: can, account: accountName, currency: s.Program.Currency}
	w.line("#!/bin/sh")
	w.comment("%s", find.Title)
	w.comment("Usage: BASE=http://127.0.0.1:9000 sh this-script")
	w.comment("A sandbox that wants a token gets it from %s.", probe.TokenVariable)
	w.line("set -eu")
	w.line("BASE=${BASE:-http://127.0.0.1:9000}")
	w.line("call() {")
	w.line("  method=$1 path=$2; shift 2")
	w.line("  if [ -n \"${%s:-}\" ]; then set -- \"$@\" -H \"Authorization: Bearer $%s\"; fi", probe.TokenVariable, probe.TokenVariable)
	w.line("  curl -sS -X \"$method\" \"$@\" \"$BASE$path\"; echo")
	w.line("}")
	w.line("send() { path=$1 body=$2; call POST \"$path\" -H 'Content-Type: application/json' --data-raw \"$body\"; }")
	w.line("")
	w.send("/reset", struct{}{})
	for i := range s.Steps {
		step := &s.Steps[i]
		w.line("")
		got, want := &find.Trace[i].Shown, find.Trace[i].Correct
		w.comment("%s  %s", step.At.Format("2006-01-02 15:04"), step.Text)
		w.comment("shown: %s; a correct program: %s", w.shown(got), w.shown(want))
		if can.CanSetClock {
			w.send("/clock", probe.Clock{Now: step.At})
		}
		if i == 0 {
			w.send("/accounts", probe.OfAccount{Account: w.account})
		}
		w.move(&step.Move)
		w.line("call GET %s", quoted("/accounts/"+url.PathEscape(w.account)))
	}
	return w.text.String()
}

// script writes a script, line by line.
type script struct {
	can      *probe.Capabilities
	account  string
	currency string
	text     strings.Builder
}

func (w *script) line(format string, args ...any) { fmt.Fprintf(&w.text, format+"\n", args...) }

// comment writes a comment, which is one line whatever is in it.
func (w *script) comment(format string, args ...any) {
	text := strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, fmt.Sprintf(format, args...))
	w.line("# %s", text)
}

func (w *script) shown(s *probe.Shown) string {
	text := "balance " + program.FormatAmount(s.Balance, w.currency) + ", paid out " + program.FormatAmount(s.PaidOut, w.currency)
	if s.Answer != "" {
		text += ", " + s.Answer
	}
	return text
}

// send posts a body of the protocol.
func (w *script) send(path string, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		panic("search: a body of the protocol cannot be written: " + err.Error())
	}
	w.line("send %s %s", path, quoted(string(text)))
}

func (w *script) move(m *scenario.Move) {
	switch m.Kind {
	case scenario.Settle:
		body := probe.Settlement{Account: w.account, Transaction: m.ID, Amount: m.Amount, Merchant: m.Merchant, Category: m.Category}
		if w.can.MCC {
			body.MCC = m.MCC
		}
		w.send("/settlements", body)
	case scenario.Refund:
		body := probe.Refund{Account: w.account, Refund: m.ID, Transaction: m.Of, Amount: m.Amount, Merchant: m.Merchant}
		if w.can.MCC {
			body.MCC = m.MCC
		}
		if w.can.RefundCategory {
			body.Category = m.Category
		}
		w.send("/refunds", body)
	case scenario.Chargeback:
		w.send("/chargebacks", probe.Chargeback{Account: w.account, Chargeback: m.ID, Transaction: m.Of, Amount: m.Amount})
	case scenario.Redeem:
		w.send("/redemptions", probe.Redemption{Account: w.account, Redemption: m.ID, Amount: m.Amount})
	case scenario.CloseStatement:
		if w.can.StatementClose == probe.ClosesByCall {
			w.send("/statements/close", probe.OfAccount{Account: w.account})
		}
	}
}

// quoted is a word for sh that means exactly the text.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
