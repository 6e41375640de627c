package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"recoup/event"
	"recoup/internal/replay"
	"recoup/program"
)

// state is how an account ends, as `recoup replay` prints it. What the service
// does not show (net reward, entitlement) follows from the rest or is checked by
// `recoup verify`.
type state struct {
	Account      string            `json:"account"`
	Status       string            `json:"status"`
	Balance      int64             `json:"balance"`
	Held         int64             `json:"held"`
	Available    int64             `json:"available"`
	Redeemed     int64             `json:"redeemed"`
	Adjustments  int64             `json:"adjustments"`
	NetSpend     int64             `json:"net_spend"`
	HoldUntil    *string           `json:"hold_until"`
	Transactions []transactionLine `json:"transactions"`
}

type transactionLine struct {
	ID       string `json:"id"`
	Status   string `json:"status"`
	Amount   int64  `json:"amount"`
	Reversed int64  `json:"reversed"`
	Original int64  `json:"reward_original"`
	Retained int64  `json:"reward_retained"`
}

func (s state) String() string {
	text, _ := json.Marshal(s)
	return string(text)
}

func escaped(account string) string { return url.PathEscape(account) }

// state reads an account from the service, its transactions a page at a time.
func (c *client) state(account string, pageSize int) (state, error) {
	var s state
	if err := c.get("/v1/accounts/"+escaped(account), &s); err != nil {
		return s, err
	}
	s.Transactions = nil
	for cursor := ""; ; {
		var page struct {
			Transactions []transactionLine
			Next         *string
		}
		query := url.Values{"limit": {fmt.Sprint(pageSize)}}
		if cursor != "" {
			query.Set("cursor", cursor)
		}
		if err := c.get("/v1/accounts/"+escaped(account)+"/transactions?"+query.Encode(), &page); err != nil {
			return s, err
		}
		s.Transactions = append(s.Transactions, page.Transactions...)
		if page.Next == nil {
			return s, nil
		}
		cursor = *page.Next
	}
}

// replayed is what `recoup replay` makes of a stream.
type replayed struct {
	outcomes []outcome
	states   map[string]state
}

// replayOf replays lines under a program, up to the present: accounts are read as of now.
func replayOf(document []byte, events []string) (*replayed, error) {
	terms, err := program.Parse("program", document)
	if err != nil {
		return nil, err
	}
	var outcomes, final bytes.Buffer
	result, err := replay.Run(context.Background(), event.NewReader(strings.NewReader(strings.Join(events, "\n")), "events"),
		replay.Options{Program: terms, Outcomes: &outcomes, Until: end})
	if err != nil {
		return nil, err
	}
	if found := result.Store.Check(); len(found) > 0 {
		return nil, fmt.Errorf("replay itself violates an invariant: %v", found)
	}
	if err := result.WriteState(&final); err != nil {
		return nil, err
	}
	r := &replayed{}
	for line := range bytes.Lines(outcomes.Bytes()) {
		var o outcome
		if err := json.Unmarshal(line, &o); err != nil {
			return nil, err
		}
		r.outcomes = append(r.outcomes, o)
	}
	if len(r.outcomes) != len(events) {
		return nil, fmt.Errorf("replay has %d outcomes for %d events", len(r.outcomes), len(events))
	}
	r.states, err = statesIn(final.Bytes())
	return r, err
}

// statesIn reads what `recoup replay --output json` prints.
func statesIn(text []byte) (map[string]state, error) {
	var final struct{ Accounts []state }
	if err := json.Unmarshal(text, &final); err != nil {
		return nil, err
	}
	states := make(map[string]state, len(final.Accounts))
	for _, s := range final.Accounts {
		states[s.Account] = s
	}
	return states, nil
}

// difference says how two states of an account differ, "" if they do not.
func difference(got, want state) string {
	for i := range max(len(got.Transactions), len(want.Transactions)) {
		switch {
		case i >= len(got.Transactions):
			return fmt.Sprintf("transaction %+v is missing", want.Transactions[i])
		case i >= len(want.Transactions):
			return fmt.Sprintf("transaction %+v should not be there", got.Transactions[i])
		case got.Transactions[i] != want.Transactions[i]:
			return fmt.Sprintf("transaction is %+v, want %+v", got.Transactions[i], want.Transactions[i])
		}
	}
	got.Transactions, want.Transactions = nil, nil
	if g, w := got.String(), want.String(); g != w {
		return fmt.Sprintf("is\n     %s\nwant %s", g, w)
	}
	return ""
}

// shown is a state as the service shows it: of a grace hold that has ended replay says
// when that was, and the service nothing.
func (s state) shown() state {
	if s.HoldUntil != nil {
		if until, err := time.Parse(time.RFC3339Nano, *s.HoldUntil); err == nil && until.Before(time.Now()) {
			s.HoldUntil = nil
		}
	}
	return s
}

// compareStates compares all accounts with what the service shows of them.
func (c *client) compareStates(want map[string]state, pageSize int) (differences []string) {
	for _, account := range sortedKeys(want) {
		got, err := c.state(account, pageSize)
		if err != nil {
			differences = append(differences, fmt.Sprintf("account %s: %v", account, err))
		} else if d := difference(got, want[account].shown()); d != "" {
			differences = append(differences, fmt.Sprintf("account %s: %s", account, d))
		}
	}
	return differences
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
