package probe

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"recoup/internal/scenario"
)

// curl writes a history and its twin as a script for sh that makes the calls of the
// protocol one after another, on one calendar, and prints both accounts whenever they are
// read. The last two lines that it prints are the two accounts at the end.
func curl(c *sweepCase, can *Capabilities, base, leak string) string {
	if !strings.HasPrefix(base, "http") { // a design that was probed in this process
		base = "http://127.0.0.1:9000"
	}
	w := &script{can: can}
	w.line("#!/bin/sh")
	w.comment("The first account ends with %s more than the second, which never bought what the first returned.", leak)
	w.comment("Usage: BASE=%s sh this-script", base)
	w.comment("A sandbox that wants a token gets it from %s.", TokenVariable)
	w.line("set -eu")
	w.line("BASE=${BASE:-%s}", quoted(base))
	w.line("call() {")
	w.line("  method=$1 path=$2; shift 2")
	w.line("  if [ -n \"${%s:-}\" ]; then set -- \"$@\" -H \"Authorization: Bearer $%s\"; fi", TokenVariable, TokenVariable)
	w.line("  answer=$(curl -sS -w '\\n%%{http_code}' -X \"$method\" \"$@\" \"$BASE$path\")")
	w.line("  printf '%%s\\n' \"$answer\" | sed '$d'")
	// What a program refuses or knows already, it may answer with 409 or 422.
	w.line("  case $(printf '%%s\\n' \"$answer\" | tail -n 1) in")
	w.line("  2*|409|422) ;;")
	w.line("  *) echo \"$method $path was not answered as expected\" >&2; exit 1 ;;")
	w.line("  esac")
	w.line("}")
	w.line("send() { path=$1 body=$2; call POST \"$path\" -H 'Content-Type: application/json' --data-raw \"$body\"; }")
	w.line("")
	w.send("/reset", struct{}{})
	open := map[*history]bool{}
	var names []string
	list := []*history{c.h, c.twin}
	for _, d := range calendar(list, can.CanSetClock && can.StatementClose != ClosesNot) {
		if can.CanSetClock {
			w.send("/clock", Clock{Now: d.at})
		}
		if d.h == nil {
			for _, name := range names {
				w.closeStatement(name)
			}
			continue
		}
		if !open[d.h] {
			open[d.h] = true
			names = append(names, d.h.name)
			slices.Sort(names)
			w.send("/accounts", OfAccount{Account: d.h.name})
		}
		if d.step != opensAccount {
			w.move(d.h, d.step)
		}
	}
	for _, h := range list {
		w.read(h.name)
	}
	return w.text.String()
}

// script writes a script, line by line.
type script struct {
	can  *Capabilities
	text strings.Builder
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

// send posts a body of the protocol.
func (w *script) send(path string, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		panic("probe: a body of the protocol cannot be written: " + err.Error())
	}
	w.line("send %s %s", path, quoted(string(text)))
}

func (w *script) read(account string) {
	w.line("call GET %s", quoted("/accounts/"+url.PathEscape(account)))
}

func (w *script) closeStatement(account string) {
	if w.can.StatementClose == ClosesByCall {
		w.send("/statements/close", OfAccount{account})
	}
}

// move writes a step as the client sends it.
func (w *script) move(h *history, i int) {
	step := &h.steps[i]
	m := &step.Move
	w.comment("%s  %s", step.At.Format("2006-01-02 15:04"), h.name)
	late := func(m *scenario.Move) (at Clock) {
		if w.can.Dates && !m.Happened.Equal(step.At) {
			at.Now = m.Happened
		}
		return at
	}
	switch m.Kind {
	case scenario.Settle, scenario.Authorize:
		body := Settlement{Account: h.name, Transaction: m.ID, Amount: m.Amount, Merchant: m.Merchant, Category: m.Category, At: late(m).Now}
		if w.can.MCC {
			body.MCC = m.MCC
		}
		if m.Kind == scenario.Authorize {
			w.send("/authorizations", body)
		} else {
			w.send("/settlements", body)
		}
	case scenario.Cancel:
		w.send("/authorizations/cancel", Cancellation{h.name, m.ID})
	case scenario.Refund:
		body := Refund{Account: h.name, Refund: m.ID, Transaction: m.Of, Amount: m.Amount, Merchant: m.Merchant, At: late(m).Now}
		if w.can.MCC {
			body.MCC = m.MCC
		}
		if w.can.RefundCategory {
			body.Category = m.Category
		}
		w.send("/refunds", body)
	case scenario.Chargeback:
		w.send("/chargebacks", Chargeback{Account: h.name, Chargeback: m.ID, Transaction: m.Of, Amount: m.Amount, At: late(m).Now})
	case scenario.Redeem:
		if h.asked[i] > 0 {
			id := m.ID
			if m.Amount == 0 {
				id = eachTime(id, i)
			}
			w.send("/redemptions", Redemption{h.name, id, h.asked[i]})
		}
	}
	w.read(h.name)
}

// quoted is a word for sh that means exactly the text.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
