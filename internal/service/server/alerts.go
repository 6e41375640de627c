package server

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"recoup/internal/engine"
	"recoup/internal/service/scope"
	"recoup/reward"
)

// Alert is something that whoever runs the service has to look after.
type Alert struct {
	Kind    string `json:"kind" enum:"account_set_aside"`
	Account string `json:"account"`
	Reason  string `json:"reason" enum:"damaged,locked" doc:"damaged: what is kept of it cannot be read; locked: somebody else has it locked and does not let go"`
	Since   string `json:"since" format:"date-time" doc:"When this process found out"`
	Detail  string `json:"detail" doc:"What to do"`
	Cause   string `json:"cause" doc:"What the database said"`
}

// AlertList is all alerts of the process that answers.
type AlertList struct {
	Alerts []Alert `json:"alerts" nullable:"false" doc:"By account"`
}

type alertsOutput struct{ Body AlertList }

// advised is what to do about an account that is set aside.
var advised = map[engine.Reason]string{
	engine.Damaged: "Make it anew from its log by recoup account rebuild; until then nothing is applied to it.",
	engine.Locked:  "Find the open transaction that has it locked, or the process that has stopped, and end it. It is tried again all the time.",
}

func (s *Server) alerts(context.Context, *struct{}) (*alertsOutput, error) {
	out := &alertsOutput{Body: AlertList{Alerts: []Alert{}}}
	for _, a := range s.aside() {
		out.Body.Alerts = append(out.Body.Alerts, Alert{
			Kind: "account_set_aside", Account: a.Account, Reason: a.Reason.String(), Since: reward.At(a.Since).String(), Detail: advised[a.Reason], Cause: a.Err.Error(),
		})
	}
	return out, nil
}

func (s *Server) alertRoutes() {
	register(s, huma.Operation{
		OperationID: "list-alerts", Metadata: map[string]any{ofAllAccounts: true}, Method: http.MethodGet, Path: "/v1/alerts",
		Tags: []string{"Service"}, Summary: "What somebody has to look after",
		Description: "Accounts that this process has set aside: nothing is applied to them, so that the others do not wait or fail with them. Each is tried again by itself, and leaves the list when nothing is wrong with it any more.",
	}, scope.Read, nil, s.alerts)
}
