package server

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"recoup/event"
	"recoup/internal/engine"
	"recoup/internal/kit/card"
	"recoup/reward"
)

// The answer to an event, as contract.md has it for the lines of --outcomes:
//
//	{"id":"e1","source":"core","account":"acct-1","outcome":"applied","code":null}
//
// One that was refused or kept apart here has a detail besides, and one that could not be read
// has nothing but its place: {"index":3,"outcome":"rejected","code":"malformed",…}.

func appendOutcome(b []byte, e *reward.Event, r reward.Result) []byte {
	b = appendIdentity(b, e)
	b = append(b, `,"outcome":"`...)
	b = append(b, r.Outcome.String()...)
	if r.Code == reward.NoCode {
		return append(b, `","code":null}`...)
	}
	b = append(b, `","code":"`...)
	b = append(b, r.Code.String()...)
	return append(b, `"}`...)
}

func appendRefused(b []byte, e *reward.Event, why refused) []byte {
	masked := *e // nobody has looked through all of it
	event.MaskCards(&masked)
	if why.member != "" {
		return appendSuspect(b, &masked, why)
	}
	b = appendIdentity(b, &masked)
	b = append(b, `,"outcome":"rejected","code":"`...)
	b = append(b, why.code...)
	b = append(b, `","detail":`...)
	b = appendText(b, why.detail)
	return append(b, '}')
}

func appendMalformed(b []byte, index int64, why *event.Error) []byte {
	b = append(b, `{"index":`...)
	b = strconv.AppendInt(b, index, 10)
	b = append(b, `,"outcome":"rejected","code":"malformed"`...)
	if why.Member != "" {
		b = append(b, `,"member":`...)
		b = appendText(b, card.Mask(why.Member))
	}
	b = append(b, `,"detail":`...)
	b = appendText(b, card.Mask(why.Error()))
	return append(b, '}')
}

// appendAside says that an event was not applied, and why: its account is set aside.
func appendAside(b []byte, e *reward.Event, why *engine.SetAside) []byte {
	code := asideCode(why)
	b = appendIdentity(b, e)
	b = append(b, `,"outcome":"failed","code":"`...)
	b = append(b, code...)
	b = append(b, `","detail":`...)
	b = appendText(b, kinds[code].advice)
	return append(b, '}')
}

// appendFailed says that a stream ends here, and why: nothing from this event on
// is known to be kept.
func appendFailed(b []byte, index int64, p *Problem) []byte {
	b = append(b, `{"index":`...)
	b = strconv.AppendInt(b, index, 10)
	b = append(b, `,"outcome":"failed","code":"`...)
	b = append(b, p.Code...)
	b = append(b, `","detail":`...)
	b = appendText(b, p.Detail+" Events from this index on are not answered for: send them again.")
	return append(b, '}')
}

func appendIdentity(b []byte, e *reward.Event) []byte {
	b = append(b, `{"id":`...)
	b = appendText(b, e.ID)
	b = append(b, `,"source":`...)
	b = appendText(b, e.Source)
	b = append(b, `,"account":`...)
	return appendText(b, e.Account)
}

// appendText appends a JSON string. What is not UTF-8 is replaced.
func appendText(b []byte, s string) []byte {
	b, _ = jsontext.AppendQuote(b, s)
	return b
}
