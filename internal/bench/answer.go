package bench

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"recoup/reward"
)

// check reads the answer to a request of these events and calls see with the
// result of each, in order.
//
// Nearly every result is that the event was applied, written in one way, so the
// answer is compared with that before it is parsed.
func check(answer []byte, events []reward.Event, batch bool, scratch []byte, see func(int, reward.Result) error) ([]byte, error) {
	scratch = scratch[:0]
	if batch {
		scratch = append(scratch, '[')
	}
	for i := range events {
		if i > 0 {
			scratch = append(scratch, ",\n"...)
		}
		scratch = append(append(scratch, `{"id":"`...), events[i].ID...)
		scratch = append(append(scratch, `","source":"`...), events[i].Source...)
		scratch = append(append(scratch, `","account":"`...), events[i].Account...)
		scratch = append(scratch, `","outcome":"applied","code":null}`...)
	}
	if batch {
		scratch = append(scratch, ']')
	}
	if bytes.Equal(bytes.TrimSpace(answer), scratch) {
		for i := range events {
			if err := see(i, reward.Result{Outcome: reward.Applied}); err != nil {
				return scratch, err
			}
		}
		return scratch, nil
	}
	return scratch, parse(answer, events, batch, see)
}

type answeredEvent struct {
	ID      string  `json:"id"`
	Source  string  `json:"source"`
	Account string  `json:"account"`
	Outcome string  `json:"outcome"`
	Code    *string `json:"code"`
}

func parse(answer []byte, events []reward.Event, batch bool, see func(int, reward.Result) error) error {
	found := make([]answeredEvent, 1)
	var into any = &found
	if !batch {
		into = &found[0]
	}
	if err := json.Unmarshal(answer, into); err != nil {
		return fmt.Errorf("the answer %.200q: %w", answer, err)
	}
	if len(found) != len(events) {
		return fmt.Errorf("the answer has %d results for %d events", len(found), len(events))
	}
	for i, f := range found {
		e := &events[i]
		if f.ID != e.ID || f.Source != e.Source || f.Account != e.Account {
			return fmt.Errorf("the answer has event %s of %s where event %s of %s was sent", f.ID, f.Account, e.ID, e.Account)
		}
		var r reward.Result
		var ok bool
		if r.Outcome, ok = reward.ParseOutcome(f.Outcome); !ok {
			return fmt.Errorf("event %s has the outcome %q", f.ID, f.Outcome)
		}
		if f.Code != nil {
			if r.Code, ok = reward.ParseCode(*f.Code); !ok || *f.Code == "" {
				return fmt.Errorf("event %s has the code %q", f.ID, *f.Code)
			}
		}
		if err := see(i, r); err != nil {
			return err
		}
	}
	return nil
}

// ErrUnexpected says that the service answers, and wrongly.
var ErrUnexpected = errors.New("an answer is wrong")
