package server

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"recoup/internal/service/scope"
	"recoup/internal/service/security"
	"recoup/internal/store/exempt"
	"recoup/reward"
)

// ExemptionRequest says of a member of the events of a source whether it is an id that
// may look like the number of a card.
type ExemptionRequest struct {
	Source string `json:"source" minLength:"1" maxLength:"256" doc:"Of the events"`
	Member string `json:"member" minLength:"1" maxLength:"64" example:"data.transaction" doc:"As a line has it: id, subject, data.transaction, data.merchant"`
	Exempt *bool  `json:"exempt,omitempty" doc:"false: not any more; true if left out"`
	Reason string `json:"reason" minLength:"1" maxLength:"256" doc:"Why; it stays on record with the name of the key"`
}

// Exemption is a change of what is exempt.
type Exemption struct {
	Number int64  `json:"number" doc:"Counts changes from one"`
	Source string `json:"source"`
	Member string `json:"member"`
	Exempt bool   `json:"exempt"`
	Actor  string `json:"actor"`
	Reason string `json:"reason"`
	Time   string `json:"time" format:"date-time"`
}

// ExemptionList is what is exempt, and the latest changes.
type ExemptionList struct {
	InForce []Exemption `json:"in_force" nullable:"false" doc:"By source and member, each as the change that made it"`
	Changes []Exemption `json:"changes" nullable:"false" doc:"The latest 100, the newest first"`
}

// latestChanges is how many changes the list has.
const latestChanges = 100

type exemptionsOutput struct{ Body ExemptionList }

type exemptInput struct{ Body body[ExemptionRequest] }

type exemptOutput struct {
	Status int
	Body   Exemption
}

func exemptionOf(c exempt.Change) Exemption {
	return Exemption{c.Number, c.Source, c.Member, c.Exempt, c.Actor, c.Reason, reward.Instant(c.At).String()}
}

func exemptionsOf(list []exempt.Change) []Exemption {
	shown := make([]Exemption, len(list))
	for i, c := range list {
		shown[i] = exemptionOf(c)
	}
	return shown
}

func (s *Server) listExemptions(ctx context.Context, _ *struct{}) (*exemptionsOutput, error) {
	inForce, err := s.exemptions.InForce(ctx)
	if err != nil {
		return nil, s.failure(ctx, err)
	}
	changes, err := s.exemptions.Changes(ctx, 0, latestChanges)
	if err != nil {
		return nil, s.failure(ctx, err)
	}
	return &exemptionsOutput{ExemptionList{exemptionsOf(inForce), exemptionsOf(changes)}}, nil
}

func (s *Server) exempt(ctx context.Context, in *exemptInput) (*exemptOutput, error) {
	ask := in.Body.value
	if refused := first(in.Body.refused, allGiven("source", ask.Source, "member", ask.Member, "reason", ask.Reason)); refused != nil {
		return nil, refused
	}
	c := exempt.Change{Source: ask.Source, Member: ask.Member, Exempt: ask.Exempt == nil || *ask.Exempt, Actor: cmp.Or(principalOf(ctx).Name, principalOf(ctx).ID), Reason: ask.Reason}
	done, changed, err := s.exemptions.Set(ctx, c)
	invalid := (*exempt.InvalidError)(nil)
	switch {
	case errors.As(err, &invalid):
		return nil, problem("invalid_request", invalid.Error()+".").at(invalid.Member)
	case err != nil:
		return nil, s.failure(ctx, err)
	}
	out := &exemptOutput{http.StatusCreated, exemptionOf(done)}
	if !changed {
		out.Status = http.StatusOK
	} else {
		s.note(ctx, security.ExemptionChanged, principalOf(ctx), done.String())
	}
	return out, nil
}

func (s *Server) exemptionRoutes() {
	if s.exemptions == nil {
		return
	}
	register(s, huma.Operation{
		OperationID: "list-exemptions", Metadata: map[string]any{ofAllAccounts: true}, Method: http.MethodGet, Path: "/v1/exemptions",
		Tags: []string{"Reviews"}, Summary: "Members of events that are not looked at for numbers of cards",
	}, scope.Read, nil, s.listExemptions)
	register(s, huma.Operation{
		OperationID: "exempt", Metadata: map[string]any{ofAllAccounts: true}, Method: http.MethodPost, Path: "/v1/exemptions", DefaultStatus: http.StatusCreated,
		Tags: []string{"Reviews"}, Summary: "Say that a member of a source's events is an id, although it may look like the number of a card",
		Description: "It holds for what comes within a second or two. What was kept apart before is let in or dismissed by itself, or sent again.",
	}, scope.Admin, nil, s.exempt)
}
