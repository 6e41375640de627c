package marqeta

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"recoup/reward"
	"recoup/source"
)

// step is money that a dispute has moved: a credit of the cardholder, for now or because the
// case was won, or its end.
type step struct {
	at     reward.Instant
	token  string
	what   string // credit, debit: of as much as was credited for now; lost: of all
	amount int64
}

// maxSteps is more than any dispute has.
const maxSteps = 50

// chargebackKey is under which the steps of a dispute are kept. Later ones build on earlier
// ones, in whatever order they come.
func chargebackKey(token string) string { return "chargeback " + token }

func (m *message) credited() (string, error) { return m.move("credit") }
func (m *message) debited() (string, error)  { return m.move("debit") }
func (m *message) lost() (string, error)     { return m.move("lost") }

// move tells what a step of a dispute has brought. What stands is the latest credit that
// nothing later has ended: the credit for now and that of the case which is won are two
// messages of the same money, so that the later takes the place of the earlier. Each credit
// is a chargeback by itself, which is undone by what ends it: whatever comes first, the same
// ones are left.
func (m *message) move(what string) (string, error) {
	c := m.Chargeback
	switch {
	case !source.IsID(c.Token):
		return "", errors.New("chargeback.token: expected an id")
	case !source.IsID(c.Purchase):
		return "", errors.New("chargeback.transaction_token: expected an id, since it is the purchase")
	case m.amount == 0 && what != "lost":
		return nothing, nil
	}
	steps := readSteps(m.notes.Get(chargebackKey(c.Token)))
	this := step{m.at, m.Token, what, m.amount}
	if !slices.Contains(steps, this) {
		steps = append(steps, this)
	}
	if len(steps) > maxSteps {
		return "", fmt.Errorf("chargeback.token: expected at most %d transactions of one dispute", maxSteps)
	}
	slices.SortFunc(steps, inOrder)
	m.notes.Put(chargebackKey(c.Token), writeSteps(steps), m.account)
	told := false
	var wrong error
	for i, credit := range steps {
		if credit.what != "credit" {
			continue
		}
		if credit == this {
			told = true
			m.add(reward.ChargebackPosted, this.token, this.at, func(e *reward.Event) {
				e.Fact, e.Transaction = m.Prefixed(this.token), m.Prefixed(c.Purchase)
				e.HasAmount, e.Amount = true, this.amount
			})
		}
		for _, end := range steps[i+1:] { // by the first that may end it, whatever else follows
			ours := end == this || credit == this
			if end.what == "debit" && end.amount != credit.amount {
				if ours {
					wrong = errors.New("amount: expected that of the credit before it, since only the whole of it can be undone")
				}
				continue
			}
			if ours {
				told = true
				m.add(reward.ChargebackReversed, credit.token+":"+end.token, end.at, func(e *reward.Event) { e.Fact = m.Prefixed(credit.token) })
			}
			break
		}
	}
	if wrong != nil || told {
		return "", wrong
	}
	return "the dispute has credited nothing that this would end", nil
}

// inOrder orders steps by time; of two at once a credit comes before what ends it.
func inOrder(x, y step) int {
	return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.what, y.what), cmp.Compare(x.token, y.token))
}

func readSteps(text string) (steps []step) {
	for entry := range strings.FieldsSeq(text) {
		parts := append(strings.Split(entry, ","), "", "", "")
		at, _ := strconv.ParseInt(parts[0], 10, 64)
		amount, _ := strconv.ParseInt(parts[3], 10, 64)
		steps = append(steps, step{reward.Instant(at), parts[1], parts[2], amount})
	}
	return steps
}

func writeSteps(steps []step) string {
	var entries []string
	for _, s := range steps {
		entries = append(entries, fmt.Sprintf("%d,%s,%s,%d", s.at, s.token, s.what, s.amount))
	}
	return strings.Join(entries, " ")
}
