package server

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"recoup/internal/engine"
	"recoup/internal/service/approval"
	"recoup/internal/service/command"
	"recoup/internal/service/scope"
	"recoup/internal/store/durable"
	"recoup/reward"
)

// Proposal is something that one person may not do alone.
type Proposal struct {
	Number      int64  `json:"number"`
	ID          string `json:"id" doc:"Of the proposal, and of the event that it becomes"`
	Account     string `json:"account" doc:"recoup:terms for terms of programs"`
	Action      string `json:"action" enum:"adjustment.posted,refund.linked,refund.counted,refund.reversed,redemption.reversed,account.opened,program.published" doc:"The type of the event that it becomes"`
	About       string `json:"about" doc:"The adjustment, refund, redemption or program"`
	Transaction string `json:"transaction,omitempty" doc:"That the refund is to be linked to"`
	Amount      int64  `json:"amount" doc:"What it does to the balance, in minor units"`
	Currency    string `json:"currency,omitempty"`
	Reason      string `json:"reason"`
	Proposer    string `json:"proposer" doc:"Who proposed it"`
	Principal   string `json:"principal" doc:"The id of who proposed it"`
	Proposed    string `json:"proposed_at" format:"date-time"`
	State       string `json:"state" enum:"open,approved,rejected"`
	Decider     string `json:"decider,omitempty" doc:"Who approved or rejected it"`
	Note        string `json:"note,omitempty"`
}

func proposalOf(p *approval.Proposal) Proposal {
	return Proposal{
		Number: p.Number, ID: p.Adjustment, Account: p.Account, Action: p.Action.String(), About: p.About, Transaction: p.Transaction,
		Amount: p.Amount, Currency: p.Currency, Reason: p.Reason, Proposer: p.Proposer.Name, Principal: p.Proposer.ID, Proposed: p.Proposed.String(),
		State: p.State.String(), Decider: p.Decider.Name, Note: p.Note,
	}
}

// ProposalList is a page of those that wait.
type ProposalList struct {
	Proposals []Proposal `json:"proposals" nullable:"false" doc:"The oldest first"`
}

// ask has a command wait for a second person, unless whoever gives it may do it alone:
// then it returns what was counted of it, for released. What was approved meanwhile is
// answered with what the log has.
func (s *Server) ask(ctx context.Context, e reward.Event) (*approval.Proposal, *decided, error) {
	want, err := s.fresh(ctx, &e)
	if want == nil || err != nil {
		return nil, nil, err
	}
	p, waits, err := s.approvals.Ask(ctx, *want, s.alone)
	if err != nil {
		return nil, nil, s.proposalFailure(ctx, err)
	}
	if p.Number == 0 {
		return &p, nil, nil
	}
	d, err := s.answerProposal(ctx, &p, waits)
	return nil, d, err
}

// countable refuses to have a refused fact count by one person alone if that does more to
// the balance than they may, and otherwise returns what was counted of it. There is no
// proposal of it: the sender can send it anew.
func (s *Server) countable(ctx context.Context, e *reward.Event) (*approval.Proposal, error) {
	want, err := s.fresh(ctx, e)
	if want == nil || err != nil {
		return nil, err
	}
	switch refused := s.mayAlone(ctx, want); {
	case refused != nil && refused.Code == "approval_needed":
		return nil, problem("approval_needed", "It does more to the balance than one person may alone: have its sender send it again in the account's currency.")
	case refused != nil:
		return nil, refused
	}
	return want, nil
}

// fresh weighs a command that is not in the log yet; nil: it is, or nothing needs a second
// person.
func (s *Server) fresh(ctx context.Context, e *reward.Event) (*approval.Proposal, error) {
	if s.approvals != nil {
		_, done, err := s.ledger.Logged(ctx, e.Account, apiSource, e.ID)
		switch {
		case err != nil:
			return nil, s.failure(ctx, err)
		case done: // before, and it is answered as it was
			return nil, nil
		}
	}
	want, refused := s.weigh(ctx, e, principalOf(ctx))
	switch {
	case refused != nil:
		return nil, refused
	case s.approvals == nil:
		return nil, nil
	}
	return want, nil
}

// answerProposal answers for a command that became a proposal.
func (s *Server) answerProposal(ctx context.Context, p *approval.Proposal, waits bool) (*decided, error) {
	switch {
	case waits:
		refused := problemf("approval_needed", "This is proposal %d, and waits for somebody else to approve it by POST /v1/proposals/%d/approval or in the console.", p.Number, p.Number)
		refused.Proposal = p.Number
		return nil, refused
	case p.State == approval.Rejected:
		refused := problemf("proposal_rejected", "Proposal %d was rejected by %s. %s", p.Number, p.Decider.Name, p.Note)
		refused.Proposal = p.Number
		return nil, refused
	}
	v, ok, err := s.ledger.Logged(ctx, p.Account, engine.ConsoleSource, p.Adjustment)
	if err != nil || !ok {
		return nil, s.failure(ctx, errors.Join(err, approval.ErrUnlogged))
	}
	return &decided{command.Decided{LoggedView: v, Replayed: true}}, nil
}

// released takes back what was counted of a command that was not done; nil: nothing was.
func (s *Server) released(ctx context.Context, counted *approval.Proposal) {
	if counted == nil {
		return
	}
	if err := s.approvals.Release(ctx, counted); err != nil {
		s.log.ErrorContext(ctx, "what was not done counts as done", "error", err)
	}
}

// proposalFailure is the problem of what the book of proposals does not take.
func (s *Server) proposalFailure(ctx context.Context, err error) error {
	var invalid *approval.InvalidError
	var refused *approval.RefusedError
	switch {
	case errors.As(err, &invalid):
		return problem("invalid_request", invalid.Error()+".").at(invalid.Member)
	case errors.Is(err, approval.ErrAccountUnknown):
		return problem("account_unknown", "").at("account")
	case errors.Is(err, approval.ErrReused):
		return problem("idempotency_key_reused", "")
	case errors.Is(err, approval.ErrUnknown), errors.Is(err, approval.ErrUnlogged):
		return problem("proposal_unknown", err.Error()+".")
	case errors.Is(err, approval.ErrSamePerson):
		return problem("same_person", "")
	case errors.Is(err, approval.ErrDecided):
		return problem("already_final", err.Error()+".")
	case errors.As(err, &refused):
		if _, known := kinds[refused.Result.Code.String()]; known {
			return problem(refused.Result.Code.String(), "")
		}
	}
	return s.failure(ctx, err)
}

// decisionFailure is the problem of a proposal that cannot be decided.
func (s *Server) decisionFailure(ctx context.Context, err error) error {
	if errors.Is(err, approval.ErrReused) {
		return problem("id_reused", "The log has something else under the id of this proposal, so nothing comes of it. Rejecting it takes it off the list.")
	}
	return s.proposalFailure(ctx, err)
}

type proposalsInput struct {
	After int64 `query:"after" minimum:"0" doc:"List those with a higher number"`
	Limit int   `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"How many at most"`
}

type proposalsOutput struct{ Body ProposalList }

func (s *Server) listProposals(ctx context.Context, in *proposalsInput) (*proposalsOutput, error) {
	list, err := s.approvals.Open(ctx, in.After, in.Limit)
	if err != nil {
		return nil, s.failure(ctx, err)
	}
	out := &proposalsOutput{ProposalList{make([]Proposal, len(list))}}
	for i := range list {
		out.Body.Proposals[i] = proposalOf(&list[i])
	}
	return out, nil
}

type decideInput struct {
	Number string `path:"number" maxLength:"20" doc:"The number of the proposal"`
}

type rejectInput struct {
	Number string `path:"number" maxLength:"20" doc:"The number of the proposal"`
	Body   body[RejectionRequest]
}

// RejectionRequest says why a proposal is rejected.
type RejectionRequest struct {
	Note string `json:"note,omitempty" maxLength:"256" doc:"Why"`
}

type proposalOutput struct{ Body Proposal }

func (s *Server) approve(ctx context.Context, in *decideInput) (*proposalOutput, error) {
	number, refused := s.mayDecide(ctx, in.Number)
	if refused != nil {
		return nil, refused
	}
	p, _, err := s.approvals.Approve(ctx, number, personOf(principalOf(ctx)))
	if err != nil {
		return nil, s.decisionFailure(ctx, err)
	}
	return &proposalOutput{proposalOf(&p)}, nil
}

func (s *Server) reject(ctx context.Context, in *rejectInput) (*proposalOutput, error) {
	number, refused := s.mayDecide(ctx, in.Number)
	if refused = first(in.Body.refused, refused); refused != nil {
		return nil, refused
	}
	p, err := s.approvals.Reject(ctx, number, personOf(principalOf(ctx)), in.Body.value.Note)
	if err != nil {
		return nil, s.decisionFailure(ctx, err)
	}
	return &proposalOutput{proposalOf(&p)}, nil
}

// mayDecide reads the number of a proposal, and refuses a key that is not for its account.
func (s *Server) mayDecide(ctx context.Context, text string) (int64, *Problem) {
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, problem("proposal_unknown", "").at("number")
	}
	p, err := s.approvals.Get(ctx, number)
	switch {
	case errors.Is(err, approval.ErrUnknown):
		return 0, problem("proposal_unknown", "").at("number")
	case err != nil:
		return 0, s.failure(ctx, err)
	}
	switch p.Action {
	case reward.ProgramPublished:
		return number, ofTerms(principalOf(ctx), p.About)
	case reward.AccountOpened:
		return number, s.enters(ctx, principalOf(ctx), p.Account, p.About)
	}
	return number, s.touches(ctx, principalOf(ctx), p.Account)
}

// OpeningRequest asks for an account of a program that the key is not made for.
type OpeningRequest struct {
	Program string `json:"program" minLength:"1" maxLength:"256" doc:"The program"`
	Reason  string `json:"reason" minLength:"1" maxLength:"256" doc:"Why"`
}

type openingInput struct {
	OfAccount
	WithKey
	Body body[OpeningRequest]
}

// openAccount proposes an account of a program: letting somebody into other terms takes
// two, unless it is what a key was made for.
func (s *Server) openAccount(ctx context.Context, in *openingInput) (*proposalOutput, error) {
	ask := in.Body.value
	if p := first(in.Body.refused, checkKey(in.Key, true), allGiven("account", in.Account, "program", ask.Program, "reason", ask.Reason)); p != nil {
		return nil, p
	}
	if p := s.enters(ctx, principalOf(ctx), in.Account, ask.Program); p != nil {
		return nil, p
	}
	if len(s.programs.Versions(ask.Program)) == 0 {
		return nil, problem("program_not_found", "").at("program")
	}
	p, _, err := s.approvals.Ask(ctx, approval.Proposal{
		Account: in.Account, Adjustment: idFrom("opening", in.Key), Action: reward.AccountOpened, About: ask.Program, Reason: ask.Reason,
		Proposer: personOf(principalOf(ctx)),
	}, s.alone)
	if err != nil {
		return nil, s.proposalFailure(ctx, err)
	}
	return &proposalOutput{proposalOf(&p)}, nil
}

// proposeTerms has terms wait for a second person.
func (s *Server) proposeTerms(ctx context.Context, program string, document []byte, effective reward.Instant) (*durable.ProgramVersion, error) {
	id := idFrom("terms", approval.DigestOf(program, effective, document)+strconv.Itoa(len(s.programs.Versions(program)))+principalOf(ctx).ID)
	p, err := s.approvals.ProposeTerms(ctx, id, program, document, effective, "put over the API", personOf(principalOf(ctx)))
	if errors.Is(err, approval.ErrNothingNew) {
		versions := s.programs.Versions(program)
		return &versions[len(versions)-1], nil
	}
	if err != nil {
		return nil, s.proposalFailure(ctx, err)
	}
	_, err = s.answerProposal(ctx, &p, p.State == approval.Open)
	return nil, err
}

func (s *Server) proposalRoutes() {
	if s.approvals == nil {
		return
	}
	tags := []string{"Proposals"}
	register(s, huma.Operation{
		OperationID: "list-proposals", Method: http.MethodGet, Path: "/v1/proposals", Tags: tags, Summary: "What waits for a second person",
		Metadata: map[string]any{ofAllAccounts: true},
	}, scope.Read, nil, s.listProposals)
	failures := []string{"proposal_unknown", "same_person", "already_final", "account_refused", "id_reused", "limit_exceeded", "adjustment_conflict", "program_invalid", "effective_invalid", "currency_changed"}
	register(s, huma.Operation{
		OperationID: "approve-proposal", Method: http.MethodPost, Path: "/v1/proposals/{number}/approval", Tags: tags, Summary: "Do what somebody else proposed",
		Description: "It is done in this step, with both names. Whoever proposed it cannot approve it, by whichever of their keys.",
	}, scope.Approve, failures, s.approve)
	register(s, huma.Operation{
		OperationID: "reject-proposal", Method: http.MethodPost, Path: "/v1/proposals/{number}/rejection", Tags: tags, Summary: "Close a proposal without doing anything",
	}, scope.Approve, failures, s.reject)
	register(s, huma.Operation{
		OperationID: "propose-opening", Method: http.MethodPost, Path: "/v1/accounts/{account}/opening", Tags: []string{"Accounts"}, Summary: "Propose an account of another program than the default",
		Description: "Somebody else has to approve it. A key that is made for the program opens accounts of it by account.opened events alone.",
	}, scope.Operate, append([]string{"program_not_found", "account_unknown", "idempotency_key_reused", "proposals_full"}, failures...), s.openAccount)
}
