package server

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"recoup/internal/service/scope"
	"recoup/reward"
)

// CaptureRequest says how much of an authorised redemption was paid out.
type CaptureRequest struct {
	Amount *int64 `json:"amount,omitempty" minimum:"1" maximum:"1000000000000000" doc:"In minor units, at most what was authorised, which it is by default; the rest is available again"`
}

// CaptureDecision is an authorised redemption that was paid out.
type CaptureDecision struct {
	Decision
	Redemption string `json:"redemption"`
}

// ReleaseDecision is an authorised redemption that was let go.
type ReleaseDecision struct {
	Decision
	Redemption string `json:"redemption"`
}

// inPhases makes a redemption's event an authorisation where that is what is asked for.
func inPhases(ask *RedemptionRequest, e *reward.Event) (refused *Problem) {
	switch once := ask.Capture == nil || *ask.Capture; {
	case once && ask.Expires != "":
		return problem("invalid_request", "expires: only of use where capture is false.").at("expires")
	case once:
		return nil
	}
	e.Type = reward.RedemptionAuthorized
	if ask.Expires != "" {
		e.Expires, refused = moment("expires", ask.Expires)
	}
	return refused
}

type captureInput struct {
	OfAccount
	MayHaveKey
	Redemption string `path:"redemption" maxLength:"256" doc:"The redemption"`
	Body       body[CaptureRequest]
}

type captureOutput struct {
	Status int
	Replay
	Body CaptureDecision
}

func (s *Server) capture(ctx context.Context, in *captureInput) (*captureOutput, error) {
	e := reward.Event{ID: idFrom("capture", in.Key), Account: in.Account, Type: reward.RedemptionCaptured, Fact: in.Redemption}
	if amount := in.Body.value.Amount; amount != nil {
		if *amount > reward.MaxAmount || *amount < -reward.MaxAmount {
			return nil, problem("invalid_amount", "").at("amount")
		}
		e.Amount, e.HasAmount = *amount, true
	}
	if p := first(in.Body.refused, checkKey(in.Key, false), allGiven("account", in.Account, "redemption", in.Redemption)); p != nil {
		return nil, p
	}
	d, err := s.decide(ctx, e)
	if err != nil {
		return nil, err
	}
	return &captureOutput{d.phaseStatus(), d.replay(), CaptureDecision{s.decision(d), in.Redemption}}, nil
}

type releaseOutput struct {
	Status int
	Replay
	Body ReleaseDecision
}

func (s *Server) release(ctx context.Context, in *reverseInput) (*releaseOutput, error) {
	if p := first(checkKey(in.Key, false), allGiven("account", in.Account, "redemption", in.Redemption)); p != nil {
		return nil, p
	}
	d, err := s.decide(ctx, reward.Event{
		ID: idFrom("release", in.Key), Account: in.Account, Type: reward.RedemptionReleased, Fact: in.Redemption,
	})
	if err != nil {
		return nil, err
	}
	return &releaseOutput{d.phaseStatus(), d.replay(), ReleaseDecision{s.decision(d), in.Redemption}}, nil
}

// phaseStatus is status, or 202 for what waits for its authorisation: nothing was paid out
// or let go.
func (d *decided) phaseStatus() int {
	if d.Result.Outcome == reward.Parked {
		return http.StatusAccepted
	}
	return d.status()
}

func (s *Server) phaseRoutes(denials []string) {
	codes := append([]string{"redemption_conflict", "authorization_expired", "authorization_released", "over_capture"}, denials...)
	capture := huma.Operation{
		OperationID: "capture-redemption", Method: http.MethodPost, Path: "/v1/accounts/{account}/redemptions/{redemption}/capture", DefaultStatus: http.StatusCreated,
		Tags: []string{"Redemptions"}, Summary: "Pay out what was authorised, or a part of it",
		Description: "Once, and at most what was authorised; what is beyond the amount is available again. It succeeds whatever has become of the balance, until the authorisation expires or is released.",
		RequestBody: &huma.RequestBody{}, Responses: make(map[string]*huma.Response),
	}
	register(s, capture, scope.Redeem, codes, s.capture)
	capture.RequestBody.Required = false // without one: all that was authorised
	awaits(&capture, "Nothing was authorised under this id: the capture waits for its authorisation (outcome parked), and is on the review list")
	release := huma.Operation{
		OperationID: "release-redemption", Method: http.MethodPost, Path: "/v1/accounts/{account}/redemptions/{redemption}/release", DefaultStatus: http.StatusCreated,
		Tags: []string{"Redemptions"}, Summary: "Let go of what was authorised",
		Description: "Nothing is paid out, and the amount is available again. The id of the redemption stays used.",
		Responses:   make(map[string]*huma.Response),
	}
	register(s, release, scope.Redeem, append([]string{"already_final"}, denials...), s.release)
	awaits(&release, "Nothing was authorised under this id: an authorisation that still comes is ignored (outcome parked)")
}

// awaits documents what is answered to what comes before its authorisation.
func awaits(op *huma.Operation, description string) {
	done := op.Responses["201"]
	op.Responses["202"] = &huma.Response{Description: description, Content: done.Content, Headers: done.Headers}
}
