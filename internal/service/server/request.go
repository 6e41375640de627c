package server

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"recoup/event"
	"recoup/reward"
)

// body is a JSON body of type T, read strictly: what is unknown, there twice or
// of another type is an error that names the member, and numbers never pass
// through floating point.
type body[T any] struct {
	value   T
	refused *Problem
}

// Schema describes the body to huma as a T.
func (b body[T]) Schema(r huma.Registry) *huma.Schema {
	t := reflect.TypeFor[T]()
	return r.Schema(t, true, t.Name())
}

// read reads the body. What is wrong with it is kept for the endpoint to answer.
func (b *body[T]) read(data []byte) {
	if err := json.Unmarshal(data, &b.value, json.RejectUnknownMembers(true)); err != nil {
		b.refused = asProblem(err)
	}
}

// strictJSON is how huma reads bodies, which are all of type body, and writes
// answers.
var strictJSON = huma.Format{
	Marshal: huma.DefaultJSONFormat.Marshal,
	Unmarshal: func(data []byte, into any) error {
		b, ok := into.(interface{ read([]byte) })
		if !ok {
			return errors.New("not a body that is read here")
		}
		b.read(bytes.Clone(data)) // huma uses its buffer again
		return nil
	},
}

// asProblem says what is wrong with a JSON body in the words of this service.
func asProblem(err error) *Problem {
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		member := pointer(semantic.JSONPointer)
		if errors.Is(err, json.ErrUnknownName) {
			return problemf("invalid_request", "%s: unknown member; see /docs for those that there are.", member).at(member)
		}
		return problemf("invalid_request", "%s: expected %s, found %s.", member, wanted(semantic.GoType), found(semantic)).at(member)
	}
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return problem("malformed", "Expected a JSON object, but the body ends before its object does.")
		}
		return problemf("malformed", "Expected a JSON object, found invalid JSON at byte %d: %v.", syntax.ByteOffset+1, syntax.Err).at(pointer(syntax.JSONPointer))
	}
	return problem("malformed", "Expected a JSON object.")
}

func pointer(p jsontext.Pointer) string {
	var names []string
	for name := range p.Tokens() {
		names = append(names, strings.Trim(shown(name), `"`))
		if len(names) == 3 {
			break
		}
	}
	return strings.Join(names, ".")
}

func wanted(t reflect.Type) string {
	if t == nil {
		return "another value"
	}
	switch t.Kind() {
	case reflect.Int64, reflect.Int, reflect.Int32:
		return "an integer"
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	}
	return "an object"
}

func found(e *json.SemanticError) string {
	if len(e.JSONValue) > 0 {
		return strings.Trim(shown(string(e.JSONValue)), `"`)
	}
	return e.JSONKind.String()
}

// given checks a text that must be there: an id, a reason, an actor.
func given(member, text string) *Problem {
	switch {
	case text == "":
		return problemf("invalid_request", "%s: missing; it must be there and not empty.", member).at(member)
	case len(text) > event.MaxText:
		return problemf("invalid_request", "%s: expected at most %d bytes, found %d.", member, event.MaxText, len(text)).at(member)
	case strings.ContainsFunc(text, isControl):
		return problemf("invalid_request", "%s: expected text without control characters.", member).at(member)
	}
	return nil
}

// allGiven checks several texts, each after its name.
func allGiven(pairs ...string) *Problem {
	for i := 0; i < len(pairs); i += 2 {
		if p := given(pairs[i], pairs[i+1]); p != nil {
			return p
		}
	}
	return nil
}

// money checks an amount and its currency as the wire has them. Whether the
// amount is possible is for the rules to say.
func money(amount *int64, currency string) *Problem {
	switch {
	case amount == nil:
		return problem("invalid_request", "amount: missing; expected an integer number of minor units.").at("amount")
	case *amount > reward.MaxAmount || *amount < -reward.MaxAmount:
		return problem("invalid_amount", "").at("amount")
	case len(currency) != 3 || strings.ContainsFunc(currency, func(r rune) bool { return r < 'A' || r > 'Z' }):
		return problem("invalid_request", `currency: expected three letters A-Z, such as "USD".`).at("currency")
	}
	return nil
}

func isControl(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 || r == '\uFFFD' }

// moment reads a time in RFC 3339.
func moment(member, text string) (reward.Instant, *Problem) {
	t, err := time.Parse(time.RFC3339Nano, text)
	switch {
	case err != nil:
		return 0, problemf("invalid_request", "%s: expected a time in RFC 3339, such as 2026-01-05T10:00:00Z, found %s.", member, shown(text)).at(member)
	case t.Before(reward.EarliestInstant.Time()) || t.After(reward.LatestInstant.Time()):
		return 0, problemf("invalid_request", "%s: expected a time from %v to %v.", member, reward.EarliestInstant, reward.LatestInstant).at(member)
	}
	return reward.At(t), nil
}

// cycle reads a billing cycle, such as 2026-01.
func cycle(text string) (reward.Cycle, *Problem) {
	t, err := time.Parse("2006-01", text)
	if err != nil || t.Year() < 1970 || t.Year() > 2199 {
		return 0, problemf("invalid_request", "cycle: expected a billing cycle such as 2026-01, found %s.", shown(text)).at("cycle")
	}
	return reward.CycleAt(reward.At(t)), nil
}

// timeOf is an instant in an answer; none is null.
func timeOf(at reward.Instant) *string {
	if at == 0 {
		return nil
	}
	text := at.String()
	return &text
}

// textOf is a text in an answer; none is null.
func textOf[T fmt.Stringer](v T, there bool) *string {
	if !there {
		return nil
	}
	text := v.String()
	return &text
}
