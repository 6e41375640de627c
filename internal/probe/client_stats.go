package probe

import (
	"fmt"
	"time"
)

// Stats counts what a client did so far.
type Stats struct {
	Requests  int `json:"requests"`  // sent to the target, whatever came of them
	Retries   int `json:"retries"`   // of them, sent again after a failure
	Failures  int `json:"failures"`  // of them, without an answer: 5xx, timeouts, lost connections
	Throttled int `json:"throttled"` // of them, answered 429
	Replays   int `json:"replays"`   // times that an account was played again after a reset
	Refusals  int `json:"refusals"`  // facts and redemptions that the program refused with a 4xx
	// Polls are readings that were made only to see whether a balance stays.
	Polls int `json:"polls"`
	// Slowest is the request that was answered last of all, and SlowestTook how
	// long that took.
	Slowest     string        `json:"slowest"`
	SlowestTook time.Duration `json:"slowest_took_ns"`
}

// Refusal is a fact or a redemption that the program answered with a 4xx.
type Refusal struct {
	Account string `json:"account"`
	Call    string `json:"call"` // such as POST /refunds
	ID      string `json:"id"`   // of the fact
	Status  int    `json:"status"`
	Message string `json:"message"`
}

// StatusError is an answer of the target that ends a call.
type StatusError struct {
	Call    string // such as POST /accounts
	Status  int
	Message string // what the target said, as far as it is printable
	// Spoken: the answer had the form of the protocol, {"error":…}.
	Spoken bool
}

// Error names the call, the status and what the target said.
func (e *StatusError) Error() string {
	return fmt.Sprintf("probe: %s answered %d: %s", e.Call, e.Status, e.Message)
}
