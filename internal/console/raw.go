package console

import (
	"net/url"

	"github.com/go-json-experiment/json/jsontext"

	"recoup/event"
	"recoup/internal/store/durable"
)

// rawEvent is an event of the log as engineers ask for it.
type rawEvent struct {
	JSON      string // as a CloudEvent
	Number    int64  // in the log; zero: it is not there
	Principal string // who sent it; empty: the log does not say
	API       string // where the interface for programs has what it did
}

// rawOf is an event of the log as it was sent.
func rawOf(v *durable.LoggedView) *rawEvent {
	text := jsontext.Value(event.Append(nil, &v.Event))
	if err := text.Indent(); err != nil {
		return nil // it is shown in words all the same
	}
	api := "/v1/accounts/" + url.PathEscape(v.Event.Account)
	if v.Event.Transaction != "" {
		api += "/transactions/" + url.PathEscape(v.Event.Transaction)
	} else {
		api += "/entries"
	}
	return &rawEvent{JSON: string(text), Number: v.Number, Principal: v.Principal, API: api}
}
