package server

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"recoup/event"
	"recoup/reward"
)

// Plain handlers are not known to huma; what is here describes them by hand.

// Health describes the answer to a load balancer, which package observe writes.
type Health struct {
	Status string            `json:"status" doc:"alive or ready, or why not"`
	Checks map[string]string `json:"checks,omitempty" doc:"What must be so for the service to take requests: ok, degraded, or failed and why"`
}

// describe documents an endpoint that answers something of a content type.
func (s *Server) describe(method, path, id, summary, text, contentType string, codes []string) {
	schema := &huma.Schema{Type: huma.TypeString}
	switch contentType {
	case "application/json":
		schema = s.api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[Health](), true, "")
	case documentType:
		schema.Type = huma.TypeObject
	}
	op := &huma.Operation{
		OperationID: id, Method: method, Path: path, Tags: []string{"Service"}, Summary: summary, Description: text,
		Responses: map[string]*huma.Response{"200": {Description: "As it says", Content: map[string]*huma.MediaType{contentType: {Schema: schema}}}},
	}
	if codes != nil {
		s.describeProblems(op, codes)
	}
	if strings.HasPrefix(text, "Without a key") {
		op.Security = []map[string][]string{{}}
		op.Responses = map[string]*huma.Response{
			"200": op.Responses["200"],
		}
		if codes != nil {
			op.Responses["503"] = &huma.Response{Description: "Not now", Content: op.Responses["200"].Content}
		}
	}
	s.api.OpenAPI().AddOperation(op)
}

// documentType is the content type of the document.
const documentType = "application/openapi+json"

// once marks, in the document, an operation of which each request does something more: sent
// again after an answer was lost, it may be done twice.
func once() map[string]any { return map[string]any{"x-idempotent": false} }

// named gives a schema a name of its own, by which generated clients have it.
func (s *Server) named(name string, schema *huma.Schema) *huma.Schema {
	schemas := s.api.OpenAPI().Components.Schemas
	schemas.Map()[name] = schema
	return &huma.Schema{Ref: "#/components/schemas/" + name}
}

// oneOf describes, under a name, an answer that is of one of several schemas.
func (s *Server) oneOf(name string, schemas ...*huma.Schema) *huma.Schema {
	return s.named(name, &huma.Schema{OneOf: schemas})
}

// CloudEvent describes an event as it comes. It is read by package event, never
// into this type.
type CloudEvent struct {
	SpecVersion string `json:"specversion" enum:"1.0"`
	ID          string `json:"id" minLength:"1" maxLength:"256" doc:"Account, source and id name the event: the same again is a duplicate"`
	Source      string `json:"source" minLength:"1" maxLength:"256" doc:"Who sends it; not api or recoup:clock, which are the service's own"`
	Type        string `json:"type" doc:"What it reports"`
	Time        string `json:"time" format:"date-time" doc:"When it happened; at most 15 minutes, unless configured otherwise, ahead of its receipt"`
	Subject     string `json:"subject" minLength:"1" maxLength:"256" doc:"The account"`
	Data        any    `json:"data,omitempty" doc:"What its type has; see the description of POST /v1/events"`
}

// EventOutcome describes the answer to an event.
type EventOutcome struct {
	ID      string  `json:"id,omitempty"`
	Source  string  `json:"source,omitempty"`
	Account string  `json:"account,omitempty"`
	Index   *int64  `json:"index,omitempty" doc:"Only of one that could not be read, which has no id: its place, from 0"`
	Outcome string  `json:"outcome" enum:"applied,duplicate,parked,ignored,rejected,quarantined,failed" doc:"quarantined: kept apart, since a text looks like the number of a card; failed: it was not applied, and code says whether to send it again: account_locked yes, account_damaged not before somebody has looked after it. Where it has an index and no id it is the last line of a stream that ends early: from index on nothing is answered for"`
	Code    *string `json:"code" example:"over_refund" doc:"More about the outcome; null where there is nothing to add"`
	Member  string  `json:"member,omitempty" doc:"The member at fault"`
	Detail  string  `json:"detail,omitempty" doc:"What was expected, of one that was refused or could not be read"`
}

// describeEvents documents POST /v1/events.
func (s *Server) describeEvents() {
	schemas := s.api.OpenAPI().Components.Schemas
	one := schemas.Schema(reflect.TypeFor[CloudEvent](), true, "")
	outcome := schemas.Schema(reflect.TypeFor[EventOutcome](), true, "")
	// Extension attributes are ignored, and which types there are, the core says.
	described := schemas.SchemaFromRef(one.Ref)
	described.AdditionalProperties = true
	described.Properties["type"].Enum = eventTypes()
	described.Properties["data"].Type = huma.TypeObject
	most := MaxBatch
	op := &huma.Operation{
		OperationID: "post-events", Method: http.MethodPost, Path: "/v1/events", Tags: []string{"Events"}, Summary: "Deliver events",
		Description: eventsText,
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			oneType:   {Schema: one},
			batchType: {Schema: &huma.Schema{Type: huma.TypeArray, Items: one, MaxItems: &most}},
			linesType: {Schema: one},
		}},
		Responses: map[string]*huma.Response{"200": {
			Description: "What became of each event, in order: an object for one, an array for a batch, a line each for a stream. An event that is refused or malformed fails alone.",
			Content: map[string]*huma.MediaType{
				"application/json": {Schema: s.oneOf("EventAnswer", outcome, s.named("EventOutcomeList", &huma.Schema{Type: huma.TypeArray, Items: outcome}))},
				linesType:          {Schema: outcome},
			},
		}, "202": {
			Description: "A single event was kept apart: its outcome is quarantined, and it has no effect until somebody lets it in",
			Content:     map[string]*huma.MediaType{"application/json": {Schema: outcome}},
		}},
	}
	s.describeProblems(op, []string{"malformed", "body_incomplete", "body_timeout", "body_too_large", "batch_too_large", "unsupported_type", "account_locked", "account_damaged"})
	s.api.OpenAPI().AddOperation(op)
}

func eventTypes() []any {
	var list []any
	for t := reward.Type(1); t.String() != "unknown"; t++ {
		list = append(list, t.String())
	}
	return list
}

var eventsText = strings.NewReplacer("MAXBATCH", strconv.Itoa(MaxBatch), "MAXLINE", strconv.Itoa(event.MaxLine)).Replace(`One CloudEvent (` + "`" + oneType + "`" + `), a batch of up to MAXBATCH as a JSON array (` + "`" + batchType + "`" + `), or a stream of lines of any length (` + "`" + linesType + "`" + `), each of at most MAXLINE bytes.

Events of one account are applied in the order in which they come. An answer means that the event is durable. In a batch or a stream an event that cannot be read fails alone, with its index; a single one that cannot be read is a 400. A stream is answered line by line while it is sent, so read the answers while sending; one that ends with the outcome failed and an index is to be sent again from that index on.

Events of an account that is locked by somebody else, or damaged, fail alone with the codes account_locked and account_damaged: a single one as a problem, in a batch or a stream each with the outcome failed. Of one account none is applied after one that failed in the same request.

What data has, by type (optional in brackets):

- transaction.authorized, transaction.settled: transaction, amount, currency, [merchant], [mcc], [category], [labels] (texts by name), [purchased] (when it was bought); transaction.settled also [merchant_amount] with [merchant_currency], [items]: 1 to 200 of item, amount, [category], [mcc], [labels], which together are the amount
- transaction.itemized: transaction, items, for a purchase that settled without or will settle
- transaction.canceled, transaction.reversed: transaction
- refund.pending: refund, transaction, amount, currency
- refund.posted: refund, amount, currency, [transaction], [linked_by] (who says of which transaction: processor or inferred, which count only where they fit, or person), [merchant_amount] with [merchant_currency] (what it is in the currency of the merchant), [merchant], [mcc], [category], [labels], [items]: those that came back, item and amount, which together are the amount
- refund.canceled: refund
- refund.reversed: refund; [reason] and [actor] where a person undid it, which is done in the console
- chargeback.posted: chargeback, transaction, [amount]
- chargeback.reversed: chargeback
- redemption.requested: redemption, amount, currency, [method]
- redemption.reversed: redemption, [reason], [actor]
- redemption.authorized: redemption, amount, currency, [expires], [method]
- redemption.captured: redemption, [amount]
- redemption.released: redemption
- adjustment.posted: adjustment, amount, currency, reason, actor, [approver]
- account.opened: [program]
- attribute.set: attribute, name, value, [from]
- attribute.withdrawn: attribute
- account.closed, cycle.closed: nothing
- refund.linked: refund, transaction, reason, actor
- refund.counted: refund, as, reason, actor
- refund.dismissed: refund, reason, actor
- chargeback.dismissed: chargeback, reason, actor
- transaction.dismissed: transaction, reason, actor
- redemption.dismissed: redemption, reason, actor
- attribute.dismissed: attribute, reason, actor

Refused without a trace, as rejected: invalid_items (not 1 to 200 of different ids and amounts above 0 that are the amount together), invalid_time (dated too far ahead, a purchase made after its event, or an authorisation that ends before it begins or more than 30 days after), source_reserved (the source is api, or begins with recoup:), scope_missing (the key may not deliver this type: redemptions need the scope redeem, resolutions operate, adjustments and closures admin).

Adjustments, resolutions and reversals of redemptions are weighed by what they do as the account stands, and refused without a trace where one person may not do it alone (approval_needed), or the rules would not do it (with the code that these say). So in a batch one is refused as decision_not_first if other events of its account come before it; in a stream those are applied first. With what looks like the number of a card it is rejected: card_number, and not kept apart.

An event with what looks like the number of a card in a text, by itself or within it, is quarantined: it has no effect and is kept apart, masked, until somebody lets it in or dismisses it (GET /v1/reviews?kind=card_number); a single event is answered with 202 then. It is rejected: card_number where it was dismissed, or too many wait. The answer has the texts of such an event masked too.

For a key with the scope ingest.`)

// publish writes the document once all endpoints are in it, and serves it.
func (s *Server) publish() {
	schemas := s.api.OpenAPI().Components.Schemas.Map()
	delete(schemas, "ErrorModel") // huma's own problems, which nobody gets
	delete(schemas, "ErrorDetail")
	for name, schema := range schemas {
		asked := strings.HasSuffix(name, "Request")
		if !asked {
			schema.AdditionalProperties = nil // answers may get more members in later versions
		}
		for member, p := range schema.Properties {
			// What may be left out is never null, and nothing is in a request.
			p.Nullable = p.Nullable && !asked && slices.Contains(schema.Required, member)
		}
	}
	// huma cannot say of an object that it may be null, nor require a header that
	// it is not to check.
	maturity := schemas["Account"].Properties["next_maturity"]
	*maturity = huma.Schema{OneOf: []*huma.Schema{{Ref: maturity.Ref}, {Type: "null"}}, Description: maturity.Description}
	for _, item := range s.api.OpenAPI().Paths {
		if item.Post == nil {
			continue
		}
		for _, p := range item.Post.Parameters {
			p.Required = p.Required || strings.HasPrefix(p.Description, "Required:")
		}
	}
	s.exemplify()
	document, err := json.Marshal(s.api.OpenAPI())
	if err != nil {
		panic("server: " + err.Error()) // the same every time: a test would see it
	}
	s.mux.HandleFunc("GET /openapi.json", s.enterPage(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", documentType)
		w.Write(document)
	}))
}
